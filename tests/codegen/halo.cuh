// A tap of a convolution with padding: positions outside of the image read as zero.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I, J and K.
namespace halo {

constexpr auto i = spio::axis<I>(56);
constexpr auto j = spio::axis<J>(48);
using image = spio::tensor<float const, i, j>;
using result = spio::tensor<float, i, j>;

__global__ void typed(float* destination, float const* source, int r, int s) {
    auto const place = I(blockIdx.x) + J(threadIdx.x);
    auto const padding = I(1) + J(1);
    auto const tap = image(source)[place - padding + I(r) + J(s)];
    float value = 0;
    if (tap.inbounds()) value = *tap;
    *result(destination)[place] = value;
}

__global__ void raw(float* destination, float const* source, int r, int s) {
    int const i = blockIdx.x;
    int const j = threadIdx.x;
    int const y = i - 1 + r;
    int const x = j - 1 + s;
    float value = 0;
    if ((unsigned(y) < 56) & (unsigned(x) < 48)) value = source[y * 48 + x];
    destination[i * 48 + j] = value;
}

} // namespace halo
