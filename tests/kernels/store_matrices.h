// A sum of products that a warp stores by stmatrix: the kernel's parameters.
// SPDX-License-Identifier: Apache-2.0
//
// stmatrix stores 8 x 8 matrices of 16-bit elements from the registers of a warp.
#pragma once

namespace spio::test::store_matrices {

// 16 x 16 floats by rows, and the same rounded to half.
struct params {
    float const* x;
    unsigned short* y;
};
inline constexpr int shared_bytes = 512; // 16 x 16 halves

} // namespace spio::test::store_matrices
