// Convolutions by boxes.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_boxes.h"

#include "conv2d/boxes.cuh"

namespace boxes = spio::conv2d::boxes;
using namespace spio::test::conv2d_boxes;

extern "C" __global__ void conv2d_boxes_plain(__grid_constant__ boxes::params const p) {
    boxes::run<plain.is, plain.by>(p);
}
extern "C" __global__ void conv2d_boxes_ragged(__grid_constant__ boxes::params const p) {
    boxes::run<ragged.is, ragged.by>(p);
}
extern "C" __global__ void conv2d_boxes_pointwise(__grid_constant__ boxes::params const p) {
    boxes::run<pointwise.is, pointwise.by>(p);
}
extern "C" __global__ void conv2d_boxes_five(__grid_constant__ boxes::params const p) {
    boxes::run<five.is, five.by>(p);
}
extern "C" __global__ void conv2d_boxes_seven(__grid_constant__ boxes::params const p) {
    boxes::run<seven.is, seven.by>(p);
}
extern "C" __global__ void conv2d_boxes_wide(__grid_constant__ boxes::params const p) {
    boxes::run<wide.is, wide.by>(p);
}
extern "C" __global__ void conv2d_boxes_tall(__grid_constant__ boxes::params const p) {
    boxes::run<tall.is, tall.by>(p);
}
extern "C" __global__ void conv2d_boxes_far(__grid_constant__ boxes::params const p) {
    boxes::run<far.is, far.by>(p);
}
extern "C" __global__ void conv2d_boxes_back(__grid_constant__ boxes::params const p) {
    boxes::run<back.is, back.by>(p);
}
extern "C" __global__ void conv2d_boxes_back_ragged(__grid_constant__ boxes::params const p) {
    boxes::run<back_ragged.is, back_ragged.by>(p);
}
extern "C" __global__ void conv2d_boxes_back_seven(__grid_constant__ boxes::params const p) {
    boxes::run<back_seven.is, back_seven.by>(p);
}
extern "C" __global__ void conv2d_boxes_back_tall(__grid_constant__ boxes::params const p) {
    boxes::run<back_tall.is, back_tall.by>(p);
}
extern "C" __global__ void conv2d_boxes_back_far(__grid_constant__ boxes::params const p) {
    boxes::run<back_far.is, back_far.by>(p);
}
extern "C" __global__ void conv2d_boxes_known(__grid_constant__ boxes::params const p) {
    boxes::run<known.is, known.by>(p);
}
extern "C" __global__ void conv2d_boxes_known_but_n(__grid_constant__ boxes::params const p) {
    boxes::run<known_but_n.is, known_but_n.by>(p);
}
extern "C" __global__ void conv2d_boxes_covered(__grid_constant__ boxes::params const p) {
    boxes::run<covered.is, covered.by>(p);
}
extern "C" __global__ void conv2d_boxes_covered_small(__grid_constant__ boxes::params const p) {
    boxes::run<covered_small.is, covered_small.by>(p);
}
extern "C" __global__ void conv2d_boxes_covered_back(__grid_constant__ boxes::params const p) {
    boxes::run<covered_back.is, covered_back.by>(p);
}
