// Weight gradients by rows, and the sums of their parts.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_wgrad.h"

#include "conv2d/wgrad_rows.cuh"
#include "conv2d/wgrad_sum.cuh"

namespace wgrad_rows = spio::conv2d::wgrad_rows;
namespace wgrad_sum = spio::conv2d::wgrad_sum;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_row_plain(wgrad_rows::params p) {
    wgrad_rows::run<row_plain.is, row_plain.by>(p);
}
extern "C" __global__ void wgrad_sum_row_plain(wgrad_sum::params p) {
    wgrad_sum::run<row_plain.is, row_plain.sum()>(p);
}
extern "C" __global__ void wgrad_row_ragged(wgrad_rows::params p) {
    wgrad_rows::run<row_ragged.is, row_ragged.by>(p);
}
extern "C" __global__ void wgrad_sum_row_ragged(wgrad_sum::params p) {
    wgrad_sum::run<row_ragged.is, row_ragged.sum()>(p);
}
extern "C" __global__ void wgrad_row_pointwise(wgrad_rows::params p) {
    wgrad_rows::run<row_pointwise.is, row_pointwise.by>(p);
}
extern "C" __global__ void wgrad_sum_row_pointwise(wgrad_sum::params p) {
    wgrad_sum::run<row_pointwise.is, row_pointwise.sum()>(p);
}
extern "C" __global__ void wgrad_row_five(wgrad_rows::params p) {
    wgrad_rows::run<row_five.is, row_five.by>(p);
}
extern "C" __global__ void wgrad_sum_row_five(wgrad_sum::params p) {
    wgrad_sum::run<row_five.is, row_five.sum()>(p);
}
extern "C" __global__ void wgrad_row_seven(wgrad_rows::params p) {
    wgrad_rows::run<row_seven.is, row_seven.by>(p);
}
extern "C" __global__ void wgrad_sum_row_seven(wgrad_sum::params p) {
    wgrad_sum::run<row_seven.is, row_seven.sum()>(p);
}
extern "C" __global__ void wgrad_row_wide(wgrad_rows::params p) {
    wgrad_rows::run<row_wide.is, row_wide.by>(p);
}
extern "C" __global__ void wgrad_sum_row_wide(wgrad_sum::params p) {
    wgrad_sum::run<row_wide.is, row_wide.sum()>(p);
}
extern "C" __global__ void wgrad_row_tall(wgrad_rows::params p) {
    wgrad_rows::run<row_tall.is, row_tall.by>(p);
}
extern "C" __global__ void wgrad_sum_row_tall(wgrad_sum::params p) {
    wgrad_sum::run<row_tall.is, row_tall.sum()>(p);
}
extern "C" __global__ void wgrad_row_far(wgrad_rows::params p) {
    wgrad_rows::run<row_far.is, row_far.by>(p);
}
extern "C" __global__ void wgrad_sum_row_far(wgrad_sum::params p) {
    wgrad_sum::run<row_far.is, row_far.sum()>(p);
}
extern "C" __global__ void wgrad_row_even(wgrad_rows::params p) {
    wgrad_rows::run<row_even.is, row_even.by>(p);
}
extern "C" __global__ void wgrad_sum_row_even(wgrad_sum::params p) {
    wgrad_sum::run<row_even.is, row_even.sum()>(p);
}
