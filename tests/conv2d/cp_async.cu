// The kernels of fprop and dgrad by cp.async that are tested.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input. A layer is a problem (sizes
// and options; images of any size are known only at the launch) with a configuration, which says
// how blocks share it. A kernel has the name of its layer, which says what is special about it: in
// ragged, a block's channels do not divide all; five and seven have such filters, wide and tall
// have more columns or rows of the filter, even has filters with even sides, far has great
// paddings, and a last step of its own, add_number; stepped ones have strides and dilations; back
// ones are dgrad; of any, only the filter is known.
#include "cp_async.h"
#include "last_step.cuh"

#include "conv2d/cp_async.cuh"

namespace cp_async = spio::conv2d::cp_async;
using namespace spio::test::conv2d_cp_async;

extern "C" __global__ void conv2d_cp_async_plain(__grid_constant__ cp_async::params const p) {
    cp_async::run<plain.problem, plain.config>(p);
}
extern "C" __global__ void conv2d_cp_async_ragged(__grid_constant__ cp_async::params const p) {
    cp_async::run<ragged.problem, ragged.config>(p);
}
extern "C" __global__ void conv2d_cp_async_pointwise(__grid_constant__ cp_async::params const p) {
    cp_async::run<pointwise.problem, pointwise.config>(p);
}
extern "C" __global__ void conv2d_cp_async_five(__grid_constant__ cp_async::params const p) {
    cp_async::run<five.problem, five.config>(p);
}
extern "C" __global__ void conv2d_cp_async_seven(__grid_constant__ cp_async::params const p) {
    cp_async::run<seven.problem, seven.config>(p);
}
extern "C" __global__ void conv2d_cp_async_wide(__grid_constant__ cp_async::params const p) {
    cp_async::run<wide.problem, wide.config>(p);
}
extern "C" __global__ void conv2d_cp_async_tall(__grid_constant__ cp_async::params const p) {
    cp_async::run<tall.problem, tall.config>(p);
}
extern "C" __global__ void conv2d_cp_async_far(__grid_constant__ cp_async::params const p) {
    cp_async::run<far.problem, far.config>(p, spio::test::add_number());
}
extern "C" __global__ void conv2d_cp_async_back(__grid_constant__ cp_async::params const p) {
    cp_async::run<back.problem, back.config>(p);
}
extern "C" __global__ void conv2d_cp_async_back_ragged(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_ragged.problem, back_ragged.config>(p);
}
extern "C" __global__ void conv2d_cp_async_back_seven(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_seven.problem, back_seven.config>(p);
}
extern "C" __global__ void conv2d_cp_async_back_tall(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_tall.problem, back_tall.config>(p);
}
extern "C" __global__ void conv2d_cp_async_back_far(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_far.problem, back_far.config>(p);
}
extern "C" __global__ void conv2d_cp_async_strided(__grid_constant__ cp_async::params const p) {
    cp_async::run<strided.problem, strided.config>(p);
}
extern "C" __global__ void conv2d_cp_async_dilated(__grid_constant__ cp_async::params const p) {
    cp_async::run<dilated.problem, dilated.config>(p);
}
extern "C" __global__ void conv2d_cp_async_stepped_far(__grid_constant__ cp_async::params const p) {
    cp_async::run<stepped_far.problem, stepped_far.config>(p);
}
extern "C" __global__ void
conv2d_cp_async_stepped_even(__grid_constant__ cp_async::params const p) {
    cp_async::run<stepped_even.problem, stepped_even.config>(p);
}
extern "C" __global__ void
conv2d_cp_async_back_strided(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_strided.problem, back_strided.config>(p);
}
extern "C" __global__ void
conv2d_cp_async_back_dilated(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_dilated.problem, back_dilated.config>(p);
}
extern "C" __global__ void
conv2d_cp_async_back_stepped(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_stepped.problem, back_stepped.config>(p);
}
extern "C" __global__ void conv2d_cp_async_known(__grid_constant__ cp_async::params const p) {
    cp_async::run<known.problem, known.config>(p);
}
extern "C" __global__ void conv2d_cp_async_known_but_n(__grid_constant__ cp_async::params const p) {
    cp_async::run<known_but_n.problem, known_but_n.config>(p);
}
extern "C" __global__ void conv2d_cp_async_any(__grid_constant__ cp_async::params const p) {
    cp_async::run<any_layer.problem, any_layer.config>(p);
}
extern "C" __global__ void conv2d_cp_async_back_any(__grid_constant__ cp_async::params const p) {
    cp_async::run<back_any.problem, back_any.config>(p);
}
