// Kernels of one instruction each: tensor-core products and conversions, as the chip computes them.
// SPDX-License-Identifier: Apache-2.0
//
// Bit by bit, their results show how the tensor core of a chip rounds; the host device, which
// simulates a GPU, is to give the same.
#include "machine/convert.h"
#include "machine/mma.h"

// Runs the instruction on one tile for each warp. A lane has A registers of a and B of b; registers
// of a lane are stored next to each other, one lane after the other.
template <int A, int B, class Multiply>
__device__ void multiply_tile(float* c, unsigned const* a, unsigned const* b, int tiles,
                              Multiply multiply) {
    unsigned const thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread / 32 >= static_cast<unsigned>(tiles)) return;
    float sums[4];
    unsigned rows[A];
    unsigned columns[B];
    for (int i = 0; i < 4; ++i) sums[i] = c[4 * thread + i];
    for (int i = 0; i < A; ++i) rows[i] = a[A * thread + i];
    for (int i = 0; i < B; ++i) columns[i] = b[B * thread + i];
    multiply(sums, rows, columns);
    for (int i = 0; i < 4; ++i) c[4 * thread + i] = sums[i];
}

// The instruction for each of the two formats of a and b.
struct halves {
    template <int A, int B>
    __device__ void operator()(float (&c)[4], unsigned const (&a)[A],
                               unsigned const (&b)[B]) const {
        spio::machine::multiply_halves(c, a, b);
    }
};
struct bfloat16s {
    template <int A, int B>
    __device__ void operator()(float (&c)[4], unsigned const (&a)[A],
                               unsigned const (&b)[B]) const {
        spio::machine::multiply_bfloat16s(c, a, b);
    }
};

// The kernels are called as the experiments are: by the format, and the products in a sum.
extern "C" __global__ void half_8(float* c, unsigned const* a, unsigned const* b, int tiles) {
    multiply_tile<2, 1>(c, a, b, tiles, halves());
}
extern "C" __global__ void half_16(float* c, unsigned const* a, unsigned const* b, int tiles) {
    multiply_tile<4, 2>(c, a, b, tiles, halves());
}
extern "C" __global__ void bfloat16_8(float* c, unsigned const* a, unsigned const* b, int tiles) {
    multiply_tile<2, 1>(c, a, b, tiles, bfloat16s());
}
extern "C" __global__ void bfloat16_16(float* c, unsigned const* a, unsigned const* b, int tiles) {
    multiply_tile<4, 2>(c, a, b, tiles, bfloat16s());
}

// A float to a half and, above it, to a bfloat16; twice, by the single and by the double
// conversion.
extern "C" __global__ void round_floats(unsigned* output, unsigned first, unsigned step,
                                        int count) {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    float const x = __uint_as_float(first + step * static_cast<unsigned>(i));
    unsigned const half = spio::machine::float_to_half(x);
    unsigned const bfloat16 = spio::machine::float_to_bfloat16(x);
    output[2 * i] = half | bfloat16 << 16;
    unsigned const two_halves = spio::machine::floats_to_halves(x, 1.0F);
    unsigned const two_bfloat16s = spio::machine::floats_to_bfloat16s(1.0F, x);
    output[2 * i + 1] = (two_halves & 0xffffU) | (two_bfloat16s & 0xffff0000U);
}

// Every half, by its bits, as a float.
extern "C" __global__ void extend_halves(unsigned* output) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = __float_as_uint(spio::machine::half_to_float(static_cast<unsigned short>(i)));
}
