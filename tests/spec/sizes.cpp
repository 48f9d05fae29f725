// Sizes that do not fit are too large, whatever is made of them; all others are exact.
// SPDX-License-Identifier: Apache-2.0
//
// A checked_size is a number of 64 bits that remembers if it has become too large: it then exceeds
// every limit, so that a product of sizes can be compared with one.
#include <doctest/doctest.h>

#include <climits>
#include <iostream>
#include <vector>

import spio.spec;

using spio::checked_size;

namespace {

// Results of the same operation on unbounded numbers. Negative stands for no such size.
using wide = __int128;

constexpr checked_size sized(wide number) {
    return number < 0 || number > LLONG_MAX ? checked_size(-1)
                                            : checked_size(static_cast<long long>(number));
}

// The values at which something changes: near 0, near powers of two, near the largest.
std::vector<long long> edges() {
    std::vector<long long> numbers;
    for (int bit = 0; bit < 63; ++bit) {
        for (int offset = -2; offset <= 2; ++offset) numbers.push_back((1LL << bit) + offset);
    }
    for (int offset = 0; offset < 4; ++offset) {
        numbers.push_back(LLONG_MAX - offset);
        numbers.push_back(-offset);
        numbers.push_back(LLONG_MIN + offset);
    }
    return numbers;
}

static_assert(checked_size(-1).is_too_large() && checked_size(LLONG_MIN).is_too_large());
static_assert(checked_size(ULLONG_MAX).is_too_large() && checked_size(INT_MIN).is_too_large());
static_assert(checked_size(UINT_MAX).value == UINT_MAX);
static_assert((checked_size(65536) * 65536 * 65536 * 65536).is_too_large());
static_assert((checked_size(0) * -1).is_too_large());
static_assert(checked_size(1LL << 40).as_int() == INT_MAX && checked_size(7).as_int() == 7);
static_assert(divup(checked_size(7), 2).value == 4 && (checked_size(7) / 2).value == 3);

} // namespace

TEST_CASE("arithmetic of sizes is exact, or too large") {
    auto const numbers = edges();
    long long compared = 0, too_large = 0;
    for (long long const a : numbers) {
        for (long long const b : numbers) {
            // LLONG_MAX itself is the mark of a size that is too large.
            bool const is_exact = a >= 0 && b >= 0 && a < LLONG_MAX && b < LLONG_MAX;
            wide const x = a, y = b;
            auto const expected = [&](bool is_defined, wide result) {
                return is_defined && is_exact ? sized(result) : checked_size(-1);
            };
            checked_size const sizes[] = {checked_size(a) + b, checked_size(a) * b,
                                          checked_size(a) / b, divup(checked_size(a), b)};
            checked_size const results[] = {
                expected(true, x + y), expected(true, x * y), expected(b != 0, b == 0 ? 0 : x / y),
                expected(b != 0, b == 0 ? 0 : x / y + (x % y > 0 ? 1 : 0))};
            for (int i = 0; i < 4; ++i) {
                CAPTURE(a);
                CAPTURE(b);
                REQUIRE(sizes[i].value == results[i].value);
                REQUIRE(sizes[i].as_int() >= 0);
                ++compared;
                too_large += sizes[i].is_too_large();
            }
        }
    }
    std::cout << "summary: spec.sizes: " << compared << " results, " << too_large
              << " of them too large\n";
    CHECK(too_large > compared / 8);
    CHECK(too_large < compared);
}
