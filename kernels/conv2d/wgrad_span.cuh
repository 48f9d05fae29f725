// The rows of a split, span by span: how blocks share them, and how those of x meet those of y.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"
#include "spio/tile/thread.cuh"

namespace spio::conv2d::wgrad {

// The sizes of a launch: constants where the image is known.
struct image_sizes {
    int n, h, w, p, q;
};
template <problem Problem> constexpr image_sizes sizes_of(int n, int h, int w) {
    problem const of =
        Problem.with(Problem.knows_n() ? Problem.n : n, Problem.knows_image() ? Problem.h : h,
                     Problem.knows_image() ? Problem.w : w);
    return {of.n, of.h, of.w, of.p(), of.q()};
}

// Neighbouring rows of y, of some images, in a strip of columns.
struct span {
    N image{0};
    Q column{0};
    P row{0};
    int rows = 0;
};

// All spans of a split. The rows of one strip follow one another, then come the next strip, the
// next images: a split is as many of them as any other, but for one.
class spans {
  public:
    __device__ spans(image_sizes const& of, int images, int columns, SPLIT split, int splits)
        : rows_(of.p), strips_(divup(of.q, columns)), images_(images), columns_(columns) {
        long long const all = 1LL * divup(of.n, images) * strips_ * rows_;
        next_ = static_cast<int>(all * split.get() / splits);
        end_ = static_cast<int>(all * (split.get() + 1) / splits);
    }

    __device__ bool next(span& to) {
        if (next_ >= end_) return false;
        int const strip = next_ / rows_;
        int const row = next_ - strip * rows_;
        to = {N(strip / strips_ * images_), Q(strip % strips_ * columns_), P(row),
              min(rows_ - row, end_ - next_)};
        next_ += to.rows;
        return true;
    }

  private:
    int rows_;
    int strips_;
    int images_;
    int columns_;
    int next_;
    int end_;
};

// A step of a span: a row of x, which meets the rows of y that came at most R - 1 steps before. It
// is theirs under the taps from `first` to `last`; where first is 0, a row of y comes too.
struct row_step {
    int number;
    int first;
    int last;
    bool has_x;

    __device__ bool has_dy() const { return first == 0; }
    __device__ bool has_any() const { return has_dy() || has_x; }
};

template <problem Problem> class steps {
  public:
    static constexpr int r = Problem.r;
    // Filters with few taps have room for a step of each kind in the program.
    static constexpr bool are_unrolled = Problem.taps() <= 25;

    span at = {};

    __device__ explicit steps(int rows_of_x) : h_(rows_of_x) {}

    __device__ H row_of_x(int number) const { return H(at.row.get() + number - Problem.pad_h); }
    __device__ bool has_x(int number) const {
        int const row = row_of_x(number).get();
        return row >= 0 && row < h_ + (meets_row_below(Problem) ? 1 : 0);
    }
    // The same where a row lies beside the one before: then that above the image comes too.
    __device__ bool brings_x(row_step const& step) const {
        return step.has_x || (meets_row_above(Problem) && row_of_x(step.number) == H(-1));
    }
    __device__ row_step step(int number) const {
        return {number, max(0, number - at.rows + 1), min(number, r - 1), has_x(number)};
    }

    template <class Each> __device__ __forceinline__ void rolled(Each& each) const {
#pragma unroll 1
        for (int number = 0; number < at.rows + r - 1; ++number) each(step(number));
    }
    // The same, where the taps that take part are constants as far as they can be.
    template <class Each> __device__ __forceinline__ void unrolled(Each& each) const {
        if constexpr (are_unrolled) {
            if (at.rows >= r) {
                all_kinds(each);
                return;
            }
        }
        rolled(each);
    }

  private:
    template <class Each> __device__ __forceinline__ void all_kinds(Each& each) const {
#pragma unroll
        for (int number = 0; number < r - 1; ++number) each({number, 0, number, has_x(number)});
#pragma unroll 1
        for (int number = r - 1; number < at.rows; ++number) {
            each({number, 0, r - 1, Problem.pad_h < r || has_x(number)});
        }
#pragma unroll
        for (int gone = 1; gone < r; ++gone) {
            int const number = at.rows - 1 + gone;
            each({number, gone, r - 1, has_x(number)});
        }
    }

    int h_;
};

} // namespace spio::conv2d::wgrad
