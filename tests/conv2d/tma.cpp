// fprop and dgrad by TMA: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort (is_small()) it runs fewer
// sizes. A variant is a kernel under test with what runs it; adds_number says that its epilogue
// adds a number of its own. The 90 of a test case is the least architecture that it needs, sm_90. A
// residual is a tensor that is added to the output, a preactivation the value before the
// activation, of which dgrad takes the derivative. The plan of a tensor map says all but its
// address.
#include "tma.h"
#include "correlation.h"

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
extern "C" void conv2d_tma_boxed(params p);
extern "C" void conv2d_tma_back_boxed(params p);
extern "C" void conv2d_tma_back_tall(params p);
extern "C" void conv2d_tma_back_far(params p);
extern "C" void conv2d_tma_strided(params p);
extern "C" void conv2d_tma_strided_even(params p);
extern "C" void conv2d_tma_strided_dilated(params p);
extern "C" void conv2d_tma_stepped_far(params p);
extern "C" void conv2d_tma_any(params p);
extern "C" void conv2d_tma_back_any(params p);
extern "C" void conv2d_tma_back_dilated(params p);
extern "C" void conv2d_tma_covered_padded(params p);
extern "C" void conv2d_tma_covered_strided(params p);
extern "C" void conv2d_tma_back_strided(params p);
extern "C" void conv2d_tma_back_strided_five(params p);
extern "C" void conv2d_tma_back_strided_rows(params p);
extern "C" void conv2d_tma_back_strided_columns(params p);
extern "C" void conv2d_tma_known(params p);
extern "C" void conv2d_tma_known_but_n(params p);
extern "C" void conv2d_tma_covered(params p);
extern "C" void conv2d_tma_covered_small(params p);
extern "C" void conv2d_tma_covered_back(params p);
extern "C" void conv2d_tma_covered_seven(params p);
extern "C" void conv2d_tma_covered_back_seven(params p);
extern "C" void conv2d_tma_rows(params p);
extern "C" void conv2d_tma_boxes(params p);
extern "C" void conv2d_tma_rows_pair(params p);
extern "C" void conv2d_tma_boxes_pair(params p);
extern "C" void conv2d_tma_back_rows_pair(params p);
extern "C" void conv2d_tma_back_boxes_pair(params p);
extern "C" void conv2d_tma_rows_boxed(params p);
extern "C" void conv2d_tma_boxes_boxed(params p);
extern "C" void conv2d_tma_rows_covered(params p);
extern "C" void conv2d_tma_boxes_covered(params p);
extern "C" void conv2d_tma_rows_strided(params p);
extern "C" void conv2d_tma_boxes_strided(params p);
extern "C" void conv2d_tma_rows_far(params p);
extern "C" void conv2d_tma_boxes_far(params p);
extern "C" void conv2d_tma_back_rows(params p);
extern "C" void conv2d_tma_back_boxes(params p);
extern "C" void conv2d_tma_back_rows_dilated(params p);
extern "C" void conv2d_tma_back_boxes_dilated(params p);

namespace {

using namespace spio;
using namespace test::conv2d_correlation;
namespace tma = test::conv2d_tma;

// The kernel of a layer, launched with the tensors of a problem that the layer admits.
variant variant_of(test::kernel<params> const& kernel, tma::layer const& layer,
                   bool adds_number = false) {
    auto const run = [kernel, config = layer.config](test::trial& trial, problem const& problem,
                                                     tensors const& inputs) {
        tensors_on_device const tensors(trial, problem, inputs);
        auto const input_plan = conv2d::tma::input_plan(problem, config);
        auto const output_plan = conv2d::tma::output_plan(problem, config);
        auto const epilogue = tensors.epilogue();
        auto const map = [&](tensor_map_plan const& plan, void const* base) {
            return trial.make_map<tensor_map_words>(plan, const_cast<void*>(base));
        };
        params p = {
            .input = {}, .output = {}, .args = tensors.arguments(), .scale = epilogue.scale};
        if (!config.whole_rows) {
            p.input = map(input_plan, tensors.input());
            p.output = map(output_plan, tensors.output());
        }
        if (problem.residual) p.residual = map(output_plan, epilogue.residual);
        if (problem.preactivation) p.preactivation = map(output_plan, epilogue.preactivation);
        if (problem.has_derivative()) p.preactivation = map(input_plan, epilogue.preactivation);
        trial.launch(
            kernel, {static_cast<int>(config.blocks_of(problem))},
            {.block = {config.threads(problem)}, .shared_bytes = config.shared_bytes(problem)}, p);
        return tensors.read();
    };
    return {kernel.symbol, layer.problem, run, adds_number};
}

std::vector<variant> const fprops = {
    variant_of({"conv2d_tma_plain", conv2d_tma_plain}, tma::plain),
    variant_of({"conv2d_tma_ragged", conv2d_tma_ragged}, tma::ragged),
    variant_of({"conv2d_tma_pointwise", conv2d_tma_pointwise}, tma::pointwise),
    variant_of({"conv2d_tma_five", conv2d_tma_five}, tma::five),
    variant_of({"conv2d_tma_seven", conv2d_tma_seven}, tma::seven),
    variant_of({"conv2d_tma_boxed", conv2d_tma_boxed}, tma::boxed),
    variant_of({"conv2d_tma_wide", conv2d_tma_wide}, tma::wide),
    variant_of({"conv2d_tma_tall", conv2d_tma_tall}, tma::tall, /*adds_number=*/true),
    variant_of({"conv2d_tma_far", conv2d_tma_far}, tma::far),
    variant_of({"conv2d_tma_strided", conv2d_tma_strided}, tma::strided),
    variant_of({"conv2d_tma_strided_even", conv2d_tma_strided_even}, tma::strided_even),
    variant_of({"conv2d_tma_strided_dilated", conv2d_tma_strided_dilated}, tma::strided_dilated),
    variant_of({"conv2d_tma_stepped_far", conv2d_tma_stepped_far}, tma::stepped_far),
    variant_of({"conv2d_tma_any", conv2d_tma_any}, tma::any_layer),
};
std::vector<variant> const dgrads = {
    variant_of({"conv2d_tma_back", conv2d_tma_back}, tma::back),
    variant_of({"conv2d_tma_back_ragged", conv2d_tma_back_ragged}, tma::back_ragged),
    variant_of({"conv2d_tma_back_seven", conv2d_tma_back_seven}, tma::back_seven),
    variant_of({"conv2d_tma_back_boxed", conv2d_tma_back_boxed}, tma::back_boxed),
    variant_of({"conv2d_tma_back_tall", conv2d_tma_back_tall}, tma::back_tall),
    variant_of({"conv2d_tma_back_far", conv2d_tma_back_far}, tma::back_far),
    variant_of({"conv2d_tma_back_dilated", conv2d_tma_back_dilated}, tma::back_dilated),
    variant_of({"conv2d_tma_back_strided", conv2d_tma_back_strided}, tma::back_strided),
    variant_of({"conv2d_tma_back_strided_five", conv2d_tma_back_strided_five},
               tma::back_strided_five),
    variant_of({"conv2d_tma_back_strided_rows", conv2d_tma_back_strided_rows},
               tma::back_strided_rows, /*adds_number=*/true),
    variant_of({"conv2d_tma_back_strided_columns", conv2d_tma_back_strided_columns},
               tma::back_strided_columns),
    variant_of({"conv2d_tma_back_any", conv2d_tma_back_any}, tma::back_any),
};

// The counts of problems: every layer once with small effort, 26 times with all.
test::test_case const fprop_case(
    "conv2d_tma_fprop",
    [](test::trial& trial) { run_random(trial, fprops, trial.is_small() ? 12 : 312); },
    /*arch=*/90);
test::test_case const dgrad_case(
    "conv2d_tma_dgrad",
    [](test::trial& trial) { run_random(trial, dgrads, trial.is_small() ? 12 : 312); },
    /*arch=*/90);
// A kernel that copies its tiles row by row, and one that copies boxes.
struct copied_variant {
    variant rows, boxes;
};
std::vector<copied_variant> const copies = {
    {variant_of({"conv2d_tma_rows", conv2d_tma_rows}, tma::rows),
     variant_of({"conv2d_tma_boxes", conv2d_tma_boxes}, tma::boxes_of(tma::rows))},
    {variant_of({"conv2d_tma_rows_pair", conv2d_tma_rows_pair}, tma::rows_pair),
     variant_of({"conv2d_tma_boxes_pair", conv2d_tma_boxes_pair}, tma::boxes_of(tma::rows_pair))},
    {variant_of({"conv2d_tma_back_rows_pair", conv2d_tma_back_rows_pair}, tma::back_rows_pair),
     variant_of({"conv2d_tma_back_boxes_pair", conv2d_tma_back_boxes_pair},
                tma::boxes_of(tma::back_rows_pair))},
    {variant_of({"conv2d_tma_rows_boxed", conv2d_tma_rows_boxed}, tma::rows_boxed),
     variant_of({"conv2d_tma_boxes_boxed", conv2d_tma_boxes_boxed},
                tma::boxes_of(tma::rows_boxed))},
    {variant_of({"conv2d_tma_rows_covered", conv2d_tma_rows_covered}, tma::rows_covered),
     variant_of({"conv2d_tma_boxes_covered", conv2d_tma_boxes_covered},
                tma::boxes_of(tma::rows_covered))},
    {variant_of({"conv2d_tma_rows_strided", conv2d_tma_rows_strided}, tma::rows_strided),
     variant_of({"conv2d_tma_boxes_strided", conv2d_tma_boxes_strided},
                tma::boxes_of(tma::rows_strided))},
    {variant_of({"conv2d_tma_rows_far", conv2d_tma_rows_far}, tma::rows_far),
     variant_of({"conv2d_tma_boxes_far", conv2d_tma_boxes_far}, tma::boxes_of(tma::rows_far))},
    {variant_of({"conv2d_tma_back_rows", conv2d_tma_back_rows}, tma::back_rows),
     variant_of({"conv2d_tma_back_boxes", conv2d_tma_back_boxes}, tma::boxes_of(tma::back_rows))},
    {variant_of({"conv2d_tma_back_rows_dilated", conv2d_tma_back_rows_dilated},
                tma::back_rows_dilated),
     variant_of({"conv2d_tma_back_boxes_dilated", conv2d_tma_back_boxes_dilated},
                tma::boxes_of(tma::back_rows_dilated))},
};
std::vector<variant> rows_of_copies() {
    std::vector<variant> rows;
    for (auto const& copied : copies) rows.push_back(copied.rows);
    return rows;
}

test::test_case const infinite_case(
    "conv2d_tma_infinite",
    [](test::trial& trial) {
        run_infinite(trial, rows_of_copies());
        run_infinite(trial, fprops);
        run_infinite(trial, dgrads);
    },
    /*arch=*/90);

// A kernel that knows n gives the same bits as one to which the launch passes n. Kernels whose tile
// covers all rows of an image (covered) give the right sums too.
void run_known(test::trial& trial) {
    auto const known = variant_of({"conv2d_tma_known", conv2d_tma_known}, tma::known);
    auto const known_but_n =
        variant_of({"conv2d_tma_known_but_n", conv2d_tma_known_but_n}, tma::known_but_n);
    tensors const inputs(trial.random(), known.layer);
    auto const got = known.run(trial, known.layer, inputs);
    expect_sums(trial, known, known.layer, inputs, got);
    trial.expect_equal(known_but_n.symbol, known_but_n.run(trial, known.layer, inputs).output,
                       got.output);

    for (auto const& covered :
         {variant_of({"conv2d_tma_covered", conv2d_tma_covered}, tma::covered),
          variant_of({"conv2d_tma_covered_small", conv2d_tma_covered_small}, tma::covered_small),
          variant_of({"conv2d_tma_covered_padded", conv2d_tma_covered_padded}, tma::covered_padded),
          variant_of({"conv2d_tma_covered_strided", conv2d_tma_covered_strided},
                     tma::covered_strided),
          variant_of({"conv2d_tma_covered_back", conv2d_tma_covered_back}, tma::covered_back),
          variant_of({"conv2d_tma_covered_seven", conv2d_tma_covered_seven}, tma::covered_seven),
          variant_of({"conv2d_tma_covered_back_seven", conv2d_tma_covered_back_seven},
                     tma::covered_back_seven)}) {
        tensors const inputs(trial.random(), covered.layer);
        expect_sums(trial, covered, covered.layer, inputs,
                    covered.run(trial, covered.layer, inputs));
    }
}
test::test_case const known_case("conv2d_tma_known", run_known, /*arch=*/90);

// Rows give the right sums, and the same bits as boxes.
void run_rows(test::trial& trial) {
    for (auto const& [rows, boxes] : copies) {
        auto const& image = rows.layer;
        for (int const n : trial.is_small() ? std::vector{2} : std::vector{1, 3}) {
            auto const problem = image.with(n, image.h, image.w);
            tensors const inputs(trial.random(), problem);
            auto const got = rows.run(trial, problem, inputs);
            expect_sums(trial, rows, problem, inputs, got);
            trial.expect_equal(boxes.symbol, boxes.run(trial, problem, inputs).output, got.output);
        }
    }
}
test::test_case const rows_case("conv2d_tma_rows", run_rows, /*arch=*/90);

} // namespace
