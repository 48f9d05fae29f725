// The positions of a layout: every element once, in the order that its axes are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/layout.h"

namespace spio {

// A range of coordinates with one entry for each digit that the layout places.
template <class Layout> class positions {
    static constexpr auto& table = Layout::table;

  public:
    using size_type = typename Layout::size_type;

    constexpr explicit positions(Layout const& shape) : shape_(shape) {}

    struct sentinel {};
    class iterator {
      public:
        constexpr iterator(Layout const& shape, size_type offset) : shape_(shape), offset_(offset) {
            skip_overhang();
        }
        constexpr auto operator*() const { return positions::position_of_cell(shape_, offset_); }
        constexpr iterator& operator++() {
            ++offset_;
            skip_overhang();
            return *this;
        }
        friend constexpr bool operator==(iterator const& a, iterator const& b) {
            return a.offset_ == b.offset_;
        }
        constexpr bool operator!=(sentinel) const { return offset_ < positions::cells(shape_); }

      private:
        // A dynamic extent need not fill its last block: the rest of the block is stored, but is no
        // part of the tensor.
        constexpr void skip_overhang() {
            if constexpr (positions::may_overhang()) {
                while (*this != sentinel() && !(**this < shape_.extents())) ++offset_;
            }
        }

        Layout shape_;
        size_type offset_;
    };
    constexpr iterator begin() const { return iterator(shape_, 0); }
    constexpr sentinel end() const { return {}; }

  private:
    static consteval bool may_overhang() {
        for (int d = 0; d < table.digit_count; ++d) {
            if (table.digits[d].is_dynamic && table.digits[d].stride > 1) return true;
        }
        return false;
    }
    static constexpr size_type cells(Layout const& shape) {
        return Layout::over_placed(
            [&]<int... D>() { return (size_type(1) * ... * shape.template digit_count<D>()); });
    }
    static constexpr auto position_of_cell(Layout const& shape, size_type offset) {
        return Layout::over_placed(
            [&]<int... D>() { return make_coordinates(digit_at<D, D...>(shape, offset)...); });
    }
    // A digit of the offset in mixed radix; the first placed digit takes the quotient that is left.
    template <int D, int... Digits>
    static constexpr auto digit_at(Layout const& shape, size_type offset) {
        constexpr digit_row row = table.digits[D];
        using base = typename nth<typename Layout::bases, row.base>::type;
        using value = typename digit_value<base, digit(row), row.is_dynamic>::type;
        using number = typename either<sizeof(size_type) == 4, unsigned, unsigned long long>::type;
        number right = 1;
        ((right *= Digits > D ? shape.template digit_count<Digits>() : 1), ...);
        constexpr bool is_first = ((Digits >= D) && ...);
        if constexpr (is_first) {
            return value(static_cast<number>(offset) / right);
        } else {
            return value(static_cast<number>(offset) / right % shape.template digit_count<D>());
        }
    }

    Layout shape_;
};

} // namespace spio
