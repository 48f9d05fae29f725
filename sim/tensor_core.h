// The tensor core: c += a * b over a warp, with the same bits as on the GPU.
// SPDX-License-Identifier: Apache-2.0
//
// The simulation runs on the CPU, with the 32 lanes of a warp in an array. A factor is an element
// of a or b decoded from its 16 bits; an addend is a product of two factors, or what c holds. I16,
// J8 and K are the row, the column and the depth of the product. A tensor_core is how one chip
// sums: how many addends at once, and how many bits it keeps of them.
#pragma once

#include "sim/tensor_sum.h"

namespace spio::sim {

// The element of a, or of b, in one half of a lane's register.
//     (Lane, Register, Half) -> (I16, K), and -> (J8, K)
struct factor_place {
    int line, k;
};
constexpr factor_place place_in_a(int lane, int reg, int half) {
    return {lane / 4 + reg % 2 * 8, lane % 4 * 2 + half + reg / 2 * 8};
}
constexpr factor_place place_in_b(int lane, int reg, int half) {
    return {lane / 4, lane % 4 * 2 + half + reg * 8};
}
// The element of c in a lane's register.
//     (Lane, Register) -> (I16, J8)
struct sum_place {
    int i, j;
};
constexpr sum_place place_in_c(int lane, int reg) {
    return {lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2};
}

// Adds a * b to c, a 16 x 8 matrix of floats. Template parameters A and B are the numbers of 32-bit
// registers of a and b in each lane: A = 2 and B = 1 for k = 8, A = 4 and B = 2 for k = 16.
template <class Format, int A, int B>
void multiply(float (&c)[32][4], unsigned const (&a)[32][A], unsigned const (&b)[32][B],
              tensor_core const& core = hopper_tensor_core) {
    static_assert((A == 2 && B == 1) || (A == 4 && B == 2), "there is k = 8 and k = 16");
    constexpr int k_size = 8 * B;
    factor rows[16][k_size];
    factor columns[8][k_size];
    for (int lane = 0; lane < 32; ++lane) {
        for (int half = 0; half < 2; ++half) {
            for (int reg = 0; reg < A; ++reg) {
                auto const [line, k] = place_in_a(lane, reg, half);
                rows[line][k] = factor_of<Format>(a[lane][reg] >> 16 * half & 0xffffU);
            }
            for (int reg = 0; reg < B; ++reg) {
                auto const [line, k] = place_in_b(lane, reg, half);
                columns[line][k] = factor_of<Format>(b[lane][reg] >> 16 * half & 0xffffU);
            }
        }
    }
    for (int lane = 0; lane < 32; ++lane) {
        for (int reg = 0; reg < 4; ++reg) {
            auto const [i, j] = place_in_c(lane, reg);
            addend products[k_size];
            for (int k = 0; k < k_size; ++k)
                products[k] = product<Format>(rows[i][k], columns[j][k]);
            c[lane][reg] = core.accumulate(c[lane][reg], products, k_size);
        }
    }
}

} // namespace spio::sim
