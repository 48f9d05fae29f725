// Weight gradients by rows, and the sums of their parts.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_wgrad.h"

#include "conv2d/wgrad_cp_async.cuh"
#include "conv2d/wgrad_reduce.cuh"

namespace wgrad_cp_async = spio::conv2d::wgrad_cp_async;
namespace wgrad_reduce = spio::conv2d::wgrad_reduce;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_cp_async_plain(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_plain.is, row_plain.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_plain(wgrad_reduce::params p) {
    wgrad_reduce::run<row_plain.is, row_plain.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_ragged(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_ragged.is, row_ragged.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_ragged(wgrad_reduce::params p) {
    wgrad_reduce::run<row_ragged.is, row_ragged.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_pointwise(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_pointwise.is, row_pointwise.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_pointwise(wgrad_reduce::params p) {
    wgrad_reduce::run<row_pointwise.is, row_pointwise.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_five(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_five.is, row_five.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_five(wgrad_reduce::params p) {
    wgrad_reduce::run<row_five.is, row_five.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_seven(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_seven.is, row_seven.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_seven(wgrad_reduce::params p) {
    wgrad_reduce::run<row_seven.is, row_seven.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_wide(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_wide.is, row_wide.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_wide(wgrad_reduce::params p) {
    wgrad_reduce::run<row_wide.is, row_wide.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_tall(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_tall.is, row_tall.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_tall(wgrad_reduce::params p) {
    wgrad_reduce::run<row_tall.is, row_tall.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_far(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_far.is, row_far.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_far(wgrad_reduce::params p) {
    wgrad_reduce::run<row_far.is, row_far.sum()>(p);
}
extern "C" __global__ void wgrad_cp_async_even(wgrad_cp_async::params p) {
    wgrad_cp_async::run<row_even.is, row_even.by>(p);
}
extern "C" __global__ void wgrad_reduce_cp_async_even(wgrad_reduce::params p) {
    wgrad_reduce::run<row_even.is, row_even.sum()>(p);
}
