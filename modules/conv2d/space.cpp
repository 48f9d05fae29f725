// Lists the configurations that are worth a trial, and picks one.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

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
std::vector<columns_of_block> columns_of(problem const& of, correlation const& correlation) {
    std::vector<columns_of_block> all;
    int const tiles = divup(correlation.q, 16);
    for (int const columns : {16, 32, 48, 64, 96, 128}) {
        if (columns / 16 <= tiles) all.push_back({1, columns});
    }
    int const whole = correlation.q <= 8 ? 8 : 16 * tiles;
    for (int const images : {2, 4, 8, 16}) {
        bool const few = images <= of.n || (correlation.q <= 8 && images == 2);
        if (few && images * whole <= 128) all.push_back({images, whole});
    }
    return all;
}

// The one that measurements chose, and its neighbours.
std::vector<tma::config> tma_worth_a_trial(problem const& of) {
    tma::config const best = tma::best_config(of);
    std::vector<tma::config> all;
    for (int const groups : {best.groups, best.groups / 2, 2 * best.groups}) {
        for (int const rows : {best.rows, best.rows / 2, 2 * best.rows}) {
            for (int const tiles : {1, 2}) {
                tma::config by = best;
                by.groups = groups;
                by.rows = rows;
                (best.columns == 8 ? by.images : by.columns) *= tiles;
                if (!by.fits(of)) continue;
                by.blocks = tma::blocks_that_fit(of, by);
                if (by.blocks > 0) all.push_back(by);
            }
        }
    }
    return all;
}

// Configurations and their times.
class ranking {
  public:
    ranking(problem const& of, arch arch) : of_(of), arch_(arch) {}

    void add(config const& by) { all_.emplace_back(explain(of_, by, arch_).microseconds, by); }
    // Best first; what is estimated to be far slower than another is not worth a trial.
    std::vector<config> best_first() {
        std::ranges::sort(all_, {}, [](auto const& each) { return each.first; });
        std::vector<config> worth_it;
        for (auto const& [time, by] : all_) {
            if (time <= 1.25 * all_.front().first) worth_it.push_back(by);
        }
        return worth_it;
    }

  private:
    problem of_;
    arch arch_;
    std::vector<std::pair<double, config>> all_;
};

// What measurements chose goes before what is only estimated.
void put_first(std::vector<config>& all, config const& chosen) {
    auto const at = std::ranges::find(all, words_of(chosen), words_of);
    if (at != all.end()) std::rotate(all.begin(), at, at + 1);
}

// The best one by a body, and its neighbours.
template <class Config, class F>
void add_neighbours(ranking& to, problem const& of, Config const& best, F has_room) {
    for (int const groups : {best.groups, best.groups / 2}) {
        for (int const splits : {best.splits, best.splits / 2}) {
            for (int const stages : {best.stages, best.stages / 2}) {
                Config by = best;
                by.groups = groups;
                by.splits = splits * (best.groups / std::max(groups, 1));
                by.stages = stages;
                if (by.fits(of) && has_room(by)) to.add(by);
            }
        }
    }
}

// Boxes were faster than rows in all that was measured.
std::vector<config> space_of_gradient(problem const& of, arch arch) {
    chip const on = chip_of(arch);
    ranking all(of, arch);
    auto const first = [&](auto const& best, auto has_room) {
        add_neighbours(all, of, best, has_room);
        auto worth_it = all.best_first();
        put_first(worth_it, best);
        return worth_it;
    };
    if (on.has_copy_engine) {
        auto const best = best_wgrad_tma(of, arch);
        if (best.fits(of)) return first(best, [](auto const&) { return true; });
    }
    return first(best_wgrad_cp_async(of, arch), [&](auto const& by) {
        return by.blocks * (by.shared_bytes(of) + 1024) <= on.shared_bytes;
    });
}

} // namespace

std::vector<config> space(problem const& of, arch arch) {
    check(of);
    if (of.pass == direction::wgrad) return space_of_gradient(of, arch);
    chip const on = chip_of(arch);
    correlation const correlation = correlation_of(of);
    ranking all(of, arch);
    auto const add = [&](cp_async::config by) {
        // Sums and filter must leave registers for the rest.
        bool const has_registers = 4 * of.r * by.tiles + of.taps() <= 144;
        if (!by.fits(of) || !has_registers || by.warps() > 16 ||
            by.shared_bytes(of) + 1024 > on.shared_bytes) {
            return;
        }
        by.blocks = std::max(1, explain(of, by, arch).blocks_per_processor);
        all.add(by);
    };
    for (int const groups : groups_of_block(of.groups())) {
        for (auto const& [images, columns] : columns_of(of, correlation)) {
            for (int const rows : parts_of(correlation.p, 4, 64)) {
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
        for (auto const& by : tma_worth_a_trial(of)) all.add(by);
    }
    auto worth_it = all.best_first();
    if (!worth_it.empty() && needs_maps(worth_it.front())) {
        put_first(worth_it, tma::best_config(of));
    }
    return worth_it;
}

config best_config(problem const& of, arch arch) {
    auto const all = space(of, arch);
    if (all.empty()) {
        throw error(error_kind::unsupported, "configure", "conv2d " + text_of(of),
                    "no body for " + text_of(arch) + " makes " + word_of(of.pass));
    }
    return all.front();
}

} // namespace spio::conv2d
