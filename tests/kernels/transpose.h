// The transpose of a matrix: its dimensions, configuration and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#pragma once

#include "spio/tensor.h"
#include "spio/tile/vector.h"

namespace spio {
struct half;
} // namespace spio

namespace spio::transpose {

struct I : dim {
    using dim::dim;
};
struct J : dim {
    using dim::dim;
};

// The matrix x has rows I of columns J. Sizes may be known only at the launch, and both rows and
// columns are whole vectors of 16 bytes in memory: what is beyond a size is never read, and in the
// last vector of a row of y becomes zero.
inline constexpr auto rows = axis<I>(dynamic);
inline constexpr auto columns = axis<J>(dynamic);

template <class T> inline constexpr int bytes_of = sizeof(T);
template <> inline constexpr int bytes_of<half> = 2;

// A block transposes a square of 8 vectors a side. `by_matrices`, for elements of 2 bytes, has
// ldmatrix transpose 8 x 8 matrices; otherwise threads read single elements.
template <class T> inline constexpr int vector_size = 16 / bytes_of<T>;
template <class T> inline constexpr int side = 8 * vector_size<T>;

struct config {
    int threads;
    bool by_matrices = false;

    constexpr int warps() const { return threads / 32; }
};
template <class T> constexpr int blocks_along(int size) { return divup(size, side<T>); }
template <class T> inline constexpr int shared_bytes = side<T> * side<T> * bytes_of<T>;

// y is x transposed. Both begin at a multiple of 16 bytes. The grid has blocks_along(rows) times
// blocks_along(columns) blocks.
template <class T> struct params {
    T const* x;
    T* y;
    int rows;
    int columns;
};

} // namespace spio::transpose
