// Twins whose file says that they differ: the comparison must refuse an excuse that is not needed.
// SPDX-License-Identifier: Apache-2.0
// differs: nvrtc: +1 and.b32: it does not.
namespace excused {

constexpr auto i = spio::axis<I>(16);

__global__ void typed(float* to) { *spio::tensor<float, i>(to)[I(threadIdx.x)] = 1.0f; }

__global__ void raw(float* to) { to[int(threadIdx.x)] = 1.0f; }

} // namespace excused
