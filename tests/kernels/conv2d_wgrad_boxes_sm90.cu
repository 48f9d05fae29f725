// Weight gradients box by box, and the sums of their parts.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_wgrad.h"

#include "conv2d/wgrad_boxes.cuh"
#include "conv2d/wgrad_sum.cuh"

namespace wgrad_boxes = spio::conv2d::wgrad_boxes;
namespace wgrad_sum = spio::conv2d::wgrad_sum;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_box_plain(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_plain.is, box_plain.by>(p);
}
extern "C" __global__ void wgrad_sum_box_plain(wgrad_sum::params p) {
    wgrad_sum::run<box_plain.is, box_plain.sum()>(p);
}
extern "C" __global__ void wgrad_box_ragged(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_ragged.is, box_ragged.by>(p);
}
extern "C" __global__ void wgrad_sum_box_ragged(wgrad_sum::params p) {
    wgrad_sum::run<box_ragged.is, box_ragged.sum()>(p);
}
extern "C" __global__ void wgrad_box_pointwise(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_pointwise.is, box_pointwise.by>(p);
}
extern "C" __global__ void wgrad_sum_box_pointwise(wgrad_sum::params p) {
    wgrad_sum::run<box_pointwise.is, box_pointwise.sum()>(p);
}
extern "C" __global__ void wgrad_box_five(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_five.is, box_five.by>(p);
}
extern "C" __global__ void wgrad_sum_box_five(wgrad_sum::params p) {
    wgrad_sum::run<box_five.is, box_five.sum()>(p);
}
extern "C" __global__ void wgrad_box_seven(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_seven.is, box_seven.by>(p);
}
extern "C" __global__ void wgrad_sum_box_seven(wgrad_sum::params p) {
    wgrad_sum::run<box_seven.is, box_seven.sum()>(p);
}
extern "C" __global__ void wgrad_box_wide(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_wide.is, box_wide.by>(p);
}
extern "C" __global__ void wgrad_sum_box_wide(wgrad_sum::params p) {
    wgrad_sum::run<box_wide.is, box_wide.sum()>(p);
}
extern "C" __global__ void wgrad_box_tall(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_tall.is, box_tall.by>(p);
}
extern "C" __global__ void wgrad_sum_box_tall(wgrad_sum::params p) {
    wgrad_sum::run<box_tall.is, box_tall.sum()>(p);
}
extern "C" __global__ void wgrad_box_far(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_far.is, box_far.by>(p);
}
extern "C" __global__ void wgrad_sum_box_far(wgrad_sum::params p) {
    wgrad_sum::run<box_far.is, box_far.sum()>(p);
}
extern "C" __global__ void wgrad_box_even(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_even.is, box_even.by>(p);
}
extern "C" __global__ void wgrad_sum_box_even(wgrad_sum::params p) {
    wgrad_sum::run<box_even.is, box_even.sum()>(p);
}
extern "C" __global__ void wgrad_box_image(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_image.is, box_image.by>(p);
}
extern "C" __global__ void wgrad_sum_box_image(wgrad_sum::params p) {
    wgrad_sum::run<box_image.is, box_image.sum()>(p);
}
extern "C" __global__ void wgrad_box_low_image(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_low_image.is, box_low_image.by>(p);
}
extern "C" __global__ void wgrad_sum_box_low_image(wgrad_sum::params p) {
    wgrad_sum::run<box_low_image.is, box_low_image.sum()>(p);
}
extern "C" __global__ void wgrad_box_far_image(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_far_image.is, box_far_image.by>(p);
}
extern "C" __global__ void wgrad_sum_box_far_image(wgrad_sum::params p) {
    wgrad_sum::run<box_far_image.is, box_far_image.sum()>(p);
}
extern "C" __global__ void wgrad_box_plain_image(__grid_constant__ wgrad_boxes::params const p) {
    wgrad_boxes::run<box_plain_image.is, box_plain_image.by>(p);
}
extern "C" __global__ void wgrad_sum_box_plain_image(wgrad_sum::params p) {
    wgrad_sum::run<box_plain_image.is, box_plain_image.sum()>(p);
}
