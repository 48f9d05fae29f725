// Tensors of other libraries, by DLPack.
// SPDX-License-Identifier: Apache-2.0
//
// DLPack is the protocol by which libraries pass tensors on without a copy: a tensor comes in a
// capsule, or by functions that its Python type offers to C, its exchange. Strides are those of
// elements in DLPack and of bytes in an array; a place is the number of a GPU, or that of the CPU.
// CUDA Python is a statically typed Python whose functions become kernels.
#include "machine.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

namespace spio::dialect {

namespace {

using cuda_python::kind;

// The type of a tensor's elements. Throws if CUDA Python has none such.
cuda_python::scalar scalar_of(dlpack_tensor const& tensor) {
    // DLPack's numbers of the kinds: 3 and 4 are handles and bfloat16.
    constexpr struct {
        std::uint8_t code;
        kind meaning;
    } codes[] = {{0, kind::signed_integer},
                 {1, kind::unsigned_integer},
                 {2, kind::real},
                 {5, kind::complex},
                 {6, kind::boolean}};
    for (auto const& [code, meaning] : codes) {
        cuda_python::scalar const scalar = {meaning, tensor.type_bits};
        if (tensor.type_code == code && tensor.lanes == 1 && is_known(scalar)) return scalar;
    }
    throw error(error_kind::unsupported, "take", "a tensor",
                "CUDA Python has no type for its elements of " + std::to_string(tensor.type_bits) +
                    " bits: bfloat16 and half types, for example, are none");
}

// A tensor in a capsule, which is released by whoever took it.
struct managed_tensor {
    dlpack_tensor tensor;
    void* context;
    void (*release)(managed_tensor*);
};

// from_dlpack(capsule): the array keeps the tensor.
PyObject* from_dlpack(PyObject*, PyObject* capsule) {
    return guarded([&] {
        auto* const managed =
            static_cast<managed_tensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
        if (managed == nullptr) throw python_error();
        auto result = array_of(managed->tensor);
        if (PyCapsule_SetName(capsule, "used_dltensor") != 0) throw python_error();
        result.owner = std::shared_ptr<void>(managed, [](managed_tensor* tensor) {
            if (tensor->release != nullptr) tensor->release(tensor);
        });
        return new_object(std::move(result));
    });
}

PyMethodDef functions[] = {{"from_dlpack", from_dlpack, METH_O, nullptr}, {}};

// Asks a type for its exchange; null if it has none that is known here.
dlpack_exchange const* find_exchange(PyTypeObject* type) {
    object const capsule(
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__"));
    if (!capsule) {
        PyErr_Clear();
        return nullptr;
    }
    auto const* exchange = static_cast<dlpack_exchange const*>(
        PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    if (exchange == nullptr) PyErr_Clear();
    bool const is_known = exchange != nullptr && exchange->header.major == 1 &&
                          exchange->tensor_from_object != nullptr &&
                          exchange->current_stream != nullptr;
    return is_known ? exchange : nullptr;
}

} // namespace

array array_of(dlpack_tensor const& tensor) {
    array result;
    result.element = scalar_of(tensor);
    if (tensor.rank < 1 || tensor.rank > most_dimensions) {
        throw error(error_kind::unsupported, "take", "a tensor",
                    "it has " + std::to_string(tensor.rank) +
                        " dimensions, and an array of CUDA Python has 1 to 8");
    }
    bool const is_on_gpu =
        tensor.device_type == dlpack_cuda || tensor.device_type == dlpack_managed;
    if (!is_on_gpu && tensor.device_type != dlpack_host && tensor.device_type != dlpack_pinned) {
        throw error(error_kind::unsupported, "take", "a tensor",
                    "it is neither on the CPU nor on a GPU of CUDA");
    }
    result.place = is_on_gpu ? tensor.device : host_place;
    result.address = static_cast<unsigned char*>(tensor.data) + tensor.byte_offset;
    result.rank = tensor.rank;
    auto const bytes = static_cast<std::int64_t>(result.element.bytes());
    auto const rank = static_cast<std::size_t>(tensor.rank);
    std::copy_n(tensor.shape, rank, result.shape.begin());
    check_shape(result);
    make_dense(result);
    for (std::size_t i = 0; i < rank && tensor.strides != nullptr; ++i) {
        result.strides[i] = tensor.strides[i] * bytes;
    }
    return result;
}

// Remembers what find_exchange() returned for each type, and the latest type apart.
dlpack_exchange const* exchange_of(PyTypeObject* type) {
    // The types stay alive, so that no other gets the address of one.
    static auto& known = *new std::unordered_map<PyTypeObject*, dlpack_exchange const*>();
    static PyTypeObject* latest = nullptr;
    static dlpack_exchange const* latest_exchange = nullptr;
    if (type == latest) return latest_exchange;
    auto found = known.find(type);
    if (found == known.end()) {
        auto const* const exchange = find_exchange(type);
        if (known.size() >= 1000) return exchange;
        Py_INCREF(type);
        found = known.emplace(type, exchange).first;
    }
    latest = type;
    return latest_exchange = found->second;
}

void add_dlpack(PyObject* module) {
    if (PyModule_AddFunctions(module, functions) != 0) throw python_error();
}

} // namespace spio::dialect
