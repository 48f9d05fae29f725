// Twins whose file says that they differ: the comparison must refuse an excuse that is not needed.
// SPDX-License-Identifier: Apache-2.0
//
// The kernels `typed` and `raw` are twins: one has Spio's dimensions, the other ints, and compilers
// should make the same code of both. axis<K>(32) is the dimension K with 32 values, k / 8 its
// blocks of 8 and k % 8 the positions in one. A tensor is a pointer with axes, a subscript a
// position in it. The header dimensions.h, which is included before this file, declares the
// dimensions I and K. The next line is read by compare.py, which compares the two in PTX.
// typed differs from raw: nvrtc: +1 and.b32: it does not.
namespace excused {

constexpr auto i = spio::axis<I>(16);

__global__ void typed(float* destination) {
    *spio::tensor<float, i>(destination)[I(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination) { destination[int(threadIdx.x)] = 1.0f; }

} // namespace excused
