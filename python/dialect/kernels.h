// Kernels and launches of them, as objects of Python have them.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, because it is shared by sources of one library that has no module of its own. A
// ready kernel is one that is loaded on a device; a machine is a device with its streams. A code is
// the type of an argument as a number. CUDA Python is a statically typed Python whose functions
// become kernels.
#pragma once

#include "machine.h"
#include "programs.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

import spio.spec;

namespace spio::dialect {

// A kernel for arguments of some types, and what of it is loaded on devices.
struct specialization {
    std::vector<std::uint16_t> types; // codes of the types of its parameters
    std::shared_ptr<cuda_python::kernel const> kernel;
    std::vector<std::pair<machine*, std::shared_ptr<ready_kernel const>>> loaded = {};
};

// An argument of a call: an array, or a number.
struct argument {
    std::uint16_t type = 0; // the code of its type
    PyObject* number = nullptr;
    dialect::array const* array = nullptr;
    std::optional<dialect::array> view = {}; // what `array` points to, unless Python has it
    object keeper = {};                      // of what was made of the argument
};

// A kernel as Python has it. Each list of argument types gets a specialization at its first call.
struct kernel {
    bool is_typed = false; // by its decorator
    std::deque<specialization> specializations = {};
    std::vector<argument> spare = {}; // memory for the arguments of the next call
};

// A kernel with a grid, a block and maybe a stream: kernel[grid, block, stream].
struct launch {
    object kernel = {};
    extent grid, block;
    std::optional<dialect::stream> stream = {};
};

// Calls it with a tuple of arguments.
void launch_kernel(launch const&, PyObject* arguments);

// The code of a type of numbers, or of arrays of them.
std::uint16_t code_of(cuda_python::scalar, int rank);
std::uint16_t code_of(cuda_python::type const&);
cuda_python::type type_of_code(std::uint16_t);

// Whether the argument is a tensor of a library that has a current stream.
bool has_current_stream(PyObject*);
// Reads an argument. The stream is that of the launch; if it has none, it becomes the current one
// of the library that the argument is from.
argument argument_of(PyObject*, machine const&, std::optional<void*>& stream);
// Writes a number as a kernel takes it. Throws if it is none of this type.
void put_number(unsigned char* place, cuda_python::scalar, PyObject* number);

} // namespace spio::dialect
