// Runs the command with a fake driver in place of CUDA's, and keeps what it prints.
// SPDX-License-Identifier: Apache-2.0
//
// Include it after the imports of spio.command, spio.cuda and spio.fake_driver, and include these
// standard headers before them.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spio::test {

// What a command line has answered.
struct answer {
    command::exit_status status;
    std::string printed, told; // on standard output and on standard error
};

// The program is where the command says that it is installed.
inline answer answer_to(std::span<std::string_view const> words,
                        std::filesystem::path const& program = {}) {
    answer answer = {};
    answer.status = command::run(
        words, {.print = [&](std::string_view text) { answer.printed += text; },
                .tell = [&](std::string_view text) { answer.told += text; },
                .is_interactive = false,
                .open_driver = [] { return std::make_unique<cuda::driver>(fake::find); },
                .program = program});
    return answer;
}

} // namespace spio::test
