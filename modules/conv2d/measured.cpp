// Reads the measured configurations of the kernel template tma, and adapts one to a problem.
// SPDX-License-Identifier: Apache-2.0
//
// tma is the kernel template that computes the forward pass and the gradient of the input by TMA. A
// configuration is how its blocks share a problem; channels are convolved in groups of 8.
// has_static_n() says whether the number of images, has_static_image() whether the height and width
// are known when a kernel is compiled.
module;

#include "conv2d/problem.h"
#include "conv2d/tma.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

module spio.conv2d;

import :estimator;
import spio.spec;

namespace spio::conv2d {

// A line of models/conv2d.txt: what a problem must have for the line to hold (bounds of its
// filter's taps and of its columns), and the configuration that it gets. A tile is the part of the
// output that a block computes at a time: groups, images, columns and rows.
struct measured_config {
    int taps_least = 1;
    int columns_least = 1, columns_most = INT_MAX; // columns of the output
    int blocks_least = 0;                          // blocks that an SM holds
    int groups, images, columns, rows, tiles_per_block;
};

} // namespace spio::conv2d

namespace spio {

template <> struct field_table<conv2d::measured_config> {
    using line = conv2d::measured_config;
    static constexpr auto fields =
        std::tuple(field{"taps_least", &line::taps_least, {.least = 1}, presence::optional},
                   field{"columns_least", &line::columns_least, {.least = 1}, presence::optional},
                   field{"columns_most", &line::columns_most, {.least = 1}, presence::optional},
                   field{"blocks_least", &line::blocks_least, {.least = 0}, presence::optional},
                   field{"groups", &line::groups, {.least = 1, .most = 8}},
                   field{"images", &line::images, {.least = 1, .most = 2}},
                   field{"columns", &line::columns, {.least = 8, .most = 256, .multiple_of = 8}},
                   field{"rows", &line::rows, {.least = 1, .most = 256}},
                   field{"tiles_per_block", &line::tiles_per_block, {.least = 1, .most = 64}});
};

} // namespace spio

namespace spio::conv2d {

namespace {

// The lines of models/conv2d.txt, without its comments.
std::vector<measured_config> parse_lines(std::string_view text) {
    std::vector<measured_config> lines;
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.empty() && line.front() != '#') {
            lines.push_back(parse<measured_config>("models/conv2d.txt:", line));
        }
    }
    return lines;
}

// All lines, which are read when they are first asked for. They are never destroyed, since a
// background thread may choose while the program ends. No lock is held, which a forked process
// would find held: of two threads that read the lines at the same time, the first to end keeps its
// own.
std::vector<measured_config> const& measured_lines() {
    static constinit std::atomic<std::vector<measured_config> const*> known = nullptr;
    if (auto const* const lines = known.load(std::memory_order_acquire)) return *lines;
    auto lines = std::make_unique<std::vector<measured_config>>(parse_lines(measured_text()));
    std::vector<measured_config> const* others = nullptr;
    if (!known.compare_exchange_strong(others, lines.get(), std::memory_order_acq_rel)) {
        return *others;
    }
    return *lines.release();
}

// The number of channel groups (of 8) per block: `wanted`, or fewer so that it is at most that of
// the problem and the last block leaves few of its groups idle.
int groups_of_block(int wanted, int groups) {
    constexpr double most_computed =
        1.25; // groups computed, idle ones too, per group of the problem
    if (wanted == 8 && divup(groups, 8) * 8 > most_computed * groups) wanted = 4;
    while (wanted > groups) wanted /= 2;
    return wanted;
}

// A line's configuration for this problem; how many of its blocks an SM runs is set later.
tma::config config_of_line(measured_config const& line, problem const& problem) {
    int const rows = correlation_of(problem).p;
    return {.groups = groups_of_block(line.groups, problem.groups()),
            .images = line.images,
            .columns = line.columns,
            // The rows are divided evenly: the last block has as many as the others, or a few
            // fewer.
            .rows = problem.has_static_image() ? divup(rows, divup(rows, line.rows)) : line.rows,
            .tiles_per_block = line.tiles_per_block,
            .blocks = 0};
}

// Whether a line is for problems like this one.
bool matches(measured_config const& line, problem const& problem, tma::config const& config) {
    int const columns = correlation_of(problem).q;
    // A line with two images per tile is for images of a known size, and for at least two of them.
    bool const has_two_images =
        problem.has_static_image() && (!problem.has_static_n() || problem.n > 1);
    return problem.taps() >= line.taps_least && columns >= line.columns_least &&
           columns <= line.columns_most && (line.images == 1 || has_two_images) &&
           blocks_of_sm(problem, config) >= line.blocks_least;
}

// A layer with a filter of at most 3 rows and fewer bytes than this in its tensors takes tiles of 4
// rows instead of 8. Measured on an H200.
constexpr double few_bytes = 32e6;
// The configuration for dgrad of stride 2 along rows and columns, or along columns: 16 even and 16
// odd columns, of half a cache line, and few rows, so that many blocks are on an SM. Of six
// measured on an H200 it is the fastest in 18 of 27 layers, and on average 1.02 times as slow as
// the fastest.
tma::config strided_config(problem const& problem) {
    correlation const sizes = correlation_of(problem);
    bool const is_narrow = sizes.q <= 16;
    return {.groups = groups_of_block(/*wanted=*/4, problem.groups()),
            .images = is_narrow ? 2 : 1,
            .columns = is_narrow ? 16 : 32,
            .rows = problem.r <= 3 && image_bytes(problem) < few_bytes ? 4 : 8,
            .tiles_per_block = 1,
            .blocks = 0};
}

} // namespace

int blocks_of_sm(problem const& problem, tma::config const& config) {
    return blocks_of_sm(problem, config, config.boxes(problem));
}
int blocks_of_sm(problem const& problem, tma::config const& config,
                 tma::config::boxes_of_tile const& boxes) {
    return concurrent_blocks(chip_of(sm_90a),
                             {.threads = config.threads(problem),
                              .registers = config.registers(problem),
                              .shared_bytes = config.shared_bytes(problem, boxes)});
}

tma::config best_tma(problem const& problem) {
    check(problem);
    if (!tma::config::has_pass(problem)) refuse_tma(problem);
    // With strides and dilations, a tile may have too much input for the shared memory. With gaps
    // between the inputs, its rows are even.
    correlation const sizes = correlation_of(problem);
    int const spacing = sizes.spacing_h;
    auto const with_room = [&](tma::config config) {
        config.rows = divup(config.rows, spacing) * spacing;
        while (config.rows > spacing && blocks_of_sm(problem, config) == 0) {
            config.rows = divup(config.rows, 2 * spacing) * spacing;
        }
        config.blocks = blocks_of_sm(problem, config);
        return config;
    };
    if (sizes.spacing_w > 1) return with_room(strided_config(problem));
    for (auto const& line : measured_lines()) {
        auto const config = config_of_line(line, problem);
        if (matches(line, problem, config)) return with_room(config);
    }
    throw error(error_kind::internal, "configure", "conv2d " + text_of(problem),
                "models/conv2d.txt has no line for it");
}

} // namespace spio::conv2d
