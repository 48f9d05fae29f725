// Boxes: ranges of coordinates between two corners, in any order.
// SPDX-License-Identifier: Apache-2.0
//
// An index is a value of one dimension or of a fold of it. Coordinates are several indices of
// different dimensions, and a place is either. The base of fold<K, 8>, which counts K in blocks of
// 8, is K. numbers<A...> is a list of ints.
#pragma once

#include "spio/coords.h"
#include "spio/rounding.h"
#include "spio/tile_order.h"

namespace spio {

// The corners of a box: its first position, and the end in each dimension.
template <class... Ts> struct box {
    int start[sizeof...(Ts)];
    int end[sizeof...(Ts)];

    constexpr int size(int n) const { return max(0, end[n] - start[n]); }
    constexpr bool is_empty() const {
        for (int n = 0; n < static_cast<int>(sizeof...(Ts)); ++n) {
            if (end[n] <= start[n]) return true;
        }
        return false;
    }
    static constexpr auto position(int const* values) {
        return [&]<int... N>(numbers<N...>) {
            return make_coordinates(Ts(values[N])...);
        }(numbers_below<sizeof...(Ts)>());
    }
};

// The positions of a box, the last dimension fastest. If reversed, from the last to the first.
template <bool IsReversed, class... Ts> struct box_range {
    static constexpr int rank = sizeof...(Ts);
    box<Ts...> corners;

    struct sentinel {};
    struct iterator {
        using value_type = coords<Ts...>;
        using difference_type = long long;

        box<Ts...> corners = {};
        int values[rank] = {};
        bool has_more = false;

        constexpr coords<Ts...> operator*() const { return corners.position(values); }
        constexpr iterator& operator++() {
            count<rank - 1>();
            return *this;
        }
        constexpr iterator operator++(int) {
            iterator const previous = *this;
            ++*this;
            return previous;
        }
        friend constexpr bool operator==(iterator const& a, iterator const& b) {
            bool is_equal = a.has_more == b.has_more;
            for (int n = 0; n < rank && a.has_more; ++n) is_equal &= a.values[n] == b.values[n];
            return is_equal;
        }
        friend constexpr bool operator==(iterator const& i, sentinel) { return !i.has_more; }

      private:
        template <int N> constexpr void count() {
            bool const has_next =
                IsReversed ? values[N]-- > corners.start[N] : ++values[N] < corners.end[N];
            if constexpr (N == 0) {
                has_more = has_next;
            } else if (!has_next) {
                values[N] = IsReversed ? corners.end[N] - 1 : corners.start[N];
                count<N - 1>();
            }
        }
    };
    constexpr iterator begin() const {
        iterator first{corners, {}, !corners.is_empty()};
        for (int n = 0; n < rank; ++n) {
            first.values[n] = IsReversed ? corners.end[n] - 1 : corners.start[n];
        }
        return first;
    }
    constexpr sentinel end() const { return {}; }

    // f(position) for each, as loops within loops, which compilers know best.
    template <class Function> constexpr void for_each(Function& f) const {
        int values[rank] = {};
        nest<0>(f, values);
    }

    // How many positions there are, the n-th of them, and the number of a position: a compound
    // index whose sizes only the run knows. The first dimension takes what is left of a number.
    //     auto const blocks = range(I(rows) + J(columns));     a[blocks[blockIdx.x]]
    constexpr long long size() const {
        long long product = 1;
        for (int n = 0; n < rank; ++n) product *= corners.size(n);
        return product;
    }
    template <integer N> constexpr coords<Ts...> operator[](N number) const {
        int values[rank] = {};
        unsigned rest = static_cast<unsigned>(int_from<OFFSET>(number));
        for (int n = rank; n-- > 0;) {
            unsigned const radix = static_cast<unsigned>(max(1, corners.size(n)));
            int const digit = static_cast<int>(n == 0 ? rest : rest % radix);
            values[n] = IsReversed ? corners.end[n] - 1 - digit : corners.start[n] + digit;
            rest /= radix;
        }
        return corners.position(values);
    }
    template <place P>
        requires(contains<bases_in<P>, base_of<Ts>> && ...)
    constexpr int number(P const& position) const {
        auto const c = coordinates_of(position);
        int const values[] = {refold<stride_of<Ts>>(c.template total<base_of<Ts>>()).value...};
        long long sum = 0;
        for (int n = 0; n < rank; ++n) {
            int const digit =
                IsReversed ? corners.end[n] - 1 - values[n] : values[n] - corners.start[n];
            sum = sum * corners.size(n) + digit;
        }
        return int_from<OFFSET>(sum);
    }

  private:
    template <int N, class Function> constexpr void nest(Function& f, int* values) const {
        if constexpr (N == rank) {
            f(corners.position(values));
        } else if constexpr (IsReversed) {
            for (values[N] = corners.end[N]; values[N]-- > corners.start[N];)
                nest<N + 1>(f, values);
        } else {
            for (values[N] = corners.start[N]; values[N] < corners.end[N]; ++values[N]) {
                nest<N + 1>(f, values);
            }
        }
    }
};

// The positions of a box of two dimensions, rows and columns, in the order of their numbers.
template <class Order, class Row, class Column> struct ordered_range {
    box<Row, Column> corners;
    Order order;

    struct sentinel {
        int end = 0;
    };
    struct iterator {
        using value_type = coords<Row, Column>;
        using difference_type = long long;

        box<Row, Column> corners = {};
        Order order = {};
        int number = 0;
        int end = 0;
        tile_number tile = {};

        constexpr value_type operator*() const {
            int const values[] = {corners.start[0] + tile.row, corners.start[1] + tile.column};
            return corners.position(values);
        }
        constexpr iterator& operator++() {
            ++number;
            find_tile();
            return *this;
        }
        constexpr iterator operator++(int) {
            iterator const previous = *this;
            ++*this;
            return previous;
        }
        friend constexpr bool operator==(iterator const& a, iterator const& b) {
            return a.number == b.number;
        }
        friend constexpr bool operator==(iterator const& i, sentinel) { return i.number >= i.end; }

        // The tile of this number, or of the next one that has a tile in the box.
        constexpr void find_tile() {
            int const rows = corners.size(0);
            int const columns = corners.size(1);
            for (; number < end; ++number) {
                tile = order(number, rows, columns);
                if (tile.row < rows && tile.column < columns) return;
            }
        }
    };
    constexpr iterator begin() const {
        int const rows = corners.size(0);
        int const columns = corners.size(1);
        int const numbers = corners.is_empty() ? 0 : order.count(rows, columns);
        iterator first{corners, order, 0, numbers, {}};
        first.find_tile();
        return first;
    }
    constexpr sentinel end() const { return {}; }

    template <class Function> constexpr void for_each(Function& f) const {
        for (auto const position : *this) f(position);
    }
};

// An order numbers the tiles of a grid: order(number, rows, columns) is the tile of a number, which
// may lie outside the grid, and the numbers are those below order.count(rows, columns).
template <class T>
concept order_of_tiles = requires(T const& order) {
    tile_number(order(0, 1, 1));
    order.count(1, 1);
};

// Whether there are indices, no two of them with the same base.
template <class... Ts>
concept one_entry_a_base = sizeof...(Ts) > 0 && are_distinct<base_of<Ts>...>;
// Whether the end of a box has every base that its start has. Bases that the start lacks begin at
// zero.
template <class Start, class Bases> inline constexpr bool starts_in = false;
template <class... Bases, class EndBases>
inline constexpr bool starts_in<mp_list<Bases...>, EndBases> = (contains<EndBases, Bases> && ...);

// The start of a box along the dimension of T: 0 if the start has no such base.
template <index T, class Start> constexpr auto start_value(Start const& start) {
    using base = base_of<T>;
    if constexpr (contains<typename Start::bases, base>) {
        return start.template total<base>();
    } else {
        return dimension_of<T>(0);
    }
}
// The dimension or fold in whose steps a box is counted along T: the coarsest that can express both
// its start and its end.
template <class T, class Start>
using step_of_box = meet<T, decltype(start_value<T>(declval<Start>()))>;
template <class Start, index... Ts>
constexpr auto box_between(Start const& start, coords<Ts...> const& end) {
    return box<step_of_box<Ts, Start>...>{
        {count<stride_of<step_of_box<Ts, Start>>>(start_value<Ts>(start))...},
        {count<stride_of<step_of_box<Ts, Start>>>(end.template digit<Ts>())...}};
}
template <class... Ts> constexpr box_range<false, Ts...> range(box<Ts...> const& corners) {
    return {corners};
}
template <class... Ts> constexpr box_range<true, Ts...> reverse_range(box<Ts...> const& corners) {
    return {corners};
}

// All positions from zero, or from a start, up to an end in each dimension, the last one fastest.
//     for (auto p : range(I(4) + K(8)))            I(0) + K(0), I(0) + K(1), … I(3) + K(7)
//     for (auto p : range(I(2) + K(3), I(4) + K(8)))
// Folds step: range(K8(2) + I(2)) has the corners of the tiles of 8 columns.
template <index... Ts>
    requires one_entry_a_base<Ts...>
constexpr auto range(coords<Ts...> const& end) {
    return range(box_between(coords<>(), end));
}
template <place Start, index... Ts>
    requires one_entry_a_base<Ts...> && starts_in<bases_in<Start>, bases_of<Ts...>>
constexpr auto range(Start const& start, coords<Ts...> const& end) {
    return range(box_between(coordinates_of(start), end));
}
template <index... Ts>
    requires one_entry_a_base<Ts...>
constexpr auto reverse_range(coords<Ts...> const& end) {
    return reverse_range(box_between(coords<>(), end));
}
template <place Start, index... Ts>
    requires one_entry_a_base<Ts...> && starts_in<bases_in<Start>, bases_of<Ts...>>
constexpr auto reverse_range(Start const& start, coords<Ts...> const& end) {
    return reverse_range(box_between(coordinates_of(start), end));
}

// The same of two dimensions, rows and columns, in an order of tiles.
//     for (auto p : range(I(4) + K(8), z_order()))
//     for (auto p : range(I(2) + K(3), I(4) + K(8), super_rows{2}))
template <index Row, index Column, order_of_tiles Order>
    requires one_entry_a_base<Row, Column>
constexpr auto range(coords<Row, Column> const& end, Order order) {
    return ordered_range<Order, dimension_of<Row>, dimension_of<Column>>{
        box_between(coords<>(), end), order};
}
template <place Start, index Row, index Column, order_of_tiles Order>
    requires one_entry_a_base<Row, Column> && starts_in<bases_in<Start>, bases_of<Row, Column>>
constexpr auto range(Start const& start, coords<Row, Column> const& end, Order order) {
    auto const corners = box_between(coordinates_of(start), end);
    return []<class... Steps>(box<Steps...> const& area, Order chosen) {
        return ordered_range<Order, Steps...>{area, chosen};
    }(corners, order);
}

// f(position) for every position of a box.
//     for_each(range(I(4) + K(8)), f)
template <bool IsReversed, class... Ts, class Function>
constexpr void for_each(box_range<IsReversed, Ts...> const& positions, Function f) {
    positions.for_each(f);
}
template <class Order, class Row, class Column, class Function>
constexpr void for_each(ordered_range<Order, Row, Column> const& positions, Function f) {
    positions.for_each(f);
}

} // namespace spio
