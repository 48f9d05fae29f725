// Sizes that are computed from numbers of a caller: one that does not fit exceeds every limit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/number.h"

namespace spio {

// A number of elements, bytes or blocks. A size beyond 64 bits, one that is made of a negative
// number, and one that is divided by zero are `too_large`, as is every result that such a size is
// part of. So nothing wraps, and a comparison with a limit refuses them all.
//     (checked_size(65536) * 65536 * 65536 * 65536).value > 4
//     (checked_size(-1) + 1).value == checked_size::too_large
struct checked_size {
    static constexpr long long too_large = 0x7fffffffffffffff;

    long long value;

    template <integer T>
    constexpr checked_size(T number)
        : value(static_cast<long long>(number) < 0 ? too_large : static_cast<long long>(number)) {}

    constexpr bool is_too_large() const { return value == too_large; }
    // The value as an int, which is the largest int if the value is larger.
    constexpr int as_int() const {
        return value > 0x7fffffff ? 0x7fffffff : static_cast<int>(value);
    }

    friend constexpr checked_size operator+(checked_size a, checked_size b) {
        return a.value > too_large - b.value ? too_large : a.value + b.value;
    }
    friend constexpr checked_size operator*(checked_size a, checked_size b) {
        if ((a.value | b.value) >> 31 == 0) return a.value * b.value; // without a division
        if (a.is_too_large() || b.is_too_large()) return too_large;
        return b.value != 0 && a.value > too_large / b.value ? too_large : a.value * b.value;
    }
    // Rounded down.
    friend constexpr checked_size operator/(checked_size a, checked_size b) {
        if (a.is_too_large() || b.is_too_large() || b.value == 0) return too_large;
        return a.value / b.value;
    }
    // Rounded up.
    friend constexpr checked_size divup(checked_size a, checked_size b) {
        if (a.is_too_large() || b.is_too_large() || b.value == 0) return too_large;
        return a.value / b.value + (a.value % b.value > 0);
    }
};

} // namespace spio
