// LayerNorm against double loops, of many widths and odd sizes, within the bound of its roundings.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a pixel with all its channels; a configuration is how threads share positions. A
// trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Its same_bits() keeps what all devices must agree on. With small effort (is_small()) it runs
// fewer sizes. gamma(k, u) bounds the relative error of k roundings, each of at most u.
#include "layernorm_2d/problem.h"
#include "rounding.h"
#include "sixteen_bits.h"
#include "trial.h"

using params = spio::layernorm_2d::params;
extern "C" void layernorm_2d_c8(params p);
extern "C" void layernorm_2d_c16(params p);
extern "C" void layernorm_2d_c24(params p);
extern "C" void layernorm_2d_c32(params p);
extern "C" void layernorm_2d_c40(params p);
extern "C" void layernorm_2d_c48(params p);
extern "C" void layernorm_2d_c56(params p);
extern "C" void layernorm_2d_c64(params p);
extern "C" void layernorm_2d_c72(params p);
extern "C" void layernorm_2d_c80(params p);
extern "C" void layernorm_2d_c88(params p);
extern "C" void layernorm_2d_c96(params p);
extern "C" void layernorm_2d_c104(params p);
extern "C" void layernorm_2d_c112(params p);
extern "C" void layernorm_2d_c120(params p);
extern "C" void layernorm_2d_c256(params p);
extern "C" void layernorm_2d_c1280(params p);
extern "C" void layernorm_2d_c2048(params p);
extern "C" void layernorm_2d_c120_plain(params p);
extern "C" void layernorm_2d_c2048_plain(params p);
extern "C" void layernorm_2d_c256_by_3_warps(params p);
extern "C" void layernorm_2d_c256_by_1_warp(params p);

namespace bf16 = spio::layernorm_2d::bf16;
extern "C" void layernorm_2d_c8_bf16(bf16::params p);
extern "C" void layernorm_2d_c120_bf16(bf16::params p);
extern "C" void layernorm_2d_c1280_plain_bf16(bf16::params p);

namespace {

using namespace spio;
using layernorm_2d::best_config;
using layernorm_2d::config;
using layernorm_2d::element_type;
using layernorm_2d::params_of;
using layernorm_2d::problem;

// A kernel for elements of type T. Where no configuration is named, it is the one that is chosen
// for the problem.
template <class T> struct variant {
    test::kernel<params_of<T>> kernel;
    problem problem;
    config config;

    variant(char const* symbol, void (*function)(params_of<T>), int channels)
        : kernel{symbol, function}, problem{channels}, config(best_config(problem)) {}
    variant(char const* symbol, void (*function)(params_of<T>),
            layernorm_2d::problem const& problem, layernorm_2d::config const& config)
        : kernel{symbol, function}, problem(problem), config(config) {}
    variant(char const* symbol, void (*function)(params_of<T>),
            layernorm_2d::problem const& problem)
        : variant(symbol, function, problem, best_config(problem)) {}

    test::format format() const {
        return problem.type == element_type::fp16 ? test::in_half : test::in_bfloat16;
    }
    test::rounding rounding() const {
        return problem.type == element_type::fp16 ? test::to_half : test::to_bfloat16;
    }
};

constexpr float epsilon = 1e-5f;
constexpr double u = 0x1p-24; // the relative error of one rounding to float

// One position: the mean and the deviations, in double, and how far floats may be from them.
struct position {
    double mean = 0;
    double scale = 0;
    double mean_error = 0;
    double scale_error = 0; // relative

    explicit position(std::vector<double> const& x) {
        double const n = static_cast<double>(x.size());
        // The relative error of so many roundings after each other.
        double const g = test::gamma(static_cast<int>(x.size()) + 1, u);
        for (double const each : x) {
            mean += each / n;
            mean_error += g * std::abs(each) / n;
        }
        double variance = 0;
        double variance_error = 0;
        for (double const each : x) {
            double const d = std::abs(each - mean);
            double const error = deviation_error(d);
            variance += d * d / n;
            variance_error += (2 * d * error + error * error + g * (d + error) * (d + error)) / n;
        }
        double const sum = variance + epsilon;
        double const relative = variance_error / sum + u;
        scale = 1 / std::sqrt(sum);
        scale_error = relative / 2 * (1 + 2 * relative) + 3 * u;
    }
    // The error of a deviation d from the mean.
    double deviation_error(double d) const { return mean_error * (1 + u) + u * d; }
};

// Runs a kernel on so many positions, and compares all results.
template <class T> void run_variant(test::trial& trial, variant<T> const& v, int positions) {
    auto const channels = static_cast<std::size_t>(v.problem.channels);
    auto const size = static_cast<std::size_t>(positions) * channels;
    // Both formats have x exactly: seven bits of fraction beside a mean of at most 2, ten of a
    // half.
    bool const is_half = v.problem.type == element_type::fp16;
    int const most = is_half ? 511 : 31;
    std::uniform_int_distribution<int> uniform(-most, most);
    std::uniform_real_distribution<float> factor(-2, 2);
    std::vector<unsigned short> x_values(size);
    std::vector<float> weights(channels), biases(channels);
    // The mean differs from position to position.
    for (std::size_t i = 0; i < size; ++i) {
        double const mean = static_cast<double>(i / channels % 5) - 2;
        x_values[i] = v.format().bits(mean + uniform(trial.random()) / (most + 1.0));
    }
    for (float& weight : weights) weight = factor(trial.random());
    for (float& bias : biases) bias = factor(trial.random());
    auto const x = trial.make("x", x_values);
    auto const y = trial.make<unsigned short>("y", size);
    auto const weight = trial.make("weight", weights);
    auto const bias = trial.make("bias", biases);
    bool const affine = v.problem.affine;
    using images = layernorm_2d::images_of<T>;
    using factors = layernorm_2d::factors_to_read;
    auto const position_count = layernorm_2d::X(positions);
    auto const channel_count = layernorm_2d::C(v.problem.channels);
    trial.launch(v.kernel, {v.config.blocks(positions)},
                 {.block = {v.config.threads()}, .shared_bytes = v.config.shared_bytes()},
                 {.x = images(reinterpret_cast<T*>(x.data()), position_count, channel_count),
                  .y = images(reinterpret_cast<T*>(y.data()), position_count, channel_count),
                  .weight = factors(affine ? weight.data() : nullptr, channel_count),
                  .bias = factors(affine ? bias.data() : nullptr, channel_count),
                  .epsilon = epsilon});

    auto const result = y.read();
    auto const name = std::string(v.kernel.symbol) + " of " + std::to_string(positions);
    std::vector<double> row(channels);
    for (std::size_t first = 0; first < size; first += channels) {
        for (std::size_t c = 0; c < channels; ++c) row[c] = v.format().value(x_values[first + c]);
        position const statistics(row);
        for (std::size_t c = 0; c < channels; ++c) {
            double const w = affine ? weights[c] : 1;
            double const b = affine ? biases[c] : 0;
            double const d = row[c] - statistics.mean;
            double const z = d * statistics.scale;
            double const exact = z * w + b;
            double const z_error = (statistics.scale_error + u) * std::abs(z) +
                                   (1 + statistics.scale_error) * statistics.scale *
                                       statistics.deviation_error(std::abs(d));
            double const error = std::abs(w) * z_error * (1 + u) + u * std::abs(exact);
            double const bound =
                error + v.rounding().unit * (std::abs(exact) + error) + v.rounding().least;
            trial.expect_within(name, first + c, v.format().value(result[first + c]), exact, bound);
        }
    }
    trial.same_bits(name, result);
}

void run(test::trial& trial) {
    variant<half> const narrow[] = {
        {"layernorm_2d_c8", layernorm_2d_c8, 8},
        {"layernorm_2d_c16", layernorm_2d_c16, 16},
        {"layernorm_2d_c24", layernorm_2d_c24, 24},
        {"layernorm_2d_c32", layernorm_2d_c32, 32},
        {"layernorm_2d_c40", layernorm_2d_c40, 40},
        {"layernorm_2d_c48", layernorm_2d_c48, 48},
        {"layernorm_2d_c56", layernorm_2d_c56, 56},
        {"layernorm_2d_c64", layernorm_2d_c64, 64},
        {"layernorm_2d_c72", layernorm_2d_c72, 72},
        {"layernorm_2d_c80", layernorm_2d_c80, 80},
        {"layernorm_2d_c88", layernorm_2d_c88, 88},
        {"layernorm_2d_c96", layernorm_2d_c96, 96},
        {"layernorm_2d_c104", layernorm_2d_c104, 104},
        {"layernorm_2d_c112", layernorm_2d_c112, 112},
        {"layernorm_2d_c120", layernorm_2d_c120, 120},
        {"layernorm_2d_c120_plain",
         layernorm_2d_c120_plain,
         {.channels = 120, .affine = false},
         best_config({120})},
    };
    variant<half> const wide[] = {
        {"layernorm_2d_c256", layernorm_2d_c256, 256},
        {"layernorm_2d_c256_by_1_warp",
         layernorm_2d_c256_by_1_warp,
         {256},
         {.lanes = 32, .vectors = 1, .positions = 1, .stages = 1, .rounds = 1}},
        {"layernorm_2d_c256_by_3_warps",
         layernorm_2d_c256_by_3_warps,
         {256},
         {.lanes = 96, .vectors = 1, .positions = 1, .stages = 2, .rounds = 3}},
        {"layernorm_2d_c1280", layernorm_2d_c1280, 1280},
        {"layernorm_2d_c2048", layernorm_2d_c2048, 2048},
        {"layernorm_2d_c2048_plain",
         layernorm_2d_c2048_plain,
         {.channels = 2048, .affine = false},
         best_config({2048})},
    };
    variant<bfloat16> const of_bfloat16[] = {
        {"layernorm_2d_c8_bf16",
         layernorm_2d_c8_bf16,
         {.channels = 8, .affine = true, .type = element_type::bf16}},
        {"layernorm_2d_c120_bf16",
         layernorm_2d_c120_bf16,
         {.channels = 120, .affine = true, .type = element_type::bf16}},
        {"layernorm_2d_c1280_plain_bf16",
         layernorm_2d_c1280_plain_bf16,
         {.channels = 1280, .affine = false, .type = element_type::bf16}},
    };
    // Images of 37 x 23 pixels, or of one row of them; both are odd, so that blocks, which have
    // several positions, do not end with the images. Wide positions, one to a block, need fewer.
    int const image = trial.is_small() ? 37 : 37 * 23;
    for (auto const& v : narrow) {
        run_variant(trial, v, /*positions=*/1);
        run_variant(trial, v, 3 * image);
    }
    for (auto const& v : wide) {
        run_variant(trial, v, /*positions=*/1);
        run_variant(trial, v, trial.is_small() ? 7 : 3 * 23);
    }
    for (auto const& v : of_bfloat16) {
        run_variant(trial, v, /*positions=*/1);
        run_variant(trial, v, trial.is_small() ? 7 : 3 * 23);
    }
    if (!trial.is_small()) run_variant(trial, wide[0], 3 * image);
}
test::test_case const layernorm_2d_case("layernorm_2d", run);

} // namespace
