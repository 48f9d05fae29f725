// wgrad by cp.async: how blocks share a problem, for chips from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. Channels are
// in groups of 8; a problem is the sizes and options of a call. A span is some neighbouring rows of
// dy. A split is a share of the rows of all images. The workspace is the array in global memory
// where blocks leave partial sums. A strip is some neighbouring columns. A cell is 16 bytes: 8
// channels of a pixel. A stage is one place of a ring in shared memory. A checked_size is a number
// that becomes too large, and stays so, where an int would overflow.
#pragma once

#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_cp_async {

// Each warp computes one group. All threads of a block copy one row of x and one row of dy at a
// time, several rows ahead of the computation. A row spans some images and a strip of their
// columns.
struct config {
    int groups;
    int images;  // that a row spans
    int columns; // of dy per image: 8, so that 16 columns are of two images, or a multiple of 16
    int stages;  // rows in shared memory, those in flight included
    int splits;  // of the rows of all images; each split has a partial sum
    int blocks;  // that should be resident on an SM at a time

    // The number of 16-byte cells from one column to the next. An odd number puts eight
    // neighbouring columns into different banks.
    constexpr int pitch() const { return groups | 1; }
    constexpr int input_columns(problem const& problem) const {
        return columns_of(problem).position_count(columns);
    }
    // Mma tiles per row of dy: 16 columns each, the depth of one matrix product.
    constexpr int mma_tiles() const { return (checked_size(images) * columns / 16).as_int(); }

    constexpr int threads(problem const&) const { return (checked_size(groups) * 32).as_int(); }
    constexpr int shared_bytes(problem const& problem) const {
        auto const cells = checked_size(images) * (input_columns(problem) + columns) * pitch();
        return (cells * stages * 16).as_int();
    }
    // Whether the cells that a thread copies of a row of x are at most 32, as many as thread_cells
    // keeps the bounds of. Of a row of dy it copies as many or fewer.
    constexpr bool has_cells(problem const& problem) const {
        return (checked_size(images) * input_columns(problem)).as_int() <= 32 * 32;
    }
    // Whether a kernel of this configuration can compute the problem.
    constexpr bool fits(problem const& problem) const {
        bool const is_bounded = groups > 0 && images > 0 && columns > 0 && columns <= 512 &&
                                stages > 1 && wgrad::has_splits(problem, splits) && blocks >= 0;
        if (!is_bounded || problem.pass != direction::wgrad) return false;
        bool const has_tiles = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        return has_tiles && groups <= 32 && has_cells(problem) &&
               shared_bytes(problem) <= max_shared_bytes;
    }
    constexpr long long blocks_of(problem const& problem) const {
        return wgrad::blocks_of(problem, groups, splits);
    }
    constexpr bool is_one_kernel(problem const& problem) const {
        return wgrad::has_one_split(problem, splits);
    }
    constexpr long long workspace_bytes(problem const& problem) const {
        return is_one_kernel(problem) ? 0 : wgrad::workspace_bytes(problem, groups, splits);
    }
};

struct params {
    void const* x;
    void const* dy;
    vec<float, 4>* workspace;
    wgrad::passed_sizes sizes;
    // The gradients of filter and bias, where no second kernel stores them.
    void* dw = nullptr;
    float* dbias = nullptr;
};

} // namespace spio::conv2d::wgrad_cp_async
