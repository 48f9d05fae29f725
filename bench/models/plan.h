// The plan of a sweep: its groups of layers, and the configurations to measure.
// SPDX-License-Identifier: Apache-2.0
//
// A sweep measures many configurations of many layers. A layer is the sizes of a convolution; the
// layers of a group share their kernels, which are compiled for the first of them. A configuration
// says how blocks share a problem. A family is the kernels of one operation, here conv2d.
#pragma once

#include "../input.h"
#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

namespace spio::bench {

// A line `group WORDS most=M`, and after it a line `N H W` for each layer. WORDS are the fields of
// a conv2d problem but n, h and w; M bounds the number of configurations. Where there are lines
// `config TEXT` as well, those configurations are measured, and no others.
struct layer_group {
    std::string words;
    std::size_t most = 0;
    std::vector<conv2d::problem> layers;
    std::vector<conv2d::config> told;

    // The problem that the kernels are compiled for.
    conv2d::problem const& compiled() const { return layers.front(); }
};

// The groups that a plan lists, as plan.py writes it.
inline std::vector<layer_group> read_plan(std::string const& file) {
    auto input = open_input(file);
    std::vector<layer_group> groups;
    for (std::string line; std::getline(input, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (line.starts_with("group ")) {
            auto const most = line.find(" most=");
            if (most == line.npos) throw std::runtime_error("a group without most=: " + line);
            groups.push_back({line.substr(6, most - 6), std::stoul(line.substr(most + 6)), {}, {}});
            continue;
        }
        if (line.starts_with("config ") && !groups.empty()) {
            groups.back().told.push_back(conv2d::parse_config(line.substr(7)));
            continue;
        }
        std::istringstream sizes(line);
        std::string n, h, w;
        if (groups.empty() || !(sizes >> n >> h >> w))
            throw std::runtime_error("no layer: " + line);
        groups.back().layers.push_back(parse<conv2d::problem>(
            "conv2d", "n=" + n + " h=" + h + " w=" + w + " " + groups.back().words));
    }
    std::erase_if(groups, [](auto const& group) { return group.layers.empty(); });
    return groups;
}

// Whether a kernel of the configuration can compute the problem.
inline bool fits(conv2d::problem const& problem, conv2d::config const& config) {
    return std::visit([&](auto const& body) { return body.fits(problem); }, config);
}

// A configuration is not measured if its estimated time is above this multiple of the least.
inline constexpr double slowest_measured = 3;

// What a model of wgrad also predicts, once it has chosen: rings of half as many stages, and the
// other number of warps for a group.
inline std::vector<conv2d::config> twins_of(conv2d::problem const& problem,
                                            conv2d::config const& config) {
    std::vector<conv2d::config> twins;
    auto const* const gradient = std::get_if<conv2d::wgrad_tma::config>(&config);
    if (gradient == nullptr) return twins;
    auto shorter = *gradient, other = *gradient;
    shorter.stages /= 2;
    other.parts = 3 - gradient->parts;
    for (auto const& twin : {shorter, other}) {
        if (twin.fits(problem)) twins.emplace_back(twin);
    }
    return twins;
}

// The configurations to compile for a group: those that are told, or else for each layer the
// family's own choice without a model, those of each body that are estimated to be the fastest, and
// those that a shipped model predicts to be; and a random draw of the others. Each such mention by
// a layer is a vote: the family's choice counts for 4, the three fastest estimates of a body for 3,
// 2 and 1, and the eight fastest predictions for 8 to 1, and their twins for half of that; the
// fastest estimates that copy rows count for 5, four of wgrad and six of fprop and dgrad, and so do
// the three fastest that copy boxes of an odd number of groups, or of all columns of two, and four
// of wgrad that have twelve groups.
inline std::vector<conv2d::config> choose_configs(layer_group const& group, arch arch) {
    if (!group.told.empty()) return group.told;
    struct entry {
        conv2d::config config;
        unsigned votes = 0;
        unsigned long long draw = 0;
    };
    std::map<std::string, entry> entries;
    auto const entry_of = [&](conv2d::config const& config) -> entry& {
        auto const text = conv2d::config_text(config);
        return entries.try_emplace(text, entry{config, 0, fnv(text, fnv(group.words))})
            .first->second;
    };
    for (auto const& layer : group.layers) {
        auto list = conv2d::candidates(layer, arch);
        std::ranges::sort(list, {}, [](auto const& c) { return c.expected.microseconds; });
        if (list.empty()) continue;
        if (auto const own = conv2d::family_choice(layer, arch)) entry_of(*own).votes += 4;
        // Where there is a model, what it predicts to be the fastest counts as well.
        auto const predicted = rank(layer, arch).configs;
        constexpr unsigned most_predicted = 8;
        for (unsigned i = 0; i < most_predicted && i < predicted.size(); ++i) {
            auto const votes = most_predicted - i;
            entry_of(predicted[i].config).votes += votes;
            for (auto const& twin : twins_of(layer, predicted[i].config)) {
                entry_of(twin).votes += votes / 2;
            }
        }
        // So do clusters of blocks that add the sums of wgrad, of which each layer has one or two.
        for (auto const& [config, expected, microseconds] : predicted) {
            auto const* const gradient = std::get_if<conv2d::wgrad_tma::config>(&config);
            if (gradient != nullptr && gradient->adds_in_cluster()) entry_of(config).votes += 6;
        }
        std::map<std::size_t, unsigned> ranks; // of bodies
        unsigned row_copies = 0, special_boxes = 0;
        for (auto const& [config, expected] : list) {
            if (expected.microseconds > slowest_measured * list.front().expected.microseconds)
                break;
            auto& found = entry_of(config);
            if (auto const rank = ranks[config.index()]++; rank < 3) found.votes += 3 - rank;
            auto const* const gradient = std::get_if<conv2d::wgrad_tma::config>(&config);
            bool const is_special =
                gradient != nullptr && (gradient->copies_rows(layer) || gradient->groups == 12);
            if (is_special && row_copies++ < 4) found.votes += 5;
            auto const* const tma = std::get_if<conv2d::tma::config>(&config);
            if (tma == nullptr) continue;
            bool const is_odd = tma->groups > 1 && tma->groups % 2 == 1;
            bool const has_boxes = !tma->whole_rows && (is_odd || tma->columns > 48);
            if (tma->whole_rows && row_copies++ < 6) found.votes += 5;
            if (has_boxes && special_boxes++ < 3) found.votes += 5;
        }
    }
    std::vector<entry> sorted;
    for (auto const& [text, found] : entries) {
        if (fits(group.compiled(), found.config)) sorted.push_back(found);
    }
    // Three quarters of them by votes, the others by draw.
    std::ranges::sort(sorted, [](auto const& a, auto const& b) {
        return a.votes != b.votes ? a.votes > b.votes : a.draw < b.draw;
    });
    auto const voted = std::min(sorted.size(), 3 * group.most / 4);
    std::ranges::sort(sorted.begin() + static_cast<std::ptrdiff_t>(voted), sorted.end(), {},
                      &entry::draw);
    sorted.resize(std::min(sorted.size(), group.most));
    std::vector<conv2d::config> configs;
    for (auto const& found : sorted) configs.push_back(found.config);
    return configs;
}

} // namespace spio::bench
