// Estimates how long a configuration takes: from its bytes, its products and their latency.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of four kernel templates; two of them make fprop and dgrad, two make wgrad. A tap is
// an element of the filter's window; a product is an mma instruction of 16 x 8 x 16, which sums two
// taps of 8 channels each. Input i of a correlation is at position spacing * i, with zeros between;
// spacing is 1 or 2. A residual is a tensor that is added to the output, a preactivation the value
// before the activation, which dgrad reads for the activation's derivative. A tile is 16 output
// columns of a group of 8 channels; a warp's step takes one row of the input for some tiles. A
// candidate is a configuration that may be chosen.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

module spio.conv2d;

import :estimate_parts;
import :estimator;
import :fitted;
import :positions_read;
import :powers;
import spio.spec;

namespace spio::conv2d {

// What the estimates of a problem's configurations have in common.
struct estimator::setting {
    conv2d::problem const& problem;
    spio::chip const& chip;
    chip_costs const& costs;
    correlation sizes;
    double bytes = tensor_bytes(problem, sizes);
    double row_products = products_of_row(problem);
    // Clock cycles of all quarters of SMs together in a microsecond.
    double cycles_per_microsecond = sm_quarters * chip.clock_mhz * chip.sm_count;
    // Rows and columns of one input image that blocks of so many output rows or columns read.
    positions_read rows_read = {rows_of(sizes), sizes.p};
    positions_read columns_read = {columns_of(sizes), sizes.q};
    // With a dilation of 2, rows are in two phases, and a block of cp_async has rows of one.
    int phases = rows_of(sizes).phases(), rows_of_phase = divup(sizes.p, phases);
    // Of wgrad: the output, pairs of a row of dy and a row of x inside the image, which are
    // multiplied, and the cycles of a tile's products. One product computes the gradients of a
    // pair: of two taps, or of a tap and the bias.
    int p = problem.p(), q = problem.q();
    double rows_multiplied = positions_read(rows_of(problem), p)(p);
    double gradient_cycles =
        rows_multiplied * wgrad::pairs_of(problem).count() * costs.product_cycles;

    // What configurations of cp_async that differ in their rows alone have in common.
    struct strip {
        cp_async::config config = {};
        int resident_blocks = 0; // that an SM runs at a time
        double traffic = 0;
        double image_parts = 0, column_parts = 0, slices = 0; // the parts that blocks take
        double columns = 0;                                   // read by all of them
        double row_microseconds = 0, row_bytes = 0;
    };
    strip const& strip_of(cp_async::config config) const {
        config.rows = 1;
        if (!is_same(config, last_strip.config)) last_strip = new_strip(config);
        return last_strip;
    }
    mutable strip last_strip = {};

    // What configurations of tma that differ in tiles_per_block and in blocks have in common.
    struct tile {
        tma::config config = {};
        double traffic = 0, arithmetic = 0;
        checked_size count = 0; // of tiles, for the channels of one block
    };
    tile const& tile_of(tma::config const& config) const {
        if (!is_same(config, last_tile.config)) last_tile = new_tile(config);
        return last_tile;
    }
    mutable tile last_tile = {};
    // The time of the arithmetic of a strip whose blocks read so many rows in all, each once for
    // every image, column and slice of blocks; `blocks` is their number but for rows.
    double arithmetic_of(cp_async::config const& config, double blocks, double rows) const {
        return blocks * rows * config.warps() * step_cycles(config) / cycles_per_microsecond;
    }
    // The cycles of a warp's step.
    double step_cycles(cp_async::config const& config) const {
        double const tile_cycles = config.unrolled ? fitted.cp_async_unrolled_tile_cycles
                                                   : fitted.cp_async_looped_tile_cycles;
        return fitted.cp_async_step_cycles +
               config.mma_tiles * (row_products * costs.product_cycles + tile_cycles);
    }
    // The time of moving each tensor once, if blocks have so many groups.
    double traffic_of(int groups) const {
        constexpr int line_bytes = 128; // of the cache
        bool const splits_lines =
            2 * group_width * groups < line_bytes && 2.0 * problem.c >= line_bytes;
        return bytes / chip.copy_bytes * (splits_lines ? fitted.half_line_traffic : 1);
    }

    // These write all of the estimate but its bytes.
    void explain(cp_async::config const&, estimate&) const;
    void explain(tma::config const&, estimate&) const;
    void explain(wgrad_cp_async::config const& config, estimate& result) const {
        explain_gradient(config, std::max(1, config.blocks), fitted.wgrad_cp_async_tile_cycles,
                         result);
    }
    void explain(wgrad_tma::config const& config, estimate& result) const {
        explain_gradient(config, /*blocks=*/1, fitted.wgrad_tma_tile_cycles, result);
    }

  private:
    strip new_strip(cp_async::config const&) const;
    tile new_tile(tma::config const&) const;
    template <class Config>
    void explain_gradient(Config const&, int blocks, double tile_cycles, estimate&) const;
};

estimator::setting::strip estimator::setting::new_strip(cp_async::config const& config) const {
    strip result = {.config = config};
    result.resident_blocks =
        std::max(1, concurrent_blocks(chip, {.threads = config.threads(problem),
                                             .registers = registers_of(problem, config, chip),
                                             .shared_bytes = config.shared_bytes(problem)}));
    result.traffic = traffic_of(config.groups);
    result.image_parts = divup(problem.n, config.images);
    result.column_parts = divup(sizes.q, config.columns);
    result.slices = divup(problem.groups(), config.groups);
    result.columns = columns_read(config.columns);
    result.row_microseconds = costs.row_microseconds_per_product *
                              (fitted.cp_async_step_cycles + config.mma_tiles * row_products);
    result.row_bytes = 2.0 * group_width * config.groups * config.images *
                       std::min(config.input_columns(problem), sizes.w);
    return result;
}

void estimator::setting::explain(cp_async::config const& config, estimate& result) const {
    auto const& strip = strip_of(config);
    double const row_parts = 1.0 * phases * divup(rows_of_phase, config.rows);
    double const blocks = strip.image_parts * row_parts * strip.column_parts * strip.slices;
    double const rows = rows_read(config.rows);

    result.traffic = strip.traffic;
    // Each warp does one step for each input row that it reads.
    result.arithmetic =
        arithmetic_of(config, strip.image_parts * strip.column_parts * strip.slices, rows);

    // A block reads its rows one after the other; as many rows are in flight as there are stages,
    // less one.
    result.blocks_per_sm = strip.resident_blocks;
    double const concurrent = 1.0 * chip.sm_count * result.blocks_per_sm;
    result.waves = blocks / concurrent;
    double const block_rows = rows / divup(sizes.p, config.rows);
    double const bytes_read = 1.0 * problem.n * rows * strip.columns * (2.0 * problem.c);
    double const bytes_in_flight =
        std::min(concurrent, blocks) * (config.stages - 1) * strip.row_bytes;
    result.latency = std::max(std::max(result.waves, 1.0) * block_rows * strip.row_microseconds,
                              bytes_read / bytes_in_flight * chip.latency_microseconds);

    // An SM that holds few blocks idles while one of them waits, and some SMs idle in the last
    // wave.
    double const idle = std::max(0.0, whole_waves(result.waves) / std::max(result.waves, 1.0) - 1);
    result.microseconds =
        chip.launch_microseconds + overlapped(result) * (1 + fitted.idle_wave_share * idle) *
                                       (1 + fitted.lone_block_share / result.blocks_per_sm);
}

// The time of traffic is the longer of two: that of memory and that of the TMA engine, which takes
// some cycles for each pixel of a box, and few for a row that is one piece of memory.
estimator::setting::tile estimator::setting::new_tile(tma::config const& config) const {
    double const images = problem.n;
    double const slices = divup(problem.groups(), config.groups);
    double const outputs = images * sizes.p * sizes.q;
    double const rows = rows_read(config.rows);
    double const inputs = images * rows * columns_read(config.columns);
    constexpr int most_narrow = 48; // columns
    bool const is_pair = config.groups == 2 && problem.groups() == 2;
    double const pixel_cycles = config.whole_rows ? 0
                                : is_pair && config.columns > most_narrow
                                    ? fitted.tma_wide_pixel_cycles
                                    : fitted.tma_pixel_cycles;
    double const engine =
        pixel_cycles * (inputs + outputs) * slices * sm_quarters / cycles_per_microsecond;

    double const steps = divup(problem.n, config.images) * rows * divup(sizes.q, config.columns) *
                         config.mma_tiles() * slices * config.groups;
    // With zeros between the inputs, a tile of every second column meets half of the taps.
    double const product_cycles = row_products / sizes.spacing_w * costs.product_cycles;
    return {.config = config,
            .traffic = std::max(bytes / chip.copy_bytes, engine),
            .arithmetic =
                steps * (fitted.tma_tile_cycles + product_cycles) / cycles_per_microsecond,
            .count = config.tile_count(problem)};
}

void estimator::setting::explain(tma::config const& config, estimate& result) const {
    auto const& tile = tile_of(config);
    result.traffic = tile.traffic;
    result.arithmetic = tile.arithmetic;

    result.blocks_per_sm = std::max(1, config.blocks);
    auto const blocks = divup(tile.count, config.tiles_per_block) *
                        divup(checked_size(problem.groups()), config.groups);
    result.waves = static_cast<double>(blocks.value) / (chip.sm_count * result.blocks_per_sm);
    result.latency = std::ceil(result.waves) * chip.latency_microseconds * fitted.tma_latencies;

    result.microseconds = chip.launch_microseconds +
                          overlapped(result) * (1 + fitted.lone_block_share / result.blocks_per_sm);
}

// All blocks run at the same time, with one warp per group of channels. Each tile costs a warp
// `tile_cycles` besides its products; an SM holds only `blocks` blocks to overlap them.
template <class Config>
void estimator::setting::explain_gradient(Config const& config, int blocks, double tile_cycles,
                                          estimate& result) const {
    double const workspace = partial_sum_bytes(problem, config);
    result.traffic = (bytes + workspace) / chip.copy_bytes;

    double const strips = 1.0 * divup(problem.n, config.images) * divup(q, config.columns);
    double const mma_tiles = strips * config.mma_tiles() * problem.groups();
    result.arithmetic = mma_tiles *
                        (gradient_cycles + (1.0 * p + problem.r - 1) * tile_cycles / blocks) /
                        cycles_per_microsecond;

    result.blocks_per_sm = blocks;
    result.waves = static_cast<double>(config.blocks_of(problem)) / (chip.sm_count * blocks);
    result.arithmetic *= whole_waves(result.waves) / result.waves;
    result.latency = chip.latency_microseconds * config.stages;
    result.microseconds = chip.launch_microseconds +
                          (workspace > 0 ? fitted.second_kernel_microseconds : 0) +
                          overlapped(result);
}
estimator::estimator(problem const& problem, arch arch) {
    chip const& chip = chip_of(arch);
    common = std::make_unique<setting>(problem, chip, costs_of(chip), correlation_of(problem));
}
estimator::~estimator() = default;

void estimator::operator()(candidate& candidate) const {
    auto& [config, expected] = candidate;
    expected.bytes = common->bytes;
    std::visit([&](auto const& body) { common->explain(body, expected); }, config);
}

double estimator::least_time(tma::config const& config) const {
    auto const& tile = common->tile_of(config);
    return common->chip.launch_microseconds + std::max(tile.traffic, tile.arithmetic);
}

double estimator::rows_read(int rows) const { return common->rows_read(rows); }

double estimator::least_time(cp_async::config const& config, double rows) const {
    auto const& problem = common->problem;
    double const blocks = 1.0 * divup(problem.n, config.images) *
                          divup(common->sizes.q, config.columns) *
                          divup(problem.groups(), config.groups);
    double const arithmetic = common->arithmetic_of(config, blocks, rows);
    return common->chip.launch_microseconds +
           std::max(common->traffic_of(config.groups), arithmetic);
}

int estimator::blocks_of_sm(cp_async::config const& config) const {
    return common->strip_of(config).resident_blocks;
}

estimate explain(problem const& problem, config const& config, arch arch) {
    check(problem, config);
    return estimated(problem, config, arch);
}

estimate estimated(problem const& problem, config const& config, arch arch) {
    candidate candidate = {config, {}};
    estimator(problem, arch)(candidate);
    return candidate.expected;
}

std::string estimate::explained() const {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.1f us: %.1f MB, traffic %.1f us, arithmetic %.1f us, latency %.1f us; %d "
                  "blocks at once on an SM, %.1f waves",
                  microseconds, bytes / 1e6, traffic, arithmetic, latency, blocks_per_sm, waves);
    return text;
}

} // namespace spio::conv2d
