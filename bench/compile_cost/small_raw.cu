// A copy into a folded layout, in ints.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void kernel(float* to, float const* from) {
    int const row = threadIdx.y;
    int const column = threadIdx.x;
    to[(column >> 3) * (16 * 8) + row * 8 + (column & 7)] = from[row * 512 + column];
}
