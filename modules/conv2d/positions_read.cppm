// Counts the inputs along one side of an image, rows or columns, that blocks of a size read.
// SPDX-License-Identifier: Apache-2.0
//
// A block computes neighbouring outputs. Two blocks both read the inputs under the filter where
// they meet; a tap is an element of the filter's window. Inputs have `spacing` positions each.
module;

#include "conv2d/halo.h"

#include <algorithm>
#include <cmath>
#include <vector>

module spio.conv2d:positions_read;

namespace spio::conv2d {

// The configurations of a problem have few different sizes: each is counted once.
class positions_read {
  public:
    positions_read(correlated_axis const& axis, int outputs) : axis(axis), outputs(outputs) {
        known.reserve(16);
    }

    // The positions that blocks of so many outputs read in all.
    double operator()(int block) const {
        auto const found = std::ranges::find(known, block, &known_size::block);
        if (found != known.end()) return found->positions;
        bool const is_contiguous = axis.stride == 1 && axis.dilation == 1 && axis.spacing == 1;
        return known.emplace_back(block, is_contiguous ? counted(block) : estimated(block))
            .positions;
    }

  private:
    struct known_size {
        int block;
        double positions;
    };
    correlated_axis axis;
    int outputs;
    mutable std::vector<known_size> known = {};

    // Positions inside the image: those under the first tap, and at the end of each block those
    // under the other taps.
    double counted(long long block) const {
        long long const output_count = outputs, pad = axis.pad, size = axis.inputs;
        // The number of borders between blocks, which are the positive multiples of `block`, below
        // end.
        auto const borders_below = [&](long long end) { return std::max(0LL, (end - 1) / block); };
        long long count = std::max(0LL, std::min(output_count - pad, size) - std::max(-pad, 0LL));
        for (long long tap = 0; tap < axis.taps - 1; ++tap) {
            long long const least = pad - tap, end = least + size;
            count +=
                std::max(0LL, borders_below(std::min(end, output_count)) - borders_below(least));
            if (least <= output_count && output_count < end) ++count;
        }
        return static_cast<double>(count);
    }
    // For any stride, dilation and spacing: each block reads as many positions as one that meets no
    // padding.
    double estimated(int block) const {
        double const block_positions = (1.0 * axis.stride * (std::min(outputs, block) - 1) +
                                        axis.dilation * (axis.taps - 1) + 1) /
                                       axis.spacing;
        return std::ceil(1.0 * outputs / block) * std::min(1.0 * axis.inputs, block_positions);
    }
};

} // namespace spio::conv2d
