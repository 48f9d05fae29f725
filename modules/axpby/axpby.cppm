// axpby, y = a x + b y: its problems, how they are specialized, and its reference result.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the size of a call, a configuration how threads share it. A spec is what a kernel
// is compiled from: its text for both, and an architecture. A typed_spec also has the type of the
// kernel's parameters, and computes the grid of a launch from them. A config_source finds measured
// configurations; without one the family, the kernels and code of one operation, chooses.
module;

#include "axpby/problem.h"

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

export module spio.axpby;

import spio.spec;

export namespace spio::axpby {

// The types of the kernel: its configuration, its dimension, its parameters, and its vectors.
using axpby::config;
using axpby::N;
using axpby::params;
using axpby::readable_scalars;
using axpby::scalars;

// The length n of both vectors. The kernel runs for any length; its configuration is chosen for n.
struct problem {
    int n;
    friend bool operator==(problem const&, problem const&) = default;
};

// The configuration for a length: one vector per thread, so that there are enough blocks to fill a
// GPU. Long vectors take larger blocks, which was faster on an H200.
constexpr config best_config(problem const& problem) {
    constexpr int long_vector = 1 << 22;
    return {.threads = problem.n < long_vector ? 256 : 512, .vectors = 1};
}

// The kernel for a problem: with this configuration, or with the one that a config_source has for
// it, or else best_config().
typed_spec<params> specialize(problem const&, config const&, arch);
typed_spec<params> specialize(problem const&, arch, config_source const& = default_config_source());
// The blocks of a launch for n elements. A grid of zero blocks cannot be launched, so n = 0 gets
// one block, which does nothing.
constexpr extent grid(config const& c, int n) { return {c.blocks(n) > 0 ? c.blocks(n) : 1}; }

// How a line of a manifest (a list of kernels), such as "axpby n=1000", becomes specs.
family const& family_entry();

// The headers of axpby's kernel, as they were when the library was built.
std::span<header const> kernel_text();

// The new value of y, computed in double.
std::vector<double> reference(float a, std::span<float const> x, float b, std::span<float const> y);

} // namespace spio::axpby

namespace spio {

template <> struct field_table<axpby::problem> {
    static constexpr auto fields = std::tuple(field{"n", &axpby::problem::n, {.least = 0}});
};
template <> struct field_table<axpby::config> {
    static constexpr auto fields = std::tuple(
        field{"threads", &axpby::config::threads, {.least = 32, .most = 1024, .multiple_of = 32}},
        field{"vectors", &axpby::config::vectors, {.least = 1, .most = 16}});
};

} // namespace spio
