// Products of warpgroups: four warps multiply tiles in shared memory and hold the sum in registers.
// SPDX-License-Identifier: Apache-2.0
//
// A tile's layout is its axes: dimensions with a size, in the order of memory. A matrix descriptor
// is the 64 bits by which wgmma names a tile: its address, distances and swizzle. numbers<A...> is
// a list of ints. A function that is deleted is an error message: the names of its template
// parameters say what is wrong. Of an index type T, such as fold<K, 8>, base_of<T> is the dimension
// that it counts and stride_of<T> the size of its steps. numbers_below<n> is the list of 0 to n -
// 1. type_is<T> has T as its member `type`.
#pragma once

#include "machine/shared_address.h"
#include "machine/wgmma.h"
#include "spio/tile/fragment.cuh"
#include "spio/tile/warpgroup_factor.h"

namespace spio {

// A warpgroup of a block: four warps, the first of which has a number that 4 divides.
struct WARPGROUP : dim {
    using dim::dim;
};
__device__ inline WARPGROUP this_warpgroup() {
    return WARPGROUP(static_cast<int>(static_cast<unsigned>(this_thread()) / 128));
}
__device__ inline int thread_of_warpgroup() {
    return static_cast<int>(static_cast<unsigned>(this_thread()) % 128);
}
__device__ inline WARP warp_of_warpgroup() { return WARP(thread_of_warpgroup() / 32); }
// Waits for all threads of this warpgroup. It takes the named barrier of its number plus one.
__device__ inline void sync_warpgroup() { machine::sync_threads(this_warpgroup().get() + 1, 128); }

// The sides of a sum: 64 rows or a multiple, and as many columns as there are instructions for.
template <auto I, auto J>
concept warpgroup_sides =
    has_plain_size(I, I.size) && I.size % 64 == 0 && I.size > 0 &&
    has_plain_size(J, J.size) && J.size % 16 == 0 && J.size >= 16 && J.size <= 256;

// The finished sum. Of each 64 rows a warp has 16, those of fold<I, 16>(warp_of_warpgroup()).
template <auto I, auto J>
    requires warpgroup_sides<I, J>
struct warpgroup_fragment {
    using part = sum_fragment<I % 16, J % 16>;
    static constexpr int parts = J.size / 16; // of each 64 rows
    static constexpr int count = J.size / 2;
    static constexpr int blocks = I.size / 64; // of rows

    float values[blocks][count];

    // The n-th 16 columns of the warp's rows; those of the next 64 rows follow.
    __device__ part operator[](int n) const {
        part columns;
        auto const& row = values[n / parts];
        int const first = 8 * (n % parts);
        for (int r = 0; r < part::count; ++r) {
            columns.registers[r] = {row[first + 2 * r], row[first + 2 * r + 1]};
        }
        return columns;
    }
};

template <arch Arch, auto I, auto J> class product_group;

// A sum in registers, while products are added to it. Only a product_group adds to it, and only
// finished() lets it be read, so that no register is touched while the tensor cores write it.
//     warpgroup_sum<Arch, m, n> sum;
//     {
//         product_group group(sum, accumulates);
//         multiply(group, a[stage], b[stage]);
//     }
//     auto const& fragment = sum.finished();
template <arch Arch, auto I, auto J>
    requires has_warpgroup_products<Arch> && warpgroup_sides<I, J>
class warpgroup_sum {
  public:
    // Waits until at most the last InFlight groups are incomplete: the tiles of the others may be
    // overwritten.
    template <int InFlight> __device__ void wait() const {
        machine::wait_for_warpgroup_products<InFlight>();
    }
    __device__ warpgroup_fragment<I, J> const& finished() {
        wait<0>();
        [&]<int... N>(numbers<N...>) {
            for (auto& row : fragment_.values) (machine::pin_accumulator(row[N]), ...);
        }(numbers_below<warpgroup_fragment<I, J>::count>());
        return fragment_;
    }

  private:
    friend class product_group<Arch, I, J>;
    warpgroup_fragment<I, J> fragment_;
};

// Products that complete together. Until then their factors must stay as they are.
template <arch Arch, auto I, auto J> class product_group {
  public:
    // The sum starts from zero unless it accumulates.
    __device__ product_group(warpgroup_sum<Arch, I, J>& sum, bool accumulates) : sum_(sum) {
        for (bool& flag : accumulates_) flag = accumulates;
        machine::fence_warpgroup();
    }
    __device__ ~product_group() { machine::commit_warpgroup_products(); }
    product_group(product_group const&) = delete;
    product_group& operator=(product_group const&) = delete;

    // Adds a product of depth 16, whose factors are matrix descriptors, to the Block-th 64 rows.
    template <factor T, bool TransposesA, bool TransposesB, int Block = 0>
    __device__ void add(unsigned long long a, unsigned long long b) {
        auto& values = sum_.fragment_.values[Block];
        if constexpr (same<T, half>) {
            machine::multiply_halves<TransposesA, TransposesB>(values, a, b, accumulates_[Block]);
        } else {
            machine::multiply_bfloat16s<TransposesA, TransposesB>(values, a, b,
                                                                  accumulates_[Block]);
        }
        accumulates_[Block] = true;
    }

  private:
    warpgroup_sum<Arch, I, J>& sum_;
    bool accumulates_[warpgroup_fragment<I, J>::blocks];
};

template <class Cell> struct factor_in_cell;
template <factor T> struct factor_in_cell<vec<T, 8>> : type_is<T> {};
template <factor T> struct factor_in_cell<vec<T, 8> const> : type_is<T> {};

// A tile in shared memory as an instruction names it: its matrix descriptor, whose bits follow from
// the tile's layout. Outer is the dimension of the tile that the product does not sum over. A
// subscript moves along an axis, such as the stages of a ring.
//     auto const a = described<M>(a_ring);
//     multiply(group, a[stage], b[stage]);
template <class Cell, class Layout, class Outer>
    requires read_by_warpgroups<Layout, Outer>
struct described_tile {
    using layout_type = Layout;
    using outer = Outer;
    using element = typename factor_in_cell<Cell>::type;
    using factor = warpgroup_factor<Layout, Outer>;

    unsigned low; // the address, and the bits beside it

    __device__ explicit described_tile(unsigned bits) : low(bits) {}
    template <index D>
        requires(Layout::template has_axis<D>)
    __device__ described_tile operator[](D position) const {
        constexpr int stride = stride_along<D>();
        static_assert(stride >= 0, "tiles lie along an axis that is not swizzled");
        return described_tile(low + static_cast<unsigned>(position.value * stride));
    }
    // The descriptor of the part of depth 16 that has this number, from a block of 64 rows on.
    __device__ unsigned long long part(int number, int block = 0) const {
        constexpr unsigned long long high = factor::descriptor() >> 32 << 32;
        constexpr int step = factor::step_bytes() / 16, block_step = factor::block_bytes() / 16;
        return high | (low + static_cast<unsigned>(number * step + block * block_step));
    }

  private:
    // In cells of 16 bytes; -1 along a swizzled axis.
    template <class D> static consteval int stride_along() {
        auto const& table = Layout::table;
        int const digit = table.find(Layout::template base<base_of<D>>, stride_of<D>);
        int const axis = table.digits[digit].axis;
        return table.axes[axis].is_plain ? static_cast<int>(table.memory_stride(axis)) : -1;
    }
};
// The descriptor has 14 bits for the address; the bits above them are the rank of the block in its
// cluster.
template <class Outer, class Cursor>
    requires read_by_warpgroups<typename Cursor::layout_type, Outer>
__device__ auto described(Cursor const& tile) {
    using cell = typename Cursor::data_type;
    using factor = warpgroup_factor<typename Cursor::layout_type, Outer>;
    constexpr auto low = static_cast<unsigned>(factor::descriptor() & 0xffffffff);
    return described_tile<cell, typename Cursor::layout_type, Outer>(
        low | (machine::shared_address(tile.get()) >> 4 & 0x3fff));
}
template <class Outer, class ATileOfAnotherOrderOrSwizzle>
    requires(!read_by_warpgroups<typename ATileOfAnotherOrderOrSwizzle::layout_type, Outer>)
void described(ATileOfAnotherOrderOrSwizzle const&) = delete;

template <class A, class B>
concept factors_of_warpgroup = same<typename A::element, typename B::element> &&
                               same_summed_dimension<typename A::layout_type, typename A::outer,
                                                     typename B::layout_type, typename B::outer>;

// sum += a b
template <arch Arch, auto I, auto J, class A, class B>
    requires factors_of_warpgroup<A, B> &&
             same<typename A::outer, typename decltype(I)::dimension> &&
             same<typename B::outer, typename decltype(J)::dimension>
__device__ void multiply(product_group<Arch, I, J>& group, A const& a, B const& b) {
    using left = typename A::factor;
    using right = typename B::factor;
    static_assert(left::outer_size() >= I.size && right::outer_size() >= J.size,
                  "the tiles have the rows and columns of the sum");
    constexpr int blocks = I.size / 64;
    [&]<int... N>(numbers<N...>) {
        (group.template add<typename A::element, left::is_transposed, right::is_transposed,
                            N % blocks>(a.part(N / blocks, N % blocks), b.part(N / blocks)),
         ...);
    }(numbers_below<left::depth() / 16 * blocks>());
}
template <arch Arch, auto I, auto J, class Left, class NotItsFactor>
void multiply(product_group<Arch, I, J>&, Left const&, NotItsFactor const&) = delete;

} // namespace spio
