// The positions of a layout: every element once, in the order that its axes are written.
// SPDX-License-Identifier: Apache-2.0
//
// numbers<A...> is a list of ints. numbers_below<n> is the list of 0 to n - 1.
#pragma once

#include "spio/layout.h"

namespace spio {

// The type of the D-th digit's values in a layout, and the coordinates of the digits D.
template <class Layout, int D>
using value_of_digit =
    typename digit_value<typename nth<typename Layout::bases, Layout::table.digits[D].base>::type,
                         digit(Layout::table.digits[D]), Layout::table.digits[D].is_dynamic>::type;
template <class Layout, class Numbers> struct placed_coordinates;
template <class Layout, int... N> struct placed_coordinates<Layout, numbers<N...>> {
    using type = coords<value_of_digit<Layout, Layout::table.nth_placed(N)>...>;
};

// A range of coordinates with one entry for each axis that is not always 0, the last fastest. An
// axis counts a digit of its base dimension: floor(position / stride) mod size. `table` lists all
// digits; `rank` of them are entries.
template <class Layout> class positions {
    static constexpr auto& table = Layout::table;
    static constexpr int rank = table.placed_count();
    static constexpr int last = rank > 0 ? rank - 1 : 0;
    // Compilers unroll only loops that they can count: those over a few cells have one number,
    // which is divided by constants. All other loops count the digits, and carry from each into the
    // one before.
    static constexpr bool is_small = Layout::is_static && table.greatest_size() <= 1024;

  public:
    using value_type =
        typename placed_coordinates<Layout, numbers_below<table.placed_count()>>::type;

    constexpr explicit positions(Layout const& shape) : shape_(shape) {}

    struct sentinel {};
    class counter {
      public:
        using value_type = positions::value_type;
        using difference_type = long long;

        constexpr counter() = default;
        constexpr explicit counter(Layout const&) {}
        constexpr value_type operator*() const { return positions::position_of_cell(cell_); }
        constexpr counter& operator++() {
            ++cell_;
            return *this;
        }
        constexpr counter operator++(int) {
            counter const previous = *this;
            ++cell_;
            return previous;
        }
        friend constexpr bool operator==(counter, counter) = default;
        friend constexpr bool operator==(counter const& c, sentinel) { return c.is_over(); }

      private:
        constexpr bool is_over() const { return cell_ >= positions::cells(); }

        int cell_ = 0;
    };
    class odometer {
      public:
        using value_type = positions::value_type;
        using difference_type = long long;

        constexpr odometer() = default;
        constexpr explicit odometer(Layout const& shape) : shape_(shape) {
            has_more_ = !positions::is_empty(shape, numbers_below<rank>());
            skip_overhang();
        }
        constexpr value_type operator*() const {
            return positions::position_of_digits(digits_, numbers_below<rank>());
        }
        constexpr odometer& operator++() {
            count_up<last>();
            skip_overhang();
            return *this;
        }
        constexpr odometer operator++(int) {
            odometer const previous = *this;
            ++*this;
            return previous;
        }
        friend constexpr bool operator==(odometer const& a, odometer const& b) {
            if (!a.has_more_ || !b.has_more_) return a.has_more_ == b.has_more_;
            for (int n = 0; n < static_cast<int>(sizeof(a.digits_) / sizeof(int)); ++n) {
                if (a.digits_[n] != b.digits_[n]) return false;
            }
            return true;
        }
        friend constexpr bool operator==(odometer const& a, sentinel) { return !a.has_more_; }

      private:
        // Only the carry out of all other digits tells whether there is more, and at the end all
        // digits are 0. From this g++ and clang make loops within loops, whose innermost one they
        // vectorize. With != clang counts in registers of 64 bits, with < it extends each number.
        template <int N> constexpr void count_up() {
            if constexpr (N == 0) {
                has_more_ = ++digits_[0] != positions::count<0>(shape_);
                if (!has_more_) digits_[0] = 0;
            } else {
                if (++digits_[N] != positions::count<N>(shape_)) [[likely]]
                    return;
                digits_[N] = 0;
                count_up<N - 1>();
            }
        }
        constexpr void skip_overhang() {
            if constexpr (positions::may_overhang()) {
                while (has_more_ && !(**this < shape_.extents())) count_up<last>();
            }
        }

        Layout shape_;
        int digits_[rank + 1] = {};
        bool has_more_ = false;
    };
    using iterator = either<is_small, counter, odometer>;
    constexpr iterator begin() const { return iterator(shape_); }
    constexpr sentinel end() const { return {}; }

    // A dynamic extent need not fill its last block: the rest of the block is stored, but is no
    // part of the tensor.
    static consteval bool may_overhang() {
        for (int d = 0; d < table.digit_count; ++d) {
            if (table.digits[d].is_dynamic && table.digits[d].stride > 1) return true;
        }
        return false;
    }

    // f(position) for each, as loops within loops: what compilers know best.
    template <class Function> constexpr void for_each(Function& f) const { nest<0>(f); }

  private:
    // The number of values of the n-th digit, and one of them as a value of its dimension.
    template <int N> static constexpr int count(Layout const& shape) {
        return shape.template digit_count<table.nth_placed(N)>();
    }
    template <int N> static constexpr auto value(int n) {
        return value_of_digit<Layout, table.nth_placed(N)>(n);
    }
    template <int... N> static constexpr bool is_empty(Layout const& shape, numbers<N...>) {
        return (false || ... || (count<N>(shape) <= 0));
    }
    template <int... N>
    static constexpr value_type position_of_digits(int const* digits, numbers<N...>) {
        return value_type(positions::value<N>(digits[N])...);
    }
    // How many combinations of digits there are, and the position of one of them by its number.
    static consteval int cells() { return static_cast<int>(table.greatest_size()); }
    static constexpr value_type position_of_cell(int cell) {
        return [&]<int... N>(numbers<N...>) {
            return value_type(positions::value<N>(digit_of_cell<N>(cell))...);
        }(numbers_below<rank>());
    }
    // A digit of the cell in mixed radix; the first takes the quotient that is left.
    template <int N> static constexpr int digit_of_cell(int cell) {
        constexpr unsigned right = cells_right_of(N);
        constexpr unsigned radix = table.digits[table.nth_placed(N)].size;
        unsigned const rest = static_cast<unsigned>(cell) / right;
        return static_cast<int>(N == 0 ? rest : rest % radix);
    }
    // How many cells have the same digits up to the n-th.
    static consteval unsigned cells_right_of(int n) {
        unsigned product = 1;
        for (int d = n + 1; d < rank; ++d) {
            product *= static_cast<unsigned>(table.digits[table.nth_placed(d)].size);
        }
        return product;
    }
    template <int N, class Function, class... Values>
    constexpr void nest(Function& f, Values... values) const {
        if constexpr (N < rank) {
            int const end = count<N>(shape_);
            for (int n = 0; n < end; ++n) nest<N + 1>(f, values..., value<N>(n));
        } else if constexpr (may_overhang()) {
            auto const position = make_coordinates(values...);
            if (position < shape_.extents()) f(position);
        } else {
            f(make_coordinates(values...));
        }
    }

    Layout shape_;
};

} // namespace spio
