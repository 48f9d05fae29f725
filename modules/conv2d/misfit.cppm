// Says why a configuration of a convolution does not fit: the condition and its numbers.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter. The bodies tma and cp_async are kernel templates,
// named after how they copy. An mma tile is 16 columns of a row; channels are convolved in groups
// of 8. In dgrad of stride 2 there are zeros between the inputs (gaps). A checked_size is a number
// that becomes too large, and stays so, where an int would overflow.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <string>

module spio.conv2d:misfit;

import spio.spec;

namespace spio::conv2d {

// The first condition of config.fits(problem) that does not hold, for a configuration whose fields
// are within their bounds; empty if all hold.
class misfit : public unmet_condition {
  public:
    misfit(problem const& problem, cp_async::config const& config) : asked(problem) {
        require(asked.pass != direction::wgrad, "it computes fprop and dgrad");
        int const warp_columns = 16 * config.mma_tiles;
        bool const is_shared = config.columns_of_images() % warp_columns == 0;
        bool const has_part =
            config.columns == 8 || (warp_columns % config.columns == 0 && config.columns % 16 == 0);
        require(config.columns % warp_columns == 0 || (has_part && is_shared),
                "warps of " + number(warp_columns) + " columns, 16 mma_tiles, do not share " +
                    number(config.columns) + " columns of " + number(config.images) +
                    " images evenly");
        require_most("the warps of a block", config.warps(), 32);
        require_groups(config.groups);
    }
    misfit(problem const& problem, tma::config const& config) : asked(problem) {
        require(tma::config::has_pass(asked), "it computes fprop and dgrad");
        correlation const sizes = correlation_of(asked);
        require_tiles(config.images, config.columns, sizes.spacing_w);
        require(config.rows % sizes.spacing_h == 0,
                "rows is " + number(config.rows) + ", but must be even, as the stride is 2");
        require(!config.whole_rows || config.can_copy_rows(asked),
                "whole_rows takes one image without gaps, whose size is known, no second tensor, "
                "and all groups, an odd number of them or 2: groups is " +
                    number(config.groups) + " of " + number(asked.groups()));
        require_most("the mma tiles of a warp", config.mma_tiles(), 64);
        require_most("the registers for fragments", config.held_registers(asked), 208);
        require_swizzle(config.groups, "");
        require_groups(config.groups);
        require_most("the input rows of a tile", config.input_rows(asked), 256);
        require_most("the input columns of a tile", config.input_columns(asked), 256);
        require_cells(config.cells_of_tiles(asked, config.boxes(asked)));
    }
    misfit(problem const& problem, wgrad_cp_async::config const& config) : asked(problem) {
        require(asked.pass == direction::wgrad, "it computes wgrad");
        require_tiles(config.images, config.columns, /*spacing=*/1);
        require_most("the columns of x in a row of all images",
                     (checked_size(config.images) * config.input_columns(asked)).as_int(), 1024);
        require_most("the bytes of shared memory", config.shared_bytes(asked), max_shared_bytes);
    }
    misfit(problem const& problem, wgrad_tma::config const& config) : asked(problem) {
        require(asked.pass == direction::wgrad, "it computes wgrad");
        require(config.cluster == 1 || config.cluster == config.splits,
                "cluster is " + number(config.cluster) + ", but must be 1 or splits, " +
                    number(config.splits));
        require(config.cluster == 1 || asked.has_static_layer(),
                "cluster is " + number(config.cluster) +
                    ", but must be 1, as the kernel is made for any layer");
        if (config.whole_images) require_whole_images(config);
        require(config.parts == 1 || asked.s >= 3,
                "parts is 2, but the filter has " + number(asked.s) + " of at least 3 columns");
        require_tiles(config.images, config.columns, /*spacing=*/1);
        require_swizzle(config.box_groups(), ", or 12");
        require_most("the columns of x in a row", config.input_columns(asked), 256);
        require_cells(checked_size(config.stages) *
                      (checked_size(config.input_cells(asked)) + config.dy_cells(asked)));
        require_most("the bytes of shared memory", config.shared_bytes(asked), max_shared_bytes);
    }

  private:
    problem const& asked;

    static std::string number(long long value) { return std::to_string(value); }

    void require_groups(int groups) {
        require(asked.has_groups(groups), "groups is " + number(groups) + ", but must be at most " +
                                              number(asked.groups()) + ", those of the problem");
    }
    void require_swizzle(int groups, std::string const& others) {
        require(is_tile_of_groups(groups), "groups is " + number(groups) +
                                               ", but must be 2, 4 or 8, as the swizzle of TMA, or "
                                               "an odd number up to " +
                                               number(most_groups_of_tile) + others);
    }
    // Inputs are `spacing` columns apart.
    void require_tiles(int images, int columns, int spacing) {
        int const pixels = columns / spacing;
        bool const is_pair = pixels == 8 && images % 2 == 0;
        require(columns % spacing == 0 && (pixels % 16 == 0 || is_pair),
                "columns is " + number(columns) + " and images is " + number(images) +
                    ", but must be a multiple of " + number(16 * spacing) + ", or " +
                    number(8 * spacing) + " of an even number");
    }
    // The number of bytes must fit into an int.
    void require_cells(checked_size cells) {
        require_most("the bytes of the tiles", (cells * 16).value, (1 << 28) - 1);
    }
    void require_whole_images(wgrad_tma::config const& config) {
        require(asked.has_static_image(), "whole_images takes images of a known size");
        require_most("whole_images takes all output columns, which", asked.q(), config.columns);
        require_most("whole_images takes all rows, which",
                     std::max(config.input_rows(asked), asked.p()), 256);
        require(asked.stride_h == 1 && asked.dilation_h == 1,
                "whole_images takes a stride and a dilation of 1, and stride_h is " +
                    number(asked.stride_h) + ", dilation_h " + number(asked.dilation_h));
    }
};

} // namespace spio::conv2d
