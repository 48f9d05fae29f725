// Convolutions by boxes: random images of every layer, against sums in double.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_boxes.h"
#include "conv2d_walk.h"

#include <vector>

using params = spio::conv2d::boxes::params;
extern "C" void conv2d_boxes_plain(params p);
extern "C" void conv2d_boxes_ragged(params p);
extern "C" void conv2d_boxes_pointwise(params p);
extern "C" void conv2d_boxes_five(params p);
extern "C" void conv2d_boxes_seven(params p);
extern "C" void conv2d_boxes_wide(params p);
extern "C" void conv2d_boxes_tall(params p);
extern "C" void conv2d_boxes_far(params p);
extern "C" void conv2d_boxes_back(params p);
extern "C" void conv2d_boxes_back_ragged(params p);
extern "C" void conv2d_boxes_back_seven(params p);
extern "C" void conv2d_boxes_back_tall(params p);
extern "C" void conv2d_boxes_back_far(params p);
extern "C" void conv2d_boxes_known(params p);
extern "C" void conv2d_boxes_known_but_n(params p);
extern "C" void conv2d_boxes_covered(params p);
extern "C" void conv2d_boxes_covered_small(params p);
extern "C" void conv2d_boxes_covered_back(params p);

namespace {

using namespace spio;
using namespace test::conv2d_walk;
namespace boxes = test::conv2d_boxes;

walker walker_of(test::kernel<params> const& kernel, boxes::layer const& layer) {
    auto const make = [kernel, by = layer.by](test::trial& t, problem const& of,
                                              tensors const& in) {
        tensors_on_device const there(t, of, in);
        auto const from = conv2d::boxes::plan_of_read(of, by);
        auto const to = conv2d::boxes::plan_of_made(of, by);
        t.launch(kernel,
                 {.grid = {static_cast<int>(by.blocks_of(of))},
                  .block = {by.threads(of)},
                  .shared_bytes = by.shared_bytes(of)},
                 {.from = t.make_map<encoded_map>(from, there.read_from()),
                  .to = t.make_map<encoded_map>(to, there.made_at()),
                  .is = there.arguments()});
        return there.made();
    };
    return {kernel.symbol, layer.is, make};
}

std::vector<walker> const fprops = {
    walker_of({"conv2d_boxes_plain", conv2d_boxes_plain}, boxes::plain),
    walker_of({"conv2d_boxes_ragged", conv2d_boxes_ragged}, boxes::ragged),
    walker_of({"conv2d_boxes_pointwise", conv2d_boxes_pointwise}, boxes::pointwise),
    walker_of({"conv2d_boxes_five", conv2d_boxes_five}, boxes::five),
    walker_of({"conv2d_boxes_seven", conv2d_boxes_seven}, boxes::seven),
    walker_of({"conv2d_boxes_wide", conv2d_boxes_wide}, boxes::wide),
    walker_of({"conv2d_boxes_tall", conv2d_boxes_tall}, boxes::tall),
    walker_of({"conv2d_boxes_far", conv2d_boxes_far}, boxes::far),
};
std::vector<walker> const dgrads = {
    walker_of({"conv2d_boxes_back", conv2d_boxes_back}, boxes::back),
    walker_of({"conv2d_boxes_back_ragged", conv2d_boxes_back_ragged}, boxes::back_ragged),
    walker_of({"conv2d_boxes_back_seven", conv2d_boxes_back_seven}, boxes::back_seven),
    walker_of({"conv2d_boxes_back_tall", conv2d_boxes_back_tall}, boxes::back_tall),
    walker_of({"conv2d_boxes_back_far", conv2d_boxes_back_far}, boxes::back_far),
};

test::test_case const fprop_case(
    "conv2d_boxes_fprop", [](test::trial& t) { run_random(t, fprops, t.is_small() ? 16 : 304); },
    90);
test::test_case const dgrad_case(
    "conv2d_boxes_dgrad", [](test::trial& t) { run_random(t, dgrads, t.is_small() ? 10 : 305); },
    90);
test::test_case const infinite_case(
    "conv2d_boxes_infinite",
    [](test::trial& t) {
        run_infinite(t, fprops);
        run_infinite(t, dgrads);
    },
    90);

// The same bits, whatever is known beforehand.
void run_known(test::trial& t) {
    auto const known = walker_of({"conv2d_boxes_known", conv2d_boxes_known}, boxes::known);
    auto const known_but_n =
        walker_of({"conv2d_boxes_known_but_n", conv2d_boxes_known_but_n}, boxes::known_but_n);
    tensors const in(t.random(), known.layer);
    auto const got = known.make(t, known.layer, in);
    expect_sums(t, known.symbol, known.layer, in, got);
    t.expect_equal(known_but_n.symbol, known_but_n.make(t, known.layer, in), got);

    for (auto const& covered :
         {walker_of({"conv2d_boxes_covered", conv2d_boxes_covered}, boxes::covered),
          walker_of({"conv2d_boxes_covered_small", conv2d_boxes_covered_small},
                    boxes::covered_small),
          walker_of({"conv2d_boxes_covered_back", conv2d_boxes_covered_back},
                    boxes::covered_back)}) {
        tensors const in(t.random(), covered.layer);
        expect_sums(t, covered.symbol, covered.layer, in, covered.make(t, covered.layer, in));
    }
}
test::test_case const known_case("conv2d_boxes_known", run_known, 90);

} // namespace
