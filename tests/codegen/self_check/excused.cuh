// Twins whose file says that they differ: the comparison must refuse an excuse that is not needed.
// SPDX-License-Identifier: Apache-2.0
// typed differs from raw: nvrtc: +1 and.b32: it does not.
namespace excused {

constexpr auto i = spio::axis<I>(16);

__global__ void typed(float* destination) {
    *spio::tensor<float, i>(destination)[I(threadIdx.x)] = 1.0f;
}

__global__ void raw(float* destination) { destination[int(threadIdx.x)] = 1.0f; }

} // namespace excused
