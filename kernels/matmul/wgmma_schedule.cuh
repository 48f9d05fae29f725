// Which tiles a block of the matrix product by wgmma computes, and its place in its cluster.
// SPDX-License-Identifier: Apache-2.0
//
// M and N are the rows and columns of the result; fold<N, 64> counts columns in blocks of 64. The
// blocks of a cluster compute neighbouring tiles, and share factors or, as splits of a tile, the
// sum over k. Config says how blocks share a problem.
#pragma once

#include "matmul/wgmma.h"
#include "spio/tile/thread.cuh"

namespace spio::matmul::wgmma {

// A block among those of its cluster, and the ranks of those that share a, and b, with it.
template <config Config> struct cluster_position {
    int row, column, split;
    unsigned ranks_of_a, ranks_of_b;

    __device__ explicit cluster_position(int rank)
        : row(rank % Config.cluster_m),
          column(rank / Config.cluster_m % Config.cluster_n),
          split(rank / Config.sharers()),
          ranks_of_a(0),
          ranks_of_b(0) {
        for (int n = 0; n < Config.cluster_n; ++n)
            ranks_of_a |= 1U << (row + n * Config.cluster_m + first_sharer());
        for (int m = 0; m < Config.cluster_m; ++m)
            ranks_of_b |= 1U << (m + column * Config.cluster_m + first_sharer());
    }
    // The rank of the first block of this split: those of a split share factors.
    __device__ int first_sharer() const { return split * Config.sharers(); }
    // The rank of the block that computes another split of the same tile.
    __device__ int rank_of(int other) const {
        return other * Config.sharers() + column * Config.cluster_m + row;
    }
};
template <config Config> struct tile_position {
    BATCH batch;
    fold<M, Config.m> row;
    fold<N, Config.n> column;
};
// The tiles of a block. A tile's place takes divisions, made before its factors have come.
template <config Config> class tile_schedule {
  public:
    __device__ tile_schedule(sizes const& sizes, cluster_position<Config> const& block)
        : row_in_cluster_(block.row),
          column_in_cluster_(block.column),
          rows_(Config.rows(sizes)),
          columns_(Config.columns(sizes)),
          batch_count_(sizes.batch),
          depth_(Config.depth(sizes.k)),
          number_(this_block() / Config.cluster()) {
        locate();
    }
    __device__ bool has_tile() const { return number_ < rows_ * columns_ * batch_count_; }
    __device__ void advance() {
        number_ += blocks_of_grid() / Config.cluster();
        if (has_tile()) locate();
    }
    // The steps of tile_k along k, of a tile and of all that are left.
    __device__ int depth() const { return depth_; }
    __device__ int steps() const {
        int const stride = blocks_of_grid() / Config.cluster();
        return depth_ * divup(rows_ * columns_ * batch_count_ - number_, stride);
    }
    __device__ tile_position<Config> tile() const {
        return {BATCH(batch_), fold<M, Config.m>(row_), fold<N, Config.n>(column_)};
    }

  private:
    int row_in_cluster_, column_in_cluster_; // of the block
    int rows_, columns_, batch_count_, depth_, number_;
    int batch_, row_, column_; // of the tile

    __device__ void locate() {
        batch_ = number_ / (rows_ * columns_);
        int const number = number_ - batch_ * rows_ * columns_;
        auto const [row, column] = Config.order()(number, rows_, columns_);
        row_ = row * Config.cluster_m + row_in_cluster_;
        column_ = column * Config.cluster_n + column_in_cluster_;
    }
};

} // namespace spio::matmul::wgmma
