// LayerNorm of many widths, in the configurations that are chosen for them and in two others.
// SPDX-License-Identifier: Apache-2.0
//
// A position is a pixel with all its channels; a configuration is how threads share positions. A
// round is the positions that a block normalizes at a time, a vector 8 channels. Plain kernels
// (affine is false) have neither a weight nor a bias. The widths are all of 1 to 15 vectors, and
// three of 32 vectors (the lanes of a warp) or more, up to the widest that there is, 2048.
#include "layernorm_2d/layernorm_2d.cuh"
#include "spio/facts.h"

namespace bf16 = spio::layernorm_2d::bf16;
using spio::layernorm_2d::config;
using spio::layernorm_2d::element_type;
using spio::layernorm_2d::params;
using spio::layernorm_2d::problem;
using spio::layernorm_2d::run;

// No access to the ring is repeated because lanes meet in a bank. Here, and not in the kernel,
// where each compilation at run time would prove it again.
template <int Channels, class Layer = spio::layernorm_2d::block_layer<
                            problem{Channels}, spio::layernorm_2d::best_config(problem{Channels})>>
constexpr bool has_no_conflicts =
    spio::bank_conflicts<typename Layer::tile, spio::compound_index<Layer::threads>>() == 0;
static_assert(has_no_conflicts<8> && has_no_conflicts<40> && has_no_conflicts<120> &&
              has_no_conflicts<256> && has_no_conflicts<2048>);

extern "C" __global__ void layernorm_2d_c8(__grid_constant__ params const p) { run<problem{8}>(p); }
extern "C" __global__ void layernorm_2d_c16(__grid_constant__ params const p) {
    run<problem{16}>(p);
}
extern "C" __global__ void layernorm_2d_c24(__grid_constant__ params const p) {
    run<problem{24}>(p);
}
extern "C" __global__ void layernorm_2d_c32(__grid_constant__ params const p) {
    run<problem{32}>(p);
}
extern "C" __global__ void layernorm_2d_c40(__grid_constant__ params const p) {
    run<problem{40}>(p);
}
extern "C" __global__ void layernorm_2d_c48(__grid_constant__ params const p) {
    run<problem{48}>(p);
}
extern "C" __global__ void layernorm_2d_c56(__grid_constant__ params const p) {
    run<problem{56}>(p);
}
extern "C" __global__ void layernorm_2d_c64(__grid_constant__ params const p) {
    run<problem{64}>(p);
}
extern "C" __global__ void layernorm_2d_c72(__grid_constant__ params const p) {
    run<problem{72}>(p);
}
extern "C" __global__ void layernorm_2d_c80(__grid_constant__ params const p) {
    run<problem{80}>(p);
}
extern "C" __global__ void layernorm_2d_c88(__grid_constant__ params const p) {
    run<problem{88}>(p);
}
extern "C" __global__ void layernorm_2d_c96(__grid_constant__ params const p) {
    run<problem{96}>(p);
}
extern "C" __global__ void layernorm_2d_c104(__grid_constant__ params const p) {
    run<problem{104}>(p);
}
extern "C" __global__ void layernorm_2d_c112(__grid_constant__ params const p) {
    run<problem{112}>(p);
}
extern "C" __global__ void layernorm_2d_c120(__grid_constant__ params const p) {
    run<problem{120}>(p);
}
extern "C" __global__ void layernorm_2d_c256(__grid_constant__ params const p) {
    run<problem{256}>(p);
}
extern "C" __global__ void layernorm_2d_c1280(__grid_constant__ params const p) {
    run<problem{1280}>(p);
}
extern "C" __global__ void layernorm_2d_c2048(__grid_constant__ params const p) {
    run<problem{2048}>(p);
}
extern "C" __global__ void layernorm_2d_c120_plain(__grid_constant__ params const p) {
    run<problem{.channels = 120, .affine = false}>(p);
}
extern "C" __global__ void layernorm_2d_c2048_plain(__grid_constant__ params const p) {
    run<problem{.channels = 2048, .affine = false}>(p);
}
// Three warps, not a power of two, for 32 vectors: two of them have none.
extern "C" __global__ void layernorm_2d_c256_by_3_warps(__grid_constant__ params const p) {
    run<problem{256}, config{.lanes = 96, .vectors = 1, .positions = 1, .stages = 2, .rounds = 3}>(
        p);
}
// bfloat16, in rows that are one vector, several lanes, and several warps.
extern "C" __global__ void layernorm_2d_c8_bf16(__grid_constant__ bf16::params const p) {
    run<problem{.channels = 8, .type = element_type::bf16}>(p);
}
extern "C" __global__ void layernorm_2d_c120_bf16(__grid_constant__ bf16::params const p) {
    run<problem{.channels = 120, .type = element_type::bf16}>(p);
}
extern "C" __global__ void layernorm_2d_c1280_plain_bf16(__grid_constant__ bf16::params const p) {
    run<problem{.channels = 1280, .affine = false, .type = element_type::bf16}>(p);
}
// One warp, one round, and one stage: no copy is in flight while a round is normalized.
extern "C" __global__ void layernorm_2d_c256_by_1_warp(__grid_constant__ params const p) {
    run<problem{256}, config{.lanes = 32, .vectors = 1, .positions = 1, .stages = 1, .rounds = 1}>(
        p);
}
