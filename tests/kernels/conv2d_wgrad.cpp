// Weight gradients: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_wgrad.h"

#include "conv2d_numbers.h"
#include "trial.h"

#include <random>
#include <string>
#include <vector>

import spio.conv2d;

using sum_params = spio::conv2d::wgrad_reduce::params;
using row_params = spio::conv2d::wgrad_cp_async::params;
using box_params = spio::conv2d::wgrad_tma::params;
extern "C" void wgrad_cp_async_plain(row_params p);
extern "C" void wgrad_reduce_cp_async_plain(sum_params p);
extern "C" void wgrad_cp_async_ragged(row_params p);
extern "C" void wgrad_reduce_cp_async_ragged(sum_params p);
extern "C" void wgrad_cp_async_pointwise(row_params p);
extern "C" void wgrad_reduce_cp_async_pointwise(sum_params p);
extern "C" void wgrad_cp_async_five(row_params p);
extern "C" void wgrad_reduce_cp_async_five(sum_params p);
extern "C" void wgrad_cp_async_seven(row_params p);
extern "C" void wgrad_reduce_cp_async_seven(sum_params p);
extern "C" void wgrad_cp_async_wide(row_params p);
extern "C" void wgrad_reduce_cp_async_wide(sum_params p);
extern "C" void wgrad_cp_async_tall(row_params p);
extern "C" void wgrad_reduce_cp_async_tall(sum_params p);
extern "C" void wgrad_cp_async_far(row_params p);
extern "C" void wgrad_reduce_cp_async_far(sum_params p);
extern "C" void wgrad_cp_async_even(row_params p);
extern "C" void wgrad_reduce_cp_async_even(sum_params p);
extern "C" void wgrad_tma_plain(box_params p);
extern "C" void wgrad_reduce_tma_plain(sum_params p);
extern "C" void wgrad_tma_ragged(box_params p);
extern "C" void wgrad_reduce_tma_ragged(sum_params p);
extern "C" void wgrad_tma_pointwise(box_params p);
extern "C" void wgrad_reduce_tma_pointwise(sum_params p);
extern "C" void wgrad_tma_five(box_params p);
extern "C" void wgrad_reduce_tma_five(sum_params p);
extern "C" void wgrad_tma_seven(box_params p);
extern "C" void wgrad_reduce_tma_seven(sum_params p);
extern "C" void wgrad_tma_wide(box_params p);
extern "C" void wgrad_reduce_tma_wide(sum_params p);
extern "C" void wgrad_tma_tall(box_params p);
extern "C" void wgrad_reduce_tma_tall(sum_params p);
extern "C" void wgrad_tma_far(box_params p);
extern "C" void wgrad_reduce_tma_far(sum_params p);
extern "C" void wgrad_tma_even(box_params p);
extern "C" void wgrad_reduce_tma_even(sum_params p);
extern "C" void wgrad_tma_image(box_params p);
extern "C" void wgrad_reduce_tma_image(sum_params p);
extern "C" void wgrad_tma_low_image(box_params p);
extern "C" void wgrad_reduce_tma_low_image(sum_params p);
extern "C" void wgrad_tma_far_image(box_params p);
extern "C" void wgrad_reduce_tma_far_image(sum_params p);
extern "C" void wgrad_tma_plain_image(box_params p);
extern "C" void wgrad_reduce_tma_plain_image(sum_params p);

namespace {

using namespace spio;
using namespace spio::conv2d;
namespace layers = test::conv2d_wgrad;
using test::halves;
using test::is_same_kind;
using test::kernel;

template <class Params, class Layer> struct made_layer {
    kernel<Params> run;
    kernel<sum_params> sum;
    Layer is;
};
using cp_async_layers = made_layer<row_params, layers::row_layer>;
using tma_layers = made_layer<box_params, layers::box_layer>;

std::vector<cp_async_layers> const by_cp_async = {
    {{"wgrad_cp_async_plain", wgrad_cp_async_plain},
     {"wgrad_reduce_cp_async_plain", wgrad_reduce_cp_async_plain},
     layers::row_plain},
    {{"wgrad_cp_async_ragged", wgrad_cp_async_ragged},
     {"wgrad_reduce_cp_async_ragged", wgrad_reduce_cp_async_ragged},
     layers::row_ragged},
    {{"wgrad_cp_async_pointwise", wgrad_cp_async_pointwise},
     {"wgrad_reduce_cp_async_pointwise", wgrad_reduce_cp_async_pointwise},
     layers::row_pointwise},
    {{"wgrad_cp_async_five", wgrad_cp_async_five},
     {"wgrad_reduce_cp_async_five", wgrad_reduce_cp_async_five},
     layers::row_five},
    {{"wgrad_cp_async_seven", wgrad_cp_async_seven},
     {"wgrad_reduce_cp_async_seven", wgrad_reduce_cp_async_seven},
     layers::row_seven},
    {{"wgrad_cp_async_wide", wgrad_cp_async_wide},
     {"wgrad_reduce_cp_async_wide", wgrad_reduce_cp_async_wide},
     layers::row_wide},
    {{"wgrad_cp_async_tall", wgrad_cp_async_tall},
     {"wgrad_reduce_cp_async_tall", wgrad_reduce_cp_async_tall},
     layers::row_tall},
    {{"wgrad_cp_async_far", wgrad_cp_async_far},
     {"wgrad_reduce_cp_async_far", wgrad_reduce_cp_async_far},
     layers::row_far},
    {{"wgrad_cp_async_even", wgrad_cp_async_even},
     {"wgrad_reduce_cp_async_even", wgrad_reduce_cp_async_even},
     layers::row_even},
};
std::vector<tma_layers> const by_tma = {
    {{"wgrad_tma_plain", wgrad_tma_plain},
     {"wgrad_reduce_tma_plain", wgrad_reduce_tma_plain},
     layers::box_plain},
    {{"wgrad_tma_ragged", wgrad_tma_ragged},
     {"wgrad_reduce_tma_ragged", wgrad_reduce_tma_ragged},
     layers::box_ragged},
    {{"wgrad_tma_pointwise", wgrad_tma_pointwise},
     {"wgrad_reduce_tma_pointwise", wgrad_reduce_tma_pointwise},
     layers::box_pointwise},
    {{"wgrad_tma_five", wgrad_tma_five},
     {"wgrad_reduce_tma_five", wgrad_reduce_tma_five},
     layers::box_five},
    {{"wgrad_tma_seven", wgrad_tma_seven},
     {"wgrad_reduce_tma_seven", wgrad_reduce_tma_seven},
     layers::box_seven},
    {{"wgrad_tma_wide", wgrad_tma_wide},
     {"wgrad_reduce_tma_wide", wgrad_reduce_tma_wide},
     layers::box_wide},
    {{"wgrad_tma_tall", wgrad_tma_tall},
     {"wgrad_reduce_tma_tall", wgrad_reduce_tma_tall},
     layers::box_tall},
    {{"wgrad_tma_far", wgrad_tma_far},
     {"wgrad_reduce_tma_far", wgrad_reduce_tma_far},
     layers::box_far},
    {{"wgrad_tma_even", wgrad_tma_even},
     {"wgrad_reduce_tma_even", wgrad_reduce_tma_even},
     layers::box_even},
    {{"wgrad_tma_image", wgrad_tma_image},
     {"wgrad_reduce_tma_image", wgrad_reduce_tma_image},
     layers::box_image},
    {{"wgrad_tma_low_image", wgrad_tma_low_image},
     {"wgrad_reduce_tma_low_image", wgrad_reduce_tma_low_image},
     layers::box_low_image},
    {{"wgrad_tma_far_image", wgrad_tma_far_image},
     {"wgrad_reduce_tma_far_image", wgrad_reduce_tma_far_image},
     layers::box_far_image},
    {{"wgrad_tma_plain_image", wgrad_tma_plain_image},
     {"wgrad_reduce_tma_plain_image", wgrad_reduce_tma_plain_image},
     layers::box_plain_image},
};

struct tensors {
    std::vector<unsigned short> x, dy;

    tensors(std::mt19937& random, problem const& of)
        : x(halves(random, 1LL * of.n * of.h * of.w * of.c)),
          dy(halves(random, 1LL * of.n * of.p() * of.q() * of.c)) {}
};

row_params params_of(test::trial&, layers::row_layer const&, problem const& of, void* x, void* dy,
                     vec<float, 4>* workspace) {
    return {.x = static_cast<half const*>(x),
            .dy = static_cast<half const*>(dy),
            .workspace = workspace,
            .n = of.n,
            .h = of.h,
            .w = of.w};
}
box_params params_of(test::trial& t, layers::box_layer const& layer, problem const& of, void* x,
                     void* dy, vec<float, 4>* workspace) {
    return {.x = t.make_map<tensor_map_words>(wgrad_tma::plan_of_x(of, layer.by), x),
            .dy = t.make_map<tensor_map_words>(wgrad_tma::plan_of_dy(of, layer.by), dy),
            .workspace = workspace,
            .n = of.n,
            .h = of.h,
            .w = of.w};
}

struct gradients {
    std::vector<float> filter, bias;
};

template <class Layer>
gradients run(test::trial& t, Layer const& layer, problem const& of, tensors const& in) {
    auto const& by = layer.is.by;
    auto const sum = layer.is.sum();
    auto const x = t.make("x", in.x), dy = t.make("dy", in.dy);
    auto const workspace =
        t.make<vec<float, 4>>("workspace", static_cast<std::size_t>(by.workspace_bytes(of) / 16));
    bool const in_half = of.gradient == precision::fp16;
    auto const size = static_cast<std::size_t>(8) * static_cast<std::size_t>(of.c * of.taps());
    auto const floats = t.make<float>("dw", in_half ? 0 : size);
    auto const shorts = t.make<unsigned short>("dw", in_half ? size : 0);
    auto const bias = t.make<float>("dbias", static_cast<std::size_t>(of.bias ? of.c : 0));
    void* const dw = in_half ? static_cast<void*>(shorts.data()) : floats.data();
    t.launch(layer.run, {static_cast<int>(by.blocks_of(of))},
             {.block = {by.threads(of)}, .shared_bytes = by.shared_bytes(of)},
             params_of(t, layer.is, of, x.data(), dy.data(), workspace.data()));
    t.launch(layer.sum, {static_cast<int>(sum.blocks_of(of))},
             {.block = {sum.threads(of)}, .shared_bytes = sum.shared_bytes(of)},
             {.workspace = workspace.data(), .dw = dw, .dbias = bias.data()});
    gradients made = {floats.read(), bias.read()};
    for (auto const bits : shorts.read()) {
        made.filter.push_back(static_cast<float>(number_of(bits)));
    }
    return made;
}

void expect_sums(test::trial& t, std::string const& name, problem const& of, tensors const& in,
                 gradients const& got) {
    auto const exact = reference_gradients(of, in.x, in.dy);
    auto const expect = [&](std::string const& what, std::vector<float> const& values,
                            double_sums const& sums, precision made) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            t.expect_within(name + what, i, static_cast<double>(values[i]), sums.values[i],
                            bound(products_of(of), sums.values[i], sums.magnitudes[i], made));
        }
        t.same_bits(name + what, values);
    };
    expect("", got.filter, exact.filter, of.gradient);
    expect(" bias", got.bias, exact.bias, precision::fp32);
}

problem drawn_problem(std::mt19937& random, problem const& layer, bool is_small) {
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    bool const is_wide = !is_small && random() % 8 == 0;
    int const least_h = std::max(1, layer.r - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.s - 2 * layer.pad_w);
    int const n = between(1, is_wide ? 2 : 5);
    if (layer.knows_image()) return layer.with(n, layer.h, layer.w);
    return layer.with(n, least_h + between(0, 9), least_w + between(0, is_wide ? 80 : 12));
}

template <class Layer>
void run_random(test::trial& t, std::vector<Layer> const& all, int problems) {
    for (int n = 0; n < problems; ++n) {
        auto const& layer = all[static_cast<std::size_t>(n) % all.size()];
        auto const of = drawn_problem(t.random(), layer.is.is, t.is_small());
        tensors const in(t.random(), of);
        expect_sums(t, layer.run.symbol, of, in, run(t, layer, of, in));
    }
}
test::test_case const rows_case("conv2d_wgrad_cp_async", [](test::trial& t) {
    run_random(t, by_cp_async, t.is_small() ? 9 : 333);
});
test::test_case const boxes_case(
    "conv2d_wgrad_tma", [](test::trial& t) { run_random(t, by_tma, t.is_small() ? 9 : 333); }, 90);

// What is no number in x, and what is beyond all numbers, comes through where a tap meets it, and
// nowhere else.
template <class Layer> void run_infinite(test::trial& t, std::vector<Layer> const& all) {
    for (auto const& layer : all) {
        auto const of = drawn_problem(t.random(), layer.is.is, true);
        tensors in(t.random(), of);
        for (unsigned short const bits : {0x7e00, 0x7c00, 0xfc00}) {
            in.x[t.random()() % in.x.size()] = bits;
        }
        auto const exact = reference_gradients(of, in.x, in.dy).filter.values;
        auto const got = run(t, layer, of, in).filter;
        for (std::size_t i = 0; i < got.size(); ++i) {
            auto const number = static_cast<double>(got[i]);
            bool const is_same = is_same_kind(number, exact[i]);
            t.expect(is_same, [&] {
                return layer.run.symbol + ("[" + std::to_string(i)) + "] is " +
                       std::to_string(number) + ", not " + std::to_string(exact[i]);
            });
        }
    }
}
test::test_case const infinite_rows_case("conv2d_wgrad_cp_async_infinite",
                                         [](test::trial& t) { run_infinite(t, by_cp_async); });
test::test_case const infinite_boxes_case(
    "conv2d_wgrad_tma_infinite", [](test::trial& t) { run_infinite(t, by_tma); }, 90);

} // namespace
