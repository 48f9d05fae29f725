// The kernels of fprop and dgrad by TMA that are tested.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A kernel has the name of its layer, which says
// what is special about it: in ragged, a block's channels do not divide all; five and seven have
// such filters, boxed ones store the output of a tile in several boxes, wide and tall have more
// columns or rows of the filter, even has filters with even sides, far has great paddings; stepped
// ones have strides and dilations; back ones are dgrad; of any, only the filter is known; known has
// all sizes known, and in covered ones a tile has all rows of its images; rows copy tiles row by
// row, and boxes of the same configuration by boxes. add_number() is a last step of the epilogue,
// which adds a number that depends on the position.
#include "last_step.cuh"
#include "tma.h"

#include "conv2d/tma.cuh"

namespace tma = spio::conv2d::tma;
using namespace spio::test::conv2d_tma;

extern "C" __global__ void conv2d_tma_plain(__grid_constant__ tma::params const p) {
    tma::run<plain.problem, plain.config>(p);
}
extern "C" __global__ void conv2d_tma_ragged(__grid_constant__ tma::params const p) {
    tma::run<ragged.problem, ragged.config>(p);
}
extern "C" __global__ void conv2d_tma_pointwise(__grid_constant__ tma::params const p) {
    tma::run<pointwise.problem, pointwise.config>(p);
}
extern "C" __global__ void conv2d_tma_five(__grid_constant__ tma::params const p) {
    tma::run<five.problem, five.config>(p);
}
extern "C" __global__ void conv2d_tma_seven(__grid_constant__ tma::params const p) {
    tma::run<seven.problem, seven.config>(p);
}
extern "C" __global__ void conv2d_tma_boxed(__grid_constant__ tma::params const p) {
    tma::run<boxed.problem, boxed.config>(p);
}
extern "C" __global__ void conv2d_tma_back_boxed(__grid_constant__ tma::params const p) {
    tma::run<back_boxed.problem, back_boxed.config>(p);
}
extern "C" __global__ void conv2d_tma_wide(__grid_constant__ tma::params const p) {
    tma::run<wide.problem, wide.config>(p);
}
extern "C" __global__ void conv2d_tma_tall(__grid_constant__ tma::params const p) {
    tma::run<tall.problem, tall.config, spio::sm_90a>(p, spio::test::add_number());
}
extern "C" __global__ void conv2d_tma_far(__grid_constant__ tma::params const p) {
    tma::run<far.problem, far.config>(p);
}
extern "C" __global__ void conv2d_tma_back(__grid_constant__ tma::params const p) {
    tma::run<back.problem, back.config>(p);
}
extern "C" __global__ void conv2d_tma_back_ragged(__grid_constant__ tma::params const p) {
    tma::run<back_ragged.problem, back_ragged.config>(p);
}
extern "C" __global__ void conv2d_tma_back_seven(__grid_constant__ tma::params const p) {
    tma::run<back_seven.problem, back_seven.config>(p);
}
extern "C" __global__ void conv2d_tma_back_tall(__grid_constant__ tma::params const p) {
    tma::run<back_tall.problem, back_tall.config>(p);
}
extern "C" __global__ void conv2d_tma_back_far(__grid_constant__ tma::params const p) {
    tma::run<back_far.problem, back_far.config>(p);
}
extern "C" __global__ void conv2d_tma_strided(__grid_constant__ tma::params const p) {
    tma::run<strided.problem, strided.config>(p);
}
extern "C" __global__ void conv2d_tma_strided_even(__grid_constant__ tma::params const p) {
    tma::run<strided_even.problem, strided_even.config>(p);
}
extern "C" __global__ void conv2d_tma_strided_dilated(__grid_constant__ tma::params const p) {
    tma::run<strided_dilated.problem, strided_dilated.config>(p);
}
extern "C" __global__ void conv2d_tma_stepped_far(__grid_constant__ tma::params const p) {
    tma::run<stepped_far.problem, stepped_far.config>(p);
}
extern "C" __global__ void conv2d_tma_back_dilated(__grid_constant__ tma::params const p) {
    tma::run<back_dilated.problem, back_dilated.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_padded(__grid_constant__ tma::params const p) {
    tma::run<covered_padded.problem, covered_padded.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_strided(__grid_constant__ tma::params const p) {
    tma::run<covered_strided.problem, covered_strided.config>(p);
}
extern "C" __global__ void conv2d_tma_known(__grid_constant__ tma::params const p) {
    tma::run<known.problem, known.config>(p);
}
extern "C" __global__ void conv2d_tma_known_but_n(__grid_constant__ tma::params const p) {
    tma::run<known_but_n.problem, known_but_n.config>(p);
}
extern "C" __global__ void conv2d_tma_covered(__grid_constant__ tma::params const p) {
    tma::run<covered.problem, covered.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_small(__grid_constant__ tma::params const p) {
    tma::run<covered_small.problem, covered_small.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_back(__grid_constant__ tma::params const p) {
    tma::run<covered_back.problem, covered_back.config>(p);
}
extern "C" __global__ void conv2d_tma_back_strided(__grid_constant__ tma::params const p) {
    tma::run<back_strided.problem, back_strided.config>(p);
}
extern "C" __global__ void conv2d_tma_back_strided_five(__grid_constant__ tma::params const p) {
    tma::run<back_strided_five.problem, back_strided_five.config>(p);
}
extern "C" __global__ void conv2d_tma_back_strided_rows(__grid_constant__ tma::params const p) {
    tma::run<back_strided_rows.problem, back_strided_rows.config, spio::sm_90a>(
        p, spio::test::add_number());
}
extern "C" __global__ void conv2d_tma_back_strided_columns(__grid_constant__ tma::params const p) {
    tma::run<back_strided_columns.problem, back_strided_columns.config>(p);
}
extern "C" __global__ void conv2d_tma_any(__grid_constant__ tma::params const p) {
    tma::run<any_layer.problem, any_layer.config>(p);
}
extern "C" __global__ void conv2d_tma_back_any(__grid_constant__ tma::params const p) {
    tma::run<back_any.problem, back_any.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_seven(__grid_constant__ tma::params const p) {
    tma::run<covered_seven.problem, covered_seven.config>(p);
}
extern "C" __global__ void conv2d_tma_covered_back_seven(__grid_constant__ tma::params const p) {
    tma::run<covered_back_seven.problem, covered_back_seven.config>(p);
}
extern "C" __global__ void conv2d_tma_rows(__grid_constant__ tma::params const p) {
    tma::run<rows.problem, rows.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows).problem, boxes_of(rows).config>(p);
}
extern "C" __global__ void conv2d_tma_rows_pair(__grid_constant__ tma::params const p) {
    tma::run<rows_pair.problem, rows_pair.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes_pair(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows_pair).problem, boxes_of(rows_pair).config>(p);
}
extern "C" __global__ void conv2d_tma_back_rows_pair(__grid_constant__ tma::params const p) {
    tma::run<back_rows_pair.problem, back_rows_pair.config>(p);
}
extern "C" __global__ void conv2d_tma_back_boxes_pair(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(back_rows_pair).problem, boxes_of(back_rows_pair).config>(p);
}
extern "C" __global__ void conv2d_tma_rows_boxed(__grid_constant__ tma::params const p) {
    tma::run<rows_boxed.problem, rows_boxed.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes_boxed(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows_boxed).problem, boxes_of(rows_boxed).config>(p);
}
extern "C" __global__ void conv2d_tma_rows_covered(__grid_constant__ tma::params const p) {
    tma::run<rows_covered.problem, rows_covered.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes_covered(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows_covered).problem, boxes_of(rows_covered).config>(p);
}
extern "C" __global__ void conv2d_tma_rows_strided(__grid_constant__ tma::params const p) {
    tma::run<rows_strided.problem, rows_strided.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes_strided(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows_strided).problem, boxes_of(rows_strided).config>(p);
}
extern "C" __global__ void conv2d_tma_rows_far(__grid_constant__ tma::params const p) {
    tma::run<rows_far.problem, rows_far.config>(p);
}
extern "C" __global__ void conv2d_tma_boxes_far(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(rows_far).problem, boxes_of(rows_far).config>(p);
}
extern "C" __global__ void conv2d_tma_back_rows(__grid_constant__ tma::params const p) {
    tma::run<back_rows.problem, back_rows.config>(p);
}
extern "C" __global__ void conv2d_tma_back_boxes(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(back_rows).problem, boxes_of(back_rows).config>(p);
}
extern "C" __global__ void conv2d_tma_back_rows_dilated(__grid_constant__ tma::params const p) {
    tma::run<back_rows_dilated.problem, back_rows_dilated.config>(p);
}
extern "C" __global__ void conv2d_tma_back_boxes_dilated(__grid_constant__ tma::params const p) {
    tma::run<boxes_of(back_rows_dilated).problem, boxes_of(back_rows_dilated).config>(p);
}
