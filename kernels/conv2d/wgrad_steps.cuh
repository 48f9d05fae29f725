// The steps of a block of wgrad: which rows of x and of dy meet in each.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter, x the input and dy the gradient of the output. A split is a
// part of the rows of all images, and a block sums one. With a dilation of 2, rows are in two
// phases, each of every second row. N, P, Q are the images, rows and columns of dy, and H the rows
// of x. Problem, the sizes and options of a call, is known when a kernel is compiled. A span is
// some neighbouring rows of dy. A strip is some neighbouring columns. A tap is an element of the
// filter's window. has_static_n() says whether the number of images, has_static_image() whether the
// height and width, has_static_layer() whether the channels and the padding are known when a kernel
// is compiled.
#pragma once

#include "conv2d/wgrad.h"
#include "spio/tile/thread.cuh"

namespace spio::conv2d::wgrad {

// The sizes of a launch: constants where the kernel knows them.
struct launch_sizes {
    int n, h, w, p, q;
    int groups, pad_h, pad_w;
};
// The sizes that a launch passes, where the kernel does not know better.
template <problem Problem> constexpr launch_sizes sizes_of(passed_sizes const& passed) {
    problem problem = Problem.with(Problem.has_static_n() ? Problem.n : passed.n,
                                   Problem.has_static_image() ? Problem.h : passed.h,
                                   Problem.has_static_image() ? Problem.w : passed.w);
    if constexpr (!Problem.has_static_layer()) {
        problem.c = passed.c;
        problem.pad_h = passed.pad_h;
        problem.pad_w = passed.pad_w;
    }
    return {problem.n,   problem.h,        problem.w,     problem.p(),
            problem.q(), problem.groups(), problem.pad_h, problem.pad_w};
}

// Neighbouring rows of dy in a phase, of some images, in a strip of columns.
struct span {
    N image{0};
    Q column{0};
    P row{0};
    int rows = 0;
};

// The spans of a split. The rows of dy are numbered so: all rows of a strip of columns, phase by
// phase, then those of the next strip, then the strips of the next `images` images. A split is a
// range of these numbers, as first_row_of_split() tells.
class spans {
  public:
    // For one split of `splits`: a span covers `images` images and `columns` columns of dy, and
    // where splits are long, at least `least` rows.
    __device__ spans(launch_sizes const& sizes, int images, int columns, SPLIT split, int splits,
                     int phases, int least)
        : rows_(sizes.p),
          strips_(divup(sizes.q, columns)),
          images_(images),
          columns_(columns),
          phases_(phases) {
        long long const count = 1LL * divup(sizes.n, images) * strips_ * rows_;
        int const fewest = phases == 1 ? least : 1;
        next_ = first_row_of_split(count, rows_, split.get(), splits, fewest);
        end_ = first_row_of_split(count, rows_, split.get() + 1, splits, fewest);
    }

    // Writes the next span to `result`, or returns false if there is none left.
    __device__ bool next(span& result) {
        if (next_ >= end_) return false;
        int const strip = next_ / rows_;
        int row = next_ - strip * rows_;
        int rows_left = rows_ - row;
        if (phases_ > 1) {
            // The first of two phases has the greater half of the rows.
            int const first_phase_rows = divup(rows_, 2);
            int const phase = row >= first_phase_rows;
            rows_left = phase == 0 ? first_phase_rows - row : rows_left;
            row = 2 * (row - phase * first_phase_rows) + phase;
        }
        result = {N(strip / strips_ * images_), Q(strip % strips_ * columns_), P(row),
                  min(rows_left, end_ - next_)};
        next_ += result.rows;
        return true;
    }

  private:
    int rows_;
    int strips_;
    int images_;
    int columns_;
    int phases_;
    int next_;
    int end_;
};

// A step of a span: one row of x, and the rows of dy that were loaded last and read it. The row of
// x is the first that the newest row of dy reads, or `offset` rows after it. It is multiplied with
// the rows of dy `first` to `last`, counted from the newest one, 0. A step with offset 0 brings a
// new row of dy; if `first` is greater than 0, there is none left.
struct row_step {
    int number;
    int offset;
    int first;
    int last;
    bool has_x;

    // Whether a new row of dy comes with this step, and whether any row is loaded for it.
    __device__ bool begins_row() const { return offset == 0; }
    __device__ bool has_dy() const { return first == 0 && begins_row(); }
    __device__ bool loads_row() const { return has_dy() || has_x; }
};

// An axis with the padding of a launch, where the kernel does not know it.
template <problem Problem> constexpr correlated_axis padded(correlated_axis axis, int pad) {
    if constexpr (!Problem.has_static_layer()) axis.pad = pad;
    return axis;
}

template <problem Problem> class steps {
  public:
    static constexpr int r = Problem.r;
    // A span walks along the rows of x that its rows of dy, of one phase, read. `advance` is the
    // number of these from a row of dy to the next, `live` the number of rows of dy that read one.
    static constexpr int phases = rows_of(Problem).phases();
    static constexpr int advance = rows_of(Problem).advance();
    static constexpr int live = rows_of(Problem).live_outputs();
    static constexpr int dilation = Problem.dilation_h;
    // The steps of a span in which the first rows of dy come, those in the middle and those in
    // which the last rows leave are compiled separately, so that `first` and `last` are constants
    // in each. A kernel of a large filter that serves any layer does without, to be short.
    static constexpr bool are_unrolled =
        Problem.taps() <= medium_taps || Problem.has_static_layer();

    span current = {};

    __device__ explicit steps(launch_sizes const& sizes) : h_(sizes.h), pad_h_(sizes.pad_h) {}

    // The rows of x and of dy that a step of the current span loads, and how many steps of its row
    // of dy came before it.
    __device__ H input_row(int number) const {
        correlated_axis const rows = padded<Problem>(rows_of(Problem), pad_h_);
        return H(rows.first_position(current.row.get()) + dilation * number);
    }
    __device__ P dy_row(int number) const { return current.row + P(phases * (number / advance)); }
    __device__ static int offset_of(int number) { return number % advance; }
    __device__ bool has_x(int number) const {
        int const row = input_row(number).get();
        return row >= 0 && row < h_ + (needs_row_below(Problem) ? dilation : 0) &&
               offset_of(number) < r;
    }
    // The step with this number in the current span: which row of x it reads, and which of its rows
    // of dy meet that row under the filter.
    __device__ row_step step(int number) const {
        int const newest = number / advance;
        return {number, offset_of(number), max(0, newest - current.rows + 1), min(newest, live - 1),
                has_x(number)};
    }

    // The number of steps of the current span.
    __device__ int count() const {
        constexpr correlated_axis rows = rows_of(Problem);
        return rows.walk_count(current.rows);
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
            if (current.rows >= live) {
                each_kind(visit);
                return;
            }
        }
        rolled(visit);
    }

  private:
    template <class Visit> __device__ __forceinline__ void each_kind(Visit& visit) const {
        // With little padding, every row of x in the middle is in the image.
        constexpr bool is_inside = Problem.has_static_layer() &&
                                   Problem.pad_h <= dilation * advance * (live - 1) &&
                                   Problem.pad_h + advance - 1 < Problem.extent_h();
        // The kinds of steps: one for each row of dy that comes before `live` of them are held, one
        // for all rows in the middle, and one for each row that has left. The text of a visit
        // stands here once, so that the compiler has made it short before it copies it.
        constexpr int middle = live - 1;
#pragma unroll
        for (int kind = 0; kind < 2 * live - 1; ++kind) {
            bool const is_middle = kind == middle;
            int const first = max(0, kind - middle);
            int newest = kind <= middle ? kind : current.rows - 1 + first;
#pragma unroll 1
            do {
#pragma unroll
                for (int offset = 0; offset < advance && advance * first + offset < r; ++offset) {
                    int const number = advance * newest + offset;
                    visit({number, offset, first, min(kind, middle),
                           (is_middle && is_inside) || has_x(number)});
                }
                ++newest;
            } while (is_middle && newest < current.rows);
        }
    }

    int h_;
    int pad_h_;
};

} // namespace spio::conv2d::wgrad
