// Convolutions by rows.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_rows.h"

#include "conv2d/rows.cuh"

namespace rows = spio::conv2d::rows;
using namespace spio::test::conv2d_rows;

extern "C" __global__ void conv2d_rows_plain(__grid_constant__ rows::params const p) {
    rows::run<plain.is, plain.by>(p);
}
extern "C" __global__ void conv2d_rows_ragged(__grid_constant__ rows::params const p) {
    rows::run<ragged.is, ragged.by>(p);
}
extern "C" __global__ void conv2d_rows_pointwise(__grid_constant__ rows::params const p) {
    rows::run<pointwise.is, pointwise.by>(p);
}
extern "C" __global__ void conv2d_rows_five(__grid_constant__ rows::params const p) {
    rows::run<five.is, five.by>(p);
}
extern "C" __global__ void conv2d_rows_seven(__grid_constant__ rows::params const p) {
    rows::run<seven.is, seven.by>(p);
}
extern "C" __global__ void conv2d_rows_wide(__grid_constant__ rows::params const p) {
    rows::run<wide.is, wide.by>(p);
}
extern "C" __global__ void conv2d_rows_tall(__grid_constant__ rows::params const p) {
    rows::run<tall.is, tall.by>(p);
}
extern "C" __global__ void conv2d_rows_far(__grid_constant__ rows::params const p) {
    rows::run<far.is, far.by>(p);
}
extern "C" __global__ void conv2d_rows_back(__grid_constant__ rows::params const p) {
    rows::run<back.is, back.by>(p);
}
extern "C" __global__ void conv2d_rows_back_ragged(__grid_constant__ rows::params const p) {
    rows::run<back_ragged.is, back_ragged.by>(p);
}
extern "C" __global__ void conv2d_rows_back_seven(__grid_constant__ rows::params const p) {
    rows::run<back_seven.is, back_seven.by>(p);
}
extern "C" __global__ void conv2d_rows_back_tall(__grid_constant__ rows::params const p) {
    rows::run<back_tall.is, back_tall.by>(p);
}
extern "C" __global__ void conv2d_rows_back_far(__grid_constant__ rows::params const p) {
    rows::run<back_far.is, back_far.by>(p);
}
extern "C" __global__ void conv2d_rows_known(__grid_constant__ rows::params const p) {
    rows::run<known.is, known.by>(p);
}
extern "C" __global__ void conv2d_rows_known_but_n(__grid_constant__ rows::params const p) {
    rows::run<known_but_n.is, known_but_n.by>(p);
}
