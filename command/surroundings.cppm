// What is around the command: where its words go, and the driver that it may ask.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

export module spio.command_line:surroundings;

import spio.cuda;

export namespace spio::command {

struct surroundings {
    // Results go to one place, all else to another.
    std::function<void(std::string_view)> print;
    std::function<void(std::string_view)> tell;
    // Whether somebody looks on who wants to see that it goes on.
    bool is_watched = false;
    std::function<std::unique_ptr<cuda::driver>()> open_driver;
    // Where the program lies; empty if nobody knows.
    std::filesystem::path program = {};
};

// Tells what is being done while it lives, to those who look on.
class progress {
  public:
    progress(surroundings const& in, std::string what) : around(in) {
        if (!around.is_watched) return;
        width = what.size();
        around.tell(what);
    }
    progress(progress const&) = delete;
    ~progress() {
        if (width > 0) around.tell("\r" + std::string(width, ' ') + "\r");
    }

  private:
    surroundings const& around;
    std::size_t width = 0;
};

} // namespace spio::command
