// The device that kernels run on, a GPU or the interpreter, with its streams and its memory.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, because it is shared by sources of one library that has no module of its own.
// The interpreter runs kernels of CUDA Python on the CPU. DLPack is the protocol by which libraries
// pass tensors on.
#pragma once

#include "python.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

import spio.cuda;
import spio.cuda_python;
import spio.launch;
import spio.runtime;

namespace spio::dialect {

inline constexpr int host_place = -1; // the memory of the CPU, and the interpreter
inline constexpr int most_dimensions = 8;

// A device, which is never closed, because the driver may end before it would.
struct machine {
    int place; // the number of the GPU, or host_place
    std::optional<cuda::driver> driver;
    std::optional<cuda::context> context;
    std::unique_ptr<spio::runtime> runtime;
    std::map<void*, std::unique_ptr<work_queue>> queues; // by the handle of the stream

    bool is_host() const { return place == host_place; }
    spio::device const& device() const { return runtime->target_device(); }
    // The stream of a handle of CUDA; null is the default stream.
    work_queue& queue(void* stream);
};
// The device with this number, or the interpreter.
machine& machine_at(int place);
// The device that was selected; else the first GPU, or the interpreter where there is none.
machine& current_machine();
// The kernel runs in the interpreter wherever its symbol is looked for there.
void add_interpreted(std::shared_ptr<cuda_python::kernel const> const&);

// A stream of a device. Those that Spio made have an owner.
struct stream {
    machine* home;
    void* handle;
    std::shared_ptr<cuda::stream const> owner;
};
// The stream of an argument of Python: a Stream, a handle, or an object that has one.
stream stream_of(PyObject*);

// The number of the GPU whose memory has the address.
int place_of(void const* address);

// An array as kernels take it. Strides are in bytes.
struct array {
    unsigned char* address = nullptr;
    int rank = 0;
    std::array<std::int64_t, most_dimensions> shape = {}, strides = {};
    cuda_python::scalar element = {};
    int place = host_place;
    bool is_writable = true;
    std::shared_ptr<void> owner = {}; // of the memory; null if an object of Python owns it

    std::size_t count() const {
        std::size_t product = 1;
        for (int i = 0; i < rank; ++i)
            product *= static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
        return product;
    }
    std::size_t bytes() const { return count() * element.bytes(); }
    // Whether it is the same memory, seen in the same way.
    bool is_same(array const& other) const {
        return address == other.address && place == other.place && rank == other.rank &&
               shape == other.shape && strides == other.strides && element == other.element &&
               is_writable == other.is_writable;
    }
    // Whether both arrays have bytes between the first and the last of the other.
    bool overlaps(array const& other) const;
    bool is_dense() const; // no gaps, the last index the nearest
};
// Refuses extents that are negative, or whose product is no number of bytes even where one of them
// is 0.
void check_shape(array const&);
// Refuses strides that lead to offsets beyond 2^62 bytes.
void check_strides(array const&);
// Sets the strides of an array without gaps.
void make_dense(array&);
// The same array in new memory of a device, without gaps and without values.
array new_array(machine&, array const& model);
// Reads a shape and strides, or None for those of an array without gaps.
array described(PyObject* shape, PyObject* strides, cuda_python::scalar);
// The array of __cuda_array_interface__, which is on a GPU unless it has no elements, or of
// __array_interface__.
array array_of_interface(PyObject* interface, bool is_on_gpu);
// Copies all elements. Each side is in the memory of the device or of the CPU. Has copied when it
// returns if a side is the CPU's.
void copy(work_queue&, array const& destination, array const& source);

// A tensor as DLPack has it, version 1 and before.
struct dlpack_tensor {
    void* data;
    std::int32_t device_type, device;
    std::int32_t rank;
    std::uint8_t type_code, type_bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};
inline constexpr int dlpack_host = 1, dlpack_cuda = 2, dlpack_pinned = 3, dlpack_managed = 13;
array array_of(dlpack_tensor const&);

// What the type of a tensor offers to callers that are not Python: DLPack 1.2 describes it.
struct dlpack_exchange {
    struct {
        std::uint32_t major, minor;
        void* previous;
    } header;
    void *allocate, *managed_from_object, *object_from_managed;
    int (*tensor_from_object)(void* object, dlpack_tensor*);
    int (*current_stream)(int device_type, std::int32_t device, void** stream);
};
// Null if the type offers none. The type's address is remembered.
dlpack_exchange const* exchange_of(PyTypeObject*);

// The place of a type of numbers in cuda_python::scalars().
std::size_t number_of(cuda_python::scalar);
cuda_python::scalar scalar_of_text(PyObject* name);
// Whether CUDA Python has a type of numbers of a kind with so many bits.
bool is_known(cuda_python::scalar);

} // namespace spio::dialect
