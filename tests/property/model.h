// The reference of the property tests: the laws for a layout, as plain loops over plain numbers.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. It is called the oracle.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace oracle {

using number = long long;
using position = std::vector<number>; // in base units, one for each base

// Rounds down; the remainder is never negative.
inline number floor_quotient(number n, number d) {
    number q = n / d;
    while (q * d > n) --q;
    return q;
}
inline number floor_rest(number n, number d) { return n - d * floor_quotient(n, d); }

// A dimension. Positions wrap around in a ring; the extent of a dynamic base is known at run time.
struct base {
    std::string name;
    number extent = 0; // of a dynamic base: the greatest
    bool ring = false;
    bool dynamic = false;
};

struct digit {
    int base = 0;
    number stride = 1;
    number size = 1;

    number end() const { return stride * size; }
};

// A plain axis places one digit: it counts its steps. A derived one computes its place from several
// digits that it places, and may read others, by a function of a kind, with parameters:
//     checkerboard (ranks), exclusive_or, shuffle (factor, shift, turn)
struct axis {
    std::string kind;
    number parameters[3] = {};
    number pitch = -1; // of memory from one step to the next; -1: what lies to the right
    std::vector<digit> placed;
    std::vector<digit> sources;
};

// A layout, and what follows from its description by the plain laws.
class layout {
  public:
    std::vector<base> bases;
    std::vector<axis> axes;

    // base K 32 ring   base N 256 dynamic   axis plain pitch -1 placed K 8 4
    // axis exclusive_or pitch 64 placed K 1 8 read I 1 8
    static layout parse(std::string const& text) {
        layout result;
        std::istringstream words(text);
        std::string word;
        while (words >> word) {
            if (word == "base") {
                base b;
                words >> b.name >> b.extent >> word;
                b.ring = word == "ring";
                b.dynamic = word == "dynamic";
                result.bases.push_back(b);
            } else if (word == "axis") {
                axis& a = result.axes.emplace_back();
                words >> a.kind;
                int const count = a.kind == "checkerboard" ? 1 : a.kind == "shuffle" ? 3 : 0;
                for (int i = 0; i < count; ++i) words >> a.parameters[i];
            } else if (word == "pitch") {
                words >> result.axes.back().pitch;
            } else {
                digit d;
                std::string name;
                words >> name >> d.stride >> d.size;
                d.base = result.base_named(name);
                axis& a = result.axes.back();
                (word == "placed" ? a.placed : a.sources).push_back(d);
            }
        }
        result.settle();
        return result;
    }
    // Must be called after the last axis is added.
    void settle() {
        placed_.clear();
        for (axis const& a : axes) placed_.insert(placed_.end(), a.placed.begin(), a.placed.end());
    }

    // The number of the base of this name, or -1.
    int base_named(std::string const& name) const {
        for (std::size_t b = 0; b < bases.size(); ++b) {
            if (bases[b].name == name) return static_cast<int>(b);
        }
        return -1;
    }

    // The same layout with the given dynamic extents.
    layout sized(std::vector<int> const& sizes) const {
        layout result = *this;
        std::size_t next = 0;
        for (base& b : result.bases) {
            if (b.dynamic) b.extent = sizes[next++];
        }
        return result;
    }

    // The size of a placed digit; for the coarsest digit of a dynamic base it follows from the
    // extent.
    number count(digit const& d) const {
        if (is_coarsest(d) && bases[d.base].dynamic) {
            return (bases[d.base].extent + d.stride - 1) / d.stride;
        }
        return d.size;
    }
    number count(axis const& a) const {
        number product = 1;
        for (digit const& d : a.placed) product *= count(d);
        return product;
    }
    // The distance in memory between two steps of an axis: its pitch, or what lies to its right.
    number memory_stride(std::size_t axis) const {
        if (axes[axis].pitch >= 0) return axes[axis].pitch;
        if (axis + 1 == axes.size()) return 1;
        return memory_stride(axis + 1) * count(axes[axis + 1]);
    }
    number storage_size() const {
        number last = 0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (count(axes[a]) == 0) return 0;
            last += (count(axes[a]) - 1) * memory_stride(a);
        }
        return last + 1;
    }
    // The least stride of a digit of base b.
    number finest_stride(int b) const {
        number finest = 0;
        for (digit const& d : placed()) {
            if (d.base == b && (finest == 0 || d.stride < finest)) finest = d.stride;
        }
        return finest;
    }
    number size() const {
        number product = 1;
        for (std::size_t b = 0; b < bases.size(); ++b) {
            number const finest = finest_stride(static_cast<int>(b));
            product *= (bases[b].extent + finest - 1) / finest;
        }
        return product;
    }
    // Whether offsets on an axis and those to its right, or the end of the axis, need more than 31
    // bits, with dynamic sizes at their maximum.
    bool is_wide(std::size_t first_axis) const {
        long double last = 0;
        long double running = 1;
        for (std::size_t a = axes.size(); a-- > first_axis;) {
            long double const stride = axes[a].pitch >= 0 ? axes[a].pitch : running;
            long double steps = 1;
            for (digit const& d : axes[a].placed) steps *= d.size;
            last += (steps - 1) * stride;
            running = steps * stride;
        }
        return last > 2147483647.0L || running > 2147483647.0L;
    }
    bool is_wide() const {
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (is_wide(a)) return true;
        }
        return false;
    }

    // Whether a position lies within the extent of every base.
    bool inbounds(position const& p) const {
        for (std::size_t b = 0; b < bases.size(); ++b) {
            if (p[b] < 0 || p[b] >= bases[b].extent) return false;
        }
        return true;
    }

    // The offset of a position; empty if it lies outside the domain of a derived axis.
    std::optional<number> offset(position const& p) const {
        number sum = 0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            auto const place = place_on(axes[a], p);
            if (!place) return std::nullopt;
            sum += *place * memory_stride(a);
        }
        return sum;
    }

    // Every cell once, the first digit slowest, including cells of a last block beyond a dynamic
    // extent: they are stored, but are not positions.
    std::vector<position> cells() const {
        std::vector<position> result;
        if (storage_size() > 0) visit(0, position(bases.size()), result);
        return result;
    }

    std::vector<digit> const& placed() const { return placed_; }
    // Whether no digit of the same base has a greater stride.
    bool is_coarsest(digit const& d) const {
        for (digit const& neighbour : placed()) {
            if (neighbour.base != d.base) continue;
            if (neighbour.stride > d.stride) return false;
            if (neighbour.stride == d.stride && neighbour.size > d.size) return false;
        }
        return true;
    }
    // The size of the axis that counts steps of a stride: one that is always 0 may stand beside it.
    number greatest_count(digit const& d) const {
        digit greatest = d;
        for (digit const& neighbour : placed()) {
            bool const is_beside = neighbour.base == d.base && neighbour.stride == d.stride;
            if (is_beside && neighbour.size > greatest.size) greatest = neighbour;
        }
        return count(greatest);
    }

  private:
    // Appends the positions whose first digits are those of p, from digit `next` on.
    void visit(std::size_t next, position const& p, std::vector<position>& result) const {
        auto const& digits = placed();
        if (next == digits.size()) {
            result.push_back(p);
            return;
        }
        for (number step = 0; step < count(digits[next]); ++step) {
            position moved = p;
            moved[digits[next].base] += step * digits[next].stride;
            visit(next + 1, moved, result);
        }
    }

    // The value of a placed digit at a position: how many of its steps remain within the next
    // coarser digit. The coarsest digit is reduced only in a ring.
    number value_of_placed(digit const& d, position const& p) const {
        if (d.size == 1 && !is_coarsest(d)) return 0;
        number const steps = floor_quotient(p[d.base], d.stride);
        number next = 0;
        for (digit const& neighbour : placed()) {
            bool const coarser = neighbour.base == d.base && neighbour.stride > d.stride;
            if (coarser && (next == 0 || neighbour.stride < next)) next = neighbour.stride;
        }
        if (next == 0 && bases[d.base].ring) next = bases[d.base].extent;
        return next == 0 ? steps : floor_rest(steps, next / d.stride);
    }

    // The end of the digits of base b, in base units.
    number greatest_extent(int b) const {
        number end = 0;
        for (digit const& d : placed()) {
            if (d.base == b) end = std::max(end, d.end());
        }
        return end;
    }

    // The step on an axis at which a position lies; empty if a derived axis has none for it.
    std::optional<number> place_on(axis const& a, position const& p) const {
        if (a.kind == "plain") return value_of_placed(a.placed[0], p);
        std::vector<number> values;
        for (digit const& d : a.placed) {
            values.push_back(value_of_placed(d, p));
            if (values.back() < 0 || values.back() >= d.size) return std::nullopt;
        }
        for (digit const& d : a.sources) {
            number const end = greatest_extent(d.base);
            bool const outside = p[d.base] < 0 || p[d.base] >= end;
            if (outside && !bases[d.base].ring && d.end() >= end) return std::nullopt;
            number const reduced = bases[d.base].ring ? floor_rest(p[d.base], end) : p[d.base];
            values.push_back(floor_rest(floor_quotient(reduced, d.stride), d.size));
        }
        if (a.kind == "exclusive_or") return values[0] ^ values[1];
        if (a.kind == "checkerboard") {
            number const row = values[0] / (a.parameters[0] / 2);
            return 2 * values[0] + (values[1] + row) % 2;
        }
        number cell = 0;
        number rest = 0;
        for (std::size_t d = 0; d < a.placed.size(); ++d)
            cell = cell * a.placed[d].size + values[d];
        for (std::size_t d = a.placed.size(); d < values.size(); ++d) rest += values[d];
        return floor_rest(a.parameters[0] * cell + a.parameters[1] + a.parameters[2] * rest,
                          count(a));
    }

    std::vector<digit> placed_;
};

} // namespace oracle
