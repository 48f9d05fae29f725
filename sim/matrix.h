// 8 x 8 matrices of 16-bit elements between shared memory and the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
//
// This is what ldmatrix and stmatrix do in the simulated GPU: each lane of a warp holds two
// neighbouring elements of a row in one register, and names the address of a row.
#pragma once

#include <cstring>

namespace spio::sim {

// The element of a matrix in one half of a lane's register.
//     (Lane, Half) -> (Lane / 4, 2 (Lane % 4) + Half), row and column exchanged if transposed
struct matrix_place {
    int row, column;
};
constexpr matrix_place place_in_matrix(int lane, int half, bool transposed) {
    int const outer = lane / 4;
    int const inner = lane % 4 * 2 + half;
    return transposed ? matrix_place{inner, outer} : matrix_place{outer, inner};
}

// Row r of matrix m is the 16 bytes at rows[8 * m + r]. Element values[lane][m] is the register of
// lane `lane` that holds two elements of matrix m. load_matrices reads the rows into the registers;
// store_matrices writes the registers to the rows.
template <int N>
void load_matrices(unsigned (&values)[32][N], unsigned char const* const (&rows)[8 * N],
                   bool transposed) {
    static_assert(N == 1 || N == 2 || N == 4, "there are instructions for 1, 2 and 4 matrices");
    for (int lane = 0; lane < 32; ++lane) {
        for (int m = 0; m < N; ++m) {
            unsigned short halves[2];
            for (int half = 0; half < 2; ++half) {
                auto const [row, column] = place_in_matrix(lane, half, transposed);
                std::memcpy(&halves[half], rows[8 * m + row] + 2 * column, 2);
            }
            values[lane][m] = halves[0] | static_cast<unsigned>(halves[1]) << 16;
        }
    }
}

template <int N>
void store_matrices(unsigned char* const (&rows)[8 * N], unsigned const (&values)[32][N],
                    bool transposed) {
    static_assert(N == 1 || N == 2 || N == 4, "there are instructions for 1, 2 and 4 matrices");
    for (int lane = 0; lane < 32; ++lane) {
        for (int m = 0; m < N; ++m) {
            for (int half = 0; half < 2; ++half) {
                auto const [row, column] = place_in_matrix(lane, half, transposed);
                auto const element = static_cast<unsigned short>(values[lane][m] >> 16 * half);
                std::memcpy(rows[8 * m + row] + 2 * column, &element, 2);
            }
        }
    }
}

} // namespace spio::sim
