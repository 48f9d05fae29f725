// A cursor stepped in place on a base with bounded digits: K(0) is the term that takes the steps.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. A compound index is one number for several indices, the last of which varies
// fastest. The header dimensions.h, which is included before this file, declares the dimensions I
// and K.
namespace cursor_on_digits {

constexpr auto i = spio::axis<I>(32);
constexpr auto k = spio::axis<K>(1024);
using matrix = spio::tensor<float const, k / 8, i, k % 8>;
using thread = spio::compound_index<i, k % 8>;

__global__ void typed(float* destination, float const* source, int steps) {
    auto place = matrix(source)[thread(threadIdx.x)][K(0)];
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        sum += *place;
        place.step(K(3)); // from block to block at changing places
    }
    destination[threadIdx.x] = sum;
}

__global__ void raw(float* destination, float const* source, int steps) {
    int const i = threadIdx.x / 8;
    int k = threadIdx.x % 8;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        sum += source[(k >> 3) * (32 * 8) + i * 8 + (k & 7)];
        k += 3;
    }
    destination[threadIdx.x] = sum;
}

} // namespace cursor_on_digits
