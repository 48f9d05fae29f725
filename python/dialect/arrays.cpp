// Arrays as objects of Python, and the functions that make and copy them.
// SPDX-License-Identifier: Apache-2.0
//
// An array has an address, a shape, and strides in bytes; its place is the number of a GPU, or that
// of the CPU's memory. A machine is
// a device with its streams; guarded() runs a function for Python and passes its
// errors on; checked() throws if a call of Python has failed.
#include "machine.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spio::dialect {

namespace {

std::int64_t integer_in(PyObject* number) {
    auto const value = PyLong_AsLongLong(number);
    if (value == -1 && PyErr_Occurred() != nullptr) throw python_error();
    return value;
}

// Reads as many numbers as the array has dimensions.
void read_numbers(PyObject* tuple, std::array<std::int64_t, most_dimensions>& numbers, int rank) {
    if (PyTuple_Size(tuple) != rank) {
        throw error(error_kind::invalid, "describe", "an array",
                    "its strides are not of its shape");
    }
    for (int i = 0; i < rank; ++i) {
        numbers[static_cast<std::size_t>(i)] = integer_in(PyTuple_GetItem(tuple, i));
    }
}

// Reads a shape and strides, or None for those of an array without gaps.
array described(PyObject* shape, PyObject* strides, PyObject* name) {
    array result;
    result.element = scalar_of_text(name);
    auto const rank = PyTuple_Size(shape);
    if (rank < 1 || rank > most_dimensions) {
        if (PyErr_Occurred() != nullptr) throw python_error();
        throw error(error_kind::invalid, "describe", "an array",
                    "it has " + std::to_string(rank) + " dimensions, and must have 1 to 8");
    }
    result.rank = static_cast<int>(rank);
    read_numbers(shape, result.shape, result.rank);
    double bytes = static_cast<double>(result.element.bytes());
    for (int i = 0; i < result.rank; ++i) {
        auto const extent = result.shape[static_cast<std::size_t>(i)];
        if (extent < 0)
            throw error(error_kind::invalid, "describe", "an array", "its shape is negative");
        bytes *= static_cast<double>(extent);
    }
    if (bytes > 0x1p62) throw error(error_kind::invalid, "describe", "an array", "it is too large");
    make_dense(result);
    if (strides != Py_None) read_numbers(strides, result.strides, result.rank);
    return result;
}

// view(address, shape, strides, element, place, is_writable, owner): memory of another object,
// which stays as long as the array.
PyObject* view(PyObject*, PyObject* arguments) {
    return guarded([&] {
        PyObject *address = nullptr, *shape = nullptr, *strides = nullptr, *name = nullptr;
        PyObject* owner = nullptr;
        int place = 0, is_writable = 0;
        if (PyArg_ParseTuple(arguments, "OO!OOipO", &address, &PyTuple_Type, &shape, &strides,
                             &name, &place, &is_writable, &owner) == 0) {
            throw python_error();
        }
        auto result = described(shape, strides, name);
        result.address = static_cast<unsigned char*>(PyLong_AsVoidPtr(address));
        if (PyErr_Occurred() != nullptr) throw python_error();
        result.place = place;
        result.is_writable = is_writable != 0;
        Py_INCREF(owner);
        result.owner = std::shared_ptr<void>(owner, [](void* object) {
            auto const state = PyGILState_Ensure();
            Py_DECREF(static_cast<PyObject*>(object));
            PyGILState_Release(state);
        });
        return new_object(std::move(result));
    });
}

// allocate(class, shape, element, is_pinned): memory of the current device, or memory of the CPU
// that is pinned for its copies.
PyObject* allocate(PyObject*, PyObject* arguments) {
    return guarded([&] {
        PyObject *type = nullptr, *shape = nullptr, *name = nullptr;
        int is_pinned = 0;
        if (PyArg_ParseTuple(arguments, "O!O!Op", &PyType_Type, &type, &PyTuple_Type, &shape, &name,
                             &is_pinned) == 0) {
            throw python_error();
        }
        auto& machine = current_machine();
        auto result = described(shape, Py_None, name);
        auto* const wanted = reinterpret_cast<PyTypeObject*>(type);
        if (is_pinned == 0 || machine.is_host())
            return new_object(new_array(machine, result), wanted);
        auto const memory = std::make_shared<cuda::host_memory>(
            *machine.context, std::max<std::size_t>(result.bytes(), 1));
        result.address = reinterpret_cast<unsigned char*>(memory->bytes().data());
        result.owner = memory;
        return new_object(std::move(result), wanted);
    });
}

// copy(destination, source, stream or None)
PyObject* copy_arrays(PyObject*, PyObject* arguments) {
    return guarded([&] {
        PyObject *target = nullptr, *origin = nullptr, *queue_object = nullptr;
        if (PyArg_ParseTuple(arguments, "O!O!O", type_object<array>, &target, type_object<array>,
                             &origin, &queue_object) == 0) {
            throw python_error();
        }
        auto const destination = value_of<array>(target), source = value_of<array>(origin);
        auto const place = std::max(destination.place, source.place);
        auto& home = place == host_place ? current_machine() : machine_at(place);
        auto& queue =
            home.queue(queue_object == Py_None ? nullptr : stream_of(queue_object).handle);
        released_lock const unlocked;
        copy(queue, destination, source);
    });
}

object tuple_of(std::array<std::int64_t, most_dimensions> const& numbers, int rank) {
    auto tuple = checked(PyTuple_New(rank));
    for (int i = 0; i < rank; ++i) {
        auto number = checked(PyLong_FromLongLong(numbers[static_cast<std::size_t>(i)]));
        if (PyTuple_SetItem(tuple.get(), i, number.release()) != 0) throw python_error();
    }
    return tuple;
}

PyObject* address_of(PyObject* self, void*) {
    return guarded([&] { return checked(PyLong_FromVoidPtr(value_of<array>(self).address)); });
}
PyObject* shape_of(PyObject* self, void*) {
    return guarded(
        [&] { return tuple_of(value_of<array>(self).shape, value_of<array>(self).rank); });
}
PyObject* strides_of(PyObject* self, void*) {
    return guarded(
        [&] { return tuple_of(value_of<array>(self).strides, value_of<array>(self).rank); });
}
PyObject* element_of(PyObject* self, void*) {
    return guarded([&] {
        return checked(PyUnicode_FromString(name_of(value_of<array>(self).element).c_str()));
    });
}
PyObject* place_of(PyObject* self, void*) {
    return guarded([&] { return checked(PyLong_FromLong(value_of<array>(self).place)); });
}
PyObject* is_writable(PyObject* self, void*) {
    return guarded([&] { return checked(PyBool_FromLong(value_of<array>(self).is_writable)); });
}

PyMethodDef functions[] = {
    {"view", view, METH_VARARGS, nullptr},
    {"allocate", allocate, METH_VARARGS, nullptr},
    {"copy", copy_arrays, METH_VARARGS, nullptr},
    {},
};
PyGetSetDef members[] = {
    {"address", address_of, nullptr, "The address of the first element.", nullptr},
    {"shape", shape_of, nullptr, "The extents of all dimensions.", nullptr},
    {"strides", strides_of, nullptr, "The strides of all dimensions, in bytes.", nullptr},
    {"element", element_of, nullptr, "The name of the type of its elements.", nullptr},
    {"place", place_of, nullptr, "The number of the GPU, or -1 for the CPU's memory.", nullptr},
    {"is_writable", is_writable, nullptr, nullptr, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(release<array>)},
    {Py_tp_getset, members},
    {},
};

} // namespace

void add_arrays(PyObject* module) {
    if (PyModule_AddFunctions(module, functions) != 0) throw python_error();
    add_type<array>(module, "spio.dialect.Array", slots, no_constructor | Py_TPFLAGS_BASETYPE);
}

} // namespace spio::dialect
