// Convolutions by boxes.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_tma.h"

#include "conv2d/tma.cuh"

namespace tma = spio::conv2d::tma;
using namespace spio::test::conv2d_tma;

extern "C" __global__ void conv2d_tma_plain(__grid_constant__ tma::params const p) {
    tma::run<plain.is, plain.by>(p);
}
extern "C" __global__ void conv2d_tma_ragged(__grid_constant__ tma::params const p) {
    tma::run<ragged.is, ragged.by>(p);
}
extern "C" __global__ void conv2d_tma_pointwise(__grid_constant__ tma::params const p) {
    tma::run<pointwise.is, pointwise.by>(p);
}
extern "C" __global__ void conv2d_tma_five(__grid_constant__ tma::params const p) {
    tma::run<five.is, five.by>(p);
}
extern "C" __global__ void conv2d_tma_seven(__grid_constant__ tma::params const p) {
    tma::run<seven.is, seven.by>(p);
}
extern "C" __global__ void conv2d_tma_wide(__grid_constant__ tma::params const p) {
    tma::run<wide.is, wide.by>(p);
}
extern "C" __global__ void conv2d_tma_tall(__grid_constant__ tma::params const p) {
    tma::run<tall.is, tall.by>(p);
}
extern "C" __global__ void conv2d_tma_far(__grid_constant__ tma::params const p) {
    tma::run<far.is, far.by>(p);
}
extern "C" __global__ void conv2d_tma_back(__grid_constant__ tma::params const p) {
    tma::run<back.is, back.by>(p);
}
extern "C" __global__ void conv2d_tma_back_ragged(__grid_constant__ tma::params const p) {
    tma::run<back_ragged.is, back_ragged.by>(p);
}
extern "C" __global__ void conv2d_tma_back_seven(__grid_constant__ tma::params const p) {
    tma::run<back_seven.is, back_seven.by>(p);
}
extern "C" __global__ void conv2d_tma_back_tall(__grid_constant__ tma::params const p) {
    tma::run<back_tall.is, back_tall.by>(p);
}
extern "C" __global__ void conv2d_tma_back_far(__grid_constant__ tma::params const p) {
    tma::run<back_far.is, back_far.by>(p);
}
extern "C" __global__ void conv2d_tma_known(__grid_constant__ tma::params const p) {
    tma::run<known.is, known.by>(p);
}
extern "C" __global__ void conv2d_tma_known_but_n(__grid_constant__ tma::params const p) {
    tma::run<known_but_n.is, known_but_n.by>(p);
}
extern "C" __global__ void conv2d_tma_covered(__grid_constant__ tma::params const p) {
    tma::run<covered.is, covered.by>(p);
}
extern "C" __global__ void conv2d_tma_covered_small(__grid_constant__ tma::params const p) {
    tma::run<covered_small.is, covered_small.by>(p);
}
extern "C" __global__ void conv2d_tma_covered_back(__grid_constant__ tma::params const p) {
    tma::run<covered_back.is, covered_back.by>(p);
}
