// LayerNorm of 384 channels, as a problem becomes its text.
// SPDX-License-Identifier: Apache-2.0
#include "layernorm_2d/layernorm_2d.cuh"

extern "C" __global__ void layernorm_2d(__grid_constant__ spio::layernorm_2d::params const p) {
    spio::layernorm_2d::run<
        spio::layernorm_2d::problem{.channels = 384, .affine = true},
        spio::layernorm_2d::config{
            .lanes = 16, .vectors = 3, .positions = 8, .stages = 2, .rounds = 2}>(p);
}
