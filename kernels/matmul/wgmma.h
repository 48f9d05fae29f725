// The matrix product by TMA and wgmma (sm_90a): how blocks share a problem, and its tensor maps.
// SPDX-License-Identifier: Apache-2.0
//
// A line is a row or a column of a matrix, whichever is contiguous in memory: of a, stored by rows,
// it goes along k. A step along k has tile_k = 64 products, and so 128 bytes (line_bytes) of a
// line. A stage is one place of a ring in shared memory.
#pragma once

#include "matmul/problem.h"
#include "spio/tile_order.h"

namespace spio::matmul::wgmma {

// A cluster of blocks computes neighbouring tiles, one of m x n for each block, and each block
// loads a part of the factors that they share for all of them. With several splits, there are so
// many blocks for each tile, each over its part of k (split-K), and these share the sums. The last
// warpgroup of a block is the producer; the others consume, one for each 64 rows. In ping-pong, two
// consumers compute every second tile each. One of them multiplies while the other one stores. As
// many clusters run as the chip holds, and each computes one tile after the other. In shared
// memory, factors and result lie in lines of 128 bytes.
struct config {
    int m;                    // 64, 128 or 192: of the tile of a block
    int n;                    // 16 to 256 in steps of 16
    int stages;               // of the ring in shared memory
    int buffers;              // through which a warpgroup stores its rows, see result_columns()
    int cluster_m, cluster_n; // blocks of a cluster along m, which share b, and along n
    int band;                 // rows of clusters that are passed column by column
    int splits = 1;           // blocks of a cluster that share the sum over k
    int blocks = 1;           // that an SM runs at a time
    bool ping_pong = false;   // whether each of two consumers computes whole tiles

    constexpr int consumers() const { return ping_pong ? 2 : m / 64; }
    constexpr int readers() const { return ping_pong ? 1 : consumers(); } // of a stage
    constexpr int consumer_rows() const { return ping_pong ? m : 64; }
    constexpr int sharers() const { return cluster_m * cluster_n; } // of factors
    constexpr int cluster() const { return sharers() * splits; }
    constexpr int threads() const { return 128 * (consumers() + 1); }
    // Whether the producer gives away registers that it does not need. The threads of the blocks of
    // an SM share its 65536 registers; those of a single consumer have enough.
    constexpr bool moves_registers() const { return consumers() > 1 || blocks > 1; }
    static constexpr int producer_registers = 40;
    // A thread can have 255; a single consumer takes at most 240.
    constexpr int consumer_registers() const {
        int const first = 65536 / (threads() * blocks) / 8 * 8; // of each thread
        int const left = (consumers() + 1) * first - producer_registers;
        return min(240, left / consumers() / 8 * 8);
    }

    // The rows or columns of a TMA box of a factor. Where lines go along k, each block of a cluster
    // loads one box; otherwise a box is as wide as a line.
    constexpr int piece_a(problem const& problem) const {
        return problem.a == order::rows ? m / cluster_n : tile_k;
    }
    constexpr int piece_b(problem const& problem) const {
        return problem.b == order::columns ? n / cluster_m : tile_k;
    }
    // With several splits, the first so many of them store the sums, each a part of the columns.
    constexpr int storing_splits() const {
        int count = splits;
        while (count > 1 && (n % count != 0 || n / count % 16 != 0)) --count;
        return count;
    }
    constexpr int stored_columns() const { return n / storing_splits(); } // of a split
    // The columns of the result that are stored at a time: those of a line of 128, 64 or 32 bytes.
    // The last line may have up to a quarter of the columns in common with the one before, unless
    // these are read, too.
    constexpr int result_columns(problem const& problem) const {
        int columns = line_bytes / problem.result_bytes();
        int const most = problem.residual ? 0 : stored_columns() / 4; // in common
        while (divup(stored_columns(), columns) * columns - stored_columns() > most) columns /= 2;
        return columns;
    }
    // The boxes of 64 rows and so many columns that a warpgroup stores of a tile. If there is a
    // buffer for each, all are written and stored together.
    constexpr int boxes(problem const& problem) const {
        return consumer_rows() / 64 * divup(stored_columns(), result_columns(problem));
    }
    constexpr bool stores_at_once(problem const& problem) const {
        return buffers >= boxes(problem);
    }
    constexpr int used_buffers(problem const& problem) const {
        return min(buffers, boxes(problem));
    }
    // The steps along k of a block. With several splits, the last ones may lie beyond the end.
    constexpr int depth(int k) const { return divup(divup(k, tile_k), splits); }

    // The bytes of both tiles of a stage, 2 for each element.
    constexpr int stage_bytes() const { return 2 * tile_k * (m + n); }
    // The sums that the other splits bring, in floats: those of the columns that a block stores.
    constexpr int inbox_bytes() const { return 4 * m * stored_columns() * (splits - 1); }
    // The last terms are for the barriers `full` and `empty` of each stage, and for those of each
    // consumer, 8 bytes each: two with several splits, or one in ping-pong.
    constexpr int shared_bytes(problem const& problem) const {
        int const buffer_bytes = 64 * result_columns(problem) * problem.result_bytes();
        return stages * stage_bytes() + consumers() * used_buffers(problem) * buffer_bytes +
               inbox_bytes() + 32 * divup(stages, 2) +
               (splits > 1 ? 32 * divup(consumers(), 2) : 0) + (ping_pong ? 16 : 0);
    }
    // TMA stores whole cells of 16 bytes (seen on an H200): rows of the result must end with a
    // cell.
    static constexpr bool stores_columns(problem const& problem, int n) {
        return n * problem.result_bytes() % 16 == 0;
    }
    constexpr bool has_registers_in_turns(bool has_epilogue) const {
        int const others = has_epilogue ? 104 : 40;
        return consumer_rows() / 64 * n / 2 + others <= consumer_registers();
    }
    // A thread has n / 2 sums of each 64 rows, and needs some 48 registers for all else. In
    // ping-pong it has up to 192 sums, and 40 other registers are enough, or 104 with an epilogue.
    constexpr bool has_registers(problem const& problem) const {
        bool const is_plain =
            !problem.bias && !problem.residual && problem.activation == activation::none;
        if (ping_pong) return has_registers_in_turns(!is_plain);
        return blocks == 1 || n / 2 + 48 <= 65536 / (threads() * blocks) / 8 * 8;
    }
    // Whether a kernel of this configuration can compute the problem.
    // A TMA box has at most 256 lines, a cluster at most 8 blocks. The bounds of stages, buffers
    // and band only keep products of them within an int.
    constexpr bool fits(problem const& problem) const {
        bool const has_sides =
            (m == 64 || m == 128 || m == 192) && n % 16 == 0 && n >= 16 && n <= 256;
        bool const has_cluster = cluster_m >= 1 && cluster_n >= 1 && cluster_m <= 8 &&
                                 cluster_n <= 8 && cluster() <= 8 && m % cluster_n == 0 &&
                                 n % cluster_m == 0;
        if (!has_sides || !has_cluster || stages < 2 || stages > 16 || buffers < 2 ||
            buffers > 16 || band < 1 || band > 1024 || blocks < 1 || blocks > 2 || splits < 1 ||
            splits > 8)
            return false;
        if (ping_pong && (splits > 1 || blocks > 1)) return false;
        if (problem.alignment < 16) return false; // as TMA needs it
        if (problem.b == order::rows && n % tile_k != 0) return false;
        if (problem.has_static_n() && !stores_columns(problem, problem.n)) return false;
        bool const has_pieces = piece_a(problem) % 8 == 0 &&
                                m / piece_a(problem) % cluster_n == 0 &&
                                piece_b(problem) % 8 == 0 &&
                                n / piece_b(problem) % cluster_m == 0 && piece_b(problem) <= 256;
        return has_pieces && has_registers(problem) &&
               blocks * (shared_bytes(problem) + reserved_shared_bytes) <=
                   max_shared_bytes + reserved_shared_bytes;
    }

    // The tiles of clusters along m and along n.
    constexpr int rows(sizes const& sizes) const { return divup(sizes.m, m * cluster_m); }
    constexpr int columns(sizes const& sizes) const { return divup(sizes.n, n * cluster_n); }
    constexpr long long tiles(sizes const& sizes) const {
        return 1LL * rows(sizes) * columns(sizes) * sizes.batch;
    }
    constexpr super_rows order() const { return {band}; }
};

// The kernel's parameters: tensor maps of a, b and the result d, and what it reads without maps.
struct params {
    tensor_map_words a, b, d;
    matmul::sizes sizes;
    float const* bias;
    matrix<void const> c;
};

// The sizes of a matrix in memory, along its lines and across them, and the number of matrices.
struct line_sizes {
    int inner, outer, batch;
};
// The tensor map of a matrix: its boxes have `rows` lines of `columns` numbers; `fetched` is how
// many bytes TMA reads into the L2 cache at a time, or 0 for a map by which it only stores.
template <class T>
constexpr tensor_map_plan plan_of(matrix<T> const& matrix, line_sizes const& sizes,
                                  int element_bytes, int columns, int rows, int fetched) {
    return {.rank = 3,
            .element_bytes = element_bytes,
            .sizes = {sizes.inner, sizes.outer, sizes.batch},
            .strides = {element_bytes, element_bytes * matrix.leading,
                        element_bytes *
                            (sizes.batch > 1 ? matrix.batch : matrix.leading * sizes.outer)},
            .box = {columns, rows, 1},
            .swizzle = columns * element_bytes,
            .fetched = fetched};
}
// The bytes that TMA reads into the cache for a factor at a time. Lines that begin anywhere share
// few aligned blocks of 256 bytes with their neighbours along k.
constexpr int fetched_bytes(matrix<void const> const& factor) {
    return 2 * factor.leading % 256 == 0 ? 256 : 128;
}
// The tensor maps of a launch.
constexpr tensor_map_plan a_plan(problem const& problem, config const& config, args const& args) {
    auto const& [m, n, k, batch] = args.sizes;
    bool const by_rows = problem.a == order::rows; // lines go along k, and their number along m
    auto const sizes = by_rows ? line_sizes{k, m, batch} : line_sizes{m, k, batch};
    int const lines = by_rows ? config.piece_a(problem) : tile_k;
    return plan_of(args.a, sizes, /*element_bytes=*/2, /*columns=*/tile_k, /*rows=*/lines,
                   fetched_bytes(args.a));
}
constexpr tensor_map_plan b_plan(problem const& problem, config const& config, args const& args) {
    auto const& [m, n, k, batch] = args.sizes;
    bool const by_rows = problem.b == order::rows; // lines go along n, and their number along k
    auto const sizes = by_rows ? line_sizes{n, k, batch} : line_sizes{k, n, batch};
    int const lines = by_rows ? tile_k : config.piece_b(problem);
    return plan_of(args.b, sizes, /*element_bytes=*/2, /*columns=*/tile_k, /*rows=*/lines,
                   fetched_bytes(args.b));
}
constexpr tensor_map_plan d_plan(problem const& problem, config const& config, args const& args) {
    auto const& [m, n, k, batch] = args.sizes;
    return plan_of(args.d, {.inner = n, .outer = m, .batch = batch}, problem.result_bytes(),
                   config.result_columns(problem), /*rows=*/64, /*fetched=*/0);
}

} // namespace spio::matmul::wgmma
