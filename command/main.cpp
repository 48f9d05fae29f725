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
    // Who reads our words may have had enough.
    std::signal(SIGPIPE, SIG_IGN);
    bool all_printed = true;
    auto const put = [](std::FILE* to, std::string_view text) {
        return std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0;
    };
    std::error_code unknown;
    surroundings const around = {
        .print = [&](std::string_view text) { all_printed = put(stdout, text) && all_printed; },
        .tell = [&](std::string_view text) { put(stderr, text); },
        .is_watched = ::isatty(STDERR_FILENO) == 1,
        .open_driver = [] { return std::make_unique<spio::cuda::driver>(); },
        .program = std::filesystem::read_symlink("/proc/self/exe", unknown)};
    std::vector<std::string_view> const line(words + (count > 0), words + count);
    auto const code = run(line, around);
    if (all_printed) return static_cast<int>(code);
    around.tell("spio: the output could not be written\n");
    return static_cast<int>(exit_code::not_written);
}
