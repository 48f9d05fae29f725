// error: copied_in_bulk
// error of nvrtc, nvcc: no instance of function template.*prefetch_bulk
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// A bulk copy moves one piece of memory: only its outermost size may be open.
template <auto Columns>
using Piece = spio::tensor<half8, spio::axis<I>(spio::dynamic), Columns, k / 8>;
__device__ inline void bring(Piece<j> const& piece,
                             Piece<spio::axis<J>(spio::dynamic)> const& other) {
    spio::prefetch_bulk<spio::sm_90a>(piece);
    spio::prefetch_bulk<spio::sm_90a>(other); // wrong
}
