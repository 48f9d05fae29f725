// Says why a configuration of a matrix product does not fit: the condition and its numbers.
// SPDX-License-Identifier: Apache-2.0
//
// The bodies wgmma and cp_async are kernel templates. A piece is what a block of a cluster loads of
// a factor by one TMA box.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <string>

module spio.matmul:misfit;

import spio.spec;

namespace spio::matmul {

// The first condition of config.fits(problem) that does not hold, for a configuration whose fields
// are within their bounds; its text is empty if all hold.
class misfit : public unmet_condition {
  public:
    misfit(problem const& problem, cp_async::config const& config) {
        require(config.m % (16 * config.warps_m) == 0 && config.n % (16 * config.warps_n) == 0,
                "a tile of " + product(config.m, config.n) + " is not shared evenly by " +
                    product(config.warps_m, config.warps_n) + " warps of whole 16 x 16 products");
        int const threads = config.threads();
        require(threads >= 64 && threads <= 512 && tile_k % (threads / 8) == 0,
                "the threads of a block are " + number(threads) +
                    ", but must be 64, 128, 256 or 512");
        require_most("the sums of a warp", config.warp_m() * config.warp_n(),
                     problem.alignment < 8 ? 64 * 32 : 64 * 64);
        if (problem.alignment == 4) {
            require_most("m + n, of which a thread copies one line where alignment is 4,",
                         config.m + config.n, threads);
        }
        require_most("the bytes of shared memory", config.shared_bytes(), max_shared_bytes);
    }
    misfit(problem const& problem, wgmma::config const& config) {
        require_most("the blocks of a cluster", config.cluster(), 8);
        require(config.m % config.cluster_n == 0 && config.n % config.cluster_m == 0,
                "a tile of " + product(config.m, config.n) + " is not shared evenly by the " +
                    product(config.cluster_n, config.cluster_m) + " blocks that load it");
        require(!config.ping_pong || (config.splits == 1 && config.blocks == 1),
                "ping_pong takes one split and one block, and splits is " + number(config.splits) +
                    ", blocks " + number(config.blocks));
        require(problem.alignment >= 16,
                "alignment is " + number(problem.alignment) + ", but must be 16, as TMA needs it");
        require(problem.b != order::rows || config.n % tile_k == 0,
                "n is " + number(config.n) + ", but must be a multiple of " + number(tile_k) +
                    " where b is in rows");
        require(!problem.has_static_n() || wgmma::config::stores_columns(problem, problem.n),
                "a row of the result has " + number(1LL * problem.n * problem.result_bytes()) +
                    " bytes, but must be whole cells of 16, as TMA stores them");
        if (text().empty())
            require_pieces("m", config.m, config.piece_a(problem), config.cluster_n);
        if (text().empty())
            require_pieces("n", config.n, config.piece_b(problem), config.cluster_m);
        require_most("the lines of a piece of b", config.piece_b(problem), 256);
        require(config.has_registers(problem), "a thread has too few registers for its part of a "
                                               "tile of " +
                                                   product(config.m, config.n));
        require_most("the bytes of shared memory of the blocks of an SM",
                     config.blocks * (config.shared_bytes(problem) + reserved_shared_bytes),
                     max_shared_bytes + reserved_shared_bytes);
    }

  private:
    static std::string number(long long value) { return std::to_string(value); }
    static std::string product(int a, int b) { return number(a) + " x " + number(b); }

    void require_pieces(std::string const& side, int size, int piece, int blocks) {
        require(piece % 8 == 0 && size / piece % blocks == 0,
                side + " is " + number(size) + ", which " + number(blocks) +
                    " blocks do not load evenly in pieces of whole 8 lines, " + number(piece));
    }
};

} // namespace spio::matmul
