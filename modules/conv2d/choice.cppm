// How a configuration of a convolution is chosen: by measurements, a learned model, or an estimate.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// problem is the sizes and options of a call. A config_source finds configurations that were
// measured on this GPU. A learned model is shipped for a chip, or was trained on this machine and
// then comes first.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

export module spio.conv2d:choice;

import spio.spec;

export namespace spio::conv2d {

// A body is one implementation of a pass: a kernel template, which a problem and a configuration
// specialize. A config holds the configuration of one of the four bodies; the first two are for
// fprop and dgrad, the others for wgrad.
using config =
    std::variant<cp_async::config, tma::config, wgrad_cp_async::config, wgrad_tma::config>;

// Whether the kernels of both configurations of fprop or dgrad add the products of an output in the
// same order, and so compute the same bits. All configurations of a body do, but for tma's kernels
// that have pairs of rows. Those of wgrad split the sum over the batch, each in another way.
bool have_same_order(problem const&, config const&, config const&);

// The estimated time of a launch and its parts, which overlap; all times are in microseconds.
struct estimate {
    double microseconds = 0;
    double bytes = 0;      // bytes moved to and from memory, each tensor once
    double traffic = 0;    // time of moving data to and from memory and the L2 cache
    double arithmetic = 0; // time of the matrix products and the instructions around them
    double latency = 0;    // time that blocks wait for their copies
    int blocks_per_sm = 0;
    double waves = 0; // blocks of the launch per blocks that the GPU holds at once

    std::string explained() const; // "42.1 us: …"
};
// A configuration and its estimated cost.
struct candidate {
    conv2d::config config;
    estimate expected;
};
// The configurations that a sweep measures for learned models, in a fixed order: those of all
// bodies that the problem and the architecture allow. They vary what the chip's time depends on,
// and leave out what would be idle for the most part. A model chooses among fewer, which rank()
// lists. Throws if the problem is wrong.
std::vector<candidate> candidates(problem const&, arch);

// What a learned model knows of a problem and a configuration: the fields of the configuration, and
// ratios that do not depend on a unit, such as the waves of blocks and the share of a tile that
// lies inside the output.
inline constexpr int feature_count = 65;
using features = std::array<float, feature_count>;
std::span<std::string_view const, feature_count> feature_names();
features features_of(problem const&, candidate const&, arch);

// A candidate with the time that the learned model predicts, in microseconds.
struct ranked_config {
    conv2d::config config;
    estimate expected;
    double predicted;
};
// What the learned model for the chip of an architecture predicts of the candidates that are worth
// it, the fastest first. Empty if there is no model for the chip, or if no candidate fits; then
// `refusal` says so.
struct predictions {
    std::vector<ranked_config> configs;
    std::string refusal;
};
predictions rank(problem const&, arch);

// The candidates that a learned model for the architecture would predict, in no order.
std::vector<candidate> likely_candidates(problem const&, arch);

// Whether there are learned models for the chip of an architecture.
bool has_model(arch);
// The learned model for a pass on an architecture, in words: whether it is this machine's own or
// the one shipped for the chip, and what it was trained on. Empty if there is none.
std::string describe_model(direction, arch);

// A configuration, and who chose it.
struct choice {
    conv2d::config config;
    config_origin origin;
    std::string refusal = {}; // why the learned model did not choose, if the family did
};
// Asks the config_source; then the learned model of the chip, if there is one and the problem is in
// the range that it was trained on; then the family.
choice choose(problem const&, arch, config_source const& = default_config_source());
// What the family chooses: the first of space(), or of generic_configs(), for wgrad with as many
// warps for a group and as many groups as are the fastest; none where no kernel computes the
// problem.
std::optional<config> family_choice(problem const&, arch);

} // namespace spio::conv2d
