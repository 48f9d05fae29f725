// A loop over a folded dimension that unrolls: offsets fold into the addresses of the loads.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K.
namespace unrolled {

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32);
using matrix = spio::tensor<float const, k / 8, i, k % 8>;

__global__ void typed(float* destination, float const* source) {
    auto const row = matrix(source)[I(threadIdx.x)];
    float sum = 0;
#pragma unroll
    for (auto const step : spio::range(K(32))) sum += *row[step];
    destination[threadIdx.x] = sum;
}

__global__ void raw(float* destination, float const* source) {
    int const i = threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += source[(k >> 3) * (16 * 8) + i * 8 + (k & 7)];
    destination[threadIdx.x] = sum;
}

} // namespace unrolled
