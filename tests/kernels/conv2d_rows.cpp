// Convolutions by rows: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_rows.h"
#include "conv2d_walk.h"

#include <vector>

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
using namespace test::conv2d_walk;
namespace rows = test::conv2d_rows;

walker walker_of(test::kernel<params> const& kernel, rows::layer const& layer) {
    auto const make = [kernel, by = layer.by](test::trial& t, problem const& of,
                                              tensors const& in) {
        tensors_on_device const there(t, of, in);
        t.launch(kernel,
                 {.grid = {static_cast<int>(by.blocks_of(of))},
                  .block = {by.threads(of)},
                  .shared_bytes = by.shared_bytes(of)},
                 {there.arguments()});
        return there.made();
    };
    return {kernel.symbol, layer.is, make};
}

std::vector<walker> const fprops = {
    walker_of({"conv2d_rows_plain", conv2d_rows_plain}, rows::plain),
    walker_of({"conv2d_rows_ragged", conv2d_rows_ragged}, rows::ragged),
    walker_of({"conv2d_rows_pointwise", conv2d_rows_pointwise}, rows::pointwise),
    walker_of({"conv2d_rows_five", conv2d_rows_five}, rows::five),
    walker_of({"conv2d_rows_seven", conv2d_rows_seven}, rows::seven),
    walker_of({"conv2d_rows_wide", conv2d_rows_wide}, rows::wide),
    walker_of({"conv2d_rows_tall", conv2d_rows_tall}, rows::tall),
    walker_of({"conv2d_rows_far", conv2d_rows_far}, rows::far),
};
std::vector<walker> const dgrads = {
    walker_of({"conv2d_rows_back", conv2d_rows_back}, rows::back),
    walker_of({"conv2d_rows_back_ragged", conv2d_rows_back_ragged}, rows::back_ragged),
    walker_of({"conv2d_rows_back_seven", conv2d_rows_back_seven}, rows::back_seven),
    walker_of({"conv2d_rows_back_tall", conv2d_rows_back_tall}, rows::back_tall),
    walker_of({"conv2d_rows_back_far", conv2d_rows_back_far}, rows::back_far),
};

test::test_case const fprop_case("conv2d_rows_fprop", [](test::trial& t) {
    run_random(t, fprops, t.is_small() ? 16 : 304);
});
test::test_case const dgrad_case("conv2d_rows_dgrad", [](test::trial& t) {
    run_random(t, dgrads, t.is_small() ? 10 : 305);
});
test::test_case const infinite_case("conv2d_rows_infinite", [](test::trial& t) {
    run_infinite(t, fprops);
    run_infinite(t, dgrads);
});

// The same bits, whatever is known beforehand.
test::test_case const known_case("conv2d_rows_known", [](test::trial& t) {
    auto const known = walker_of({"conv2d_rows_known", conv2d_rows_known}, rows::known);
    auto const known_but_n =
        walker_of({"conv2d_rows_known_but_n", conv2d_rows_known_but_n}, rows::known_but_n);
    tensors const in(t.random(), known.layer);
    auto const got = known.make(t, known.layer, in);
    expect_sums(t, known.symbol, known.layer, in, got);
    t.expect_equal(known_but_n.symbol, known_but_n.make(t, known.layer, in), got);
});

} // namespace
