// The program `spio`.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

import spio.command;
import spio.cuda;

int main(int count, char** words) {
    using namespace spio::command;
    // If the reader of a pipe ends early, a write must fail, so that the failure can be reported,
    // and not kill the program.
    std::signal(SIGPIPE, SIG_IGN);
    bool is_printed = true;
    auto const write = [](std::FILE* file, std::string_view text) {
        return std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
               std::fflush(file) == 0;
    };
    std::error_code unknown;
    io const io = {.print = [&](auto text) { is_printed = write(stdout, text) && is_printed; },
                   .tell = [&](auto text) { write(stderr, text); },
                   .is_interactive = ::isatty(STDERR_FILENO) == 1,
                   .open_driver = [] { return std::make_unique<spio::cuda::driver>(); },
                   .program = std::filesystem::read_symlink("/proc/self/exe", unknown)};
    std::vector<std::string_view> const line(words + (count > 0), words + count);
    auto const status = run(line, io);
    if (is_printed) return static_cast<int>(status);
    io.tell("spio: the output could not be written\n");
    return static_cast<int>(exit_status::not_written);
}
