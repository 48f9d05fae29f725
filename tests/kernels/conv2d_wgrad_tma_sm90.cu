// Weight gradients box by box, and the sums of their parts.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_wgrad.h"

#include "conv2d/wgrad_reduce.cuh"
#include "conv2d/wgrad_tma.cuh"

namespace wgrad_tma = spio::conv2d::wgrad_tma;
namespace wgrad_reduce = spio::conv2d::wgrad_reduce;
using namespace spio::test::conv2d_wgrad;

extern "C" __global__ void wgrad_tma_plain(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_plain.is, box_plain.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_plain(wgrad_reduce::params p) {
    wgrad_reduce::run<box_plain.is, box_plain.sum()>(p);
}
extern "C" __global__ void wgrad_tma_ragged(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_ragged.is, box_ragged.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_ragged(wgrad_reduce::params p) {
    wgrad_reduce::run<box_ragged.is, box_ragged.sum()>(p);
}
extern "C" __global__ void wgrad_tma_pointwise(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_pointwise.is, box_pointwise.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_pointwise(wgrad_reduce::params p) {
    wgrad_reduce::run<box_pointwise.is, box_pointwise.sum()>(p);
}
extern "C" __global__ void wgrad_tma_five(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_five.is, box_five.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_five(wgrad_reduce::params p) {
    wgrad_reduce::run<box_five.is, box_five.sum()>(p);
}
extern "C" __global__ void wgrad_tma_seven(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_seven.is, box_seven.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_seven(wgrad_reduce::params p) {
    wgrad_reduce::run<box_seven.is, box_seven.sum()>(p);
}
extern "C" __global__ void wgrad_tma_wide(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_wide.is, box_wide.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_wide(wgrad_reduce::params p) {
    wgrad_reduce::run<box_wide.is, box_wide.sum()>(p);
}
extern "C" __global__ void wgrad_tma_tall(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_tall.is, box_tall.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_tall(wgrad_reduce::params p) {
    wgrad_reduce::run<box_tall.is, box_tall.sum()>(p);
}
extern "C" __global__ void wgrad_tma_far(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_far.is, box_far.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_far(wgrad_reduce::params p) {
    wgrad_reduce::run<box_far.is, box_far.sum()>(p);
}
extern "C" __global__ void wgrad_tma_even(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_even.is, box_even.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_even(wgrad_reduce::params p) {
    wgrad_reduce::run<box_even.is, box_even.sum()>(p);
}
extern "C" __global__ void wgrad_tma_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_image.is, box_image.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_image(wgrad_reduce::params p) {
    wgrad_reduce::run<box_image.is, box_image.sum()>(p);
}
extern "C" __global__ void wgrad_tma_low_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_low_image.is, box_low_image.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_low_image(wgrad_reduce::params p) {
    wgrad_reduce::run<box_low_image.is, box_low_image.sum()>(p);
}
extern "C" __global__ void wgrad_tma_far_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_far_image.is, box_far_image.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_far_image(wgrad_reduce::params p) {
    wgrad_reduce::run<box_far_image.is, box_far_image.sum()>(p);
}
extern "C" __global__ void wgrad_tma_plain_image(__grid_constant__ wgrad_tma::params const p) {
    wgrad_tma::run<box_plain_image.is, box_plain_image.by>(p);
}
extern "C" __global__ void wgrad_reduce_tma_plain_image(wgrad_reduce::params p) {
    wgrad_reduce::run<box_plain_image.is, box_plain_image.sum()>(p);
}
