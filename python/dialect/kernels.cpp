// Kernels as objects of Python: kernel[grid, block, stream](arguments).
// SPDX-License-Identifier: Apache-2.0
//
// A Kernel has its launches compiled for the types of their arguments; kernel[grid, block] makes a
// Launch, whose call runs it. guarded() runs a function for Python and passes its errors on;
// value_of() is the C++ object in one of Python.
#include "kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

import spio.image;
import spio.spec;

namespace spio::dialect {

namespace {

// The extents of a grid or a block: a number, or a tuple of up to three.
extent extent_of(PyObject* sizes, char const* name, std::array<long, 3> const& most) {
    bool const is_tuple = PyTuple_Check(sizes) != 0;
    auto const count = is_tuple ? PyTuple_Size(sizes) : 1;
    auto const refuse = [&](std::string const& reason) {
        throw error(error_kind::invalid, "launch", "a kernel", std::string(name) + " " + reason);
    };
    if (count < 1 || count > 3) refuse("is a number, or a tuple of up to 3");
    std::array<long, 3> extents = {1, 1, 1};
    for (Py_ssize_t i = 0; i < count; ++i) {
        auto* const size = is_tuple ? PyTuple_GetItem(sizes, i) : sizes;
        auto const axis = static_cast<std::size_t>(i);
        auto& extent = extents[axis];
        extent = PyLong_AsLong(size);
        if (extent == -1 && PyErr_Occurred() != nullptr) throw python_error();
        if (extent < 1 || extent > most[axis]) {
            refuse("is " + std::to_string(extent) + " along " + "xyz"[axis] +
                   ", but must be from 1 to " + std::to_string(most[axis]));
        }
    }
    return {static_cast<int>(extents[0]), static_cast<int>(extents[1]),
            static_cast<int>(extents[2])};
}

// kernel[grid, block] and kernel[grid, block, stream]
PyObject* configured(PyObject* self, PyObject* index) {
    return guarded([&] {
        auto const count = PyTuple_Check(index) != 0 ? PyTuple_Size(index) : 0;
        if (count != 2 && count != 3) {
            throw error(
                error_kind::invalid, "launch", "a kernel",
                "it is launched by kernel[grid, block](…) or kernel[grid, block, stream](…)");
        }
        // The language has no z of grids.
        launch result = {
            .grid = extent_of(PyTuple_GetItem(index, 0), "the grid", {(1L << 31) - 1, 65535, 1}),
            .block = extent_of(PyTuple_GetItem(index, 1), "the block", {1024, 1024, 64})};
        if (result.block.count() > 1024) {
            throw error(error_kind::invalid, "launch", "a kernel",
                        "the block has " + std::to_string(result.block.count()) +
                            " threads, but must have at most 1024");
        }
        if (auto* const wanted = count == 3 ? PyTuple_GetItem(index, 2) : Py_None;
            wanted != Py_None) {
            result.stream = stream_of(wanted);
        }
        result.kernel = borrowed(self);
        return new_object(std::move(result));
    });
}

// Kernel(is_typed); classes that are derived have _specialize(signature or None).
PyObject* new_kernel(PyTypeObject* type, PyObject* arguments, PyObject*) {
    return guarded([&] {
        int is_typed = 0;
        if (PyArg_ParseTuple(arguments, "p", &is_typed) == 0) throw python_error();
        kernel result;
        result.is_typed = is_typed != 0;
        return new_object(std::move(result), type);
    });
}

// launch(arguments…)
PyObject* launch_arguments(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&] {
        if (keywords != nullptr && PyDict_Size(keywords) > 0) {
            throw error(error_kind::invalid, "launch", "a kernel", "it takes no keyword arguments");
        }
        launch_kernel(value_of<launch>(self), arguments);
    });
}

PyType_Slot kernel_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(release<kernel>)},
    {Py_tp_new, reinterpret_cast<void*>(new_kernel)},
    {Py_mp_subscript, reinterpret_cast<void*>(configured)},
    {},
};
PyType_Slot launch_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(release<launch>)},
    {Py_tp_call, reinterpret_cast<void*>(launch_arguments)},
    {},
};

} // namespace

void add_kernels(PyObject* module) {
    add_type<kernel>(module, "spio.dialect.Kernel", kernel_slots, Py_TPFLAGS_BASETYPE);
    add_type<launch>(module, "spio.dialect.Launch", launch_slots, no_constructor);
}

} // namespace spio::dialect
