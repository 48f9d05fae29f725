// Convolutions by rows.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_cp_async.h"

#include "conv2d/cp_async.cuh"

namespace cp_async = spio::conv2d::cp_async;
using namespace spio::test::conv2d_cp_async;

extern "C" __global__ void conv2d_cp_async_plain(__grid_constant__ cp_async::params const p) {
    cp_async::run<plain.is, plain.by>(p);
}
extern "C" __global__ void conv2d_cp_async_ragged(__grid_constant__ cp_async::params const p) {
    cp_async::run<ragged.is, ragged.by>(p);
}
extern "C" __global__ void conv2d_cp_async_pointwise(__grid_constant__ cp_async::params const p) {
    cp_async::run<pointwise.is, pointwise.by>(p);
}
extern "C" __global__ void conv2d_cp_async_five(__grid_constant__ cp_async::params const p) {
    cp_async::run<five.is, five.by>(p);
}
extern "C" __global__ void conv2d_cp_async_seven(__grid_constant__ cp_async::params const p) {
    cp_async::run<seven.is, seven.by>(p);
}
extern "C" __global__ void conv2d_cp_async_wide(__grid_constant__ cp_async::params const p) {
    cp_async::run<wide.is, wide.by>(p);
}
extern "C" __global__ void conv2d_cp_async_tall(__grid_constant__ cp_async::params const p) {
    cp_async::run<tall.is, tall.by>(p);
}
extern "C" __global__ void conv2d_cp_async_far(__grid_constant__ cp_async::params const p) {
    cp_async::run<far.is, far.by>(p);
}
extern "C" __global__ void conv2d_cp_async_back(__grid_constant__ cp_async::params const p) {
    cp_async::run<back.is, back.by>(p);
}
extern "C" __global__ void conv2d_cp_async_back_ragged(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_ragged.is, back_ragged.by>(p);
}
extern "C" __global__ void conv2d_cp_async_back_seven(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_seven.is, back_seven.by>(p);
}
extern "C" __global__ void conv2d_cp_async_back_tall(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_tall.is, back_tall.by>(p);
}
extern "C" __global__ void conv2d_cp_async_back_far(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_far.is, back_far.by>(p);
}
extern "C" __global__ void conv2d_cp_async_known(__grid_constant__ cp_async::params const p) {
    cp_async::run<known.is, known.by>(p);
}
extern "C" __global__ void conv2d_cp_async_known_but_n(__grid_constant__ cp_async::params const p) {
    cp_async::run<known_but_n.is, known_but_n.by>(p);
}
