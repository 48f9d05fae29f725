// A configuration that does not fit its matrix product is refused with the condition.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/spec/extreme.h"
#include "tests/spec/misfit.h"

#include <random>
#include <string>

import spio.matmul;
import spio.spec;

using namespace spio;

namespace {

// Why a configuration does not fit; see test::misfit_of().
std::string misfit_of(matmul::problem const& problem, matmul::config const& config) {
    return test::misfit_of<error>([&] { matmul::explain(problem, config, sm_90a); });
}
std::string misfit_of(std::string const& problem, matmul::config const& config) {
    return misfit_of(parse<matmul::problem>("matmul", problem), config);
}

// How many of 4000 drawn configurations of a body were refused, each for a condition that is told.
template <class Config> int told_misfits() {
    std::mt19937 random(12);
    auto const draw = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
    int count = 0;
    for (int i = 0; i < 4000; ++i) {
        matmul::problem problem = {.m = draw(4096), .n = draw(4096), .k = draw(4096)};
        problem.alignment = 1 << (draw(4));
        problem.b = matmul::order(random() % 2);
        problem.bias = random() % 2 == 0;
        problem.made_for = matmul::known_sizes(random() % 2);
        Config config = {};
        auto slots = slots_of(config);
        test::draw_extreme(random, slots, /*is_wild=*/false);
        auto const text = misfit_of(problem, config);
        CAPTURE(text_of(problem));
        CAPTURE(text_of(config));
        REQUIRE((text == "none") == config.fits(problem));
        REQUIRE(!text.empty());
        REQUIRE(!text.starts_with("refused: "));
        count += text != "none";
    }
    return count;
}

} // namespace

TEST_CASE("a refused configuration of mma.sync names its condition and the numbers") {
    using config = matmul::cp_async::config;
    std::string const square = "m=512 n=512 k=512";
    CHECK(misfit_of(square, config{64, 64, 3, 2, 4, 1}) ==
          "a tile of 64 x 64 is not shared evenly by 3 x 2 warps of whole 16 x 16 products");
    CHECK(misfit_of(square, config{64, 64, 1, 1, 4, 1}) ==
          "the threads of a block are 32, but must be 64, 128, 256 or 512");
    CHECK(misfit_of(square, config{256, 128, 2, 1, 2, 1}) ==
          "the sums of a warp are 16384, of at most 4096");
    CHECK(misfit_of(square, config{256, 256, 4, 4, 8, 1}) ==
          "the bytes of shared memory are 524352, of at most 232448");
    CHECK(misfit_of(square, config{128, 128, 2, 2, 4, 1}) == "none");
}

TEST_CASE("a refused configuration of wgmma names its condition and the numbers") {
    using config = matmul::wgmma::config;
    std::string const square = "m=512 n=512 k=512";
    CHECK(misfit_of(square, config{128, 128, 4, 2, 4, 4, 1}) ==
          "the blocks of a cluster are 16, of at most 8");
    CHECK(misfit_of(square, config{128, 128, 4, 2, 1, 3, 1}) ==
          "a tile of 128 x 128 is not shared evenly by the 3 x 1 blocks that load it");
    CHECK(misfit_of(square, config{.m = 128,
                                   .n = 128,
                                   .stages = 4,
                                   .buffers = 2,
                                   .cluster_m = 1,
                                   .cluster_n = 1,
                                   .band = 1,
                                   .splits = 2,
                                   .ping_pong = true}) ==
          "ping_pong takes one split and one block, and splits is 2, blocks 1");
    CHECK(misfit_of(square + " alignment=8", config{128, 128, 4, 2, 1, 1, 1}) ==
          "alignment is 8, but must be 16, as TMA needs it");
    CHECK(misfit_of(square, config{128, 80, 4, 2, 1, 1, 1}) ==
          "n is 80, but must be a multiple of 64 where b is in rows");
    CHECK(misfit_of(square, config{192, 256, 4, 4, 1, 1, 1}) ==
          "the bytes of shared memory of the blocks of an SM are 328768, of at most 233472");
    CHECK(misfit_of(square, config{192, 256, 3, 2, 1, 1, 1}) == "none");
}

TEST_CASE("every refusal of a drawn configuration of a matrix product names a condition") {
    CHECK(told_misfits<matmul::cp_async::config>() > 1000);
    CHECK(told_misfits<matmul::wgmma::config>() > 1000);
}
