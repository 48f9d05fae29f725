// Lists the configurations that are worth a trial, and picks one.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d.h"
#include "conv2d/boxes.h"
#include "conv2d/rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.conv2d;

import spio.spec;
import :chip;

namespace spio::conv2d {

namespace {

// Channels of a block: a whole line of memory if there are so many, and few groups too many.
std::vector<int> groups_of_block(int groups) {
    std::vector<int> all;
    for (int const each : {1, 2, 3, 4, 6, 8, 9, 12, 16}) {
        bool const is_narrow = each < 4 && groups >= 4;
        bool const wastes = 8 * (divup(groups, each) * each - groups) > groups;
        if (each <= groups && !is_narrow && !wastes) all.push_back(each);
    }
    if (all.empty()) all.push_back(std::min(groups, 8));
    return all;
}

// Powers of two up to a number, and the number.
std::vector<int> parts_of(int whole, int least, int most) {
    std::vector<int> all;
    for (int each = least; each < std::min(whole, most); each *= 2) all.push_back(each);
    all.push_back(std::min(whole, most));
    return all;
}

struct columns_of_block {
    int images, columns;
};
std::vector<columns_of_block> columns_of(problem const& of, walk const& way) {
    std::vector<columns_of_block> all;
    int const tiles = divup(way.q, 16);
    for (int const columns : {16, 32, 48, 64, 96, 128}) {
        if (columns / 16 <= tiles) all.push_back({1, columns});
    }
    int const whole = way.q <= 8 ? 8 : 16 * tiles;
    for (int const images : {2, 4, 8, 16}) {
        bool const few = images <= of.n || (way.q <= 8 && images == 2);
        if (few && images * whole <= 128) all.push_back({images, whole});
    }
    return all;
}

// The one that measurements chose, and its neighbours.
std::vector<boxes::config> boxes_worth_a_trial(problem const& of) {
    boxes::config const best = boxes::best_config(of);
    std::vector<boxes::config> all;
    for (int const groups : {best.groups, best.groups / 2, 2 * best.groups}) {
        for (int const rows : {best.rows, best.rows / 2, 2 * best.rows}) {
            boxes::config by = best;
            by.groups = groups;
            by.rows = rows;
            if (!by.fits(of)) continue;
            by.blocks = boxes::blocks_that_fit(of, by);
            if (by.blocks > 0) all.push_back(by);
        }
    }
    return all;
}

} // namespace

std::vector<config> space(problem const& of, std::string_view arch) {
    check(of);
    chip const on = chip_of(arch);
    walk const way = walk_of(of);
    std::vector<std::pair<double, config>> all;
    if (of.pass == direction::wgrad) return {};
    double least = std::numeric_limits<double>::infinity();
    auto const add = [&](rows::config by) {
        // Sums and filter must leave registers for the rest.
        bool const has_registers = 4 * of.r * by.tiles + of.taps() <= 144;
        if (!by.fits(of) || !has_registers || by.warps() > 16 ||
            by.shared_bytes(of) + 1024 > on.shared_bytes) {
            return;
        }
        by.blocks = std::max(1, explain(of, by, arch).blocks_per_processor);
        double const time = explain(of, by, arch).microseconds;
        least = std::min(least, time);
        all.emplace_back(time, by);
    };
    for (int const groups : groups_of_block(of.groups())) {
        for (auto const& [images, columns] : columns_of(of, way)) {
            for (int const rows : parts_of(way.p, 4, 64)) {
                for (int const tiles : {1, 2, 3, 4}) {
                    for (int const stages : {3, 4}) {
                        for (bool const unrolled : {true, false}) {
                            add({groups, images, columns, rows, tiles, stages, 0, unrolled});
                        }
                    }
                }
            }
        }
    }
    if (on.has_copy_engine) {
        for (auto const& by : boxes_worth_a_trial(of)) {
            double const time = explain(of, by, arch).microseconds;
            least = std::min(least, time);
            all.emplace_back(time, by);
        }
    }
    // What is estimated to be far slower than another is not tried.
    std::erase_if(all, [&](auto const& each) { return each.first > 1.25 * least; });
    std::ranges::sort(all, {}, [](auto const& each) { return each.first; });
    // If boxes are best, those that measurements chose go before what is only estimated.
    if (!all.empty() && needs_maps(all.front().second)) {
        auto const chosen = words_of(boxes::best_config(of));
        auto const at = std::ranges::find_if(
            all, [&](auto const& each) { return words_of(each.second) == chosen; });
        if (at != all.end()) std::rotate(all.begin(), at, at + 1);
    }
    std::vector<config> worth_it;
    for (auto const& each : all) worth_it.push_back(each.second);
    return worth_it;
}

config best_config(problem const& of, std::string_view arch) {
    auto const all = space(of, arch);
    if (all.empty()) {
        throw error("configure", "conv2d " + text_of(of),
                    "no body for " + std::string(arch) + " makes " + word_of(of.pass));
    }
    return all.front();
}

} // namespace spio::conv2d
