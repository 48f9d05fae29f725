// A kernel that does nothing: what NVRTC costs by itself.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void kernel() {}
