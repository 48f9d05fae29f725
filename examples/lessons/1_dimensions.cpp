// Lesson 1: a dimension is a type, so an index cannot be mistaken for another.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "check.h"

import spio.dims;

// Kernels are full of integers: a row, a column, a channel, a lane. To the compiler they are all
// `int`, so this function is as happy with (column, row) as with (row, column):
//
//     float& at(float* image, int row, int column);
//
// Spio gives each kind of index a type of its own. That takes one line. By convention a dimension
// is named by one capital letter, after the subscript that a formula would use.
using I = spio::dimension<"I">;
using J = spio::dimension<"J">;
using K = spio::dimension<"K">;

// A value of a dimension is an integer that remembers its name. Values of one dimension add,
// subtract and compare, and the result is again of that dimension. All of it is constexpr.
static_assert(I(2) + I(4) == I(6));
static_assert(I(8) - I(3) == I(5));
static_assert(I(8) < I(10));
static_assert(std::is_same_v<decltype(I(2) + I(4)), I>);

// At run time nothing is left of the name: an I is an int in every respect that costs something.
static_assert(sizeof(I) == sizeof(int));
static_assert(std::is_trivially_copyable_v<I>);

// A plain number may scale a dimension, because "three times as many rows" are still rows.
static_assert(I(4) * 3 == I(12));
static_assert(3 * I(4) == I(12));

// Division rounds down and remainders are never negative. Positions left of zero, as padding makes
// them, thereby land in the block that a drawing would show.
static_assert(I(7) / 2 == I(3));
static_assert(I(-1) / 4 == I(-1));
static_assert(I(-1) % I(4) == I(3));

// What makes no sense does not compile. A concept asks the compiler whether an expression would:
template <class A, class B>
concept comparable = requires(A a, B b) { a == b; };
template <class A, class B>
concept addable = requires(A a, B b) { a + b; };

static_assert(comparable<I, I>);
static_assert(!comparable<I, J>);               // is row 5 equal to column 5?  There is no answer.
static_assert(!addable<I, int>);                // 3 what?
static_assert(!comparable<I, int>);             // nor does a number compare
static_assert(!std::is_convertible_v<int, I>);  // a number becomes a dimension only by saying so,
static_assert(std::is_constructible_v<I, int>); //     I(3),
static_assert(!std::is_convertible_v<I, int>);  // and a dimension becomes a number only
static_assert(I(3).get() == 3);                 //     by get().

// So a function can say what it wants, and a call with the two swapped is an error on its own line.
constexpr int pixel(I row, J column) { return row.get() * 640 + column.get(); }

template <class... Args>
concept pixel_takes = requires(Args... args) { pixel(args...); };
static_assert(pixel_takes<I, J>);
static_assert(!pixel_takes<J, I>);
static_assert(!pixel_takes<int, int>);

// Values of different dimensions do not merge when they are added. They become coordinates: one
// value for each dimension.
constexpr auto point = I(3) + J(4) + K(5);
static_assert(point == spio::make_coordinates(I(3), J(4), K(5)));
static_assert(point.get<J>() == J(4));

// Coordinates add dimension by dimension, whatever the order they were written in.
static_assert(point + (K(1) + I(10)) == I(13) + J(4) + K(6));

// Loops have names, too: range(K(32)) counts K(0), K(1) … K(31).
constexpr K sum_below(K end) {
    K sum;
    for (auto k : spio::range(end)) {
        static_assert(std::is_same_v<decltype(k), K>);
        sum += k;
    }
    return sum;
}
static_assert(sum_below(K(32)) == K(31 * 32 / 2));

int main() {
    // Nothing of this is confined to constants.
    int image[480 * 640] = {};
    int visited = 0;
    for (auto i : spio::range(I(480))) {
        for (auto j : spio::range(J(640))) {
            image[pixel(i, j)] = i.get() - j.get();
            ++visited;
        }
    }
    check(visited == 480 * 640, "two nested ranges visit every pixel");
    check(image[pixel(I(7), J(2))] == 5, "a pixel holds what was written to it");
    return wrong;
}
