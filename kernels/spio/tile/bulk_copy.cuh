// Copies by TMA: boxes of tensors and contiguous ranges, between global and shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor. A place is anything with
// coordinates along dimensions, a cursor a position in a tensor, and a layout the axes of a tensor
// in the order of memory. An axis counts a dimension in steps of a stride, as k / 8 does; the
// dimension is its base, and the part of the dimension that it counts is one of the base's digits.
// A function that is deleted is an error message: the names of its template parameters say what is
// wrong. refold<n>(x) counts x in blocks of n, rounded down.
#pragma once

#include "machine/bulk_copy.h"
#include "spio/rounding.h"
#include "spio/tile/mbarrier.cuh"
#include "spio/tile/tensor_map.h"

namespace spio {

// Whether the last axes of a layout are those of a tile, so that a cursor in it points to a tile.
template <class Layout, class Tile> inline constexpr bool ends_with = same<Layout, Tile>;
template <auto First, auto... Rest, auto... Axes>
    requires(sizeof...(Rest) >= sizeof...(Axes))
inline constexpr bool ends_with<layout<First, Rest...>, layout<Axes...>> =
    ends_with<layout<Rest...>, layout<Axes...>>;

// A cursor at the first element of a tile.
template <class Cursor, class Tile>
concept at_a_tile = same<typename Cursor::data_type const, typename Tile::data_type const> &&
                    ends_with<typename Cursor::layout_type, typename Tile::layout_type>;

template <class Map> __device__ tensor_map_words const* words_of_map(Map const& map) {
    return reinterpret_cast<tensor_map_words const*>(&map);
}

// A parameter as a tensor map of a known tile.
//     auto const& x_map = map_as<tensor_map<tile, images>>(p.x);
template <class Map> __device__ Map const& map_as(tensor_map_words const& map) {
    static_assert(sizeof(Map) == sizeof map && alignof(Map) == alignof(tensor_map_words));
    return reinterpret_cast<Map const&>(map);
}

// The coordinates of a TMA box that begins at a place of a global tensor, innermost first.
template <class Global, place P> struct box_start {
    int coordinates[Global::layout_type::num_axes];

    constexpr explicit box_start(P const& p) {
        fill(typename Global::layout_type::bases(), coordinates_of(p));
    }

  private:
    // Each axis of a map's tensor counts a dimension of its own (box_in checks it), so that bases,
    // axes and digits have the same numbers.
    template <class... Bases, class Coords>
    constexpr void fill(mp_list<Bases...>, Coords const& first) {
        int axis = sizeof...(Bases);
        ((coordinates[--axis] = coordinate_along<Bases>(first)), ...);
    }
    // The coordinate along the axis of a base, 0 if the place has none: in steps of the axis. On
    // the last axis TMA counts scalars, of which an element that is a vector has several.
    template <class Base, class Coords> static constexpr int coordinate_along(Coords const& first) {
        constexpr auto const& table = Global::layout_type::table;
        constexpr digit_row row = table.digits[Global::layout_type::template base<Base>];
        constexpr int scalars =
            row.axis == table.axis_count - 1 ? scalars_in<typename Global::data_type> : 1;
        if constexpr (contains<typename Coords::bases, Base>) {
            return refold<row.stride>(first.template total<Base>()).value * scalars;
        } else {
            return 0;
        }
    }
};

// Loads the TMA box that begins at a place of the map's tensor into a tile; elements outside the
// tensor become zero. The barrier, which must expect Map::num_bytes(), counts the bytes that come.
//     load_box(x_tiles[stage], p.x_map, make_coordinates(n, row, column), full[stage])
template <arch Arch, class To, class Map, place P>
    requires has_bulk_copies<Arch> && at_a_tile<To, typename Map::tile_type>
__device__ void load_box(To const& tile, Map const& map, P const& origin, mbarrier<Arch>& barrier) {
    box_start<typename Map::global_type, P> const start(origin);
    machine::box_load(tile.get(), words_of_map(map), start.coordinates, &barrier.word);
}
// Loads the box into the blocks of the cluster whose ranks are bits of a mask: to the same place in
// the shared memory of each, whose barrier at the same place counts the bytes.
//     multicast_box(b_tiles[stage], p.b_map, make_coordinates(k, n), full[stage], 0b11)
template <arch Arch, class To, class Map, place P>
    requires has_bulk_copies<Arch> && at_a_tile<To, typename Map::tile_type>
__device__ void multicast_box(To const& tile, Map const& map, P const& origin,
                              mbarrier<Arch>& barrier, unsigned ranks) {
    box_start<typename Map::global_type, P> const start(origin);
    machine::box_multicast(tile.get(), words_of_map(map), start.coordinates, &barrier.word,
                           static_cast<unsigned short>(ranks));
}
template <arch ArchWithoutBoxes, class To, class Map, class P>
    requires(!has_bulk_copies<ArchWithoutBoxes>)
void load_box(To const&, Map const&, P const&, mbarrier<ArchWithoutBoxes>&) = delete;
template <arch Arch, class NotAtTheTile, class Map, class P>
    requires(has_bulk_copies<Arch> && !at_a_tile<NotAtTheTile, typename Map::tile_type>)
void load_box(NotAtTheTile const&, Map const&, P const&, mbarrier<Arch>&) = delete;

// Stores a tile to the TMA box that begins at a place, no coordinate of which is negative; elements
// beyond the tensor are not stored. Before it, every thread that wrote the tile must call
// fence_for_bulk_copies and then a barrier.
template <arch Arch, class Map, place P, class From>
    requires has_bulk_copies<Arch> && at_a_tile<From, typename Map::tile_type>
__device__ void store_box(Map const& map, P const& origin, From const& tile) {
    box_start<typename Map::global_type, P> const start(origin);
    machine::box_store(words_of_map(map), start.coordinates, tile.get());
}
template <arch ArchWithoutBoxes, class Map, class P, class From>
    requires(!has_bulk_copies<ArchWithoutBoxes>)
void store_box(Map const&, P const&, From const&) = delete;

// A tensor whose bytes bulk copies move: a multiple of 16. Only its outermost size may be left to
// the run; its elements then have whole cells of 16 bytes.
template <class Tensor> consteval bool has_whole_cells() {
    if constexpr (Tensor::layout_type::is_static) {
        return Tensor::num_bytes() % 16 == 0;
    } else {
        constexpr auto const& table = Tensor::layout_type::table;
        return table.dynamic_count == 1 && table.pitch_count == 0 &&
               sizeof(typename Tensor::data_type) % 16 == 0;
    }
}
template <class Tensor>
concept copied_in_bulk = has_whole_cells<Tensor>();
template <class To, class From>
concept alike_in_bulk =
    copied_in_bulk<To> && same<typename To::layout_type, typename From::layout_type> &&
    same<typename To::data_type const, typename From::data_type const>;

// Copies a contiguous tensor to one of the same layout: load_bulk from global to shared memory,
// where the barrier counts the bytes that come, and store_bulk from shared to global memory.
template <arch Arch, class To, class From>
    requires has_bulk_copies<Arch> && alike_in_bulk<To, From>
__device__ void load_bulk(To const& destination, From const& source, mbarrier<Arch>& barrier) {
    machine::bulk_load(destination.get(), source.get(), static_cast<int>(destination.num_bytes()),
                       &barrier.word);
}
template <arch Arch, class To, class From>
    requires has_bulk_copies<Arch> && alike_in_bulk<To, From>
__device__ void store_bulk(To const& destination, From const& source) {
    machine::bulk_store(destination.get(), source.get(), static_cast<int>(destination.num_bytes()));
}

// Brings the box that begins at a place into the L2 cache, because it will be loaded soon. This is
// no access: the kernels before this one may yet write the box.
template <arch Arch, class Map, place P>
    requires has_bulk_copies<Arch>
__device__ void prefetch_box(Map const& map, P const& origin) {
    box_start<typename Map::global_type, P> const start(origin);
    machine::box_prefetch(words_of_map(map), start.coordinates);
}
// The same for a contiguous tensor.
template <arch Arch, class From>
    requires has_bulk_copies<Arch> && copied_in_bulk<From>
__device__ void prefetch_bulk(From const& source) {
    machine::bulk_prefetch(source.get(), static_cast<int>(source.num_bytes()));
}
// Brings a tensor map into the cache, because copies will use it soon.
template <arch Arch, class Map>
    requires has_bulk_copies<Arch>
__device__ void prefetch(Map const& map) {
    machine::prefetch_map(words_of_map(map));
}

// Makes what this thread wrote to shared memory visible to TMA.
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline void fence_for_bulk_copies() {
    machine::fence_for_bulk_copies();
}
// Stores since the last commit are a group. The waits return when at most the last InFlight groups
// are incomplete: wait_for_bulk_reads when the shared memory of the others may be overwritten, and
// wait_for_bulk_stores when they are in global memory.
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline void commit_bulk_stores() {
    machine::commit_bulk_stores();
}
template <arch Arch, int InFlight = 0>
    requires has_bulk_copies<Arch> && (InFlight >= 0)
__device__ inline void wait_for_bulk_reads() {
    machine::wait_for_bulk_reads<InFlight>();
}
template <arch Arch, int InFlight = 0>
    requires has_bulk_copies<Arch> && (InFlight >= 0)
__device__ inline void wait_for_bulk_stores() {
    machine::wait_for_bulk_stores<InFlight>();
}

} // namespace spio
