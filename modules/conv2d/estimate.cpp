// Estimates how long a configuration takes, from what it moves and does.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d.h"
#include "conv2d/rows.h"

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

double at_least_once(double n) { return std::max(n, 1.0); }

// How many steps of a side lie inside what is read, summed up over blocks of so many that are made.
double steps_read(int made, int each, int taps, int pad, int size) {
    double sum = 0;
    for (int first = 0; first < made; first += each) {
        int const last = std::min(first + each, made) + taps - 1;
        sum += std::max(0, std::min(last - pad, size) - std::max(first - pad, 0));
    }
    return sum;
}

// As ptxas gives them, within a few.
int registers_of(problem const& of, rows::config const& by) {
    int const wanted = 18 + by.tiles * (6 + 4 * of.r) + of.taps();
    int const threads = by.threads(of);
    int const most = by.blocks > 0 ? 65536 / (by.blocks * threads) / 8 * 8 : 255;
    return std::min({(wanted + 7) / 8 * 8, most, 255});
}

int blocks_per_processor(problem const& of, rows::config const& by, chip const& on) {
    int const by_shared = on.shared_bytes / (by.shared_bytes(of) + 1024);
    int const by_threads = 2048 / by.threads(of);
    int const by_registers = 65536 / (registers_of(of, by) * by.threads(of));
    return std::min({by_shared, by_threads, by_registers, 32});
}

estimate explain_rows(problem const& of, rows::config const& by, chip const& on) {
    walk const way = walk_of(of);
    double const images = of.n, channel_bytes = 2.0 * of.c;
    double const filter_bytes = 2.0 * of.c * group_width * of.taps();
    double const made = images * way.p * way.q * channel_bytes;
    double const blocks = static_cast<double>(by.blocks_of(of));

    estimate e;
    e.bytes = images * way.h * way.w * channel_bytes + made + filter_bytes;
    double const rows_read = steps_read(way.p, by.rows, of.r, way.pad_h, way.h);
    double const columns_read = steps_read(way.q, by.columns, of.s, way.pad_w, way.w);
    double const through_cache =
        images * rows_read * columns_read * channel_bytes + made +
        filter_bytes * divup(of.n, by.images) * divup(way.p, by.rows) * divup(way.q, by.columns);
    e.traffic = std::max(e.bytes / on.memory, through_cache / on.cache);

    // Every row that is read is a step of each warp; two taps are one product, and one alone takes
    // three quarters of its time.
    double const steps = divup(of.n, by.images) * rows_read * divup(way.q, by.columns) *
                         divup(of.groups(), by.groups) * by.warps();
    double const products = by.tiles * of.r * (of.s / 2 + 0.75 * (of.s % 2));
    e.arithmetic = steps * products * (16 * 8 * 16) / on.products;
    double const instructions = 70 + by.tiles * (24 + 2.0 * of.r * divup(of.s, 2));
    double const issue = steps * instructions / (4 * on.clock * on.processors);

    e.blocks_per_processor = blocks_per_processor(of, by, on);
    double const at_once = at_least_once(1.0 * on.processors * e.blocks_per_processor);
    e.waves = blocks / at_once;
    // A block reads its first row, then its rows one after the other, as far ahead as it may.
    double const row_bytes =
        channel_bytes / of.c * 8 * by.groups * by.images * std::min(by.columns_read(of), way.w);
    double const under_way = std::min(at_once, blocks) * (by.stages - 1) * row_bytes;
    double const read = images * rows_read * columns_read * channel_bytes;
    e.latency = read / under_way * on.latency;
    double const busy = std::max({e.traffic, e.arithmetic, issue, e.latency});
    // The blocks that come last have the chip for themselves.
    double const last =
        std::min(1.0, 0.5 / at_least_once(e.waves)) + (e.waves < 1 ? 1 - e.waves : 0);
    e.microseconds = on.launch + 2 * on.latency + busy * (1 + 0.4 * last);
    return e;
}

} // namespace

estimate explain(problem const& of, config const& by, std::string_view arch) {
    chip const on = chip_of(arch);
    return std::visit([&](rows::config const& c) { return explain_rows(of, c, on); }, by);
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
