// How the library computes a digit of a sum: the digit, and what is known of it, by brute force.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. A tally counts checks, and reports the first failure of each law; dice draw
// random numbers. The oracle computes the same by brute force. conclude() prints how much was
// checked, and fails the test if a law did not hold. rounds(n) is n unless SPIO_ROUNDS scales it. A
// plan says how to compute a digit from terms: multiples are the factors of those terms that are
// multiples of the stride, fractions those of the others, which are summed and then divided by the
// divisor.
#include "tally.h"

#include <string>

#include "model.h"
#include "planned_digit.h"

namespace {

// Which digit of a sum of terms is asked for: that of a stride, reduced by a period (0: not
// reduced). Only terms of base 0 count.
struct question {
    drawn_terms terms;
    int stride = 1;
    long long period = 0;

    std::string text() const {
        std::string result =
            "stride " + std::to_string(stride) + " period " + std::to_string(period);
        for (int i = 0; i < most_terms; ++i) {
            if (terms.base[i] != 0) continue;
            result += " + " + std::to_string(terms.values[i]) + " of " +
                      std::to_string(terms.strides[i]) + " below " +
                      std::to_string(terms.bounds[i]);
        }
        return result;
    }
};

question draw_question(dice& random) {
    constexpr int strides[] = {1, 1, 2, 3, 4, 5, 6, 8, 8, 10, 12, 16, 24, 32, 64};
    constexpr int sizes[] = {2, 3, 4, 5, 7, 8, 16, 30};
    question q;
    // Powers of two and multiples of 3 and 5, so that some strides divide others.
    q.stride = random.pick(strides);
    q.period = random.one_in(3) ? 0 : static_cast<long long>(q.stride) * random.pick(sizes);
    int const count = 1 + random.draw_below(most_terms);
    for (int i = 0; i < most_terms; ++i) {
        q.terms.base[i] = i < count && !random.one_in(6) ? 0 : 1;
        q.terms.strides[i] = random.pick(strides);
        q.terms.bounds[i] = random.one_in(2) ? random.pick(sizes) : 0;
    }
    return q;
}

// Draws the values of all terms, within their bounds (0: there is none).
void draw_values(question& q, dice& random) {
    for (int i = 0; i < most_terms; ++i) {
        int const bound = q.terms.bounds[i];
        // Every other bounded value is the greatest possible one, which is likeliest to violate a
        // law.
        q.terms.values[i] = bound == 0         ? static_cast<int>(random.draw_between(-200, 200))
                            : random.one_in(2) ? bound - 1
                                               : random.draw_below(bound);
    }
}

} // namespace

TEST_CASE("a planned digit is the floor of the sum, reduced") {
    tally counts;
    dice random(/*salt=*/1);
    int const plans = rounds(400'000);
    for (int n = 0; n < plans; ++n) {
        question q = draw_question(random);
        auto const plan = q.terms.plan(/*digit_base=*/0, q.stride, q.period);
        for (int trial = 0; trial < 4; ++trial) {
            draw_values(q, random);
            long long sum = 0;
            long long fractions = 0;
            long long digit = 0;
            for (int i = 0; i < most_terms; ++i) {
                if (q.terms.base[i] != 0) continue;
                sum += 1LL * q.terms.values[i] * q.terms.strides[i];
                fractions += 1LL * q.terms.values[i] * plan.fractions[i];
                digit += 1LL * q.terms.values[i] * plan.multiples[i];
            }
            auto const text = [&] { return q.text(); };
            long long right = oracle::floor_quotient(sum, q.stride);
            if (q.period > 0) right = oracle::floor_rest(right, q.period / q.stride);
            counts.check(q.terms.digit(/*digit_base=*/0, q.stride, q.period) == right, "the digit",
                         text);
            if (plan.has_non_negative_fractions)
                counts.check(fractions >= 0, "has_non_negative_fractions", text);
            if (plan.is_carry_free) {
                counts.check(0 <= fractions && fractions < plan.divisor, "is_carry_free", text);
            }
            digit += oracle::floor_quotient(fractions, plan.divisor);
            if (plan.is_non_negative) counts.check(digit >= 0, "non_negative", text);
        }
    }
    counts.conclude("carries: " + std::to_string(plans) + " plans, " +
                    std::to_string(counts.tried) + " checks");
}

TEST_CASE(
    "a plan does no needless work: bounded values that cannot carry are not divided or reduced") {
    tally counts;
    for (int stride = 1; stride <= 12; ++stride) {
        for (int bound = 1; bound <= 12; ++bound) {
            // A sum of one term with stride 1, whose value is below `bound`. The plan must not
            // divide if bound <= stride, and not take a remainder if bound <= period.
            for (int size = 1; size <= 12; ++size) {
                question q;
                for (int& base : q.terms.base) base = 1;
                q.terms.base[0] = 0;
                q.terms.strides[0] = 1;
                q.terms.bounds[0] = bound;
                q.stride = stride;
                q.period = 1LL * stride * size;
                auto const plan = q.terms.plan(/*digit_base=*/0, q.stride, q.period);
                auto const text = [&] { return q.text(); };
                if (stride > 1 && bound <= stride && q.period > 1) {
                    counts.check(plan.is_carry_free, "a needless division", text);
                }
                if (bound <= q.period) counts.check(plan.is_reduced, "a needless remainder", text);
            }
        }
    }
    counts.conclude("carries.needless: " + std::to_string(counts.tried) + " checks");
}
