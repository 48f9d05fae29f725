// A loop over a folded dimension that unrolls: offsets fold into the addresses of the loads.
// SPDX-License-Identifier: Apache-2.0
namespace unrolled {

constexpr auto i = spio::axis<I>(16);
constexpr auto k = spio::axis<K>(32);
using matrix = spio::tensor<float const, k / 8, i, k % 8>;

__global__ void typed(float* to, float const* from) {
    auto const row = matrix(from)[I(threadIdx.x)];
    float sum = 0;
#pragma unroll
    for (auto const step : spio::range(K(32))) sum += *row[step];
    to[threadIdx.x] = sum;
}

__global__ void raw(float* to, float const* from) {
    int const i = threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += from[(k >> 3) * (16 * 8) + i * 8 + (k & 7)];
    to[threadIdx.x] = sum;
}

} // namespace unrolled
