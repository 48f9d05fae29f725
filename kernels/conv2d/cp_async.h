// fprop and dgrad by cp.async: how blocks and warps share a problem, for chips from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. Both correlate an input with a
// filter, in groups of 8 channels. A problem is the sizes and options of a call. With a dilation of
// 2, rows are in two phases, each of every second row. A cell is 16 bytes: 8 channels of a pixel. A
// stage is one place of a ring in shared memory.
#pragma once

#include "conv2d/halo.h"
#include "conv2d/resources.h"

namespace spio::conv2d::cp_async {

// A block computes some rows of the output of some images, for some columns and groups. It reads
// the input rows one after the other, each once, while the next rows are being copied. Each warp
// computes one group and some mma tiles: 16 output columns each, the rows of one matrix product. It
// has accumulators for r output rows; an input row adds to all of them.
struct config {
    int groups;    // of 8 channels, that a block computes
    int images;    // of which a block computes columns and rows
    int columns;   // of the output of each image: 8, so that 16 columns are of two images, or a
                   // multiple of 16
    int rows;      // of the output, consecutive
    int mma_tiles; // of 16 columns, per warp
    int stages;    // input rows in shared memory
    int blocks;    // that should be resident on an SM at a time
    bool unrolled = false; // by the filter's rows: fewer instructions run, and the code is longer

    // The output columns of a row, those of all images.
    constexpr int columns_of_images() const { return (checked_size(images) * columns).as_int(); }
    constexpr int warps() const {
        auto const warps_of_group = columns_of_images() / (checked_size(mma_tiles) * 16);
        return (warps_of_group * groups).as_int();
    }
    constexpr int threads(problem const&) const { return (checked_size(warps()) * 32).as_int(); }

    // The number of 16-byte cells from one column to the next. An odd number puts eight
    // neighbouring columns into different banks.
    constexpr int pitch() const { return groups | 1; }
    // The columns of a row in shared memory. They include the zeros between inputs.
    constexpr int input_columns(problem const& problem) const {
        correlated_axis const axis = columns_of(correlation_of(problem));
        return divup(axis.position_count(columns), axis.spacing) * axis.spacing;
    }
    // The cells of a row of all images: 8 channels of a column each, in 16 bytes.
    constexpr int input_cells(problem const& problem) const {
        return (checked_size(images) * input_columns(problem) * pitch()).as_int();
    }
    constexpr int output_cells() const {
        return (checked_size(columns_of_images()) * pitch()).as_int();
    }
    // The cells for a second tensor. In fprop: a row of the residual for each stage, and two rows
    // of the preactivation. In dgrad: a row of the preactivation for each stage.
    constexpr checked_size second_cells(problem const& problem) const {
        if (problem.has_derivative()) return checked_size(stages) * input_cells(problem);
        if (!problem.has_tensor_like_output()) return checked_size(0);
        int const rows_of_second =
            (problem.residual ? stages : 0) + (problem.preactivation ? 2 : 0);
        return checked_size(rows_of_second) * output_cells();
    }
    constexpr int shared_bytes(problem const& problem) const {
        auto const cells = checked_size(stages) * input_cells(problem) +
                           checked_size(2) * output_cells() + second_cells(problem);
        return (cells * 16).as_int();
    }
    // An estimate, a few registers off, of what ptxas allocates to a thread without a limit:
    // fragments, and addresses. The constants are fitted.
    constexpr int registers(problem const& problem) const {
        return allocated_registers(used_registers(problem));
    }
    constexpr int used_registers(problem const& problem) const {
        int const addresses = 14 + 6 * mma_tiles + (images > 1 ? 7 * max(0, mma_tiles - 2) : 0);
        return held_registers(problem) + addresses;
    }
    // The most blocks on an SM whose threads have these registers. Each quarter of an SM has a
    // quarter of its registers, and runs whole warps. Three kinds of kernels need up to 8 registers
    // more than estimated: those with zeros between columns, those with a second tensor of the size
    // of the output or of dgrad's input, and those with tiles of two images that are estimated at
    // 37 to 40.
    constexpr int most_blocks(problem const& problem, int sm_registers) const {
        bool const has_column_gaps = columns_of(correlation_of(problem)).spacing > 1;
        int const used = used_registers(problem);
        bool const is_tight = columns == 8 && used > 36 && used <= 40;
        int const more =
            (has_column_gaps ? 8 : 0) + (problem.has_second_tensor() ? 8 : 0) + (is_tight ? 8 : 0);
        auto const warp_registers = (checked_size(registers(problem)) + more) * 32;
        return (4 * (sm_registers / 4 / warp_registers) / warps()).as_int();
    }
    // The registers that hold fragments: the filter, and accumulators of the output rows that read
    // one input row.
    constexpr int held_registers(problem const& problem) const {
        return fragment_registers(problem, rows_of(correlation_of(problem)).live_outputs(),
                                  mma_tiles);
    }

    // Whether a kernel of this configuration can compute the problem. Each warp must have whole mma
    // tiles, either of neighbouring columns or of all columns of some images. Columns and mma tiles
    // are bounded only so that there are few configurations.
    constexpr bool fits(problem const& problem) const {
        bool const is_bounded = groups > 0 && images > 0 && columns > 0 && columns <= 512 &&
                                rows > 0 && mma_tiles > 0 && mma_tiles <= 8 && blocks >= 0;
        if (!is_bounded || problem.pass == direction::wgrad) return false;
        int const warp_columns = 16 * mma_tiles;
        bool const is_shared_evenly = columns_of_images() % warp_columns == 0;
        bool const has_whole_tiles =
            columns == 8 ? is_shared_evenly
                         : columns % warp_columns == 0 || (warp_columns % columns == 0 &&
                                                           columns % 16 == 0 && is_shared_evenly);
        return has_whole_tiles && stages >= 2 && warps() <= 32 && problem.has_groups(groups);
    }

    // The number of blocks of a launch.
    constexpr long long blocks_of(problem const& problem) const {
        correlation const sizes = correlation_of(problem);
        int const phases = rows_of(sizes).phases();
        auto const blocks_of_group = divup(checked_size(problem.n), images) * phases *
                                     divup(divup(checked_size(sizes.p), phases), rows) *
                                     divup(checked_size(sizes.q), columns);
        return (blocks_of_group * divup(checked_size(problem.groups()), groups)).value;
    }
};

struct params {
    correlation_args<element_bits> args;
    epilogue_pointers epilogue = {};
};

} // namespace spio::conv2d::cp_async
