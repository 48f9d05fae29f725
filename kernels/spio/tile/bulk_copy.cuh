// Copies by the engine: boxes of tensors and whole ranges, between global and shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/bulk_copy.h"
#include "spio/tile/mbarrier.cuh"
#include "spio/tile/tensor_map.h"

namespace spio {

// Whether the axes of a tile are the last of a layout, so that a cursor in the one is at a tile.
template <class Layout, class Tile> inline constexpr bool ends_with = same<Layout, Tile>;
template <auto First, auto... Rest, auto... Axes>
    requires(sizeof...(Rest) >= sizeof...(Axes))
inline constexpr bool ends_with<layout<First, Rest...>, layout<Axes...>> =
    ends_with<layout<Rest...>, layout<Axes...>>;

template <class Cursor, class Tile>
concept at_a_tile = same<typename Cursor::data_type const, typename Tile::data_type const> &&
                    ends_with<typename Cursor::layout_type, typename Tile::layout_type>;

template <class Map> __device__ tensor_map_words const* words_of_map(Map const& map) {
    return reinterpret_cast<tensor_map_words const*>(&map);
}

// A parameter as the map that it is.
//     auto const& x_map = map_as<tensor_map<tile, images>>(p.x);
template <class Map> __device__ Map const& map_as(tensor_map_words const& map) {
    static_assert(sizeof(Map) == sizeof map && alignof(Map) == alignof(tensor_map_words));
    return reinterpret_cast<Map const&>(map);
}

// The engine's coordinates of a place in a global tensor.
template <class Global, place P> struct box_start {
    int of[Global::layout_type::num_axes];

    constexpr explicit box_start(P const& p) {
        start(typename Global::layout_type::bases(), coordinates_of(p));
    }

  private:
    template <class... Bases, class Coords>
    constexpr void start(mp_list<Bases...>, Coords const& at) {
        int axis = sizeof...(Bases);
        ((of[--axis] = step_on<Bases>(at)), ...);
    }
    template <class Base, class Coords> static constexpr int step_on(Coords const& at) {
        constexpr auto const& table = Global::layout_type::table;
        constexpr digit_row row = table.digits[Global::layout_type::template base<Base>];
        constexpr int scalars =
            row.axis == table.axis_count - 1 ? scalars_in<typename Global::data_type> : 1;
        if constexpr (contains<typename Coords::bases, Base>) {
            return refold<row.stride>(at.template total<Base>()).value * scalars;
        } else {
            return 0;
        }
    }
};

// The box of the map's tensor that begins at a place comes to the tile; what lies outside the
// tensor comes as zero. The barrier, which must expect Map::num_bytes(), hears when it has come.
//     load_box(x_tiles[stage], p.x_map, make_coordinates(n, row, column), full[stage])
template <arch Arch, class To, class Map, place P>
    requires has_bulk_copies<Arch> && at_a_tile<To, typename Map::tile_type>
__device__ void load_box(To const& to, Map const& map, P const& from, mbarrier<Arch>& barrier) {
    box_start<typename Map::global_type, P> const start(from);
    machine::box_load(to.get(), words_of_map(map), start.of, &barrier.word);
}
template <arch ArchWithoutBoxes, class To, class Map, class P>
    requires(!has_bulk_copies<ArchWithoutBoxes>)
void load_box(To const&, Map const&, P const&, mbarrier<ArchWithoutBoxes>&) = delete;
template <arch Arch, class NotAtTheTile, class Map, class P>
    requires(has_bulk_copies<Arch> && !at_a_tile<NotAtTheTile, typename Map::tile_type>)
void load_box(NotAtTheTile const&, Map const&, P const&, mbarrier<Arch>&) = delete;

// The tile goes to the box that begins at a place, no coordinate of which is negative; what would
// lie beyond the tensor goes nowhere. Before it, who wrote the tile calls fence_for_bulk_copies,
// and all meet.
template <arch Arch, class Map, place P, class From>
    requires has_bulk_copies<Arch> && at_a_tile<From, typename Map::tile_type>
__device__ void store_box(Map const& map, P const& to, From const& from) {
    box_start<typename Map::global_type, P> const start(to);
    machine::box_store(words_of_map(map), start.of, from.get());
}
template <arch ArchWithoutBoxes, class Map, class P, class From>
    requires(!has_bulk_copies<ArchWithoutBoxes>)
void store_box(Map const&, P const&, From const&) = delete;

// Whole tensors of one layout, as they lie.
template <arch Arch, class To, class From>
    requires has_bulk_copies<Arch> && To::layout_type::is_static &&
             same<typename To::layout_type, typename From::layout_type> &&
             same<typename To::data_type const, typename From::data_type const> &&
             (To::num_bytes() % 16 == 0)
__device__ void load_bulk(To const& to, From const& from, mbarrier<Arch>& barrier) {
    machine::bulk_load(to.get(), from.get(), static_cast<int>(To::num_bytes()), &barrier.word);
}
template <arch Arch, class To, class From>
    requires has_bulk_copies<Arch> && To::layout_type::is_static &&
             same<typename To::layout_type, typename From::layout_type> &&
             same<typename To::data_type const, typename From::data_type const> &&
             (To::num_bytes() % 16 == 0)
__device__ void store_bulk(To const& to, From const& from) {
    machine::bulk_store(to.get(), from.get(), static_cast<int>(To::num_bytes()));
}

// The map will be asked for.
template <arch Arch, class Map>
    requires has_bulk_copies<Arch>
__device__ void prefetch(Map const& map) {
    machine::prefetch_map(words_of_map(map));
}

// What this thread wrote to shared memory is seen by the engine.
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline void fence_for_bulk_copies() {
    machine::fence_for_bulk_copies();
}
// What this thread stored since the last commit is a group. Waiting leaves the last so many under
// way: until their shared memory may be written again, or until they are in global memory.
template <arch Arch>
    requires has_bulk_copies<Arch>
__device__ inline void commit_bulk_stores() {
    machine::commit_bulk_stores();
}
template <arch Arch, int UnderWay = 0>
    requires has_bulk_copies<Arch> && (UnderWay >= 0)
__device__ inline void wait_for_bulk_reads() {
    machine::wait_for_bulk_reads<UnderWay>();
}
template <arch Arch, int UnderWay = 0>
    requires has_bulk_copies<Arch> && (UnderWay >= 0)
__device__ inline void wait_for_bulk_stores() {
    machine::wait_for_bulk_stores<UnderWay>();
}

} // namespace spio
