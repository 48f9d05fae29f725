// fprop and dgrad by cp.async: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort (is_small()) it runs fewer
// sizes. A variant is a kernel under test with what runs it; adds_number says that its epilogue
// adds a number of its own. The name of a layer says what is special about it: ragged sizes, five
// taps, far padding.
#include "cp_async.h"
#include "correlation.h"

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
extern "C" void conv2d_cp_async_strided(params p);
extern "C" void conv2d_cp_async_dilated(params p);
extern "C" void conv2d_cp_async_stepped_far(params p);
extern "C" void conv2d_cp_async_any(params p);
extern "C" void conv2d_cp_async_back_any(params p);
extern "C" void conv2d_cp_async_stepped_even(params p);
extern "C" void conv2d_cp_async_back_strided(params p);
extern "C" void conv2d_cp_async_back_dilated(params p);
extern "C" void conv2d_cp_async_back_stepped(params p);
extern "C" void conv2d_cp_async_known(params p);
extern "C" void conv2d_cp_async_known_but_n(params p);

namespace {

using namespace spio;
using namespace test::conv2d_correlation;
namespace cp_async = test::conv2d_cp_async;

// The kernel of a layer, launched with the tensors of a problem that the layer admits.
variant variant_of(test::kernel<params> const& kernel, cp_async::layer const& layer,
                   bool adds_number = false) {
    auto const run = [kernel, config = layer.config](test::trial& trial, problem const& problem,
                                                     tensors const& inputs) {
        tensors_on_device const tensors(trial, problem, inputs);
        trial.launch(
            kernel, {static_cast<int>(config.blocks_of(problem))},
            {.block = {config.threads(problem)}, .shared_bytes = config.shared_bytes(problem)},
            {tensors.arguments(), tensors.epilogue()});
        return tensors.read();
    };
    return {kernel.symbol, layer.problem, run, adds_number};
}

std::vector<variant> const fprops = {
    variant_of({"conv2d_cp_async_plain", conv2d_cp_async_plain}, cp_async::plain),
    variant_of({"conv2d_cp_async_ragged", conv2d_cp_async_ragged}, cp_async::ragged),
    variant_of({"conv2d_cp_async_pointwise", conv2d_cp_async_pointwise}, cp_async::pointwise),
    variant_of({"conv2d_cp_async_five", conv2d_cp_async_five}, cp_async::five),
    variant_of({"conv2d_cp_async_seven", conv2d_cp_async_seven}, cp_async::seven),
    variant_of({"conv2d_cp_async_wide", conv2d_cp_async_wide}, cp_async::wide),
    variant_of({"conv2d_cp_async_tall", conv2d_cp_async_tall}, cp_async::tall),
    variant_of({"conv2d_cp_async_far", conv2d_cp_async_far}, cp_async::far, /*adds_number=*/true),
    variant_of({"conv2d_cp_async_strided", conv2d_cp_async_strided}, cp_async::strided),
    variant_of({"conv2d_cp_async_dilated", conv2d_cp_async_dilated}, cp_async::dilated),
    variant_of({"conv2d_cp_async_stepped_far", conv2d_cp_async_stepped_far}, cp_async::stepped_far),
    variant_of({"conv2d_cp_async_stepped_even", conv2d_cp_async_stepped_even},
               cp_async::stepped_even),
    variant_of({"conv2d_cp_async_any", conv2d_cp_async_any}, cp_async::any_layer),
};
std::vector<variant> const dgrads = {
    variant_of({"conv2d_cp_async_back", conv2d_cp_async_back}, cp_async::back),
    variant_of({"conv2d_cp_async_back_ragged", conv2d_cp_async_back_ragged}, cp_async::back_ragged),
    variant_of({"conv2d_cp_async_back_seven", conv2d_cp_async_back_seven}, cp_async::back_seven),
    variant_of({"conv2d_cp_async_back_tall", conv2d_cp_async_back_tall}, cp_async::back_tall),
    variant_of({"conv2d_cp_async_back_far", conv2d_cp_async_back_far}, cp_async::back_far),
    variant_of({"conv2d_cp_async_back_strided", conv2d_cp_async_back_strided},
               cp_async::back_strided),
    variant_of({"conv2d_cp_async_back_dilated", conv2d_cp_async_back_dilated},
               cp_async::back_dilated),
    variant_of({"conv2d_cp_async_back_stepped", conv2d_cp_async_back_stepped},
               cp_async::back_stepped),
    variant_of({"conv2d_cp_async_back_any", conv2d_cp_async_back_any}, cp_async::back_any),
};

// The counts of problems: every layer once with small effort, some 25 or 35 times with all.
test::test_case const fprop_case("conv2d_cp_async_fprop", [](test::trial& trial) {
    run_random(trial, fprops, trial.is_small() ? 13 : 304);
});
test::test_case const dgrad_case("conv2d_cp_async_dgrad", [](test::trial& trial) {
    run_random(trial, dgrads, trial.is_small() ? 9 : 305);
});
test::test_case const infinite_case("conv2d_cp_async_infinite", [](test::trial& trial) {
    run_infinite(trial, fprops);
    run_infinite(trial, dgrads);
});

// A kernel that knows n gives the same bits as one to which the launch passes n.
test::test_case const known_case("conv2d_cp_async_known", [](test::trial& trial) {
    auto const known =
        variant_of({"conv2d_cp_async_known", conv2d_cp_async_known}, cp_async::known);
    auto const known_but_n = variant_of(
        {"conv2d_cp_async_known_but_n", conv2d_cp_async_known_but_n}, cp_async::known_but_n);
    tensors const inputs(trial.random(), known.layer);
    auto const got = known.run(trial, known.layer, inputs);
    expect_sums(trial, known, known.layer, inputs, got);
    trial.expect_equal(known_but_n.symbol, known_but_n.run(trial, known.layer, inputs).output,
                       got.output);
});

} // namespace
