// Convolutions by rows: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_rows.h"

#include "trial.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

import spio.conv2d;

using params = spio::conv2d::rows::params;
extern "C" void conv2d_rows_plain(params p);
extern "C" void conv2d_rows_ragged(params p);
extern "C" void conv2d_rows_pointwise(params p);
extern "C" void conv2d_rows_five(params p);
extern "C" void conv2d_rows_seven(params p);
extern "C" void conv2d_rows_wide(params p);
extern "C" void conv2d_rows_tall(params p);
extern "C" void conv2d_rows_far(params p);
extern "C" void conv2d_rows_back(params p);
extern "C" void conv2d_rows_back_ragged(params p);
extern "C" void conv2d_rows_back_seven(params p);
extern "C" void conv2d_rows_back_tall(params p);
extern "C" void conv2d_rows_back_far(params p);
extern "C" void conv2d_rows_known(params p);
extern "C" void conv2d_rows_known_but_n(params p);

namespace {

using namespace spio;
using namespace spio::conv2d;
namespace rows = test::conv2d_rows;
using test::kernel;

struct made_layer {
    kernel<params> run;
    rows::layer is;
};
std::vector<made_layer> const fprops = {
    {{"conv2d_rows_plain", conv2d_rows_plain}, rows::plain},
    {{"conv2d_rows_ragged", conv2d_rows_ragged}, rows::ragged},
    {{"conv2d_rows_pointwise", conv2d_rows_pointwise}, rows::pointwise},
    {{"conv2d_rows_five", conv2d_rows_five}, rows::five},
    {{"conv2d_rows_seven", conv2d_rows_seven}, rows::seven},
    {{"conv2d_rows_wide", conv2d_rows_wide}, rows::wide},
    {{"conv2d_rows_tall", conv2d_rows_tall}, rows::tall},
    {{"conv2d_rows_far", conv2d_rows_far}, rows::far},
};
std::vector<made_layer> const dgrads = {
    {{"conv2d_rows_back", conv2d_rows_back}, rows::back},
    {{"conv2d_rows_back_ragged", conv2d_rows_back_ragged}, rows::back_ragged},
    {{"conv2d_rows_back_seven", conv2d_rows_back_seven}, rows::back_seven},
    {{"conv2d_rows_back_tall", conv2d_rows_back_tall}, rows::back_tall},
    {{"conv2d_rows_back_far", conv2d_rows_back_far}, rows::back_far},
};

// Halves between 1/4 and 2, of either sign: no product of theirs is lost.
unsigned short drawn_half(std::mt19937& random) {
    auto const bits = static_cast<unsigned>(random());
    return static_cast<unsigned short>((bits & 0x83ff) | (13 + bits % 3) << 10);
}
std::vector<unsigned short> halves(std::mt19937& random, long long count) {
    std::vector<unsigned short> all(static_cast<std::size_t>(count));
    for (auto& each : all) each = drawn_half(random);
    return all;
}

struct tensors {
    std::vector<unsigned short> from, filter;
    std::vector<float> bias;

    tensors(std::mt19937& random, problem const& of)
        : from(halves(random, 1LL * of.n * conv2d::walk_of(of).h * conv2d::walk_of(of).w * of.c)),
          filter(halves(random, 8LL * of.c * of.taps())),
          bias(static_cast<std::size_t>(of.bias ? of.c : 0)) {
        std::uniform_real_distribution<float> between(-2, 2);
        for (auto& each : bias) each = between(random);
    }
};

std::vector<unsigned short> run(test::trial& t, made_layer const& layer, problem const& of,
                                tensors const& in) {
    auto const way = conv2d::walk_of(of);
    auto const& by = layer.is.by;
    auto const from = t.make("from", in.from), filter = t.make("filter", in.filter);
    auto const bias = t.make("bias", in.bias);
    auto const to =
        t.make<unsigned short>("to", static_cast<std::size_t>(1LL * of.n * way.p * way.q * of.c));
    t.launch(layer.run,
             {.grid = {static_cast<int>(by.blocks_of(of))},
              .block = {by.threads(of)},
              .shared_bytes = by.shared_bytes(of)},
             {{.from = images_read(reinterpret_cast<half const*>(from.data()), N(of.n), H(way.h),
                                   W(way.w), C(of.c)),
               .filter = filter_of<half const>(reinterpret_cast<half const*>(filter.data()),
                                               K(of.c), R(of.r), S(of.s)),
               .bias = bias_of<float const>(bias.data(), K(of.bias ? of.c : 0)),
               .to = images_made(reinterpret_cast<half*>(to.data()), N(of.n), P(way.p), Q(way.q),
                                 K(of.c))}});
    return to.read();
}

void expect_sums(test::trial& t, std::string const& name, problem const& of, tensors const& in,
                 std::vector<unsigned short> const& got) {
    auto const exact = conv2d::reference(of, in.from, in.filter, in.bias);
    for (std::size_t i = 0; i < got.size(); ++i) {
        t.expect_within(name, i, conv2d::number_of(got[i]), exact.values[i],
                        conv2d::bound(conv2d::products_of(of), exact.values[i], exact.magnitudes[i],
                                      conv2d::precision::fp16));
    }
    t.same_bits(name, got);
}

problem drawn_problem(std::mt19937& random, problem const& layer, bool is_small) {
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    bool const is_wide = !is_small && random() % 16 == 0;
    int const least_h = std::max(1, layer.r - 2 * layer.pad_h);
    int const least_w = std::max(1, layer.s - 2 * layer.pad_w);
    return layer.with(between(1, is_wide ? 2 : 4), least_h + between(0, is_wide ? 9 : 3),
                      least_w + between(0, is_wide ? 80 : 9));
}

void run_random(test::trial& t, std::vector<made_layer> const& layers, int problems) {
    for (int n = 0; n < problems; ++n) {
        auto const& layer = layers[static_cast<std::size_t>(n) % layers.size()];
        auto const of = drawn_problem(t.random(), layer.is.is, t.is_small());
        tensors const in(t.random(), of);
        expect_sums(t, layer.run.symbol, of, in, run(t, layer, of, in));
    }
}
test::test_case const fprop_case("conv2d_rows_fprop", [](test::trial& t) {
    run_random(t, fprops, t.is_small() ? 16 : 304);
});
test::test_case const dgrad_case("conv2d_rows_dgrad", [](test::trial& t) {
    run_random(t, dgrads, t.is_small() ? 10 : 305);
});

// The same bits, whatever is known beforehand.
void run_known(test::trial& t) {
    made_layer const all = {{"conv2d_rows_known", conv2d_rows_known}, rows::known};
    made_layer const but_n = {{"conv2d_rows_known_but_n", conv2d_rows_known_but_n},
                              rows::known_but_n};
    problem const of = rows::known.is;
    tensors const in(t.random(), of);
    auto const got = run(t, all, of, in);
    expect_sums(t, "known", of, in, got);
    t.expect_equal("known but n", run(t, but_n, of, in), got);
}
test::test_case const known_case("conv2d_rows_known", run_known);

// What is no number, and what is beyond all numbers, comes through where it is read, and nowhere
// else.
void run_infinite(test::trial& t) {
    for (auto const* const layers : {&fprops, &dgrads}) {
        for (auto const& layer : *layers) {
            auto const of = drawn_problem(t.random(), layer.is.is, true);
            tensors in(t.random(), of);
            for (unsigned short const bits : {0x7e00, 0x7c00, 0xfc00}) {
                in.from[t.random()() % in.from.size()] = bits;
            }
            auto const exact = conv2d::reference(of, in.from, in.filter, in.bias);
            auto const got = run(t, layer, of, in);
            for (std::size_t i = 0; i < got.size(); ++i) {
                double const number = conv2d::number_of(got[i]), expected = exact.values[i];
                bool const is_same = std::isnan(expected)   ? std::isnan(number)
                                     : std::isinf(expected) ? number == expected
                                                            : std::isfinite(number);
                t.expect(is_same, [&] {
                    return layer.run.symbol + ("[" + std::to_string(i)) + "] is " +
                           std::to_string(number) + ", not " + std::to_string(expected);
                });
            }
        }
    }
}
test::test_case const infinite_case("conv2d_rows_infinite", run_infinite);

} // namespace
