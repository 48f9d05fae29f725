// Views of other objects' arrays, as these describe them: an address, a shape, strides and a type.
// SPDX-License-Identifier: Apache-2.0
//
// An array has an address, a shape, and strides in bytes; its place is the number of a GPU, or that
// of the CPU's memory. guarded() runs a function for Python and passes its errors on; checked()
// throws if a call of Python has failed. CUDA Python, which has the types of elements, is a
// statically typed Python whose functions become kernels.
#include "machine.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace spio::dialect {

using namespace std::string_view_literals;

namespace {

std::int64_t integer_in(PyObject* number) {
    auto const value = PyLong_AsLongLong(number);
    if (value == -1 && PyErr_Occurred() != nullptr) throw python_error();
    return value;
}

// Reads the `rank` numbers of a tuple.
void read_numbers(PyObject* tuple, std::array<std::int64_t, most_dimensions>& numbers, int rank) {
    if (PyTuple_Check(tuple) == 0 || PyTuple_Size(tuple) != rank) {
        throw error(error_kind::invalid, "describe", "an array",
                    "its strides are not of its shape");
    }
    for (int i = 0; i < rank; ++i) {
        numbers[static_cast<std::size_t>(i)] = integer_in(PyTuple_GetItem(tuple, i));
    }
}

// The type of elements by NumPy's name for it, such as <f4.
cuda_python::scalar scalar_of_typestring(PyObject* text) {
    using cuda_python::kind;
    constexpr std::pair<char, kind> letters[] = {{'b', kind::boolean},
                                                 {'i', kind::signed_integer},
                                                 {'u', kind::unsigned_integer},
                                                 {'f', kind::real},
                                                 {'c', kind::complex}};
    Py_ssize_t size = 0;
    auto const* const words = PyUnicode_AsUTF8AndSize(text, &size);
    if (words == nullptr) throw python_error();
    std::string_view const name(words, static_cast<std::size_t>(size));
    for (auto const& [letter, kind] : letters) {
        bool const is_here =
            name.size() > 2 && name[1] == letter && "<|="sv.find(name[0]) != std::string_view::npos;
        if (!is_here) continue;
        unsigned char bytes = 0;
        auto const* const end = words + size;
        auto const [last, status] = std::from_chars(words + 2, end, bytes);
        cuda_python::scalar const scalar = {kind, 8 * bytes};
        if (status == std::errc() && last == end && is_known(scalar)) return scalar;
    }
    throw error(error_kind::unsupported, "describe", "an array",
                "CUDA Python has no type for elements of '" + std::string(name.substr(0, 40)) +
                    "'");
}

// A value of a dictionary, or null.
PyObject* value_at(PyObject* dictionary, PyObject* key) {
    auto* const value = PyDict_GetItemWithError(dictionary, key);
    if (value == nullptr && PyErr_Occurred() != nullptr) throw python_error();
    return value;
}

// An object of Python that an array keeps.
std::shared_ptr<void> kept(PyObject* owner) {
    Py_INCREF(owner);
    return std::shared_ptr<void>(owner, [](void* object) {
        auto const state = PyGILState_Ensure();
        Py_DECREF(static_cast<PyObject*>(object));
        PyGILState_Release(state);
    });
}

// from_interface(interface, is_on_gpu, owner): the array of __cuda_array_interface__ or
// __array_interface__, whose owner stays as long as it.
PyObject* from_interface(PyObject*, PyObject* arguments) {
    return guarded([&] {
        PyObject *interface = nullptr, *owner = nullptr;
        int is_on_gpu = 0;
        if (PyArg_ParseTuple(arguments, "O!pO", &PyDict_Type, &interface, &is_on_gpu, &owner) ==
            0) {
            throw python_error();
        }
        auto result = array_of_interface(interface, is_on_gpu != 0);
        result.owner = kept(owner);
        return new_object(std::move(result));
    });
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
        auto result = described(shape, strides, scalar_of_text(name));
        result.address = static_cast<unsigned char*>(PyLong_AsVoidPtr(address));
        if (PyErr_Occurred() != nullptr) throw python_error();
        result.place = place;
        result.is_writable = is_writable != 0;
        result.owner = kept(owner);
        return new_object(std::move(result));
    });
}

PyMethodDef functions[] = {
    {"from_interface", from_interface, METH_VARARGS, nullptr},
    {"view", view, METH_VARARGS, nullptr},
    {},
};

} // namespace

array described(PyObject* shape, PyObject* strides, cuda_python::scalar element) {
    array result;
    result.element = element;
    auto const rank = PyTuple_Size(shape);
    if (rank < 1 || rank > most_dimensions) {
        if (PyErr_Occurred() != nullptr) throw python_error();
        throw error(error_kind::invalid, "describe", "an array",
                    "it has " + std::to_string(rank) + " dimensions, and must have 1 to 8");
    }
    result.rank = static_cast<int>(rank);
    read_numbers(shape, result.shape, result.rank);
    check_shape(result);
    make_dense(result);
    if (strides != Py_None) read_numbers(strides, result.strides, result.rank);
    check_strides(result);
    return result;
}

array array_of_interface(PyObject* interface, bool is_on_gpu) {
    static auto* const keys = new std::array<PyObject*, 4>{
        PyUnicode_InternFromString("shape"), PyUnicode_InternFromString("strides"),
        PyUnicode_InternFromString("typestr"), PyUnicode_InternFromString("data")};
    auto const [shape_key, strides_key, type_key, data_key] = *keys;
    auto* const shape = value_at(interface, shape_key);
    auto* const strides = value_at(interface, strides_key);
    auto* const type = value_at(interface, type_key);
    auto* const data = value_at(interface, data_key);
    bool const is_whole = shape != nullptr && type != nullptr && data != nullptr &&
                          PyTuple_Check(data) != 0 && PyTuple_Size(data) == 2;
    if (!is_whole) {
        throw error(error_kind::invalid, "describe", "an array",
                    "its interface lacks a shape, typestr or data of an address and a bool");
    }
    auto const extents = checked(PySequence_Tuple(shape));
    bool const is_dense = strides == nullptr || strides == Py_None;
    auto result =
        described(extents.get(), is_dense ? Py_None : strides, scalar_of_typestring(type));
    result.address = static_cast<unsigned char*>(PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)));
    if (PyErr_Occurred() != nullptr) throw python_error();
    if (is_on_gpu && result.count() > 0) result.place = place_of(result.address);
    int const is_only_read = PyObject_IsTrue(PyTuple_GetItem(data, 1));
    if (is_only_read < 0) throw python_error();
    result.is_writable = is_only_read == 0;
    return result;
}

void add_views(PyObject* module) {
    if (PyModule_AddFunctions(module, functions) != 0) throw python_error();
}

} // namespace spio::dialect
