// Convolution box by box, by the copy engine and products of matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/bias.cuh"
#include "conv2d/filter_tile.cuh"
#include "conv2d/tensors.h"
#include "conv2d/tma.h"
#include "spio/compound_index.h"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/half.cuh"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/shared_memory.h"

namespace spio::conv2d::tma {

// A strip of a block.
struct STRIP : dim {
    using dim::dim;
};

// Cells of a tile by the engine's swizzle; those of one group need none.
template <auto Channels, auto Rows, auto Columns> consteval auto swizzled_cells() {
    if constexpr (Channels.size == 8) {
        return Channels / 8;
    } else {
        return swizzle(Channels / 8, Rows, Columns);
    }
}

template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr arch chip = sm_90a;
    static constexpr int r = Problem.r;
    static constexpr int groups = Config.groups;
    static constexpr int rows = Config.rows;

    using in_memory = tensors<Problem>;
    using filter_tiles = filter_tile<Problem>;
    using Groups = fold<C, 8 * groups>;
    using Images = fold<N, Config.images>;
    using Rows = fold<P, rows>;
    using Columns = fold<Q, Config.columns>;
    static constexpr int tiles = Config.tiles();

    static constexpr axis<C> c{8 * groups};
    static constexpr axis<H> h{Config.rows_read(Problem)};
    static constexpr axis<W> w{Config.columns_read(Problem)};
    static constexpr axis<K> k{8 * groups};
    static constexpr axis<P> p{rows};
    static constexpr axis<Q> q{Config.columns};
    static constexpr auto read_cells = swizzled_cells<c, h, w>();
    static constexpr auto made_cells = swizzled_cells<k, p, q>();
    using input_tile = tensor<half8, h, w, read_cells>;
    using output_tile = tensor<half8, p, q, made_cells>;
    using input_map = tensor_map<input_tile, typename in_memory::read>;
    using output_map = tensor_map<output_tile, typename in_memory::made>;
    template <class Map> static constexpr bool is_planned(tensor_map_plan const& plan) {
        if constexpr (Problem.knows_n()) {
            return Map::plan() == plan;
        } else {
            return Map::num_bytes() == 2LL * plan.box[0] * plan.box[1] * plan.box[2];
        }
    }
    static_assert(is_planned<input_map>(input_plan(Problem, Config)) &&
                      is_planned<output_map>(output_plan(Problem, Config)),
                  "the launch makes the maps from what the contract says");

    static_assert(output_tile::num_bytes() <= input_tile::num_bytes(),
                  "what is made lies where rows were that have been read");

    static constexpr int apart = Config.cells_between_boxes(Problem);
    static constexpr auto strip = axis<STRIP>(Config.strips).pitch(Config.images * apart);
    static constexpr auto n = axis<N>(Config.images).pitch(apart);
    using input_tiles = tensor<half8, strip, n, h, w, read_cells>;
    using output_tiles = tensor<half8, strip, n, p, q, made_cells>;
    using taps = filter_fragments<Problem>;
    using filter = typename filter_tiles::template of_channels<8 * groups>;
    using Pixels = compound_index<axis<N>(Config.images), q>;
    using barriers = tensor<mbarrier<chip>, axis<STRIP>(Config.strips + 1)>;
    // The last one is for the filter.
    __device__ static STRIP filter_barrier() { return STRIP(Config.strips); }

    // Where a strip is, and whether it is.
    struct place_of_strip {
        Images image;
        Rows row;
        Columns column;
        bool exists;

        __device__ place_of_strip(int number, correlation const& correlation, N images) {
            int const across = divup(correlation.q, Config.columns);
            int const down = divup(correlation.p, rows);
            auto const at = static_cast<unsigned>(number);
            column = Columns(at % across);
            row = Rows(at / across % down);
            image = Images(at / across / down);
            exists = unfold(image) < images;
        }
    };

    // So many rows meet the filter, those beside the image too, and from which on they lie there.
    static constexpr int rows_met = rows + r - 1;
    static constexpr int first_row = Config.has_all_rows(Problem) ? in_memory::known.pad_h : 0;
    // Whether a row of a strip is one of the image, as far as is known now: where one strip makes
    // all rows, those beside the image are only zeros, whether they come or not.
    static constexpr bool may_have(int row) {
        constexpr correlation correlation = in_memory::known;
        if (!Problem.knows_image() || correlation.p > rows) return true;
        return row >= correlation.pad_h && row < correlation.pad_h + correlation.h;
    }

    // A row that is read adds to as many that are made as the filter has rows, whose sums take
    // turns. Inlined at any size: only then are sums and filter registers.
    using sums_of_rows = sums[r][tiles];
    template <class Columns, class Tap>
    __device__ __forceinline__ static void add_products(sums_of_rows& sum, int row, int tile,
                                                        Columns const& columns, Tap const& tap) {
#pragma unroll
        for (int n = 0; n < r; ++n) {
            int const to = row - n;
            if (to >= 0 && to < rows) multiply(sum[to % r][tile], columns, tap(R(n)));
        }
    }
    template <class Read>
    __device__ __forceinline__ static void read_row(sums_of_rows& sum, int row, Read const& read,
                                                    taps const& by) {
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile) {
            auto const at = read[Pixels(16 * tile).template cast<Q, W>()][H(row - first_row)];
#pragma unroll
            for (int pair = 0; pair < taps::pairs; ++pair) {
                two_taps columns;
                columns.load(at[W(2 * pair)]);
                add_products(sum, row, tile, columns,
                             [&by, pair](R n) { return by.taps(n, pair); });
            }
            if constexpr (taps::has_single) {
                one_tap columns;
                columns.load(at[W(Problem.s - 1)]);
                add_products(sum, row, tile, columns, [&by](R n) { return by.last_tap(n); });
            }
        }
    }
    template <class Read, class Made>
    __device__ __forceinline__ static void convolve(Read const& read, Made const& made,
                                                    taps const& by, vec<float, 2> const& bias) {
        sums_of_rows sum;
#pragma unroll
        for (int row = 0; row < rows_met; ++row) {
            if (row < rows) {
#pragma unroll
                for (int tile = 0; tile < tiles; ++tile) {
                    for (auto& two : sum[row % r][tile].of) two = bias;
                }
            }
            if (may_have(row)) read_row(sum, row, read, by);
            if (int const done = row - (r - 1); done >= 0) {
                sync_warp(); // all its lanes have read what lies there
#pragma unroll
                for (int tile = 0; tile < tiles; ++tile) {
                    sum[done % r][tile].template rounded<half>().template store<chip>(
                        made[P(done)][Pixels(16 * tile)]);
                }
            }
        }
    }

    __device__ __forceinline__ static void run(params const& given) {
        correlation_args const& args = given.args;
        correlation const correlation = correlation_of<Problem>(args);
        N const images = Problem.knows_n() ? N(Problem.n) : args.output.template extent<N>();
        constexpr int blocks_across = divup(Problem.groups(), groups);
        auto const first_group = Groups(this_block() % blocks_across);
        int const first_strip = this_block() / blocks_across * Config.strips;
        int const groups_here = min(groups, Problem.groups() - fold<C, 8>(first_group).get());

        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const [read, after_read] =
            memory.template push<input_tiles, box_alignment<input_tile>>();
        auto const [made, over_read] =
            memory.template push<output_tiles, box_alignment<output_tile>>();
        auto const [filters, after_filters] = after_read.template push<filter>();
        auto const [arrived, rest] = after_filters.template push<barriers>();
        bool const speaks = this_thread() == 0;

        let_kernels_after_start<chip>();
        if (speaks) {
#pragma unroll
            for (auto const barrier : range(arrived)) arrived[barrier]->init(1);
            mbarrier<chip>::publish();
        }
        sync_block();
        wait_for_kernels_before<chip>();
        if (speaks) {
            filter_tiles::template load<groups>(
                filters, args.filter.get(),
                typename filter_tiles::Group(fold<C, 8>(first_group).get()), groups_here,
                *arrived[filter_barrier()]);
            auto const& map = map_as<input_map>(given.input);
#pragma unroll
            for (auto const s : range(STRIP(Config.strips))) {
                place_of_strip const at(first_strip + s.get(), correlation, images);
                if (!at.exists) continue;
                arrived[s]->arrive_and_expect(Config.images * input_map::num_bytes());
#pragma unroll
                for (auto const image : range(N(Config.images))) {
                    load_box(read[s][image], map,
                             make_coordinates(
                                 unfold(at.image) + image,
                                 H(unfold(at.row).get() + first_row - correlation.pad_h),
                                 W(unfold(at.column).get() - correlation.pad_w), first_group),
                             *arrived[s]);
                }
            }
        }

        auto const warp = this_warp().get();
        bool const has_group = warp < groups_here;
        auto const group = fold<C, 8>(warp);
        auto const bias = bias_at<Problem>(
            args.bias.get(), cast<K>(first_group + (has_group ? group : fold<C, 8>(0))));
        auto const row_of_lane = two_taps::row_index();
        auto const pixel = row_of_lane.template get<Q>().get();
        auto const image_of_lane = N(pixel / Config.columns);
        auto const column_of_lane = pixel % Config.columns;
        auto const read_by_lane =
            read[group][image_of_lane][W(column_of_lane + row_of_lane.template get<D8>().get())];
        auto const made_by_lane = made[cast<K>(group)][image_of_lane][Q(column_of_lane)];

        arrived[filter_barrier()]->wait(0);
        taps const by(filters[typename filter_tiles::Group(has_group ? warp : 0)]);
#pragma unroll 1
        for (auto const s : range(STRIP(Config.strips))) {
            place_of_strip const at(first_strip + s.get(), correlation, images);
            if (!at.exists) break;
            arrived[s]->wait(0);
            if (has_group) convolve(read_by_lane[s], made_by_lane[s], by, bias);
            fence_for_bulk_copies<chip>();
            sync_block();
            if (speaks) {
                auto const& map = map_as<output_map>(given.output);
#pragma unroll
                for (auto const image : range(N(Config.images))) {
                    store_box<chip>(map,
                                    make_coordinates(unfold(at.image) + image, unfold(at.row),
                                                     unfold(at.column), cast<K>(first_group)),
                                    made[s][image]);
                }
                commit_bulk_stores<chip>();
            }
        }
        if (speaks) wait_for_bulk_reads<chip>();
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config>::run(p);
}

} // namespace spio::conv2d::tma
