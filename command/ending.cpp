// Knows how each error of Spio's modules ends the command.
// SPDX-License-Identifier: Apache-2.0
module;

#include <exception>
#include <new>
#include <string>

module spio.command;

import spio.error;

namespace spio::command {

namespace {

exit_code code_of(error_kind kind) {
    switch (kind) {
    case error_kind::invalid:
    case error_kind::unsupported:
        return exit_code::usage;
    case error_kind::not_found:
    case error_kind::no_compiler:
        return exit_code::not_found;
    default:
        return exit_code::tool_failed;
    }
}

} // namespace

exit_code ending_of_error(std::string& words) {
    try {
        throw;
    } catch (failure const& e) {
        words = e.what();
        return e.code();
    } catch (spio::error const& e) {
        words = e.what();
        return code_of(e.kind());
    } catch (std::bad_alloc const&) {
        words = "there is not enough memory; try a smaller problem";
    } catch (std::exception const& e) {
        words = e.what();
    }
    return exit_code::tool_failed;
}

} // namespace spio::command
