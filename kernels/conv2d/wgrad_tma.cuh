// The weight gradient box by box, by the copy engine and products of matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/tap_sums.cuh"
#include "conv2d/tensors.h"
#include "conv2d/wgrad_cells.cuh"
#include "conv2d/wgrad_span.cuh"
#include "conv2d/wgrad_tma.h"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/launch_control.cuh"
#include "spio/tile/shared_memory.h"
#include "spio/tile/warp.cuh"

namespace spio::conv2d::wgrad_tma {

using namespace wgrad;

struct STAGE : dim {
    using dim::dim;
};

template <problem Problem, config Config>
    requires(Config.fits(Problem))
struct block {
    static constexpr arch chip = sm_90a;
    static constexpr int groups = Config.groups;
    static constexpr int rows_above = meets_row_above(Problem) ? 1 : 0;

    static constexpr axis<STAGE> stage{Config.stages};
    static constexpr axis<N> n{Config.images};
    static constexpr axis<H> h{Config.rows_read(Problem)};
    static constexpr axis<W> w{Config.columns_read(Problem)};
    static constexpr axis<P> rows_of_dy{Config.rows_of_dy(Problem)};
    static constexpr axis<Q> q{Config.columns};
    static constexpr axis<C> c{8 * groups};
    static constexpr axis<K> k{8 * groups};
    static constexpr auto x_cells = swizzled_cells<c, w>();
    static constexpr auto dy_cells = swizzled_cells<k, q>();
    using x_tile = tensor<half8, n, h, w, x_cells>;
    using dy_tile = tensor<half8, n, rows_of_dy, q, dy_cells>;
    using x_tiles = tensor<half8, stage, n, h, w, x_cells>;
    using dy_tiles = tensor<half8, stage, n, rows_of_dy, q, dy_cells>;
    using x_map = tensor_map<x_tile, typename tensors<Problem>::read>;
    using dy_map = tensor_map<dy_tile, typename tensors<Problem>::made>;
    using barriers_of_full = tensor<mbarrier<chip>, stage>;
    using barriers_of_empty = tensor<mbarrier<chip>, axis<STAGE>(Config.stages + 1)>;
    // The last one is nobody's: the first steps have no stage to give back.
    __device__ static STAGE nobodys() { return STAGE(Config.stages); }
    using ring = ring_position<STAGE, Config.stages>;

    using Groups = fold<C, 8 * groups>;
    static constexpr int slices = wgrad::slices(Problem, groups);
    using Columns = compound_index<n, q>;
    using warp_sums = tap_sums<Problem, Columns, Config.tiles(), true>;
    using there_of_warp = columns_there<Columns, Config.tiles()>;
    static constexpr axis<K> all_k{8 * groups * slices};
    static constexpr axis<PAIR> pair{warp_sums::count};
    static constexpr axis<LANE> lane{32};
    using workspace = tensor<vec<float, 4>, axis<SPLIT>(Config.splits), all_k / 8, pair, lane>;

    params const& p;
    image_sizes of;
    Groups slice;
    SPLIT split;
    x_tiles x;
    dy_tiles dy;
    barriers_of_full full;
    barriers_of_empty empty;

    __device__ explicit block(params const& given)
        : p(given),
          of(sizes_of<Problem>(given.n, given.h, given.w)),
          slice(this_block() % slices),
          split(this_block() / slices) {
        auto const memory = dynamic_shared_memory<Config.shared_bytes(Problem)>();
        auto const [x_there, after_x] = memory.template push<x_tiles, box_alignment<x_tile>>();
        auto const [dy_there, after_dy] = after_x.template push<dy_tiles, box_alignment<dy_tile>>();
        auto const [full_there, after_full] = after_dy.template push<barriers_of_full>();
        auto const [empty_there, rest] = after_full.template push<barriers_of_empty>();
        x = x_there;
        dy = dy_there;
        full = full_there;
        empty = empty_there;
    }
    __device__ spans spans_of_split() const {
        // Whole images are one row to them.
        image_sizes const each = {of.n, of.h, of.w, Config.whole_images ? 1 : of.p, of.q};
        return spans(each, Config.images, Config.columns, split, Config.splits);
    }

    // The warp that speaks to the engine: one of its lanes does.
    struct producer {
        block const& in;
        steps<Problem> walk;
        ring at = {};

        __device__ __forceinline__ void operator()(row_step const& step) {
            load(walk.brings_x(step), walk.row_of_x(step.number), step.has_dy(),
                 walk.at.row + P(step.number));
        }
        __device__ __forceinline__ void load(bool has_x, H row, bool has_dy, P row_of_dy) {
            if (!has_x && !has_dy) return;
            // The phase before the first counts as ended. No lane may miss one.
            in.empty[at.stage()]->wait(at.parity() ^ 1);
            sync_warp();
            if (is_first_lane()) {
                int const bytes =
                    (has_x ? x_map::num_bytes() : 0) + (has_dy ? dy_map::num_bytes() : 0);
                auto& arrived = *in.full[at.stage()];
                arrived.arrive_and_expect(bytes);
                if (has_x) {
                    load_box(in.x[at.stage()], map_as<x_map>(in.p.x),
                             make_coordinates(walk.at.image, row,
                                              W(walk.at.column.get() - Problem.pad_w), in.slice),
                             arrived);
                }
                if (has_dy) {
                    load_box(in.dy[at.stage()], map_as<dy_map>(in.p.dy),
                             make_coordinates(walk.at.image, row_of_dy, walk.at.column,
                                              cast<K>(in.slice)),
                             arrived);
                }
            }
            ++at;
        }
    };
    __device__ __forceinline__ void produce() const {
        auto rows = spans_of_split();
        producer brings{*this, steps<Problem>(of.h)};
        while (rows.next(brings.walk.at)) {
            if constexpr (Config.whole_images) {
                brings.load(true, H(-rows_above), true, P(0));
            } else {
                brings.walk.rolled(brings);
            }
        }
    }

    // Where a lane reads a first row: columns of x, those under the last tap, columns of y.
    __device__ static fold<C, 8> group() { return fold<C, 8>(this_warp().get()); }
    __device__ auto x_of_lane() const {
        return x[group()][warp_sums::column_of_x().template cast<Q, W>()][warp_sums::shift_of_x()];
    }
    __device__ auto last_of_lane() const {
        return x[group()][warp_sums::column_of_last().template cast<Q, W>()][W(Problem.s - 1)];
    }
    __device__ auto dy_of_lane() const { return dy[cast<K>(group())][warp_sums::column_of_dy()]; }

    // A warp that adds up the taps of a group.
    struct consumer {
        block const& in;
        decltype(declval<block>().x_of_lane()) x;
        decltype(declval<block>().last_of_lane()) last;
        decltype(declval<block>().dy_of_lane()) dy;
        steps<Problem> walk;
        there_of_warp there;
        ring at = {};
        STAGE before = {};
        STAGE kept[Config.stages_kept(Problem)] = {};
        warp_sums sum = {};

        __device__ __forceinline__ void operator()(row_step const& step) {
            bool const has_any = step.has_dy() || walk.brings_x(step);
            if (has_any) in.full[at.stage()]->wait(at.parity());
            sum.step();
            if (step.has_dy()) sum.take_dy(dy[at.stage()]);
            if (step.has_x) {
                auto const from = warp_sums::is_at_row_before() ? before : at.stage();
                sum.add_row(x[at.stage()], last[from], there, step.first, step.last);
            } else {
                sum.add_no_row(step.first, step.last);
            }
            if (has_any) give_back();
        }
        __device__ __forceinline__ void add_images() {
            in.full[at.stage()]->wait(at.parity());
            add_rows_of_images(numbers_below<Problem.p() + Problem.r - 1>());
            give_back();
        }
        template <int... Number>
        __device__ __forceinline__ void add_rows_of_images(numbers<Number...>) {
            (add_row_of_images<Number>(), ...);
        }
        // As a step of rows, of which everything is known. Where no row comes before the first,
        // none is looked at.
        template <int Number> __device__ __forceinline__ void add_row_of_images() {
            constexpr int row = Number - Problem.pad_h;
            constexpr int first_row = max(0, Number - Problem.p() + 1);
            constexpr int last_row = min(Number, Problem.r - 1);
            sum.step();
            if constexpr (Number < Problem.p()) sum.take_dy(dy[at.stage()][P(Number)]);
            if constexpr (row >= 0 && row < h.size - rows_above) {
                constexpr H here(row + rows_above);
                constexpr H one_above(here > H(0) ? 1 : 0);
                auto const both = warp_sums::is_at_row_before() ? here - one_above : here;
                sum.add_row(x[at.stage()][here], last[at.stage()][both], there, first_row,
                            last_row);
            } else {
                sum.add_no_row(first_row, last_row);
            }
        }
        // The oldest stage that is kept may be written over.
        __device__ __forceinline__ void give_back() {
            constexpr int oldest = Config.stages_kept(Problem) - 1;
            sync_warp();
            if (is_first_lane()) in.empty[kept[oldest]]->arrive();
#pragma unroll
            for (int n = oldest; n > 0; --n) kept[n] = kept[n - 1];
            kept[0] = before = at.stage();
            ++at;
        }
    };
    __device__ __forceinline__ void consume() const {
        auto rows = spans_of_split();
        consumer takes{*this,        x_of_lane(),          last_of_lane(),
                       dy_of_lane(), steps<Problem>(of.h), there_of_warp(of.q)};
        for (auto& stage : takes.kept) stage = nobodys();
        while (rows.next(takes.walk.at)) {
            if (of.q > Config.columns) {
                takes.there = there_of_warp(of.q - takes.walk.at.column.get());
            }
            if constexpr (Config.whole_images) {
                takes.add_images();
            } else {
                takes.walk.unrolled(takes);
            }
        }
        takes.sum.store(
            workspace(p.workspace)[split][cast<K>(slice)][cast<K>(group())][this_lane()]);
    }

    __device__ __forceinline__ void run() const {
        if (this_warp() == WARP(groups) && is_first_lane()) {
            prefetch<chip>(map_as<x_map>(p.x));
            prefetch<chip>(map_as<dy_map>(p.dy));
            for (auto const at : range(full)) {
                full[at]->init(1);
                empty[at]->init(groups);
            }
            empty[nobodys()]->init(groups * Config.stages_kept(Problem) + 1); // never full
            mbarrier<chip>::publish();
        }
        let_kernels_after_start<chip>();
        sync_block();
        wait_for_kernels_before<chip>();
        if (this_warp() == WARP(groups)) {
            produce();
        } else {
            consume();
        }
    }
};

template <problem Problem, config Config> __device__ __forceinline__ void run(params const& p) {
    block<Problem, Config>(p).run();
}

} // namespace spio::conv2d::wgrad_tma
