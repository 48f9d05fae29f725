// Estimates the times of many configurations of one problem.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

module spio.conv2d:estimator;

import :choice;
import :few;
import spio.spec;

namespace spio::conv2d {

// What configurations have in common is computed once. The problem and the configurations must have
// been checked, and the problem must outlive the estimator.
class estimator {
  public:
    estimator(problem const&, arch);
    ~estimator();

    // Writes the estimate into the candidate. A result that the caller copies would take longer: a
    // copy waits for the stores that have just written it.
    void operator()(candidate&) const;
    // How many blocks an SM runs at a time.
    int blocks_of_sm(cp_async::config const&) const;
    // Input rows of an image that blocks of so many output rows read in all.
    double rows_read(int rows) const;
    // A time that the estimate of a configuration is not below, whatever its blocks and its tiles
    // per block; of cp_async whatever its rows, if the blocks read at least so many rows. It takes
    // fewer instructions than the estimate.
    double least_time(tma::config const&) const;
    double least_time(cp_async::config const&, double rows_read) const;

  private:
    struct setting;
    std::unique_ptr<setting> common;
};

// The bytes of the partial sums of wgrad, which a second kernel adds. There are none where a
// cluster adds its sums, or where one split has all of them.
template <class Config> double partial_sum_bytes(problem const& problem, Config const& config) {
    if (wgrad::has_one_split(problem, config.splits)) return 0;
    if constexpr (requires { config.cluster; }) {
        if (config.adds_in_cluster()) return 0;
    }
    return static_cast<double>(wgrad::workspace_bytes(problem, config.groups, config.splits));
}

// The number of the feature copies_rows in feature_names().
inline constexpr std::size_t copies_rows_feature = 31;

// Writes the features of configurations of one problem, each into a row. What they have in common
// is computed once. The problem must outlive the writer; all tensors have so many bytes.
class feature_writer {
  public:
    feature_writer(problem const&, double bytes, arch);

    void write(candidate const&, std::span<float, feature_count> row) const;

  private:
    static constexpr int problem_features = 16;
    problem const& asked;
    chip const& used_chip;
    correlation sizes;
    std::array<float, problem_features> problem_values;
};

// The candidates worth a prediction of a learned model, and their features in rows.
struct shortlist {
    std::vector<candidate> list;
    std::vector<float> rows;
    // The clusters at the end of the list, whose estimates are far too long.
    std::size_t clusters = 0;

    std::span<float, feature_count> row(std::size_t i) {
        return std::span(rows).subspan(i * feature_count).first<feature_count>();
    }
};
// Lists the candidates of a problem that are likely to be fast, of fprop and dgrad with or without
// those that copy rows of tiles. The problem must have been checked.
shortlist shortlist_of(problem const&, arch, bool has_whole_rows);
// Adds the twins of candidate i of wgrad, with the other number of warps for a group, one or two,
// and with half as many stages, and returns how many there are.
std::size_t add_twins(problem const&, arch, shortlist&, std::size_t i);

// How many blocks of this configuration an SM runs at a time; `boxes_of_tile` are the TMA boxes of
// its tiles, which the configuration computes for the problem.
int blocks_of_sm(problem const&, tma::config const&, tma::config::boxes_of_tile const&);

// Collects the candidates of a problem, each with its estimate. Of interest are those whose
// estimated time is at most a multiple of the least.
class candidate_list {
  public:
    candidate_list(problem const& problem, arch arch, double most_of_least)
        : estimates(problem, arch), most_of_least(most_of_least), sm_count(chip_of(arch).sm_count) {
        list.reserve(128);
    }
    // Whether a configuration whose estimate is at least this time is of no interest.
    bool is_too_slow(double microseconds) const { return microseconds > most_of_least * least; }
    // Adds a configuration, unless it needs too many blocks.
    template <class Config> void add(Config const& config) {
        auto& added = list.emplace_back();
        added.config = config;
        estimates(added);
        // A grid has an int for its blocks.
        double const blocks = added.expected.waves * added.expected.blocks_per_sm * sm_count;
        if (blocks < INT_MAX) {
            least = std::min(least, added.expected.microseconds);
        } else {
            list.pop_back();
        }
    }

    estimator const estimates;
    std::vector<candidate> list;

  private:
    double most_of_least, least = std::numeric_limits<double>::infinity();
    int sm_count;
};

// The numbers of splits for a configuration of wgrad: near those of `best`, and as many as there
// are SMs for blocks, or half as many, where each split still has some rows.
numbers split_counts(problem const&, wgrad_tma::config const& best, wgrad_tma::config const&,
                     int sm_count);
numbers split_counts(problem const&, wgrad_cp_async::config const& best,
                     wgrad_cp_async::config const&, int sm_count);
// Whether a model chooses only rings of all stages that fit. In the sweeps on an H200 they take
// 0.75 to 0.88 of the time of half of them in the mean, and at most 1.08.
bool needs_long_ring(problem const&, wgrad_tma::config const&, arch);
// The candidates of wgrad; for a model, without those that it may not choose. The problem must have
// been checked.
std::vector<candidate> gradient_candidates(problem const&, arch, bool is_for_model);
// The candidates of fprop or dgrad that a model may choose: of those whose estimated time is at
// most a multiple of the least. Others may be left out, whose order is that of candidates(). Those
// that copy rows of tiles, or boxes of all of odd groups or of all columns of two, are for models
// that were trained with them. The problem must have been checked.
std::vector<candidate> correlation_candidates(problem const&, arch, double most_of_least,
                                              bool has_whole_rows);

// A configuration of wgrad whose clusters add their sums, and the time that it is expected to take.
// The time is 0 where there is none: the layer is large, or no cluster may be used.
struct cluster_choice {
    wgrad_tma::config config = {};
    double microseconds = 0;
};
// The two that are expected to be the fastest.
struct cluster_choices {
    cluster_choice best, second;
};
// Small clusters have at most 8 blocks, large ones 16.
enum class cluster_size { small, large };
cluster_choices best_wgrad_clusters(problem const&, arch, cluster_size);
cluster_choice best_wgrad_cluster(problem const&, arch); // the best small one

// The most stages of the kernel template wgrad_cp_async. Measured on an H200.
inline constexpr int most_cp_async_stages = 8;
// An upper bound of the stages of a ring that fit into so many bytes.
int stages_in(problem const&, wgrad_tma::config const&, int bytes);
// The configuration, with as many stages as fit into so many bytes of shared memory, or as it is.
wgrad_tma::config with_all_stages(problem const&, wgrad_tma::config, int most_bytes);
// The configuration, with two warps for each group of wgrad where that is faster; where no model
// chooses, also with eight groups of a large filter.
config with_parts(problem const&, config const&, arch);
config with_parts_and_groups(problem const&, config const&, arch);
// Bytes of the images that a pass reads and writes, of one tensor each.
inline double image_bytes(problem const& problem) {
    return 2.0 * problem.n * problem.c *
           (1.0 * problem.h * problem.w + 1.0 * problem.p() * problem.q());
}
// What a block takes of a row: so many images, and so many neighbouring columns of each.
struct strip {
    int images, columns;
};
// The strips whose rows the splits of wgrad share.
inline long long strip_count(problem const& problem, int images, int columns) {
    return 1LL * divup(problem.n, images) * divup(problem.q(), columns);
}
// A configuration that copies whole rows of so many images; none where there is no such kernel.
std::optional<wgrad_tma::config> with_whole_rows(problem const&, int images);
// The same configuration with two warps for each group, or with eight groups instead of four; none
// where a thread would have too few registers.
std::optional<wgrad_tma::config> with_two_parts(problem const&, wgrad_tma::config const&);
std::optional<wgrad_tma::config> with_eight_groups(problem const&,
                                                   wgrad_tma::config const& config_of_four, arch);

// A kernel by TMA may start, and prefetch, before the previous kernel of the stream has ended. For
// layers whose tensors have fewer bytes than this, such a kernel is preferred to others. For larger
// layers, of 6 to 12 MB, that made the choice 4 to 13 % slower on an H200.
inline constexpr double bytes_of_small_layer = 4e6;

} // namespace spio::conv2d
