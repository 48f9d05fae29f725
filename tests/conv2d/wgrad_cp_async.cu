// The kernels of wgrad by cp.async that are tested, and the reductions of their splits.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A kernel has the name of its layer, which says
// what is special about it: in ragged, a block's channels do not divide all; five and seven have
// such filters, wide and tall have more columns or rows of the filter, even has filters with even
// sides, far has great paddings; stepped ones have strides and dilations; of any, only the filter
// is known. A split is a share of wgrad's sum, over some rows of all images; a second kernel, the
// reduction, adds the sums of the splits, unless the blocks of a cluster do.
#include "wgrad.h"

#include "conv2d/wgrad_cp_async.cuh"
#include "conv2d/wgrad_reduce.cuh"

namespace wgrad_cp_async = spio::conv2d::wgrad_cp_async;
namespace wgrad_reduce = spio::conv2d::wgrad_reduce;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_cp_async_plain(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_plain.problem, cp_async_plain.config>(p);
}
extern "C" __global__ void wgrad_cp_async_ragged(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_ragged.problem, cp_async_ragged.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_ragged(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_ragged.problem, cp_async_ragged.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_pointwise(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_pointwise.problem, cp_async_pointwise.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_pointwise(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_pointwise.problem, cp_async_pointwise.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_five(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_five.problem, cp_async_five.config>(p);
}
extern "C" __global__ void wgrad_cp_async_seven(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_seven.problem, cp_async_seven.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_seven(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_seven.problem, cp_async_seven.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_wide(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_wide.problem, cp_async_wide.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_wide(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_wide.problem, cp_async_wide.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_tall(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_tall.problem, cp_async_tall.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_tall(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_tall.problem, cp_async_tall.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_far(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_far.problem, cp_async_far.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_far(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_far.problem, cp_async_far.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_even(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_even.problem, cp_async_even.config>(p);
}
extern "C" __global__ void
wgrad_cp_async_strided(__grid_constant__ wgrad_cp_async::params const p) {
    wgrad_cp_async::run<cp_async_strided.problem, cp_async_strided.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_strided(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_strided.problem, cp_async_strided.reduction()>(p);
}
extern "C" __global__ void
wgrad_cp_async_dilated(__grid_constant__ wgrad_cp_async::params const p) {
    wgrad_cp_async::run<cp_async_dilated.problem, cp_async_dilated.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_dilated(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_dilated.problem, cp_async_dilated.reduction()>(p);
}
extern "C" __global__ void
wgrad_cp_async_stepped_even(__grid_constant__ wgrad_cp_async::params const p) {
    wgrad_cp_async::run<cp_async_stepped_even.problem, cp_async_stepped_even.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_stepped_even(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_stepped_even.problem, cp_async_stepped_even.reduction()>(p);
}
extern "C" __global__ void
wgrad_cp_async_stepped_both(__grid_constant__ wgrad_cp_async::params const p) {
    wgrad_cp_async::run<cp_async_stepped_both.problem, cp_async_stepped_both.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_stepped_both(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_stepped_both.problem, cp_async_stepped_both.reduction()>(p);
}
extern "C" __global__ void wgrad_cp_async_any(wgrad_cp_async::params p) {
    wgrad_cp_async::run<cp_async_any.problem, cp_async_any.config>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_any(wgrad_reduce::params p) {
    wgrad_reduce::run<cp_async_any.problem, cp_async_any.reduction()>(p);
}
