// Arrays in memory of devices and of the CPU: their layout, and copies between both.
// SPDX-License-Identifier: Apache-2.0
//
// An array has an address, a shape, and strides in bytes; its place is the number of a GPU, or that
// of the CPU's memory. Dense means that its elements lie without gaps, the last index the nearest.
// A queue runs the work of a stream on a device. Copies between a device and the CPU are dense on
// the device; on the CPU they go through a dense copy where the array is not.
#include "machine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace spio::dialect {

namespace {

// Calls f(left, right) with the addresses of each two elements of one position, in order. `axis` is
// the first one that is left to go through.
template <class F>
void for_each_element(array const& a, array const& b, int axis, unsigned char* left,
                      unsigned char* right, F const& f) {
    if (axis == a.rank) return f(left, right);
    auto const i = static_cast<std::size_t>(axis);
    for (std::int64_t k = 0; k < a.shape[i]; ++k) {
        for_each_element(a, b, axis + 1, left + k * a.strides[i], right + k * b.strides[i], f);
    }
}

// Copies in the memory of the CPU.
void copy_on_host(array const& destination, array const& source) {
    if (destination.is_dense() && source.is_dense()) {
        std::memmove(destination.address, source.address, source.bytes());
        return;
    }
    auto const bytes = source.element.bytes();
    for_each_element(
        destination, source, 0, destination.address, source.address,
        [&](unsigned char* target, unsigned char* origin) { std::memcpy(target, origin, bytes); });
}

// A dense array of the shape of another, in this memory of the CPU. Its elements are not copied.
array dense_model(array const& model, std::vector<unsigned char>& memory) {
    auto result = model;
    make_dense(result);
    memory.resize(std::max<std::size_t>(model.bytes(), 1));
    result.address = memory.data();
    result.place = host_place;
    return result;
}

} // namespace

bool array::is_dense() const {
    auto stride = static_cast<std::int64_t>(element.bytes());
    for (auto i = static_cast<std::size_t>(rank); i-- > 0; stride *= shape[i]) {
        if (shape[i] != 1 && strides[i] != stride) return false;
    }
    return true;
}
void make_dense(array& array) {
    auto stride = static_cast<std::int64_t>(array.element.bytes());
    for (auto i = static_cast<std::size_t>(array.rank); i-- > 0; stride *= array.shape[i]) {
        array.strides[i] = stride;
    }
}

namespace {

constexpr double greatest_bytes = 0x1p62; // so that no offset into an array overflows

[[noreturn]] void refuse(char const* reason) {
    throw error(error_kind::invalid, "describe", "an array", reason);
}

} // namespace

void check_shape(array const& array) {
    auto bytes = static_cast<double>(array.element.bytes());
    for (auto i = static_cast<std::size_t>(array.rank); i-- > 0;) {
        if (array.shape[i] < 0) refuse("its shape is negative");
        bytes *= static_cast<double>(std::max<std::int64_t>(array.shape[i], 1));
    }
    if (bytes > greatest_bytes) refuse("it is too large");
}
void check_strides(array const& array) {
    auto bytes = static_cast<double>(array.element.bytes());
    for (auto i = static_cast<std::size_t>(array.rank); i-- > 0;) {
        bytes +=
            static_cast<double>(array.shape[i]) * std::abs(static_cast<double>(array.strides[i]));
    }
    if (bytes > greatest_bytes) refuse("its strides are too large");
}

// Compares the ranges of bytes from the first to the last element of both, whatever their gaps.
bool array::overlaps(array const& other) const {
    auto const ends = [](array const& array) {
        std::int64_t low = 0, high = static_cast<std::int64_t>(array.element.bytes());
        for (std::size_t i = 0; i < static_cast<std::size_t>(array.rank); ++i) {
            auto const extent = (array.shape[i] - 1) * array.strides[i];
            (extent < 0 ? low : high) += extent;
        }
        auto const begin = reinterpret_cast<std::uintptr_t>(array.address);
        return std::pair(begin + static_cast<std::uintptr_t>(low),
                         begin + static_cast<std::uintptr_t>(high));
    };
    if (place != other.place || count() == 0 || other.count() == 0) return false;
    auto const [first, last] = ends(*this);
    auto const [other_first, other_last] = ends(other);
    return first < other_last && other_first < last;
}

array new_array(machine& home, array const& model) {
    auto result = model;
    make_dense(result);
    result.owner = home.device().shared_backend()->allocate(model.bytes(), "an array");
    result.address = static_cast<unsigned char*>(result.owner.get());
    result.place = home.place;
    result.is_writable = true;
    return result;
}

void copy(work_queue& queue, array const& destination, array const& source) {
    if (destination.rank != source.rank || destination.shape != source.shape ||
        destination.element != source.element) {
        throw error(error_kind::invalid, "copy", "an array",
                    "both sides must have one shape and type");
    }
    if (!destination.is_writable) {
        throw error(error_kind::invalid, "copy", "an array", "the destination is only read");
    }
    auto const bytes = source.bytes();
    if (bytes == 0) return;
    bool const is_to_host = destination.place == host_place;
    bool const is_from_host = source.place == host_place;
    if (is_to_host && is_from_host) return copy_on_host(destination, source);
    auto const& far = is_to_host ? source : destination;
    if (!far.is_dense() || is_to_host == is_from_host) {
        throw error(error_kind::unsupported, "copy", "an array of a GPU",
                    "its elements have gaps between them, or both sides are on GPUs");
    }
    std::vector<unsigned char> memory;
    if (is_from_host) {
        auto near = source;
        if (!source.is_dense()) {
            near = dense_model(source, memory);
            copy_on_host(near, source);
        }
        queue.write(destination.address, std::as_bytes(std::span(near.address, bytes)));
        queue.synchronize();
    } else {
        auto near = destination;
        if (!destination.is_dense()) near = dense_model(destination, memory);
        queue.read(std::as_writable_bytes(std::span(near.address, bytes)), source.address);
        queue.synchronize();
        if (!destination.is_dense()) copy_on_host(destination, near);
    }
}

} // namespace spio::dialect
