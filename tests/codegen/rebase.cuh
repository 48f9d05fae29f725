// A sum along K by a cursor committed to a pointer, which adds to it and nothing else.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K.
#include "spio/base_cursor.h"

namespace rebase {

constexpr auto i = spio::axis<I>(128);
constexpr auto k = spio::axis<K>(1024);
using matrix = spio::tensor<float const, k / 8, i, k % 8>;
using K8 = spio::fold<K, 8>;

__global__ void typed(float* destination, float const* source) {
    auto place = matrix(source)[I(threadIdx.x)][K(threadIdx.y)].rebase();
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 128; ++step) {
        sum += *place;
        place.step(K8(1));
    }
    destination[threadIdx.x] = sum;
}

__global__ void raw(float* destination, float const* source) {
    int const i = threadIdx.x;
    int const k = threadIdx.y;
    float const* place = source + ((k >> 3) * (128 * 8) + i * 8 + (k & 7));
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 128; ++step) {
        sum += *place;
        place += 128 * 8;
    }
    destination[threadIdx.x] = sum;
}

} // namespace rebase
