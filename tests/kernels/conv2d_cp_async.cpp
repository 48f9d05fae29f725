// Convolutions by rows: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_cp_async.h"
#include "conv2d_correlation.h"

#include <vector>

using params = spio::conv2d::cp_async::params;
extern "C" void conv2d_cp_async_plain(params p);
extern "C" void conv2d_cp_async_ragged(params p);
extern "C" void conv2d_cp_async_pointwise(params p);
extern "C" void conv2d_cp_async_five(params p);
extern "C" void conv2d_cp_async_seven(params p);
extern "C" void conv2d_cp_async_wide(params p);
extern "C" void conv2d_cp_async_tall(params p);
extern "C" void conv2d_cp_async_far(params p);
extern "C" void conv2d_cp_async_back(params p);
extern "C" void conv2d_cp_async_back_ragged(params p);
extern "C" void conv2d_cp_async_back_seven(params p);
extern "C" void conv2d_cp_async_back_tall(params p);
extern "C" void conv2d_cp_async_back_far(params p);
extern "C" void conv2d_cp_async_known(params p);
extern "C" void conv2d_cp_async_known_but_n(params p);

namespace {

using namespace spio;
using namespace test::conv2d_correlation;
namespace cp_async = test::conv2d_cp_async;

walker walker_of(test::kernel<params> const& kernel, cp_async::layer const& layer) {
    auto const make = [kernel, by = layer.by](test::trial& t, problem const& of,
                                              tensors const& in) {
        tensors_on_device const there(t, of, in);
        t.launch(kernel, {static_cast<int>(by.blocks_of(of))},
                 {.block = {by.threads(of)}, .shared_bytes = by.shared_bytes(of)},
                 {there.arguments()});
        return there.made();
    };
    return {kernel.symbol, layer.is, make};
}

std::vector<walker> const fprops = {
    walker_of({"conv2d_cp_async_plain", conv2d_cp_async_plain}, cp_async::plain),
    walker_of({"conv2d_cp_async_ragged", conv2d_cp_async_ragged}, cp_async::ragged),
    walker_of({"conv2d_cp_async_pointwise", conv2d_cp_async_pointwise}, cp_async::pointwise),
    walker_of({"conv2d_cp_async_five", conv2d_cp_async_five}, cp_async::five),
    walker_of({"conv2d_cp_async_seven", conv2d_cp_async_seven}, cp_async::seven),
    walker_of({"conv2d_cp_async_wide", conv2d_cp_async_wide}, cp_async::wide),
    walker_of({"conv2d_cp_async_tall", conv2d_cp_async_tall}, cp_async::tall),
    walker_of({"conv2d_cp_async_far", conv2d_cp_async_far}, cp_async::far),
};
std::vector<walker> const dgrads = {
    walker_of({"conv2d_cp_async_back", conv2d_cp_async_back}, cp_async::back),
    walker_of({"conv2d_cp_async_back_ragged", conv2d_cp_async_back_ragged}, cp_async::back_ragged),
    walker_of({"conv2d_cp_async_back_seven", conv2d_cp_async_back_seven}, cp_async::back_seven),
    walker_of({"conv2d_cp_async_back_tall", conv2d_cp_async_back_tall}, cp_async::back_tall),
    walker_of({"conv2d_cp_async_back_far", conv2d_cp_async_back_far}, cp_async::back_far),
};

test::test_case const fprop_case("conv2d_cp_async_fprop", [](test::trial& t) {
    run_random(t, fprops, t.is_small() ? 16 : 304);
});
test::test_case const dgrad_case("conv2d_cp_async_dgrad", [](test::trial& t) {
    run_random(t, dgrads, t.is_small() ? 10 : 305);
});
test::test_case const infinite_case("conv2d_cp_async_infinite", [](test::trial& t) {
    run_infinite(t, fprops);
    run_infinite(t, dgrads);
});

// The same bits, whatever is known beforehand.
test::test_case const known_case("conv2d_cp_async_known", [](test::trial& t) {
    auto const known = walker_of({"conv2d_cp_async_known", conv2d_cp_async_known}, cp_async::known);
    auto const known_but_n = walker_of({"conv2d_cp_async_known_but_n", conv2d_cp_async_known_but_n},
                                       cp_async::known_but_n);
    tensors const in(t.random(), known.layer);
    auto const got = known.make(t, known.layer, in);
    expect_sums(t, known.symbol, known.layer, in, got);
    t.expect_equal(known_but_n.symbol, known_but_n.make(t, known.layer, in), got);
});

} // namespace
