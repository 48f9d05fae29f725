// How an error ends the command.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>

export module spio.command:ending;

import spio.command_line;

export namespace spio::command {

// To be called where an error is caught: of the command, of Spio's modules, or of the language.
exit_code ending_of_error(std::string& words);

} // namespace spio::command
