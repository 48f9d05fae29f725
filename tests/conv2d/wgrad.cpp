// Weight gradients: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// A weight gradient is the gradient of a convolution's filter. A split is a share of its sum: each
// has partial sums in the workspace, which a second kernel, the reduction, adds; or the blocks of a
// cluster add theirs, or there is one split. A layer is a problem (sizes and options) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort (is_small()) it runs fewer
// sizes, and share() is the part of some problems that an effort runs. wgrad is the pass that
// computes it.
#include "wgrad_variants.h"

#include "numbers.h"
#include "trial.h"

#include <random>
#include <string>
#include <vector>

import spio.conv2d;

namespace {

using namespace spio;
using namespace spio::conv2d;
namespace layers = test::conv2d_wgrad;
using test::elements;
using test::is_same_kind;

using layers::cp_async_variants;
using layers::tma_variants;

// Random tensors of a problem, as bits.
struct tensors {
    std::vector<unsigned short> x, dy;

    tensors(std::mt19937& random, problem const& problem)
        : x(elements(random, 1LL * problem.n * problem.h * problem.w * problem.c, problem.type)),
          dy(elements(random, 1LL * problem.n * problem.p() * problem.q() * problem.c,
                      problem.type)) {}
};

// The kernel's parameters, with tensor maps for the kernel that uses TMA.
cp_async_params params_of(test::trial&, layers::cp_async_layer const&, problem const& problem,
                          void* x, void* dy, vec<float, 4>* workspace, void* dw, float* dbias) {
    return {.x = x,
            .dy = dy,
            .workspace = workspace,
            .sizes = wgrad::sizes_passed(problem),
            .dw = dw,
            .dbias = dbias};
}
tma_params params_of(test::trial& trial, layers::tma_layer const& layer, problem const& problem,
                     void* x, void* dy, vec<float, 4>* workspace, void* dw, float* dbias) {
    return {.x = trial.make_map<tensor_map_words>(wgrad_tma::x_plan(problem, layer.config), x),
            .dy = trial.make_map<tensor_map_words>(wgrad_tma::dy_plan(problem, layer.config), dy),
            .x_rows = x,
            .dy_rows = dy,
            .workspace = workspace,
            .sizes = wgrad::sizes_passed(problem),
            .dw = dw,
            .dbias = dbias};
}
// The blocks of a cluster.
int cluster_of(wgrad_cp_async::config const&) { return 1; }
int cluster_of(wgrad_tma::config const& config) { return config.cluster; }

// The gradients of the filter and of the bias.
struct gradients {
    std::vector<float> filter, bias;
};

// Runs both kernels, or the one that leaves no partial sums, and returns the gradients. The
// workspace has elements of 16 bytes.
template <class Variant>
gradients run(test::trial& trial, Variant const& variant, problem const& problem,
              tensors const& inputs) {
    auto const& config = variant.layer.config;
    auto const reduction =
        wgrad_reduce::config_for(problem, config.groups, config.splits, /*overlaps=*/false);
    auto const x = trial.make("x", inputs.x), dy = trial.make("dy", inputs.dy);
    auto const workspace = trial.make<vec<float, 4>>(
        "workspace", static_cast<std::size_t>(config.workspace_bytes(problem) / 16));
    bool const in_float = problem.gradient == precision::fp32;
    auto const size =
        static_cast<std::size_t>(8) * static_cast<std::size_t>(problem.c * problem.taps());
    auto const floats = trial.make<float>("dw", in_float ? size : 0);
    auto const shorts = trial.make<unsigned short>("dw", in_float ? 0 : size);
    auto const bias =
        trial.make<float>("dbias", static_cast<std::size_t>(problem.bias ? problem.c : 0));
    void* const dw = in_float ? static_cast<void*>(floats.data()) : shorts.data();
    trial.launch(variant.run, {static_cast<int>(config.blocks_of(problem))},
                 {.block = {config.threads(problem)},
                  .cluster = {cluster_of(config)},
                  .shared_bytes = config.shared_bytes(problem)},
                 params_of(trial, variant.layer, problem, x.data(), dy.data(), workspace.data(), dw,
                           bias.data()));
    if (config.workspace_bytes(problem) > 0) {
        trial.launch(variant.reduce, {static_cast<int>(reduction.blocks_of(problem))},
                     {.block = {reduction.threads(problem)},
                      .shared_bytes = reduction.shared_bytes(problem)},
                     {.workspace = workspace.data(),
                      .dw = dw,
                      .dbias = bias.data(),
                      .c = problem.c,
                      .splits = reduction.splits,
                      .groups = reduction.groups});
    }
    gradients result = {floats.read(), bias.read()};
    for (auto const bits : shorts.read()) {
        result.filter.push_back(static_cast<float>(number_of(bits, problem.type)));
    }
    return result;
}

// Compares all gradients with sums in double, within the bound of rounding.
void expect_sums(test::trial& trial, std::string const& name, problem const& problem,
                 tensors const& inputs, gradients const& got) {
    auto const exact = reference_gradients(problem, inputs.x, inputs.dy);
    auto const expect = [&](std::string const& suffix, std::vector<float> const& values,
                            double_sums const& sums, precision rounding) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            trial.expect_within(
                name + suffix, i, static_cast<double>(values[i]), sums.values[i],
                bound(products_of(problem), sums.values[i], sums.magnitudes[i], rounding));
        }
        trial.same_bits(name + suffix, values);
    };
    expect("", got.filter, exact.filter, problem.gradient);
    expect(" bias", got.bias, exact.bias, precision::fp32);
}

// The layer for images of random sizes; a wide image takes several strips of columns.
problem drawn_problem(std::mt19937& random, problem const& compiled_layer, bool is_wide) {
    auto const random_int = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    auto const layer = test::conv2d_layers::with_drawn_layer(compiled_layer, random_int);
    int const least_h = std::max(1, layer.extent_h() - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.extent_w() - 2 * layer.pad_w);
    int const n = random_int(1, is_wide ? 2 : 5);
    if (layer.has_static_n()) return layer;
    if (layer.has_static_image()) return layer.with(n, layer.h, layer.w);
    return layer.with(n, least_h + random_int(0, 9), least_w + random_int(0, is_wide ? 80 : 12));
}

// Problems of one layer after the other, of random sizes.
template <class Variant>
void run_random(test::trial& trial, std::vector<Variant> const& variants, int problems) {
    for (int n = 0; n < trial.share(problems); ++n) {
        auto const& variant = variants[static_cast<std::size_t>(n) % variants.size()];
        bool const is_wide = !trial.is_small() && trial.random()() % 8 == 0;
        auto const problem = drawn_problem(trial.random(), variant.layer.problem, is_wide);
        tensors const inputs(trial.random(), problem);
        expect_sums(trial, variant.run.symbol, problem, inputs,
                    run(trial, variant, problem, inputs));
    }
}
// Each layer once with small effort, and some 20 times with all; a kernel that uses TMA needs
// architecture 90.
test::test_case const cp_async_case("conv2d_wgrad_cp_async", [](test::trial& trial) {
    run_random(trial, cp_async_variants, trial.is_small() ? 14 : 333);
});
test::test_case const tma_case(
    "conv2d_wgrad_tma",
    [](test::trial& trial) {
        int const each_once = static_cast<int>(tma_variants.size());
        run_random(trial, tma_variants, trial.is_small() ? each_once : 333);
    },
    /*arch=*/90);

// Puts NaN and infinities into x: they must reach the taps that read them, and no others. Some are
// in the first and the last column, beside which are those of other rows in memory.
template <class Variant>
void run_infinite(test::trial& trial, std::vector<Variant> const& variants) {
    bool is_wide = false;
    for (auto const& variant : variants) {
        auto const problem = drawn_problem(trial.random(), variant.layer.problem, is_wide);
        is_wide = !is_wide;
        tensors inputs(trial.random(), problem);
        auto const channels = static_cast<std::size_t>(problem.c);
        auto const columns = static_cast<std::size_t>(problem.w);
        for (unsigned short const bits : test::special_elements(problem.type)) {
            auto const place = trial.random()() % inputs.x.size();
            auto const row_start = place / (channels * columns) * (channels * columns);
            inputs.x[place] = bits;
            inputs.x[row_start + place % channels] = bits;
            inputs.x[row_start + (columns - 1) * channels + place % channels] = bits;
        }
        auto const exact = reference_gradients(problem, inputs.x, inputs.dy).filter.values;
        auto const got = run(trial, variant, problem, inputs).filter;
        for (std::size_t i = 0; i < got.size(); ++i) {
            auto const number = static_cast<double>(got[i]);
            bool const is_same = is_same_kind(number, exact[i]);
            trial.expect(is_same, [&] {
                return variant.run.symbol + ("[" + std::to_string(i)) + "] is " +
                       std::to_string(number) + ", not " + std::to_string(exact[i]);
            });
        }
    }
}
test::test_case const infinite_cp_async_case("conv2d_wgrad_cp_async_infinite",
                                             [](test::trial& trial) {
                                                 run_infinite(trial, cp_async_variants);
                                             });
test::test_case const infinite_tma_case(
    "conv2d_wgrad_tma_infinite", [](test::trial& trial) { run_infinite(trial, tma_variants); },
    /*arch=*/90);

} // namespace
