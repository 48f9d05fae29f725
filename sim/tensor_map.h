// Tensor maps: a tensor in global memory, and the bytes of its boxes.
// SPDX-License-Identifier: Apache-2.0
//
// The host device, a GPU that is simulated on the CPU, reads these maps where a GPU reads the
// driver's.
#pragma once

#include "spio/launch_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace spio::sim {

// The span in bytes within which a swizzle permutes chunks of 16 bytes.
enum class swizzle_span : unsigned char { none = 0, bytes_32 = 32, bytes_64 = 64, bytes_128 = 128 };

// The parameters of cuTensorMapEncodeTiled, innermost dimension first. Element strides and
// interleaving are not supported, and elements outside the tensor are zero. Kernels receive a
// tensor_map as tensor_map_words.
struct tensor_map {
    static constexpr int max_rank = 5;
    static constexpr int max_box = 256;
    static constexpr int chunk_bytes = 16;

    unsigned char* base;
    std::uint64_t sizes[max_rank];
    std::uint64_t strides[max_rank]; // in bytes; the innermost is one element
    std::uint16_t box[max_rank];
    std::uint8_t rank;
    std::uint8_t element_bytes;
    swizzle_span swizzle;

    // Sets all fields. `new_strides` has the stride in bytes of each dimension except the
    // innermost. If an argument is invalid, leaves the fields unchanged and returns a sentence that
    // says what is wrong; returns an empty string otherwise.
    std::string encode(void* new_base, int new_element_bytes,
                       std::span<std::uint64_t const> new_sizes,
                       std::span<std::uint64_t const> new_strides,
                       std::span<std::uint32_t const> new_box, swizzle_span new_swizzle) {
        std::string error =
            error_of(new_base, new_element_bytes, new_sizes, new_strides, new_box, new_swizzle);
        if (!error.empty()) return error;
        *this = {};
        base = static_cast<unsigned char*>(new_base);
        rank = static_cast<std::uint8_t>(new_sizes.size());
        element_bytes = static_cast<std::uint8_t>(new_element_bytes);
        swizzle = new_swizzle;
        std::ranges::fill(sizes, 1);
        std::ranges::fill(box, 1);
        std::ranges::copy(new_sizes, sizes);
        std::ranges::copy(new_strides, strides + 1);
        std::ranges::transform(new_box, box, [](auto n) { return static_cast<std::uint16_t>(n); });
        strides[0] = element_bytes;
        return {};
    }

    // The bytes of a box in shared memory, elements outside the tensor included.
    constexpr int box_bytes() const {
        int bytes = element_bytes;
        for (int n : box) bytes *= n;
        return bytes;
    }

    // Maps the shared-memory address that a byte would have without swizzling to its swizzled
    // address.
    constexpr unsigned swizzled(unsigned address) const {
        unsigned const chunks = static_cast<unsigned>(swizzle) / chunk_bytes;
        unsigned const line = address / 128;
        return chunks == 0 ? address : address ^ line % chunks * chunk_bytes;
    }

    // Calls f(shared_offset, global, bytes) for every contiguous piece of the box that begins at
    // these coordinates, innermost first. Pieces come in the order of elements and lie within a
    // chunk of 16 bytes; `global` is null outside the tensor. Offsets are relative to the box's
    // address in shared memory, of which only the remainder modulo 1024 matters.
    template <class F>
    void for_each_chunk(int const* start, F f, unsigned shared_address = 0) const {
        auto const width = static_cast<std::int64_t>(sizes[0]);
        int const chunk_elements = chunk_bytes / element_bytes;
        int step[max_rank] = {};
        unsigned linear = shared_address;
        do {
            unsigned char* const row = row_at(start, step);
            for (int x = 0; x < box[0]; x += chunk_elements, linear += chunk_bytes) {
                auto const offset = static_cast<int>(swizzled(linear) - shared_address);
                std::int64_t const first = std::int64_t(start[0]) + x;
                // A chunk may have elements before the tensor, in it and beyond it: one piece for
                // each.
                std::int64_t const enters = std::clamp<std::int64_t>(-first, 0, chunk_elements);
                std::int64_t const leaves =
                    std::clamp<std::int64_t>(width - first, enters, chunk_elements);
                if (row == nullptr || enters == leaves) {
                    f(offset, static_cast<unsigned char*>(nullptr), chunk_bytes);
                    continue;
                }
                auto const bytes = [&](std::int64_t n) {
                    return static_cast<int>(n) * element_bytes;
                };
                if (enters > 0) f(offset, static_cast<unsigned char*>(nullptr), bytes(enters));
                auto const inside = reinterpret_cast<std::uintptr_t>(row) +
                                    static_cast<std::uintptr_t>(first + enters) * element_bytes;
                f(offset + bytes(enters), reinterpret_cast<unsigned char*>(inside),
                  bytes(leaves - enters));
                if (leaves < chunk_elements) {
                    f(offset + bytes(leaves), static_cast<unsigned char*>(nullptr),
                      bytes(chunk_elements - leaves));
                }
            }
        } while (advance(step));
    }

  private:
    // The row of the box that is `step[d]` rows after the first in each dimension d, or null if the
    // row is outside the tensor.
    unsigned char* row_at(int const* start, int const (&step)[max_rank]) const {
        auto row = reinterpret_cast<std::uintptr_t>(base);
        for (int d = 1; d < rank; ++d) {
            std::int64_t const place = std::int64_t(start[d]) + step[d];
            if (place < 0 || place >= static_cast<std::int64_t>(sizes[d])) return nullptr;
            row += static_cast<std::uint64_t>(place) * strides[d];
        }
        return reinterpret_cast<unsigned char*>(row);
    }

    // Changes `step` to the next row of the box. Returns false after the last row.
    bool advance(int (&step)[max_rank]) const {
        for (int d = 1; d < rank; ++d) {
            if (++step[d] < box[d]) return true;
            step[d] = 0;
        }
        return false;
    }

    static std::string error_of(void const* base, int element_bytes,
                                std::span<std::uint64_t const> sizes,
                                std::span<std::uint64_t const> strides,
                                std::span<std::uint32_t const> box, swizzle_span swizzle) {
        auto const of_dimension = [](auto d) { return " of dimension " + std::to_string(d); };
        auto const is_number = [](auto n) { return " is " + std::to_string(n); };
        if (sizes.empty() || sizes.size() > max_rank) {
            return "The rank" + is_number(sizes.size()) + ", which is not from 1 to 5.";
        }
        if (strides.size() + 1 != sizes.size() || box.size() != sizes.size()) {
            return "Rank " + std::to_string(sizes.size()) +
                   " needs as many box sizes, and strides "
                   "for all dimensions but the innermost.";
        }
        if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8) {
            return "The element size" + is_number(element_bytes) +
                   " bytes, which is not 1, 2, 4 or 8.";
        }
        if (base == nullptr) return "The address of the tensor is null.";
        if (reinterpret_cast<std::uintptr_t>(base) % 16 != 0) {
            return "The address of the tensor is not a multiple of 16.";
        }
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            if (sizes[d] == 0 || sizes[d] > std::uint64_t(1) << 32) {
                return "The size" + of_dimension(d) + is_number(sizes[d]) +
                       ", which is not from 1 to 2^32.";
            }
            if (box[d] == 0 || box[d] > max_box) {
                return "The box size" + of_dimension(d) + is_number(box[d]) +
                       ", which is not from 1 to 256.";
            }
        }
        for (std::size_t d = 1; d < sizes.size(); ++d) {
            if (strides[d - 1] % 16 != 0) {
                return "The stride" + of_dimension(d) + is_number(strides[d - 1]) +
                       " bytes, not a multiple of 16.";
            }
            if (strides[d - 1] >= std::uint64_t(1) << 40) {
                return "The stride" + of_dimension(d) + is_number(strides[d - 1]) +
                       " bytes, not below 2^40.";
            }
        }
        std::uint64_t const inner = std::uint64_t(box[0]) * static_cast<unsigned>(element_bytes);
        if (inner % chunk_bytes != 0) {
            return "A row of the box" + is_number(inner) + " bytes, not a multiple of 16.";
        }
        // The driver accepts shorter rows too, but then an H200 writes outside the box's bytes.
        if (swizzle != swizzle_span::none && inner != static_cast<unsigned>(swizzle)) {
            return "A row of the box" + is_number(inner) + " bytes, not the swizzle's span of " +
                   std::to_string(static_cast<unsigned>(swizzle)) + ".";
        }
        std::uint64_t bytes = static_cast<unsigned>(element_bytes);
        for (auto n : box) bytes *= n;
        if (bytes > max_shared_bytes) {
            return "The box" + is_number(bytes) + " bytes, more than any shared memory.";
        }
        return {};
    }
};

} // namespace spio::sim
