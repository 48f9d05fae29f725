// The steps of a block of wgrad: which rows of x and of dy meet in each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"
#include "spio/tile/thread.cuh"

namespace spio::conv2d::wgrad {

// The sizes of a launch: constants where the kernel knows the image.
struct launch_sizes {
    int n, h, w, p, q;
};
// Of n images of h x w, where the kernel does not know better.
template <problem Problem> constexpr launch_sizes sizes_of(int n, int h, int w) {
    problem const problem =
        Problem.with(Problem.knows_n() ? Problem.n : n, Problem.knows_image() ? Problem.h : h,
                     Problem.knows_image() ? Problem.w : w);
    return {problem.n, problem.h, problem.w, problem.p(), problem.q()};
}

// Neighbouring rows of dy, of some images, in a strip of columns.
struct span {
    N image{0};
    Q column{0};
    P row{0};
    int rows = 0;
};

// The spans of a split. The rows of dy are numbered so: all rows of a strip of columns, then those
// of the next strip, then the strips of the next `images` images. A split is a range of these
// numbers; the sizes of two splits differ by at most one.
class spans {
  public:
    __device__ spans(launch_sizes const& sizes, int images, int columns, SPLIT split, int splits)
        : rows_(sizes.p), strips_(divup(sizes.q, columns)), images_(images), columns_(columns) {
        long long const count = 1LL * divup(sizes.n, images) * strips_ * rows_;
        next_ = static_cast<int>(count * split.get() / splits);
        end_ = static_cast<int>(count * (split.get() + 1) / splits);
    }

    // Writes the next span to `result`, or returns false if there is none left.
    __device__ bool next(span& result) {
        if (next_ >= end_) return false;
        int const strip = next_ / rows_;
        int const row = next_ - strip * rows_;
        result = {N(strip / strips_ * images_), Q(strip % strips_ * columns_), P(row),
                  min(rows_ - row, end_ - next_)};
        next_ += result.rows;
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

// A step of a span: one row of x, and the rows of dy that were loaded in the last r steps. The row
// of x is multiplied with these rows of dy under the filter's rows `first` to `last`. A step with
// `first` equal to 0 also loads a new row of dy.
struct row_step {
    int number;
    int first;
    int last;
    bool has_x;

    __device__ bool has_dy() const { return first == 0; }
    __device__ bool loads_row() const { return has_dy() || has_x; }
};

template <problem Problem> class steps {
  public:
    static constexpr int r = Problem.r;
    // Small filters: the first r - 1 steps of a span, the steps in the middle and the last r - 1
    // are compiled separately, so that `first` and `last` are constants in each.
    static constexpr bool are_unrolled = Problem.taps() <= 25;

    span current = {};

    __device__ explicit steps(int input_rows) : h_(input_rows) {}

    __device__ H input_row(int number) const {
        constexpr correlated_axis rows = rows_of(Problem);
        return H(rows.first_input(current.row.get() + number));
    }
    __device__ bool has_x(int number) const {
        int const row = input_row(number).get();
        return row >= 0 && row < h_ + (needs_row_below(Problem) ? 1 : 0);
    }
    // For kernels that read pairs of rows from shared memory: whether a step loads a row of x.
    // These kernels load the row above the image too, where it is needed.
    __device__ bool loads_x(row_step const& step) const {
        return step.has_x || (needs_row_above(Problem) && input_row(step.number) == H(-1));
    }
    __device__ row_step step(int number) const {
        return {number, max(0, number - current.rows + 1), min(number, r - 1), has_x(number)};
    }

    __device__ int count() const {
        constexpr correlated_axis rows = rows_of(Problem);
        return rows.input_count(current.rows);
    }
    // Visits the steps of the current span.
    template <class Visit> __device__ __forceinline__ void rolled(Visit& visit) const {
#pragma unroll 1
        for (int number = 0; number < count(); ++number) visit(step(number));
    }
    // Visits the steps of the current span, with `first` and `last` known at compile time wherever
    // possible.
    template <class Visit> __device__ __forceinline__ void unrolled(Visit& visit) const {
        if constexpr (are_unrolled) {
            if (current.rows >= r) {
                each_kind(visit);
                return;
            }
        }
        rolled(visit);
    }

  private:
    template <class Visit> __device__ __forceinline__ void each_kind(Visit& visit) const {
#pragma unroll
        for (int number = 0; number < r - 1; ++number) visit({number, 0, number, has_x(number)});
#pragma unroll 1
        for (int number = r - 1; number < current.rows; ++number) {
            // With pad_h < r, every row of x between the first r - 1 and the last r - 1 is in the
            // image.
            visit({number, 0, r - 1, Problem.pad_h < r || has_x(number)});
        }
#pragma unroll
        for (int first = 1; first < r; ++first) {
            int const number = current.rows - 1 + first;
            visit({number, first, r - 1, has_x(number)});
        }
    }

    int h_;
};

} // namespace spio::conv2d::wgrad
