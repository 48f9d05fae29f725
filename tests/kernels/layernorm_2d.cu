// LayerNorm of many widths, as the choice of configurations has it and otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d.cuh"


using spio::layernorm_2d::config;
using spio::layernorm_2d::problem;
using spio::layernorm_2d::params;
using spio::layernorm_2d::run;


extern "C" __global__ void layernorm_2d_c8(params p) { run<problem{.channels = 8}>(p); }
extern "C" __global__ void layernorm_2d_c256(params p) { run<problem{.channels = 256}>(p); }
extern "C" __global__ void layernorm_2d_c248(params p) { run<problem{.channels = 248}>(p); }
extern "C" __global__ void layernorm_2d_c1280(params p) { run<problem{.channels = 1280}>(p); }
extern "C" __global__ void layernorm_2d_c2048(params p) { run<problem{.channels = 2048}>(p); }
extern "C" __global__ void layernorm_2d_c2048_plain(params p) { run<problem{.channels = 2048, .affine=false}>(p); }
