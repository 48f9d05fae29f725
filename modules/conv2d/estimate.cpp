// Estimates how long a configuration takes, from what it moves and does.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

module spio.conv2d;

import spio.spec;
import :chip;

namespace spio::conv2d {

namespace {

// How many steps of a side lie inside what is read, summed up over blocks of so many that are made:
// those under the first tap, and behind the end of each block those under all taps but one.
double steps_read(long long made, long long each, int taps, long long pad, long long size) {
    auto const multiples_below = [&](long long end) { return std::max(0LL, (end - 1) / each); };
    long long all = std::max(0LL, std::min(made - pad, size) - std::max(-pad, 0LL));
    for (long long tap = 0; tap < taps - 1; ++tap) {
        long long const least = pad - tap, end = least + size;
        all += std::max(0LL, multiples_below(std::min(end, made)) - multiples_below(least));
        if (least <= made && made < end) ++all;
    }
    return static_cast<double>(all);
}

// As ptxas gives them, within a few.
int registers_of(problem const& of, cp_async::config const& by) {
    int const several = by.images > 1 ? 7 * std::max(0, by.tiles - 2) : 0; // addresses
    int const wanted = 14 + several + by.tiles * (6 + 4 * of.r) + of.taps();
    int const threads = by.threads(of);
    int const most = by.blocks > 0 ? 65536 / (by.blocks * threads) / 8 * 8 : 255;
    return std::min({(wanted + 7) / 8 * 8, most, 255});
}

int blocks_per_processor(problem const& of, cp_async::config const& by, chip const& on) {
    int const by_shared = on.shared_bytes / (by.shared_bytes(of) + 1024);
    int const by_threads = 2048 / by.threads(of);
    int const by_registers = 65536 / (registers_of(of, by) * by.threads(of));
    return std::max(1, std::min({by_shared, by_threads, by_registers, 32}));
}

// Each tensor once.
double bytes_of(problem const& of, correlation const& correlation) {
    double const pixels = 1.0 * correlation.h * correlation.w + 1.0 * correlation.p * correlation.q;
    return 2.0 * of.c * (of.n * pixels + group_width * of.taps());
}

// For a row that is read: two taps are one product, and one alone takes three quarters of its time.
double products_of_row(problem const& of) { return of.r * (of.s / 2 + 0.75 * (of.s % 2)); }

// What overlaps costs little more than the longest of it.
double overlapped(estimate const& e) {
    constexpr double sharpness = 5;
    return std::pow(std::pow(e.traffic, sharpness) + std::pow(e.arithmetic, sharpness) +
                        std::pow(e.latency, sharpness),
                    1 / sharpness);
}

estimate explain_cp_async(problem const& of, cp_async::config const& by, chip const& on) {
    correlation const correlation = correlation_of(of);
    double const images = of.n, channel_bytes = 2.0 * of.c;
    double const blocks = static_cast<double>(by.blocks_of(of));

    estimate e;
    e.bytes = bytes_of(of, correlation);
    double const rows_read =
        steps_read(correlation.p, by.rows, of.r, correlation.pad_h, correlation.h);
    double const columns_read =
        steps_read(correlation.q, by.columns, of.s, correlation.pad_w, correlation.w);
    // Memory is read in lines of 128 bytes, and half a line costs more than half.
    bool const splits_lines = 2 * group_width * by.groups < 128 && channel_bytes >= 128;
    e.traffic = e.bytes / on.memory * (splits_lines ? 1.09 : 1);

    // Every row that is read is a step of each warp.
    double const steps = divup(of.n, by.images) * rows_read * divup(correlation.q, by.columns) *
                         divup(of.groups(), by.groups) * by.warps();
    double const products = products_of_row(of);
    double const rest = by.unrolled ? 39 : 60;
    e.arithmetic =
        steps * (8 + by.tiles * (products * on.product + rest)) / (4 * on.clock * on.processors);

    // The rows of a block come one after the other, as far ahead as there are stages.
    e.blocks_per_processor = blocks_per_processor(of, by, on);
    double const at_once = 1.0 * on.processors * e.blocks_per_processor;
    e.waves = blocks / at_once;
    double const rows_of_block = rows_read / divup(correlation.p, by.rows);
    double const row = on.row * (8 + by.tiles * products);
    double const row_bytes =
        2.0 * group_width * by.groups * by.images * std::min(by.columns_read(of), correlation.w);
    double const read = images * rows_read * columns_read * channel_bytes;
    double const under_way = std::min(at_once, blocks) * (by.stages - 1) * row_bytes;
    e.latency =
        std::max(std::max(e.waves, 1.0) * rows_of_block * row, read / under_way * on.latency);

    // Where few blocks share a processor it waits when one of them does, and the last wave leaves
    // some idle.
    double const idle = std::max(0.0, std::ceil(e.waves - 1e-9) / std::max(e.waves, 1.0) - 1);
    e.microseconds =
        on.launch + overlapped(e) * (1 + 0.6 * idle) * (1 + 0.31 / e.blocks_per_processor);
    return e;
}

// What the engine moves is bound by memory, or by its own pace: a few cycles for each pixel of a
// box.
estimate explain_tma(problem const& of, tma::config const& by, chip const& on) {
    correlation const correlation = correlation_of(of);
    double const images = of.n;
    double const slices = divup(of.groups(), by.groups);
    double const made = images * correlation.p * correlation.q;

    estimate e;
    e.bytes = bytes_of(of, correlation);
    double const rows_read =
        steps_read(correlation.p, by.rows, of.r, correlation.pad_h, correlation.h);
    double const columns_read =
        steps_read(correlation.q, by.columns, of.s, correlation.pad_w, correlation.w);
    double const engine =
        3 * (images * rows_read * columns_read + made) * slices / (on.clock * on.processors);
    e.traffic = std::max(e.bytes / on.memory, engine);

    double const steps = divup(of.n, by.images) * rows_read * divup(correlation.q, by.columns) *
                         by.tiles() * slices * by.groups;
    e.arithmetic = steps * (10 + products_of_row(of) * on.product) / (4 * on.clock * on.processors);

    e.blocks_per_processor = std::max(1, by.blocks);
    e.waves = static_cast<double>(by.blocks_of(of)) / (on.processors * e.blocks_per_processor);
    // A block reads, multiplies and writes once, and others do so meanwhile.
    e.latency = std::ceil(e.waves) * on.latency * 2;

    e.microseconds = on.launch + overlapped(e) * (1 + 0.31 / e.blocks_per_processor);
    return e;
}

// Blocks that are all there at once, each a warp for each group; what a warp does beside products
// takes so many cycles a tile, in which few others are there to take turns.
template <class Config>
estimate explain_gradient(problem const& of, Config const& by, chip const& on, int blocks,
                          double rest) {
    constexpr double second_kernel = 1.5; // begins while the first one ends
    estimate e;
    e.bytes = bytes_of(of, correlation_of(of));
    e.traffic = (e.bytes + static_cast<double>(by.workspace_bytes(of))) / on.memory;

    double const strips = 1.0 * divup(of.n, by.images) * divup(of.q(), by.columns);
    double const tiles = strips * by.tiles() * of.groups();
    double const rows_met = steps_read(of.p(), of.p(), of.r, of.pad_h, of.h);
    double const pairs = wgrad::pairs_of(of).count();
    e.arithmetic = tiles * (rows_met * pairs * on.product + (of.p() + of.r - 1) * rest / blocks) /
                   (4 * on.clock * on.processors);

    e.blocks_per_processor = blocks;
    e.waves = static_cast<double>(by.blocks_of(of)) / (on.processors * blocks);
    e.arithmetic *= std::ceil(e.waves - 1e-9) / e.waves;
    e.latency = on.latency * by.stages;
    e.microseconds = on.launch + second_kernel + overlapped(e);
    return e;
}

} // namespace

estimate explain(problem const& of, config const& by, arch arch) {
    chip const on = chip_of(arch);
    if (auto const* const rows = std::get_if<cp_async::config>(&by))
        return explain_cp_async(of, *rows, on);
    if (auto const* const boxes = std::get_if<tma::config>(&by)) {
        return explain_tma(of, *boxes, on);
    }
    if (auto const* const rows = std::get_if<wgrad_cp_async::config>(&by)) {
        return explain_gradient(of, *rows, on, std::max(1, rows->blocks), 120);
    }
    return explain_gradient(of, std::get<wgrad_tma::config>(by), on, 1, 50);
}

std::string estimate::explained() const {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.1f us: %.1f MB, traffic %.1f us, arithmetic %.1f us, latency %.1f us; %d "
                  "blocks at once on a processor, %.1f waves",
                  microseconds, bytes / 1e6, traffic, arithmetic, latency, blocks_per_processor,
                  waves);
    return text;
}

} // namespace spio::conv2d
