// Arrays as objects of Python, and the functions that make and copy them.
// SPDX-License-Identifier: Apache-2.0
//
// An array has an address, a shape, and strides in bytes; its place is the number of a GPU, or that
// of the CPU's memory. A machine is a device with its streams; guarded() runs a function for Python
// and passes its errors on; checked() throws if a call of Python has failed.
#include "machine.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spio::dialect {

namespace {

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
        auto result = described(shape, Py_None, scalar_of_text(name));
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
