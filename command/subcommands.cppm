// All subcommands, and the command that runs them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>
#include <string_view>

export module spio.command:subcommands;

import spio.command_line;

export namespace spio::command {

inline constexpr option json_option = {"--json", "", "print one JSON object, for programs"};

std::span<subcommand const> subcommands();

// The help of the whole command, and of one of them.
std::string help();
std::string help(subcommand const&);

// Reads the words after the program's name, and does what they say.
exit_code run(std::span<std::string_view const> words, surroundings const&);

} // namespace spio::command
