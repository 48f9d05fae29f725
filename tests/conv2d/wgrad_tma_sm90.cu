// The kernels of wgrad by TMA that are tested, and the reductions of their splits.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A kernel has the name of its layer, which says
// what is special about it: in ragged, a block's channels do not divide all; five and seven have
// such filters, wide and tall have more columns or rows of the filter, even has filters with even
// sides, far has great paddings; stepped ones have strides and dilations; an image is of a known
// size; in rows, blocks copy whole rows; pair, trio, octet and sixteen are clusters of blocks; of
// any, only the filter is known; in parts, two warps share a group; eight moves registers to its
// warps. A split is a share of wgrad's sum, over some rows of all images; a second kernel, the
// reduction, adds the sums of the splits, unless the blocks of a cluster do.
#include "wgrad.h"

#include "conv2d/wgrad_reduce.cuh"
#include "conv2d/wgrad_tma.cuh"

namespace wgrad_tma = spio::conv2d::wgrad_tma;
namespace wgrad_reduce = spio::conv2d::wgrad_reduce;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_tma_plain(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_plain.problem, tma_plain.config>(p);
}
extern "C" __global__ void wgrad_tma_ragged(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_ragged.problem, tma_ragged.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_ragged(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_ragged.problem, tma_ragged.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_pointwise(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_pointwise.problem, tma_pointwise.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_pointwise(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_pointwise.problem, tma_pointwise.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_five(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_five.problem, tma_five.config>(p);
}
extern "C" __global__ void wgrad_tma_seven(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_seven.problem, tma_seven.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_seven(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_seven.problem, tma_seven.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_wide(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_wide.problem, tma_wide.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_wide(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_wide.problem, tma_wide.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_tall(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_tall.problem, tma_tall.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_tall(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_tall.problem, tma_tall.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_far(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_far.problem, tma_far.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_far(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_far.problem, tma_far.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_even(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_even.problem, tma_even.config>(p);
}
extern "C" __global__ void wgrad_tma_strided(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_strided.problem, tma_strided.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_strided(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_strided.problem, tma_strided.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_dilated(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_dilated.problem, tma_dilated.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_dilated(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_dilated.problem, tma_dilated.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_stepped_even(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_stepped_even.problem, tma_stepped_even.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_stepped_even(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_stepped_even.problem, tma_stepped_even.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_stepped_both(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_stepped_both.problem, tma_stepped_both.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_stepped_both(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_stepped_both.problem, tma_stepped_both.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_image.problem, tma_image.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_image(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_image.problem, tma_image.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_low_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_low_image.problem, tma_low_image.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_low_image(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_low_image.problem, tma_low_image.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_far_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_far_image.problem, tma_far_image.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_far_image(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_far_image.problem, tma_far_image.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_plain_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_plain_image.problem, tma_plain_image.config>(p);
}
extern "C" __global__ void wgrad_tma_rows(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_rows.problem, tma_rows.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_rows(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_rows.problem, tma_rows.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_rows_pair(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_rows_pair.problem, tma_rows_pair.config>(p);
}
extern "C" __global__ void wgrad_tma_rows_dilated(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_rows_dilated.problem, tma_rows_dilated.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_rows_dilated(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_rows_dilated.problem, tma_rows_dilated.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_rows_strided(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_rows_strided.problem, tma_rows_strided.config>(p);
}
extern "C" __global__ void wgrad_tma_pair(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_pair.problem, tma_pair.config>(p);
}
extern "C" __global__ void wgrad_tma_trio(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_trio.problem, tma_trio.config>(p);
}
extern "C" __global__ void wgrad_tma_sixteen(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_sixteen.problem, tma_sixteen.config>(p);
}
extern "C" __global__ void wgrad_tma_octet(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_octet.problem, tma_octet.config>(p);
}
extern "C" __global__ void wgrad_tma_image_pair(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_image_pair.problem, tma_image_pair.config>(p);
}
extern "C" __global__ void wgrad_tma_any(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_any.problem, tma_any.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_any(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_any.problem, tma_any.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_eight(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_eight.problem, tma_eight.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_eight(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_eight.problem, tma_eight.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_eight_parts(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_eight_parts.problem, tma_eight_parts.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_eight_parts(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_eight_parts.problem, tma_eight_parts.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_twelve(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_twelve.problem, tma_twelve.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_twelve(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_twelve.problem, tma_twelve.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_twelve_strided(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_twelve_strided.problem, tma_twelve_strided.config>(p);
}
extern "C" __global__ void wgrad_tma_twelve_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_twelve_image.problem, tma_twelve_image.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_twelve_image(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_twelve_image.problem, tma_twelve_image.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_seven_parts(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_seven_parts.problem, tma_seven_parts.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_seven_parts(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_seven_parts.problem, tma_seven_parts.reduction()>(p);
}
extern "C" __global__ void wgrad_tma_five_parts(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_five_parts.problem, tma_five_parts.config>(p);
}
extern "C" __global__ void wgrad_tma_ragged_parts(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_ragged_parts.problem, tma_ragged_parts.config>(p);
}
extern "C" __global__ void wgrad_tma_far_parts(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<tma_far_parts.problem, tma_far_parts.config>(p);
}
extern "C" __global__ void wgrad_reduce_tma_far_parts(wgrad_reduce::params p) {
    wgrad_reduce::run<tma_far_parts.problem, tma_far_parts.reduction()>(p);
}
