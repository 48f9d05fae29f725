// The kernels of wgrad that are tested, each with its reduction and its layer.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter: blocks sum parts of it, and a second kernel, the
// reduction, adds them up. A layer is a problem with a configuration, named after what is special
// about it.
#pragma once

#include "trial.h"
#include "wgrad.h"

#include <vector>

using reduce_params = spio::conv2d::wgrad_reduce::params;
using cp_async_params = spio::conv2d::wgrad_cp_async::params;
using tma_params = spio::conv2d::wgrad_tma::params;
extern "C" void wgrad_cp_async_plain(cp_async_params p), wgrad_cp_async_ragged(cp_async_params p),
    wgrad_cp_async_pointwise(cp_async_params p), wgrad_cp_async_five(cp_async_params p),
    wgrad_cp_async_seven(cp_async_params p), wgrad_cp_async_wide(cp_async_params p),
    wgrad_cp_async_tall(cp_async_params p), wgrad_cp_async_far(cp_async_params p),
    wgrad_cp_async_even(cp_async_params p), wgrad_cp_async_strided(cp_async_params p),
    wgrad_cp_async_dilated(cp_async_params p), wgrad_cp_async_stepped_even(cp_async_params p),
    wgrad_cp_async_stepped_both(cp_async_params p), wgrad_cp_async_any(cp_async_params p);
extern "C" void wgrad_tma_plain(tma_params p), wgrad_tma_ragged(tma_params p),
    wgrad_tma_pointwise(tma_params p), wgrad_tma_five(tma_params p), wgrad_tma_seven(tma_params p),
    wgrad_tma_wide(tma_params p), wgrad_tma_tall(tma_params p), wgrad_tma_far(tma_params p),
    wgrad_tma_even(tma_params p), wgrad_tma_strided(tma_params p), wgrad_tma_dilated(tma_params p),
    wgrad_tma_stepped_even(tma_params p), wgrad_tma_stepped_both(tma_params p),
    wgrad_tma_image(tma_params p), wgrad_tma_low_image(tma_params p),
    wgrad_tma_far_image(tma_params p), wgrad_tma_plain_image(tma_params p),
    wgrad_tma_pair(tma_params p), wgrad_tma_trio(tma_params p), wgrad_tma_octet(tma_params p),
    wgrad_tma_sixteen(tma_params p), wgrad_tma_image_pair(tma_params p),
    wgrad_tma_any(tma_params p), wgrad_tma_seven_parts(tma_params p),
    wgrad_tma_five_parts(tma_params p), wgrad_tma_ragged_parts(tma_params p),
    wgrad_tma_far_parts(tma_params p), wgrad_tma_eight(tma_params p),
    wgrad_tma_eight_parts(tma_params p), wgrad_tma_rows(tma_params p),
    wgrad_tma_rows_pair(tma_params p), wgrad_tma_rows_dilated(tma_params p),
    wgrad_tma_rows_strided(tma_params p), wgrad_tma_twelve(tma_params p),
    wgrad_tma_twelve_strided(tma_params p), wgrad_tma_twelve_image(tma_params p);
extern "C" void wgrad_reduce_cp_async_ragged(reduce_params p),
    wgrad_reduce_cp_async_pointwise(reduce_params p), wgrad_reduce_cp_async_seven(reduce_params p),
    wgrad_reduce_cp_async_wide(reduce_params p), wgrad_reduce_cp_async_tall(reduce_params p),
    wgrad_reduce_cp_async_far(reduce_params p), wgrad_reduce_cp_async_strided(reduce_params p),
    wgrad_reduce_cp_async_dilated(reduce_params p),
    wgrad_reduce_cp_async_stepped_even(reduce_params p),
    wgrad_reduce_cp_async_stepped_both(reduce_params p), wgrad_reduce_tma_ragged(reduce_params p),
    wgrad_reduce_tma_pointwise(reduce_params p), wgrad_reduce_tma_seven(reduce_params p),
    wgrad_reduce_tma_wide(reduce_params p), wgrad_reduce_tma_tall(reduce_params p),
    wgrad_reduce_tma_far(reduce_params p), wgrad_reduce_tma_strided(reduce_params p),
    wgrad_reduce_tma_dilated(reduce_params p), wgrad_reduce_tma_stepped_even(reduce_params p),
    wgrad_reduce_tma_stepped_both(reduce_params p), wgrad_reduce_tma_image(reduce_params p),
    wgrad_reduce_tma_low_image(reduce_params p), wgrad_reduce_tma_far_image(reduce_params p),
    wgrad_reduce_cp_async_any(reduce_params p), wgrad_reduce_tma_any(reduce_params p),
    wgrad_reduce_tma_seven_parts(reduce_params p), wgrad_reduce_tma_far_parts(reduce_params p),
    wgrad_reduce_tma_eight(reduce_params p), wgrad_reduce_tma_eight_parts(reduce_params p),
    wgrad_reduce_tma_rows(reduce_params p), wgrad_reduce_tma_rows_dilated(reduce_params p),
    wgrad_reduce_tma_twelve(reduce_params p), wgrad_reduce_tma_twelve_image(reduce_params p);

namespace spio::test::conv2d_wgrad {

// A kernel, the reduction of its partial sums and its layer. Where it leaves no partial sums there
// is no reduction.
template <class Params, class Layer> struct variant {
    kernel<Params> run;
    kernel<reduce_params> reduce;
    Layer layer;
};
using cp_async_variant = variant<cp_async_params, cp_async_layer>;
using tma_variant = variant<tma_params, tma_layer>;

inline std::vector<cp_async_variant> const cp_async_variants = {
    {{"wgrad_cp_async_plain", wgrad_cp_async_plain}, {}, cp_async_plain},
    {{"wgrad_cp_async_ragged", wgrad_cp_async_ragged},
     {"wgrad_reduce_cp_async_ragged", wgrad_reduce_cp_async_ragged},
     cp_async_ragged},
    {{"wgrad_cp_async_pointwise", wgrad_cp_async_pointwise},
     {"wgrad_reduce_cp_async_pointwise", wgrad_reduce_cp_async_pointwise},
     cp_async_pointwise},
    {{"wgrad_cp_async_five", wgrad_cp_async_five}, {}, cp_async_five},
    {{"wgrad_cp_async_seven", wgrad_cp_async_seven},
     {"wgrad_reduce_cp_async_seven", wgrad_reduce_cp_async_seven},
     cp_async_seven},
    {{"wgrad_cp_async_wide", wgrad_cp_async_wide},
     {"wgrad_reduce_cp_async_wide", wgrad_reduce_cp_async_wide},
     cp_async_wide},
    {{"wgrad_cp_async_tall", wgrad_cp_async_tall},
     {"wgrad_reduce_cp_async_tall", wgrad_reduce_cp_async_tall},
     cp_async_tall},
    {{"wgrad_cp_async_far", wgrad_cp_async_far},
     {"wgrad_reduce_cp_async_far", wgrad_reduce_cp_async_far},
     cp_async_far},
    {{"wgrad_cp_async_even", wgrad_cp_async_even}, {}, cp_async_even},
    {{"wgrad_cp_async_strided", wgrad_cp_async_strided},
     {"wgrad_reduce_cp_async_strided", wgrad_reduce_cp_async_strided},
     cp_async_strided},
    {{"wgrad_cp_async_dilated", wgrad_cp_async_dilated},
     {"wgrad_reduce_cp_async_dilated", wgrad_reduce_cp_async_dilated},
     cp_async_dilated},
    {{"wgrad_cp_async_stepped_even", wgrad_cp_async_stepped_even},
     {"wgrad_reduce_cp_async_stepped_even", wgrad_reduce_cp_async_stepped_even},
     cp_async_stepped_even},
    {{"wgrad_cp_async_stepped_both", wgrad_cp_async_stepped_both},
     {"wgrad_reduce_cp_async_stepped_both", wgrad_reduce_cp_async_stepped_both},
     cp_async_stepped_both},
    {{"wgrad_cp_async_any", wgrad_cp_async_any},
     {"wgrad_reduce_cp_async_any", wgrad_reduce_cp_async_any},
     cp_async_any},
};
inline std::vector<tma_variant> const tma_variants = {
    {{"wgrad_tma_plain", wgrad_tma_plain}, {}, tma_plain},
    {{"wgrad_tma_ragged", wgrad_tma_ragged},
     {"wgrad_reduce_tma_ragged", wgrad_reduce_tma_ragged},
     tma_ragged},
    {{"wgrad_tma_pointwise", wgrad_tma_pointwise},
     {"wgrad_reduce_tma_pointwise", wgrad_reduce_tma_pointwise},
     tma_pointwise},
    {{"wgrad_tma_five", wgrad_tma_five}, {}, tma_five},
    {{"wgrad_tma_seven", wgrad_tma_seven},
     {"wgrad_reduce_tma_seven", wgrad_reduce_tma_seven},
     tma_seven},
    {{"wgrad_tma_wide", wgrad_tma_wide},
     {"wgrad_reduce_tma_wide", wgrad_reduce_tma_wide},
     tma_wide},
    {{"wgrad_tma_tall", wgrad_tma_tall},
     {"wgrad_reduce_tma_tall", wgrad_reduce_tma_tall},
     tma_tall},
    {{"wgrad_tma_far", wgrad_tma_far}, {"wgrad_reduce_tma_far", wgrad_reduce_tma_far}, tma_far},
    {{"wgrad_tma_even", wgrad_tma_even}, {}, tma_even},
    {{"wgrad_tma_strided", wgrad_tma_strided},
     {"wgrad_reduce_tma_strided", wgrad_reduce_tma_strided},
     tma_strided},
    {{"wgrad_tma_dilated", wgrad_tma_dilated},
     {"wgrad_reduce_tma_dilated", wgrad_reduce_tma_dilated},
     tma_dilated},
    {{"wgrad_tma_stepped_even", wgrad_tma_stepped_even},
     {"wgrad_reduce_tma_stepped_even", wgrad_reduce_tma_stepped_even},
     tma_stepped_even},
    {{"wgrad_tma_stepped_both", wgrad_tma_stepped_both},
     {"wgrad_reduce_tma_stepped_both", wgrad_reduce_tma_stepped_both},
     tma_stepped_both},
    {{"wgrad_tma_image", wgrad_tma_image},
     {"wgrad_reduce_tma_image", wgrad_reduce_tma_image},
     tma_image},
    {{"wgrad_tma_low_image", wgrad_tma_low_image},
     {"wgrad_reduce_tma_low_image", wgrad_reduce_tma_low_image},
     tma_low_image},
    {{"wgrad_tma_far_image", wgrad_tma_far_image},
     {"wgrad_reduce_tma_far_image", wgrad_reduce_tma_far_image},
     tma_far_image},
    {{"wgrad_tma_plain_image", wgrad_tma_plain_image}, {}, tma_plain_image},
    {{"wgrad_tma_rows", wgrad_tma_rows},
     {"wgrad_reduce_tma_rows", wgrad_reduce_tma_rows},
     tma_rows},
    {{"wgrad_tma_rows_pair", wgrad_tma_rows_pair}, {}, tma_rows_pair},
    {{"wgrad_tma_rows_dilated", wgrad_tma_rows_dilated},
     {"wgrad_reduce_tma_rows_dilated", wgrad_reduce_tma_rows_dilated},
     tma_rows_dilated},
    {{"wgrad_tma_rows_strided", wgrad_tma_rows_strided}, {}, tma_rows_strided},
    {{"wgrad_tma_pair", wgrad_tma_pair}, {}, tma_pair},
    {{"wgrad_tma_trio", wgrad_tma_trio}, {}, tma_trio},
    {{"wgrad_tma_octet", wgrad_tma_octet}, {}, tma_octet},
    {{"wgrad_tma_sixteen", wgrad_tma_sixteen}, {}, tma_sixteen},
    {{"wgrad_tma_image_pair", wgrad_tma_image_pair}, {}, tma_image_pair},
    {{"wgrad_tma_any", wgrad_tma_any}, {"wgrad_reduce_tma_any", wgrad_reduce_tma_any}, tma_any},
    {{"wgrad_tma_eight", wgrad_tma_eight},
     {"wgrad_reduce_tma_eight", wgrad_reduce_tma_eight},
     tma_eight},
    {{"wgrad_tma_eight_parts", wgrad_tma_eight_parts},
     {"wgrad_reduce_tma_eight_parts", wgrad_reduce_tma_eight_parts},
     tma_eight_parts},
    {{"wgrad_tma_twelve", wgrad_tma_twelve},
     {"wgrad_reduce_tma_twelve", wgrad_reduce_tma_twelve},
     tma_twelve},
    {{"wgrad_tma_twelve_strided", wgrad_tma_twelve_strided}, {}, tma_twelve_strided},
    {{"wgrad_tma_twelve_image", wgrad_tma_twelve_image},
     {"wgrad_reduce_tma_twelve_image", wgrad_reduce_tma_twelve_image},
     tma_twelve_image},
    {{"wgrad_tma_seven_parts", wgrad_tma_seven_parts},
     {"wgrad_reduce_tma_seven_parts", wgrad_reduce_tma_seven_parts},
     tma_seven_parts},
    {{"wgrad_tma_five_parts", wgrad_tma_five_parts}, {}, tma_five_parts},
    {{"wgrad_tma_ragged_parts", wgrad_tma_ragged_parts}, {}, tma_ragged_parts},
    {{"wgrad_tma_far_parts", wgrad_tma_far_parts},
     {"wgrad_reduce_tma_far_parts", wgrad_reduce_tma_far_parts},
     tma_far_parts},
};

} // namespace spio::test::conv2d_wgrad
