// Passes errors of Spio on to Python, as spio.cuda.Error.
// SPDX-License-Identifier: Apache-2.0
//
// C++ code that Python calls must not throw. Its exceptions end in set_python_error(), which calls
// a function of the Python module spio.cuda.errors that raises the same as an exception of Python.
// A program_error is about a place in the text of a kernel. A misuse is an access that breaks a
// rule, and that the interpreter of CUDA Python has found.
#include "python.h"

#include <exception>
#include <string>
#include <string_view>

import spio.cuda_python;

namespace spio::dialect {

namespace {

std::string_view name_of(error_kind kind) {
    switch (kind) {
    case error_kind::invalid:
        return "invalid";
    case error_kind::not_found:
        return "not_found";
    case error_kind::unsupported:
        return "unsupported";
    case error_kind::no_compiler:
        return "no_compiler";
    case error_kind::cold_kernel:
        return "cold_kernel";
    case error_kind::tool_failed:
        return "tool_failed";
    case error_kind::device:
        return "device";
    case error_kind::misuse:
        return "misuse";
    case error_kind::io:
        return "io";
    case error_kind::internal:
        return "internal";
    }
    return "internal";
}

// Calls spio.cuda.errors.FUNCTION, which raises.
void raise_by(char const* function, object arguments) {
    auto const module = checked(PyImport_ImportModule("spio.cuda.errors"));
    auto const raise = checked(PyObject_GetAttrString(module.get(), function));
    object const result(PyObject_Call(raise.get(), arguments.get(), nullptr));
}

// A text as an object of Python.
object text(std::string_view words) {
    return checked(
        PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
}

void raise(error const& e) {
    auto const kind = text(name_of(e.kind()));
    auto const words = text(e.what()), reason = text(e.reason());
    raise_by("raise_failure",
             checked(Py_BuildValue("(OOO)", kind.get(), words.get(), reason.get())));
}

void raise(cuda_python::program_error const& e) {
    auto const& problem = e.diagnostic();
    auto const spelled = text(problem.spelled());
    auto const rule = text(problem.rule), message = text(problem.message);
    auto const file = text(problem.place.file);
    raise_by("raise_diagnostic",
             checked(Py_BuildValue("(OOOOii)", spelled.get(), rule.get(), message.get(), file.get(),
                                   problem.place.line, problem.place.column)));
}

} // namespace

// Called in a catch block: passes on the exception that is being handled.
void set_python_error() noexcept {
    try {
        throw;
    } catch (python_error const&) {
    } catch (cuda_python::program_error const& e) {
        try {
            raise(e);
        } catch (...) { // Python's own error is set
        }
    } catch (error const& e) {
        try {
            raise(e);
        } catch (...) { // the same
        }
    } catch (std::exception const& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    }
}

} // namespace spio::dialect
