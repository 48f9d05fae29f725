// A double buffer in shared memory: the loop counts on, the ring wraps.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K.
// A ring is an axis around which positions wrap: the step 5 of two buffers is the second one.
namespace ring {

constexpr auto i = spio::axis<I>(128);
constexpr auto k = spio::axis<K>(1024);
using matrix = spio::tensor<float const, k, i>;
using buffer_tensor = spio::tensor<float, spio::axis<K>(2).ring(), i>;

__global__ void typed(float* destination, float const* source) {
    __shared__ float data[buffer_tensor::storage_size()];
    buffer_tensor const buffer(data);
    I const lane(threadIdx.x);
    I const neighbour(threadIdx.x ^ 1);
    float sum = 0;
#pragma unroll 1
    for (auto const step : spio::range(K(1024))) {
        *buffer[step][lane] = *matrix(source)[step][lane];
        __syncthreads();
        sum += *buffer[step][neighbour];
    }
    *spio::tensor<float, i>(destination)[lane] = sum;
}

__global__ void raw(float* destination, float const* source) {
    __shared__ float buffer[2 * 128];
    int const lane = threadIdx.x;
    int const neighbour = threadIdx.x ^ 1;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 1024; ++step) {
        buffer[(step & 1) * 128 + lane] = source[step * 128 + lane];
        __syncthreads();
        sum += buffer[(step & 1) * 128 + neighbour];
    }
    destination[lane] = sum;
}

} // namespace ring
