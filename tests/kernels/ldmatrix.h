// Loads of matrices by ldmatrix: parameters and results.
// SPDX-License-Identifier: Apache-2.0
//
// ldmatrix loads 8 x 8 matrices of 16-bit elements for a warp; a piece is the part of one matrix
// that a lane gets, two elements.
#pragma once

namespace spio::test::ldmatrix {

// The matrix in rows of 16 bytes, and for each piece and lane the two elements that it got.
struct params {
    unsigned short const* x;
    unsigned* y;
};
inline constexpr int shared_bytes = 512; // four matrices of 8 x 8 elements

} // namespace spio::test::ldmatrix
