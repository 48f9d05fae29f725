// Convolutions by boxes: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_tma.h"
#include "conv2d_correlation.h"

#include <vector>

using params = spio::conv2d::tma::params;
extern "C" void conv2d_tma_plain(params p);
extern "C" void conv2d_tma_ragged(params p);
extern "C" void conv2d_tma_pointwise(params p);
extern "C" void conv2d_tma_five(params p);
extern "C" void conv2d_tma_seven(params p);
extern "C" void conv2d_tma_wide(params p);
extern "C" void conv2d_tma_tall(params p);
extern "C" void conv2d_tma_far(params p);
extern "C" void conv2d_tma_back(params p);
extern "C" void conv2d_tma_back_ragged(params p);
extern "C" void conv2d_tma_back_seven(params p);
extern "C" void conv2d_tma_back_tall(params p);
extern "C" void conv2d_tma_back_far(params p);
extern "C" void conv2d_tma_known(params p);
extern "C" void conv2d_tma_known_but_n(params p);
extern "C" void conv2d_tma_covered(params p);
extern "C" void conv2d_tma_covered_small(params p);
extern "C" void conv2d_tma_covered_back(params p);

namespace {

using namespace spio;
using namespace test::conv2d_correlation;
namespace tma = test::conv2d_tma;

walker walker_of(test::kernel<params> const& kernel, tma::layer const& layer) {
    auto const make = [kernel, by = layer.by](test::trial& t, problem const& of,
                                              tensors const& in) {
        tensors_on_device const there(t, of, in);
        auto const from = conv2d::tma::input_plan(of, by);
        auto const to = conv2d::tma::output_plan(of, by);
        t.launch(kernel, {static_cast<int>(by.blocks_of(of))},
                 {.block = {by.threads(of)}, .shared_bytes = by.shared_bytes(of)},
                 {.input = t.make_map<tensor_map_words>(from, there.read_from()),
                  .output = t.make_map<tensor_map_words>(to, there.made_at()),
                  .args = there.arguments()});
        return there.made();
    };
    return {kernel.symbol, layer.is, make};
}

std::vector<walker> const fprops = {
    walker_of({"conv2d_tma_plain", conv2d_tma_plain}, tma::plain),
    walker_of({"conv2d_tma_ragged", conv2d_tma_ragged}, tma::ragged),
    walker_of({"conv2d_tma_pointwise", conv2d_tma_pointwise}, tma::pointwise),
    walker_of({"conv2d_tma_five", conv2d_tma_five}, tma::five),
    walker_of({"conv2d_tma_seven", conv2d_tma_seven}, tma::seven),
    walker_of({"conv2d_tma_wide", conv2d_tma_wide}, tma::wide),
    walker_of({"conv2d_tma_tall", conv2d_tma_tall}, tma::tall),
    walker_of({"conv2d_tma_far", conv2d_tma_far}, tma::far),
};
std::vector<walker> const dgrads = {
    walker_of({"conv2d_tma_back", conv2d_tma_back}, tma::back),
    walker_of({"conv2d_tma_back_ragged", conv2d_tma_back_ragged}, tma::back_ragged),
    walker_of({"conv2d_tma_back_seven", conv2d_tma_back_seven}, tma::back_seven),
    walker_of({"conv2d_tma_back_tall", conv2d_tma_back_tall}, tma::back_tall),
    walker_of({"conv2d_tma_back_far", conv2d_tma_back_far}, tma::back_far),
};

test::test_case const fprop_case(
    "conv2d_tma_fprop", [](test::trial& t) { run_random(t, fprops, t.is_small() ? 16 : 304); }, 90);
test::test_case const dgrad_case(
    "conv2d_tma_dgrad", [](test::trial& t) { run_random(t, dgrads, t.is_small() ? 10 : 305); }, 90);
test::test_case const infinite_case(
    "conv2d_tma_infinite",
    [](test::trial& t) {
        run_infinite(t, fprops);
        run_infinite(t, dgrads);
    },
    90);

// The same bits, whatever is known beforehand.
void run_known(test::trial& t) {
    auto const known = walker_of({"conv2d_tma_known", conv2d_tma_known}, tma::known);
    auto const known_but_n =
        walker_of({"conv2d_tma_known_but_n", conv2d_tma_known_but_n}, tma::known_but_n);
    tensors const in(t.random(), known.layer);
    auto const got = known.make(t, known.layer, in);
    expect_sums(t, known.symbol, known.layer, in, got);
    t.expect_equal(known_but_n.symbol, known_but_n.make(t, known.layer, in), got);

    for (auto const& covered :
         {walker_of({"conv2d_tma_covered", conv2d_tma_covered}, tma::covered),
          walker_of({"conv2d_tma_covered_small", conv2d_tma_covered_small}, tma::covered_small),
          walker_of({"conv2d_tma_covered_back", conv2d_tma_covered_back}, tma::covered_back)}) {
        tensors const in(t.random(), covered.layer);
        expect_sums(t, covered.symbol, covered.layer, in, covered.make(t, covered.layer, in));
    }
}
test::test_case const known_case("conv2d_tma_known", run_known, 90);

} // namespace
