// Lists the candidates that a learned model predicts: those that are likely to be fast.
// SPDX-License-Identifier: Apache-2.0
//
// A candidate is a configuration that may be chosen, with its estimated time. wgrad is the gradient
// of the filter, fprop and dgrad are the other two passes. A body is a kernel template: tma and
// cp_async for fprop and dgrad, others for wgrad. A row of features is what a model knows of a
// candidate. A cluster of blocks adds the sums of wgrad.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import :estimate_parts;
import :estimator;
import :powers;
import spio.spec;

namespace spio::conv2d {

namespace {

// A model does not choose a configuration whose estimated time is above this multiple of the least.
// In the sweep that it was trained on, the bound cost no layer of fprop and dgrad more than 11 %,
// and nearly all nothing; the estimates of wgrad are farther off.
constexpr double most_estimate = 1.7, most_gradient_estimate = 3;
// A model chooses among so many candidates that are the likeliest to be fast. On 468 layers that
// were held out, the best of these takes 1.0013 (fprop and dgrad) and 1.0008 (wgrad) of the time of
// the best of all candidates that were measured.
constexpr std::ptrdiff_t most_predicted = 20, most_gradients_predicted = 14;

// Estimates of a layer's configurations are off in ways that some of their parts tell. These are
// weights of such parts in the logarithm (to base 2) of the time over its estimate, as
// bench/models/order.py fits them to sweeps on an H200 (bench/results/models_conv2d_*.txt.xz).
struct weights {
    double constant = 0;                // of this body, against the other
    double copied_rows = 0;             // by TMA, if it copies rows of tiles or of images
    double latency = 0, arithmetic = 0; // their shares of the estimate's parts
    double lone_block = 0;              // of the time that an SM waits: 1 over its blocks
    double sms_used = 0; // the share of SMs' time, if each had the blocks of the fullest
    double loads = 0;    // the logarithm of what the fullest SM loads, over the estimate
    double rows = 0, groups = 0, stages = 0, pixels = 0; // their logarithms; pixels of a step
};
constexpr weights cp_async_weights = {.latency = -0.22,
                                      .arithmetic = 1.63,
                                      .lone_block = 0.33,
                                      .sms_used = -0.55,
                                      .rows = 0.02,
                                      .groups = -0.13};
constexpr weights tma_weights = {.constant = 0.22,
                                 .latency = -1.28,
                                 .arithmetic = 0.22,
                                 .lone_block = 0.17,
                                 .sms_used = -0.40,
                                 .rows = 0.07};
constexpr weights wgrad_cp_async_weights = {.latency = -1.27,
                                            .arithmetic = 0.39,
                                            .sms_used = 0.63,
                                            .loads = 0.50,
                                            .groups = -0.15,
                                            .stages = -0.15,
                                            .pixels = -0.21};
constexpr weights wgrad_tma_weights = {.constant = -0.61,
                                       .copied_rows = -0.11,
                                       .latency = -2.16,
                                       .arithmetic = -0.07,
                                       .sms_used = 0.78,
                                       .loads = 0.45,
                                       .groups = -0.15,
                                       .pixels = -0.14};

// Logarithms of the first numbers.
constexpr auto logarithms = [] {
    std::array<double, 65> values = {};
    for (int i = 1; i < 65; ++i) values[static_cast<std::size_t>(i)] = log2_of(i);
    return values;
}();
double log2_of_count(int count) {
    bool const is_known = count > 0 && count < std::ssize(logarithms);
    return is_known ? logarithms[static_cast<std::size_t>(count)] : log2_of(count);
}

// The logarithm of the time that a candidate is likely to take.
class likely_time {
  public:
    explicit likely_time(problem const& problem) : asked(problem) {}

    double operator()(candidate const& candidate) const {
        auto const& expected = candidate.expected;
        return log2_of(expected.microseconds) +
               std::visit([&](auto const& config) { return correction(config, expected); },
                          candidate.config);
    }

  private:
    problem const& asked;

    // What all blocks of a gradient load, in bytes.
    template <class Config> double loaded(Config const& config) const {
        double const row_bytes =
            16.0 * config.images * (config.input_columns(asked) + config.columns) * config.groups;
        auto const strips = static_cast<double>(strip_count(asked, config.images, config.columns));
        return row_bytes * strips * asked.p() * wgrad::slices(asked, config.groups);
    }
    template <class Config> double correction(Config const& config, estimate const& parts) const {
        double const sum = parts.traffic + parts.arithmetic + parts.latency;
        double const latency = parts.latency / sum;
        double const blocks_over_sms = parts.waves * parts.blocks_per_sm;
        double const sms_used = blocks_over_sms / whole_waves(blocks_over_sms);
        if constexpr (requires { config.splits; }) {
            constexpr bool is_tma = requires { config.whole_images; };
            auto const& weight = is_tma ? wgrad_tma_weights : wgrad_cp_async_weights;
            double constant = weight.constant;
            if constexpr (is_tma) {
                if (config.copies_rows(asked)) constant += weight.copied_rows;
            }
            return constant + weight.latency * latency +
                   weight.arithmetic * parts.arithmetic / sum + weight.sms_used * sms_used +
                   weight.loads * log2_of(loaded(config) / (sms_used * parts.microseconds)) +
                   weight.groups * log2_of_count(config.groups) +
                   weight.stages * log2_of_count(config.stages) +
                   weight.pixels * (log2_of_count(config.images) + log2_of_count(config.columns));
        } else {
            bool const is_tma = requires { config.tiles_per_block; };
            auto const& weight = is_tma ? tma_weights : cp_async_weights;
            double constant = weight.constant;
            if constexpr (requires { config.whole_rows; }) {
                if (config.whole_rows) constant += weight.copied_rows;
            }
            return constant +
                   latency *
                       (weight.latency + weight.arithmetic * parts.arithmetic / parts.latency) +
                   weight.lone_block / config.blocks + weight.sms_used * sms_used +
                   weight.rows * log2_of_count(config.rows) +
                   weight.groups * log2_of_count(config.groups);
        }
    }
};

// Leaves the candidates that are likely to be the fastest, in their order.
void leave_likely(std::vector<candidate>& list, double most_of_least, std::ptrdiff_t count,
                  problem const& problem) {
    auto const microseconds = [](candidate const& c) { return c.expected.microseconds; };
    auto const most = most_of_least * microseconds(std::ranges::min(list, {}, microseconds));
    std::erase_if(list, [&](candidate const& c) { return microseconds(c) > most; });
    if (std::ssize(list) <= count) return;
    std::vector<double> times;
    times.reserve(list.size());
    std::ranges::transform(list, std::back_inserter(times), likely_time(problem));
    auto sorted = times;
    auto const last = sorted.begin() + count - 1;
    std::ranges::nth_element(sorted, last);
    auto const limit = *last;
    std::size_t place = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (times[i] <= limit) list[place++] = list[i];
    }
    list.resize(place);
}

} // namespace

shortlist shortlist_of(problem const& problem, arch arch, bool has_whole_rows) {
    bool const is_gradient = problem.pass == direction::wgrad;
    shortlist result = {
        .list = is_gradient ? gradient_candidates(problem, arch, /*is_for_model=*/true)
                            : correlation_candidates(problem, arch, most_estimate, has_whole_rows),
        .rows = {}};
    auto& list = result.list;
    if (list.empty()) return result;
    is_gradient ? leave_likely(list, most_gradient_estimate, most_gradients_predicted, problem)
                : leave_likely(list, most_estimate, most_predicted, problem);
    // The best of those whose clusters add the sums of wgrad, whatever the others are estimated at.
    for (auto const size : {cluster_size::small, cluster_size::large}) {
        if (!is_gradient) break;
        auto const clusters = best_wgrad_clusters(problem, arch, size);
        for (auto const& cluster : {clusters.best, clusters.second}) {
            if (cluster.microseconds <= 0) continue;
            list.push_back({cluster.config, estimated(problem, cluster.config, arch)});
            ++result.clusters;
        }
    }
    // The model knows kernels whose warps share the taps of a group.
    for (auto& each : list) each.config = with_parts(problem, each.config, arch);
    result.rows.resize(list.size() * feature_count);
    feature_writer const writer(problem, list.front().expected.bytes, arch);
    for (std::size_t i = 0; i < list.size(); ++i) writer.write(list[i], result.row(i));
    return result;
}

namespace {

// The fields of a configuration of wgrad.
auto fields_of(wgrad_tma::config const& c) {
    return std::tuple(c.groups, c.images, c.columns, c.stages, c.splits, c.whole_images, c.cluster,
                      c.parts);
}
auto fields_of(wgrad_cp_async::config const& c) {
    return std::tuple(c.groups, c.images, c.columns, c.stages, c.splits, c.blocks);
}
// Whether the list has a configuration already.
template <class Config> bool is_listed(std::vector<candidate> const& list, Config const& config) {
    return std::ranges::any_of(list, [&](candidate const& other) {
        auto const* const same = std::get_if<Config>(&other.config);
        return same != nullptr && fields_of(*same) == fields_of(config);
    });
}

} // namespace

std::size_t add_twins(problem const& problem, arch arch, shortlist& candidates, std::size_t i) {
    constexpr int most_groups = 7; // that have two warps each
    auto const first = candidates.list.size();
    auto const add = [&](auto const& twin) {
        if (!twin.fits(problem) || is_listed(candidates.list, twin)) return;
        candidates.list.push_back({twin, estimated(problem, twin, arch)});
    };
    auto const chosen = candidates.list[i].config;
    if (auto const* const gradient = std::get_if<wgrad_tma::config>(&chosen)) {
        auto other = *gradient, shorter = *gradient;
        other.parts = 3 - gradient->parts;
        if (gradient->groups <= most_groups) add(other);
        shorter.stages /= 2;
        bool const is_plain = !gradient->adds_in_cluster();
        if (is_plain && !needs_long_ring(problem, *gradient, arch)) add(shorter);
    } else if (auto const* const gradient = std::get_if<wgrad_cp_async::config>(&chosen)) {
        auto shorter = *gradient;
        shorter.stages /= 2;
        add(shorter);
    }
    if (candidates.list.size() == first) return 0;
    candidates.rows.resize(candidates.list.size() * feature_count);
    feature_writer const writer(problem, candidates.list[i].expected.bytes, arch);
    for (auto twin = first; twin < candidates.list.size(); ++twin) {
        writer.write(candidates.list[twin], candidates.row(twin));
    }
    return candidates.list.size() - first;
}

} // namespace spio::conv2d
