// The matrix product by cp.async and mma.sync: how blocks share a problem.
// SPDX-License-Identifier: Apache-2.0
//
// A stage is one place of a ring in shared memory.
#pragma once

#include "matmul/problem.h"
#include "spio/tile_order.h"

namespace spio::matmul::cp_async {

// A block computes a tile of m x n, and each of its warps a part of it. Blocks that run at the same
// time compute tiles of a band of rows.
struct config {
    int m, n;             // rows and columns of a block's tile
    int warps_m, warps_n; // of a block, along m and along n
    int stages;           // of the ring in shared memory
    int band;             // rows of tiles that are passed column by column

    constexpr int threads() const { return 32 * warps_m * warps_n; }
    constexpr int warp_m() const { return m / warps_m; }
    constexpr int warp_n() const { return n / warps_n; }
    constexpr int stage_bytes() const { return 2 * tile_k * (m + n); }
    // The sums pass through shared memory when the factors have been read, in rows that are
    // `padding` floats longer than the tile.
    static constexpr int padding = 8;
    constexpr int tile_bytes() const { return max(stages * stage_bytes(), 4 * m * (n + padding)); }
    // Whether each stage has an mbarrier. With less than four stages, tiles would be copied only
    // one step ahead, and a barrier of the block for each tile takes less time.
    constexpr bool has_mbarriers() const { return stages >= 4; }
    constexpr int shared_bytes() const {
        return tile_bytes() + (has_mbarriers() ? 16 * divup(stages, 2) : 0); // 8 of each
    }
    // The steps along k between the copy of a tile and its products. With mbarriers, a thread that
    // is more than half the stages ahead could copy over a tile that another one still reads.
    constexpr int copied_ahead() const { return has_mbarriers() ? stages / 2 : stages - 1; }
    // Whether a kernel of this configuration can compute the problem.
    // A warp has at most 64 x 64 sums, or its threads would need too many registers. All threads
    // load 8, 16, 32 or 64 lines of a tile at a time, 8 cells each. Other bounds only keep products
    // within an int.
    constexpr bool fits(problem const& problem) const {
        if (warps_m < 1 || warps_n < 1 || warps_m > 8 || warps_n > 8 || stages < 2 || stages > 16 ||
            m < 64 || n < 64 || band < 1 || band > 1024)
            return false;
        bool const has_tiles = m % 64 == 0 && n % 64 == 0 && m <= 256 && n <= 256;
        bool const has_warps = m % (16 * warps_m) == 0 && n % (16 * warps_n) == 0;
        if (!has_tiles || !has_warps || threads() > 512) return false;
        // Cells that are copied in small parts take registers, too.
        int const most_sums = problem.alignment < 8 ? 64 * 32 : 64 * 64;
        bool const has_few_cells = problem.alignment != 4 || m + n <= threads(); // 8 of a thread
        bool const has_registers = warp_m() * warp_n() <= most_sums && has_few_cells;
        bool const is_even = threads() >= 64 && tile_k % (threads() / 8) == 0;
        return has_registers && is_even && shared_bytes() <= max_shared_bytes;
    }

    // The number of tiles along m and along n, and of all tiles.
    constexpr int rows(sizes const& sizes) const { return divup(sizes.m, m); }
    constexpr int columns(sizes const& sizes) const { return divup(sizes.n, n); }
    constexpr long long tiles(sizes const& sizes) const {
        return 1LL * rows(sizes) * columns(sizes) * sizes.batch;
    }
    constexpr super_rows order() const { return {band}; }
};

struct params {
    matmul::args args;
};

} // namespace spio::matmul::cp_async
