// axpby, y = a x + b y: its problems, how they are specialized, and what comes out.
// SPDX-License-Identifier: Apache-2.0
module;

#include "axpby/problem.h"

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

export module spio.axpby;

import spio.spec;

export namespace spio::axpby {

using axpby::config;
using axpby::N;
using axpby::params;
using axpby::scalars;

// How long the vectors are. A kernel takes any length; this one it is made for.
struct problem {
    int n;
    friend bool operator==(problem const&, problem const&) = default;
};

// One vector a thread: blocks enough are under way by themselves. Of long ones there are fewer,
// larger blocks.
constexpr config best_config(problem const& p) {
    return {.threads = p.n < (1 << 22) ? 256 : 512, .vectors = 1};
}

spec_of<params> specialize(problem const&, config const&, arch);
inline spec_of<params> specialize(problem const& p, arch arch) {
    return specialize(p, best_config(p), arch);
}
// Of no elements too there is a block, which finds nothing to do.
constexpr extent grid(config const& c, int n) { return {c.blocks(n) > 0 ? c.blocks(n) : 1}; }

family const& in_words();

// The headers of the family, as they were when the library was built.
std::span<header const> kernel_text();

// What y becomes, in double.
std::vector<double> reference(float a, std::span<float const> x, float b, std::span<float const> y);

} // namespace spio::axpby

namespace spio {

template <> struct fields_of<axpby::problem> {
    static constexpr auto all = std::tuple(field{"n", &axpby::problem::n, {.least = 0}});
};
template <> struct fields_of<axpby::config> {
    static constexpr auto all = std::tuple(
        field{"threads", &axpby::config::threads, {.least = 32, .most = 1024, .multiple_of = 32}},
        field{"vectors", &axpby::config::vectors, {.least = 1, .most = 16}});
};

} // namespace spio
