// A double buffer in shared memory: the loop counts on, the ring wraps.
// SPDX-License-Identifier: Apache-2.0
namespace ring {

constexpr auto i = spio::axis<I>(128);
constexpr auto k = spio::axis<K>(1024);
using matrix = spio::tensor<float const, k, i>;
using buffer_tensor = spio::tensor<float, spio::axis<K>(2).ring(), i>;

__global__ void typed(float* to, float const* from) {
    __shared__ float data[buffer_tensor::storage_size()];
    buffer_tensor const buffer(data);
    I const lane(threadIdx.x);
    I const other(threadIdx.x ^ 1);
    float sum = 0;
#pragma unroll 1
    for (auto const step : spio::range(K(1024))) {
        *buffer[step][lane] = *matrix(from)[step][lane];
        __syncthreads();
        sum += *buffer[step][other];
    }
    *spio::tensor<float, i>(to)[lane] = sum;
}

__global__ void raw(float* to, float const* from) {
    __shared__ float buffer[2 * 128];
    int const lane = threadIdx.x;
    int const other = threadIdx.x ^ 1;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 1024; ++step) {
        buffer[(step & 1) * 128 + lane] = from[step * 128 + lane];
        __syncthreads();
        sum += buffer[(step & 1) * 128 + other];
    }
    to[lane] = sum;
}

} // namespace ring
