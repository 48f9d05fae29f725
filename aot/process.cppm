// Programs that are run to their end, without a shell.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

module spio.aot:process;

namespace spio::aot {

struct outcome {
    int status;       // 0 if all went well; 128 and the signal if one ended it
    std::string said; // on both of its outputs
};

// The first word is the program: a path, or a name that is looked for in PATH. Throws if it cannot
// be started.
outcome run(std::vector<std::string> const& words);

// Where PATH has a program of this name; empty if nowhere.
std::filesystem::path found_in_path(std::string_view name);

std::string spelled(std::vector<std::string> const& words);

} // namespace spio::aot
