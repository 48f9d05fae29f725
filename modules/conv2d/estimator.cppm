// Estimates the times of many configurations of one problem.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_tma.h"

#include <array>
#include <climits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

module spio.conv2d:estimator;

import :choice;
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
    // How many blocks a multiprocessor runs at a time.
    int blocks_of_sm(cp_async::config const&) const;

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
    std::array<float, problem_features> of_problem;
};

// How many blocks of this configuration a multiprocessor runs at a time; `boxes_of_tile` are the
// TMA boxes of its tiles, which the configuration computes for the problem.
int blocks_of_sm(problem const&, tma::config const&, tma::config::boxes_of_tile const&);

// Collects the candidates of a problem, each with its estimate.
class candidate_list {
  public:
    candidate_list(problem const& problem, arch arch)
        : estimates(problem, arch), sm_count(chip_of(arch).sm_count) {
        list.reserve(128);
    }
    // Adds a configuration, unless it needs too many blocks.
    template <class Config> void add(Config const& config) {
        auto& added = list.emplace_back();
        added.config = config;
        estimates(added);
        // A grid has an int for its blocks.
        double const blocks = added.expected.waves * added.expected.blocks_per_sm * sm_count;
        if (!(blocks < INT_MAX)) list.pop_back();
    }

    estimator const estimates;
    std::vector<candidate> list;

  private:
    int sm_count;
};

// The candidates of wgrad; the problem must have been checked.
std::vector<candidate> gradient_candidates(problem const&, arch);

// A configuration of wgrad whose clusters add their sums, and the time that it is expected to take.
// The time is 0 where there is none: the layer is large, or no cluster may be used.
struct cluster_choice {
    wgrad_tma::config config = {};
    double microseconds = 0;
};
// Small clusters have at most 8 blocks, large ones 16.
enum class cluster_size { small, large };
cluster_choice best_wgrad_cluster(problem const&, arch, cluster_size = cluster_size::small);

// The configuration, with two warps for each group of wgrad where that is faster; and also with a
// longer ring of stages.
config with_parts(problem const&, config const&, arch);
config with_parts_and_stages(problem const&, config const&, arch);

// A kernel by TMA may start, and prefetch, before the previous kernel of the stream has ended. For
// layers whose tensors have fewer bytes than this, such a kernel is preferred to others. For larger
// layers, of 6 to 12 MB, that made the choice 4 to 13 % slower.
inline constexpr double bytes_of_small_layer = 4e6;
// The family's choice where the fastest kernel is of a kind that the learned model has seen too
// rarely in its training; nothing for other problems.
std::optional<choice> choice_of_rare_kernel(problem const&, arch);
// Removes cp_async from the candidates of a small layer, of which there must be some, if a kernel
// by TMA can start before the previous kernel has ended.
void leave_out_late_launches(problem const&, std::vector<candidate>&);

} // namespace spio::conv2d
