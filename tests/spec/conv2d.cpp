// Problems of grouped convolution: what their words mean, what is refused, how they are named.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

conv2d::problem problem_of(std::string_view words) {
    auto const of = parse<conv2d::problem>("conv2d", words);
    conv2d::check(of);
    return of;
}
std::string refusal(std::string_view words) {
    try {
        problem_of(words);
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("a convolution is said in words, of which some go without saying") {
    auto const of = problem_of("n=17 c=96 h=37 w=41 r=3 s=5 pad_h=1 pad_w=2 pass=wgrad");
    CHECK(of.pass == conv2d::direction::wgrad);
    CHECK(of.p() == 37);
    CHECK(of.q() == 41);
    CHECK(text_of(of) == "n=17 c=96 h=37 w=41 r=3 s=5 pad_h=1 pad_w=2 bias=false pass=wgrad "
                         "made_for=all gradient=fp32");
    CHECK(text_of(problem_of("n=1 c=8 h=1 w=1")) ==
          "n=1 c=8 h=1 w=1 r=3 s=3 pad_h=1 pad_w=1 bias=false pass=fprop made_for=all "
          "gradient=fp32");
    CHECK(initializer_of(problem_of("n=1 c=8 h=1 w=1 made_for=any_n").without_unknown()) ==
          "{.n = 0, .c = 8, .h = 1, .w = 1, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1, .bias = false, "
          ".pass = spio::conv2d::direction::fprop, .made_for = spio::conv2d::scope::any_n, "
          ".gradient = spio::conv2d::precision::fp32}");
}

TEST_CASE("its name is that of the layer") {
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 pad_w=0 s=5")) ==
          "32n_64c_64h_60w_1py_0px_3r_5s_nb");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 bias=true made_for=any_n")) ==
          "anyn_64c_64h_60w_1py_1px_3r_3s_b");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 made_for=any_image")) ==
          "anyn_64c_anyh_anyw_1py_1px_3r_3s_nb");
}

TEST_CASE("the gradient of the input walks backwards") {
    auto of = problem_of("n=1 c=8 h=9 w=10 r=3 s=5 pad_h=7 pad_w=0 pass=dgrad");
    auto const back = conv2d::walk_of(of);
    CHECK(back.is_backward);
    CHECK(back.h == 21);
    CHECK(back.w == 6);
    CHECK(back.p == 9);
    CHECK(back.q == 10);
    CHECK(back.pad_h == -5);
    CHECK(back.pad_w == 4);
    of.pass = conv2d::direction::fprop;
    CHECK(conv2d::walk_of(of).p == 21);
    CHECK(conv2d::walk_of(of).pad_h == 7);
}

TEST_CASE("what is not supported is told by its field and its bound") {
    CHECK(refusal("n=0 c=8 h=1 w=1") == "n is 0, but must be at least 1");
    CHECK(refusal("n=1 c=12 h=1 w=1").starts_with("c is 12, but must be at least 8, at most "));
    CHECK(refusal("n=1 c=12 h=1 w=1").ends_with(", a multiple of 8"));
    CHECK(refusal("n=1 c=8 h=1 w=1 r=8") == "r is 8, but must be at least 1, at most 7");
    CHECK(refusal("n=1 c=8 h=1 w=1 pad_w=-1") == "pad_w is -1, but must be at least 0");
    CHECK(refusal("n=1 c=8 h=4 w=4 r=7") == "h + 2 pad_h is 6, but must be at least r, 7");
    CHECK(refusal("n=1 c=8 h=4 w=4 pad_w=2000000000") ==
          "w + 2 pad_w is 4000000004, but must be at most 2147483647");
    CHECK(refusal("n=1 c=8 h=4 w=4 bias=true pass=dgrad") == "bias is true, but dgrad has none");
    CHECK(refusal("n=1 c=8 h=4 w=4 gradient=fp16") ==
          "gradient is fp16, but fprop makes no weight gradient");
    CHECK(refusal("n=1 c=8 h=4 w=4 pass=forward") ==
          "pass is 'forward', but must be one of fprop, dgrad, wgrad");
}
