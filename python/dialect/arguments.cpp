// Reads arguments of kernels: numbers, arrays of Spio, tensors by DLPack, and what Python adapts.
// SPDX-License-Identifier: Apache-2.0
//
// A call of a kernel passes objects of Python. argument_of() finds the CUDA Python type of each, by
// which the kernel is chosen, and put_number() writes numbers where the kernel's parameters are.
// DLPack is the protocol by which libraries pass tensors on; a library may have a current stream,
// in which its work is queued. A code is a type as a number: the element's place in scalars(), and
// the rank of an array, which is 0 for a number.
#include "kernels.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace spio::dialect {

namespace {

namespace py = cuda_python;

// An array that Python has, or that the keeper holds.
argument array_argument(array const& view, object keeper) {
    return {.type = code_of(view.element, view.rank), .array = &view, .keeper = std::move(keeper)};
}

// Another library's tensor. If the launch has no stream yet, it takes the library's current one.
argument tensor_argument(PyObject* tensor, dlpack_exchange const& exchange,
                         std::optional<void*>& stream) {
    dlpack_tensor described = {};
    if (exchange.tensor_from_object(tensor, &described) != 0) {
        if (PyErr_Occurred() == nullptr)
            PyErr_SetString(PyExc_BufferError, "a tensor cannot be passed");
        throw python_error();
    }
    argument result;
    result.view = array_of(described);
    result.type = code_of(result.view->element, result.view->rank);
    if (result.view->place != host_place && !stream) {
        void* current = nullptr;
        if (exchange.current_stream(dlpack_cuda, described.device, &current) != 0) {
            throw python_error();
        }
        stream = current;
    }
    return result;
}

// The array of an object with __cuda_array_interface__, or none if it has none, or one with a
// stream that must be waited for, which Python does.
std::optional<array> interface_array(PyObject* value) {
    static auto* const name = PyUnicode_InternFromString("__cuda_array_interface__");
    static auto* const stream_key = PyUnicode_InternFromString("stream");
    object const interface(PyObject_GetAttr(value, name));
    if (!interface) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw python_error();
        PyErr_Clear();
        return {};
    }
    if (PyDict_Check(interface.get()) == 0) return {};
    auto* const stream = PyDict_GetItemWithError(interface.get(), stream_key);
    if (stream == nullptr && PyErr_Occurred() != nullptr) throw python_error();
    if (stream != nullptr && stream != Py_None) return {};
    return array_of_interface(interface.get(), /*is_on_gpu=*/true);
}

// Asks Python for an Array, or for a pair: a number and the name of its type.
argument adapted_argument(PyObject* other, std::optional<void*> const& stream) {
    static PyObject* adapt = nullptr;
    if (adapt == nullptr) {
        auto const module = checked(PyImport_ImportModule("spio.cuda.arguments"));
        adapt = checked(PyObject_GetAttrString(module.get(), "adapt")).release();
    }
    auto const handle = checked(PyLong_FromVoidPtr(stream.value_or(nullptr)));
    auto adapted = checked(PyObject_CallFunctionObjArgs(adapt, other, handle.get(), nullptr));
    if (auto const* const view = value_in<array>(adapted.get())) {
        return array_argument(*view, std::move(adapted));
    }
    PyObject *number = nullptr, *name = nullptr;
    if (PyArg_ParseTuple(adapted.get(), "OO", &number, &name) == 0) throw python_error();
    return {
        .type = code_of(scalar_of_text(name), 0), .number = number, .keeper = std::move(adapted)};
}

// Writes the bytes of a number.
template <class T> void put(unsigned char* place, T number) {
    std::memcpy(place, &number, sizeof number);
}

// Throws the error for a number that the type cannot have.
[[noreturn]] void refuse(PyObject* number, py::scalar type) {
    object const words(PyObject_Repr(number));
    auto const* const text = words ? PyUnicode_AsUTF8AndSize(words.get(), nullptr) : nullptr;
    PyErr_Clear();
    throw error(error_kind::invalid, "pass", "a number",
                std::string("is ") + (text != nullptr ? text : "something") +
                    ", which is no value of " + name_of(type));
}

// Writes a Python integer as one of this type; refuses one that does not fit.
void put_integer(unsigned char* place, py::scalar type, PyObject* number) {
    bool const is_integer = PyLong_Check(number) != 0 || PyIndex_Check(number) != 0;
    object const index(is_integer ? PyNumber_Index(number) : nullptr);
    if (!index) refuse(number, type);
    if (type == py::scalar{py::kind::unsigned_integer, 64}) {
        auto const value = PyLong_AsUnsignedLongLong(index.get());
        if (PyErr_Occurred() != nullptr) refuse(number, type);
        return put(place, value);
    }
    int overflow = 0;
    auto const value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    auto const least = type.kind == py::kind::unsigned_integer
                           ? 0
                           : std::numeric_limits<long long>::min() >> (64 - type.bits);
    auto const most = type.kind == py::kind::unsigned_integer
                          ? (1LL << type.bits) - 1
                          : std::numeric_limits<long long>::max() >> (64 - type.bits);
    if (overflow != 0 || value < least || value > most) refuse(number, type);
    std::memcpy(place, &value, type.bytes()); // little-endian
}

double real_in(PyObject* number, py::scalar type) {
    auto const value = PyFloat_AsDouble(number);
    if (value == -1 && PyErr_Occurred() != nullptr) refuse(number, type);
    return value;
}

} // namespace

std::uint16_t code_of(py::scalar element, int rank) {
    return static_cast<std::uint16_t>(number_of(element) | static_cast<std::size_t>(rank) << 8);
}
std::uint16_t code_of(py::type const& type) {
    return code_of(type.element, type.is_array() ? type.rank : 0);
}
py::type type_of_code(std::uint16_t code) {
    auto const element = py::scalars()[code & 0xff];
    int const rank = code >> 8;
    return rank == 0 ? number(element) : cuda_python::array(element, rank);
}

bool has_current_stream(PyObject* value) {
    auto* const type = Py_TYPE(value);
    for (auto* const known : {&PyFloat_Type, &PyLong_Type, &PyBool_Type, &PyComplex_Type}) {
        if (type == known) return false;
    }
    return value_in<array>(value) == nullptr && exchange_of(type) != nullptr;
}

argument argument_of(PyObject* value, machine const&, std::optional<void*>& stream) {
    if (auto const* const own = value_in<array>(value)) return array_argument(*own, {});
    auto* const type = Py_TYPE(value);
    auto const number = [&](py::scalar scalar) {
        return argument{.type = code_of(scalar, 0), .number = value};
    };
    if (type == &PyFloat_Type) return number(py::float64);
    if (type == &PyLong_Type) return number(py::intp);
    if (type == &PyBool_Type) return number(py::boolean);
    if (type == &PyComplex_Type) return number(py::complex128);
    if (auto const* const exchange = exchange_of(type))
        return tensor_argument(value, *exchange, stream);
    if (auto view = interface_array(value)) {
        auto const code = code_of(view->element, view->rank);
        return {.type = code, .view = std::move(view)};
    }
    return adapted_argument(value, stream);
}

void put_number(unsigned char* place, py::scalar type, PyObject* number) {
    if (type.is_boolean()) {
        if (PyBool_Check(number) == 0) refuse(number, type);
        return put(place, number == Py_True);
    }
    if (type.is_integer()) return put_integer(place, type, number);
    if (type == py::float64) return put(place, real_in(number, type));
    if (type == py::float32) return put(place, static_cast<float>(real_in(number, type)));
    auto const real = PyComplex_RealAsDouble(number), imaginary = PyComplex_ImagAsDouble(number);
    if (PyErr_Occurred() != nullptr) refuse(number, type);
    if (type == py::complex128) {
        put(place, real), put(place + 8, imaginary);
    } else {
        put(place, static_cast<float>(real)), put(place + 4, static_cast<float>(imaginary));
    }
}

} // namespace spio::dialect
