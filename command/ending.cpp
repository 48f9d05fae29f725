// Knows how each error of Spio's modules ends the command.
// SPDX-License-Identifier: Apache-2.0
module;

#include <exception>
#include <new>
#include <string>

module spio.command;

import spio.cuda;
import spio.jit;
import spio.spec;

namespace spio::command {

namespace {

exit_code code_of(spio::error const& e) {
    if (e.tried() == "find") return exit_code::not_found;
    bool const is_about_words = e.tried() == "parse" || e.tried() == "check" ||
                                e.tried() == "specialize" || e.subject() == "SPIO_POLICY" ||
                                e.subject().starts_with("'");
    return is_about_words ? exit_code::usage : exit_code::tool_failed;
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
        return code_of(e);
    } catch (jit::nvrtc_error const& e) {
        words = e.what();
        return e.tried() == "dlopen" || e.tried() == "open" ? exit_code::not_found
                                                            : exit_code::tool_failed;
    } catch (cuda::error const& e) {
        words = e.what();
        return e.tried() == "dlopen" ? exit_code::not_found : exit_code::tool_failed;
    } catch (std::bad_alloc const&) {
        words = "there is not enough memory; try a smaller problem";
    } catch (std::exception const& e) {
        words = e.what();
    }
    return exit_code::tool_failed;
}

} // namespace spio::command
