// Shared memory allocated tensor by tensor, at offsets that the types know.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor is a pointer with typed axes. A derived axis is a function of several positions, such as
// a swizzle, which spreads cells over the banks. A place is an index, or anything that has
// coordinates.
#pragma once

#include "spio/number.h"

namespace spio {

// The alignment of a tensor in shared memory: a vector of 16 bytes, or where the swizzle of TMA
// starts anew if the tensor has a derived axis.
template <class Tensor>
inline constexpr int shared_alignment = max(Tensor::layout_type::table.is_plain() ? 16 : 1024,
                                            static_cast<int>(alignof(typename Tensor::data_type)));

// A memory of Capacity bytes, of which the first Used are taken. It is immutable: each `push`
// returns a tensor and the memory after it. A second push onto the same memory overlays the first:
// so a buffer is used twice, and nothing can be freed out of order.
//     auto const [x, after_x] = memory.template push<x_tile>();
//     auto const [w, after_w] = after_x.template push<w_tile>();
template <int Capacity, int Used = 0> class shared_memory {
  public:
    static constexpr int used = Used;
    template <int Alignment>
    static constexpr int start_of = (Used + Alignment - 1) / Alignment * Alignment;
    template <class Tensor, int Alignment>
    static constexpr long long end_of = start_of<Alignment> + Tensor::num_bytes();
    template <class Tensor, int Alignment>
    static constexpr bool has_room =
        is_power_of_two(Alignment) && Alignment % alignof(typename Tensor::data_type) == 0 &&
        end_of<Tensor, Alignment> <= Capacity;

    // The memory starts at a multiple of every alignment that is asked for.
    constexpr explicit shared_memory(unsigned char* start) : start_(start) {}

    template <class Tensor, class Rest> struct pushed {
        Tensor tensor;
        Rest rest;
    };
    template <class Tensor, int Alignment = shared_alignment<Tensor>>
        requires has_room<Tensor, Alignment>
    constexpr auto push() const {
        using rest = shared_memory<Capacity, static_cast<int>(end_of<Tensor, Alignment>)>;
        using element = typename Tensor::data_type;
        return pushed<Tensor, rest>{
            Tensor(reinterpret_cast<element*>(start_ + start_of<Alignment>)), rest(start_)};
    }
    // Chosen for a tensor that does not fit, or for a wrong alignment: the compiler's error names
    // both and the memory.
    template <class TensorThatHasNoRoom, int Alignment = shared_alignment<TensorThatHasNoRoom>,
              class In = shared_memory>
        requires(!has_room<TensorThatHasNoRoom, Alignment>)
    In push() const = delete;

  private:
    unsigned char* start_;
};

// The bytes that tensors take one after the other, as a launch must provide them.
//     shared_bytes<x_tile, w_tile>
template <int Used, class... Tensors> inline constexpr int bytes_after = Used;
template <int Used, class First, class... Rest>
inline constexpr int bytes_after<Used, First, Rest...> =
    bytes_after<static_cast<int>(shared_memory<0x7fffffff, Used>::template end_of<
                                 First, shared_alignment<First>>),
                Rest...>;
template <class... Tensors> inline constexpr int shared_bytes = bytes_after<0, Tensors...>;

} // namespace spio
