// Partitions: the offsets of an index distributed over the lanes of another, each to exactly one.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A compound index is one number for several indices, the last of
// which varies fastest.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct WARP : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::compound_index;
using spio::LANE;
using Lanes = compound_index<axis<LANE>(32)>;

// Whether partition() gives a lane the indices lane, lane + 32, … below Size.
template <class Index, class Thread> constexpr bool deals(int thread, int lane, int how_many) {
    int expected = lane;
    int count = 0;
    for (auto x : Index::template partition<LANE>(Thread(thread))) {
        if (x.offset() != spio::OFFSET(expected)) return false;
        expected += 32;
        ++count;
    }
    return count == how_many && expected >= Index::size();
}
// Whether each of 32 lanes is dealt how_many(lane) positions of the index.
template <class Index, class HowMany> constexpr bool deals_to_all(HowMany how_many) {
    for (int lane = 0; lane < 32; ++lane) {
        if (!deals<Index, Lanes>(lane, lane, how_many(lane))) return false;
    }
    return true;
}

// 64 offsets: two for each lane. (IndexPartition.basic_partition_by_lane)
static_assert(deals_to_all<compound_index<axis<I>(64)>>([](int) { return 2; }));

// 40 offsets: the first eight lanes get two. (IndexPartition.partition_with_remainder)
static_assert(deals_to_all<compound_index<axis<I>(40)>>([](int lane) { return lane < 8 ? 2 : 1; }));

// 16 offsets: half of the lanes get none. (IndexPartition.partition_smaller_than_stride)
static_assert(deals_to_all<compound_index<axis<I>(16)>>([](int lane) {
    return lane < 16 ? 1 : 0;
}));

// Of two axes each lane gets the coordinates of its offsets. (IndexPartition.partition_2d_index)
using Square = compound_index<axis<I>(8), axis<J>(8)>;
static_assert(deals_to_all<Square>([](int) { return 2; }));
constexpr bool says_the_coordinates() {
    for (int lane = 0; lane < 32; ++lane) {
        int offset = lane;
        for (auto x : Square::partition<LANE>(Lanes(lane))) {
            if (x != spio::make_coordinates(I(offset / 8), J(offset % 8))) return false;
            offset += 32;
        }
    }
    return true;
}
static_assert(says_the_coordinates());

// Dimensions of the worker's index that are not asked for, here the warp, change nothing.
// (IndexPartition.partition_with_extra_dims_in_compute_idx)
using Threads = compound_index<axis<WARP>(4), axis<LANE>(32)>;
constexpr bool warps_do_not_matter() {
    for (int thread = 0; thread < 128; ++thread) {
        if (!deals<Square, Threads>(thread, thread % 32, 2)) return false;
    }
    return true;
}
static_assert(warps_do_not_matter());

// 32 offsets: one for each lane. (IndexPartition.partition_exact_multiple)
static_assert(deals_to_all<compound_index<axis<I>(32)>>([](int) { return 1; }));

// 1024 offsets: 32 for each lane. (IndexPartition.partition_large_index)
static_assert(deals_to_all<compound_index<axis<I>(32), axis<J>(32)>>([](int) { return 32; }));

// All lanes together get each offset once. (IndexPartition.all_offsets_covered)
constexpr bool covers_each_offset_once() {
    using Index = compound_index<axis<I>(10), axis<J>(10)>;
    int visits[100] = {};
    for (int lane = 0; lane < 32; ++lane) {
        for (auto x : Index::partition<LANE>(Lanes(lane))) ++visits[x.offset().get()];
    }
    for (int n : visits) {
        if (n != 1) return false;
    }
    return true;
}
static_assert(covers_each_offset_once());

// Warps share tiles: each tile goes to one warp. (AsyncLoader2D.four_warps_8x1_tile_iteration,
// four_warps_8x2_tile_iteration, eight_warps_8x1_tile_iteration)
template <int Warps, int Rows, int Columns> constexpr bool warps_cover_the_tiles_once() {
    using Tiles = compound_index<axis<I>(Rows), axis<J>(Columns)>;
    using Worker = compound_index<axis<WARP>(Warps), axis<LANE>(32)>;
    int visits[Rows * Columns] = {};
    for (int warp = 0; warp < Warps; ++warp) {
        for (auto x : Tiles::template partition<WARP>(Worker(warp * 32 + 7)))
            ++visits[x.offset().get()];
    }
    for (int n : visits) {
        if (n != 1) return false;
    }
    return true;
}
static_assert(warps_cover_the_tiles_once<4, 8, 1>() && warps_cover_the_tiles_once<4, 8, 2>());
static_assert(warps_cover_the_tiles_once<8, 8, 1>() && warps_cover_the_tiles_once<8, 5, 2>());
