// Epilogues of convolutions: their words, what is refused, their arguments and their reference.
// SPDX-License-Identifier: Apache-2.0
//
// An epilogue is what a kernel does to a sum before storing it: scale, bias, activation, adding a
// residual, and storing the preactivation, of which dgrad computes the activation's derivative. A
// residual is a tensor that is added to the output.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

// The problem of a small image that has these fields too.
conv2d::problem problem_of(std::string_view words) {
    return parse<conv2d::problem>("conv2d", std::string("n=2 c=16 h=6 w=5 ") + std::string(words));
}
// The reason for which a problem with these words is refused, or "none".
std::string reason(std::string_view words) {
    try {
        conv2d::check(problem_of(words));
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("a problem's text and name have its epilogue, and without one they do not mention it") {
    auto const full = problem_of("bias=true activation=silu scale=true residual=true "
                                 "preactivation=true type=bf16");
    CHECK(text_of(full).ends_with(
        " type=bf16 activation=silu scale=true residual=true preactivation=true"));
    CHECK(initializer_of(full).ends_with(", .activation = spio::conv2d::activation::silu, .scale = "
                                         "true, .residual = true, .preactivation = true}"));
    CHECK(conv2d::name_of(full).ends_with("_3r_3s_b_bf16_silu_scale_res_pre"));
    auto const plain = problem_of("activation=none scale=false");
    CHECK(text_of(plain) == text_of(problem_of("")));
    CHECK(conv2d::name_of(plain) == conv2d::name_of(problem_of("")));
    CHECK(text_of(parse<conv2d::problem>("conv2d", text_of(full))) == text_of(full));
}

TEST_CASE("with few taps, SiLU and GELU leave an SM as many blocks as it has without them") {
    auto const bounds = [](std::string_view words, conv2d::tma::config const& config) {
        auto const problem =
            parse<conv2d::problem>("conv2d", "n=32 c=64 h=64 w=64 " + std::string(words));
        auto const spec = conv2d::specialize(problem, config, sm_90a);
        std::string_view const source = spec.source, word = "__launch_bounds__";
        auto const begin = source.find(word) + word.size();
        return std::string(source.substr(begin, source.find(')', begin) + 1 - begin));
    };
    conv2d::tma::config const config = {
        .groups = 8, .images = 1, .columns = 16, .rows = 8, .tiles_per_block = 1, .blocks = 5};
    CHECK(bounds("", config) == "(256, 5)");
    CHECK(bounds("activation=relu", config) == "(256, 5)");
    CHECK(bounds("activation=silu", config) == "(256, 6)");
    CHECK(bounds("activation=gelu type=bf16 scale=true made_for=any_n", config) == "(256, 6)");
    // Shared memory allows no more blocks, or it was not measured.
    CHECK(bounds("activation=silu residual=true", config) == "(256, 5)");
    CHECK(bounds("activation=silu made_for=any_image", config) == "(256, 5)");
    CHECK(bounds("activation=silu r=5 s=5", config) == "(256, 5)");
    CHECK(bounds("activation=silu pass=dgrad", config) == "(256, 5)");
}

TEST_CASE("all that a pass does not take of an epilogue is named in one error") {
    CHECK(reason("pass=wgrad activation=gelu scale=true residual=true preactivation=true") ==
          "activation is gelu, scale is true, residual is true, preactivation is true, but wgrad "
          "has none");
    CHECK(reason("pass=dgrad bias=true activation=relu residual=true") ==
          "bias is true, residual is true, but dgrad has none");
    CHECK(reason("preactivation=true") == "preactivation is true, but without an activation or a "
                                          "residual it is the output itself");
    CHECK(reason("pass=dgrad activation=relu") == "none");
    CHECK(reason("preactivation=true residual=true") == "none");
}

TEST_CASE("a residual or a preactivation takes shared memory, and every configuration still fits") {
    for (std::string_view const words :
         {"activation=silu residual=true preactivation=true", "pass=dgrad activation=gelu"}) {
        auto const problem = problem_of(words);
        auto plain = problem;
        plain.activation = conv2d::activation::none;
        plain.residual = plain.preactivation = false;
        for (auto const arch : {sm_80, sm_90a}) {
            auto const configs = conv2d::space(problem, arch);
            CHECK_FALSE(configs.empty());
            for (auto const& config : configs) {
                auto const bytes = [&](conv2d::problem const& sized) {
                    return conv2d::specs_of(sized, config, arch).front().shape.shared_bytes;
                };
                CHECK(bytes(problem) > bytes(plain));
                CHECK(conv2d::explain(problem, config, arch).bytes >
                      conv2d::explain(plain, config, arch).bytes);
            }
        }
    }
}

TEST_CASE("the tensors of an epilogue are checked at a launch") {
    alignas(16) static unsigned short elements[8] = {};
    alignas(16) static float floats[4] = {};
    // Tensors of n images, to be written, and only read; the latter of y and of x.
    auto const sized = [&](int n) {
        return conv2d::output_of<half>(reinterpret_cast<half*>(elements), conv2d::N(n),
                                       conv2d::P(6), conv2d::Q(5), conv2d::K(16));
    };
    auto const constant = [&](int n) {
        return conv2d::output_of<half const>(reinterpret_cast<half const*>(elements), conv2d::N(n),
                                             conv2d::P(6), conv2d::Q(5), conv2d::K(16));
    };
    auto const images = [&](int n) {
        return conv2d::input_of<half const>(reinterpret_cast<half const*>(elements), conv2d::N(n),
                                            conv2d::H(6), conv2d::W(5), conv2d::C(16));
    };
    conv2d::correlation_args<half> const args = {
        .input = images(2),
        .filter = conv2d::filter_of<half const>(reinterpret_cast<half const*>(elements),
                                                conv2d::K(16), conv2d::R(3), conv2d::S(3)),
        .output = sized(2)};
    auto const refusal = [&](std::string_view words,
                             conv2d::epilogue_args<half> const& epilogue) -> std::string {
        try {
            conv2d::problem_of(problem_of(words), args, epilogue);
        } catch (spio::error const& e) {
            return e.reason();
        }
        return "none";
    };
    auto const scale = [&](int channels) {
        return conv2d::bias_of<float const>(floats, conv2d::K(channels));
    };
    CHECK(refusal("scale=true", {.scale = scale(16)}) == "none");
    CHECK(refusal("scale=true", {.scale = scale(8)}) ==
          "the scale has other sizes: 8; it must have 16");
    CHECK(refusal("residual=true", {.residual = constant(2)}) == "none");
    CHECK(refusal("residual=true", {.residual = constant(1)}) ==
          "the residual has other sizes: 1 x 6 x 5 x 16; it must have 2 x 6 x 5 x 16");
    CHECK(refusal("residual=true", {}) ==
          "the residual has other sizes: 0 x 0 x 0 x 0; it must have 2 x 6 x 5 x 16");
    CHECK(refusal("activation=silu preactivation=true", {.preactivation = sized(3)}) ==
          "the preactivation has other sizes: 3 x 6 x 5 x 16; it must have 2 x 6 x 5 x 16");
    CHECK(refusal("pass=dgrad activation=silu", {.input_preactivation = images(2)}) == "none");
    CHECK(refusal("pass=dgrad activation=silu", {}) ==
          "the input's preactivation has other sizes: 0 x 0 x 0 x 0; it must have 2 x 6 x 5 x 16");
    auto const* const astray = reinterpret_cast<half const*>(elements + 1);
    conv2d::output_of<half const> const odd(astray, conv2d::N(2), conv2d::P(6), conv2d::Q(5),
                                            conv2d::K(16));
    CHECK(refusal("residual=true", {.residual = odd}) ==
          "the residual begins at no multiple of 16 bytes");
}

TEST_CASE("the reference applies scale, bias, activation and residual in this order") {
    constexpr unsigned short bits_of_1 = 0x3c00, bits_of_2 = 0x4000;
    auto const problem = parse<conv2d::problem>(
        "conv2d", "n=1 c=8 h=1 w=1 r=1 s=1 pad_h=0 pad_w=0 bias=true activation=silu scale=true "
                  "residual=true preactivation=true");
    std::vector<unsigned short> const input(8, bits_of_1), residual(8, bits_of_2);
    std::vector<unsigned short> filter(64, 0);
    for (std::size_t k = 0; k < 8; ++k)
        filter[9 * k] = bits_of_2; // each channel of y is twice that of x
    std::vector<float> const bias(8, -3), scale(8, 0.5F);
    auto const exact = conv2d::reference(
        problem,
        {.input = input, .filter = filter, .bias = bias, .scale = scale, .residual = residual});
    CHECK(exact.preactivation.values[5] == -2);    // 0.5 * (2 * 1) - 3
    CHECK(exact.preactivation.magnitudes[5] == 4); // |0.5 * (2 * 1)| + |-3|
    // The SiLU of -2, plus the residual.
    CHECK(exact.output.values[5] == doctest::Approx(-2 / (1 + std::exp(2)) + 2).epsilon(1e-12));
    CHECK(exact.output.error(5) > 0);
    CHECK(exact.preactivation.error(5) == 0);
    // dgrad first multiplies the gradient of y, 1, by the derivative of SiLU at the
    // preactivation, 2. The filter doubles it.
    auto backward = problem;
    backward.pass = conv2d::direction::dgrad;
    backward.bias = backward.scale = backward.residual = backward.preactivation = false;
    auto const gradient =
        conv2d::reference(backward, {.input = input, .filter = filter, .preactivation = residual});
    double const sigmoid = 1 / (1 + std::exp(-2));
    CHECK(gradient.output.values[3] ==
          doctest::Approx(2 * sigmoid * (1 + 2 * (1 - sigmoid))).epsilon(1e-12));
    CHECK(gradient.output.error(3) > 0);
}
