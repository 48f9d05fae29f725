// The library's layout tables against the reference: offsets, strides, and moves of a pointer.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. A tally counts checks, and reports the first failure of each law; dice draw
// random numbers. The oracle is the reference: the same laws as plain loops. A position is drawn as
// a sum of terms, each a number of steps of a stride of one base. A ring is a base around which
// positions wrap; a pitch is an axis's distance in memory, where it is set. The free stride of a
// base is the least move that changes its coarsest digit alone, and so moves a pointer. conclude()
// prints how much was checked, and fails the test if a law did not hold. rounds(n) is n unless
// SPIO_ROUNDS scales it.
#include "tally.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "drawn_layout.h"
#include "planned_digit.h"
#include "spio/swizzle.h"
#include "spio/table_facts.h"

namespace {

// The layout as text, for reports.
std::string text_of(oracle::layout const& model) {
    std::string text;
    for (auto const& b : model.bases) {
        text += std::to_string(b.extent) + (b.ring ? " ring; " : b.dynamic ? " dynamic; " : "; ");
    }
    for (auto const& a : model.axes) {
        text += "\n  " + a.kind + " " + std::to_string(a.parameters[0]) + " pitch " +
                std::to_string(a.pitch);
        for (auto const& d : a.placed) {
            text += " placed " + listed(std::vector<oracle::number>{d.base, d.stride, d.size});
        }
        for (auto const& d : a.sources) {
            text += " read " + listed(std::vector<oracle::number>{d.base, d.stride, d.size});
        }
    }
    return text;
}

// A hash of a layout, so that each layout counts once.
std::uint64_t fingerprint(oracle::layout const& model) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    auto const add = [&](oracle::number n) {
        hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x100000001b3u;
        hash ^= hash >> 29;
    };
    for (auto const& b : model.bases) add(4 * b.extent + 2 * b.ring + b.dynamic);
    for (auto const& a : model.axes) {
        add(a.kind.front());
        add(a.parameters[0]);
        add(a.pitch);
        for (auto const& d : a.placed) add((d.base * 4096 + d.stride) * 4096 + d.size);
        for (auto const& d : a.sources) add(-(d.base * 4096 + d.stride) * 4096 - d.size);
    }
    return hash;
}

// Random terms: some bounded, others negative or beyond the extent. A bound of 0 is none.
drawn_terms draw_terms(dice& random, oracle::layout const& model) {
    constexpr int strides[] = {1, 1, 1, 2, 3, 4, 5, 6, 8, 12, 16};
    constexpr int bounds[] = {0, 0, 2, 3, 4, 8, 16};
    drawn_terms terms;
    for (int i = 0; i < most_terms; ++i) {
        terms.base[i] = random.draw_below(static_cast<int>(model.bases.size()));
        terms.strides[i] = random.pick(strides);
        terms.bounds[i] = random.pick(bounds);
        int const reach =
            static_cast<int>(model.bases[terms.base[i]].extent) / terms.strides[i] + 1;
        terms.values[i] = terms.bounds[i] > 0 ? random.draw_below(terms.bounds[i])
                          : random.one_in(3)
                              ? static_cast<int>(random.draw_between(-reach, 2 * reach))
                              : random.draw_below(reach);
    }
    return terms;
}

// The position that the terms add up to.
oracle::position position_of(drawn_terms const& terms, std::size_t bases) {
    oracle::position p(bases);
    for (int i = 0; i < most_terms; ++i) {
        p[terms.base[i]] += 1LL * terms.strides[i] * terms.values[i];
    }
    return p;
}

// The offset as layouts compute it, from a table and plans.
oracle::number planned_offset(oracle::layout const& model, drawn_table const& table,
                              drawn_terms const& terms) {
    oracle::number sum = 0;
    for (int a = 0; a < table.axis_count; ++a) {
        std::vector<int> values;
        for (int d = 0; d < table.digit_count; ++d) {
            auto const& row = table.digits[d];
            if (row.axis != a) continue;
            values.push_back(terms.digit(row.base, row.stride, table.period(row.base, row)));
        }
        int place = values[0];
        if (model.axes[a].kind == "checkerboard") {
            int const ranks = static_cast<int>(model.axes[a].parameters[0]);
            place = spio::checkerboard_order{ranks}.offset(values[0], values[1]);
        } else if (model.axes[a].kind == "exclusive_or") {
            place = values[0] ^ values[1];
        }
        // To the left of a dynamic axis the table knows no strides.
        auto const known = table.memory_stride(a);
        sum += place * (known >= 0 ? known : model.memory_stride(a));
    }
    return sum;
}

// Checks that a move by the free stride of a base adds the same to every offset.
void check_free_moves(tally& counts, dice& random, oracle::layout const& model,
                      drawn_table const& table) {
    int const b = random.draw_below(static_cast<int>(model.bases.size()));
    auto const text = [&] { return "base " + std::to_string(b) + " of " + text_of(model); };
    auto const& top = table.digits[table.coarsest(b)];
    int const free = free_stride(table, b);
    oracle::number const stride = model.memory_stride(top.axis);
    oracle::position p(model.bases.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        p[i] = random.draw_between(0, model.bases[i].extent - 1);
    auto const offset = model.offset(p);
    if (free > 0) {
        auto moved = p;
        moved[b] += random.draw_between(-3, 3) * free;
        auto const moved_offset = model.offset(moved);
        auto const expected = (moved[b] - p[b]) / top.stride * stride;
        if (moved_offset) counts.check(*moved_offset - *offset == expected, "free_stride", text);
    }
    if (table.is_linear(b)) {
        auto zero = p;
        zero[b] = 0;
        bool const expected = *offset - *model.offset(zero) == p[b] / top.stride * stride;
        counts.check(expected, "is_linear", text);
        // This holds beyond the extent, too. A ring wraps there, so it must not be called linear.
        auto outside = p;
        outside[b] += model.bases[b].extent;
        auto const moved_offset = model.offset(outside);
        counts.check(moved_offset &&
                         *moved_offset - *offset == model.bases[b].extent / top.stride * stride,
                     "is_linear beyond the extent", text);
    }
}

// Checks what a table says of sizes, strides and offsets against the reference.
void check_numbers(tally& counts, oracle::layout const& model, drawn_table const& table) {
    auto const text = [&] { return text_of(model); };
    for (std::size_t b = 0; b < model.bases.size(); ++b) {
        int const base = static_cast<int>(b);
        counts.check(table.extent(base) == model.bases[b].extent, "extent", text);
        counts.check(table.finest_stride(base) == model.finest_stride(base), "finest_stride", text);
        counts.check(table.is_dynamic(base) == model.bases[b].dynamic, "is_dynamic", text);
        auto const& top = table.digits[table.coarsest(base)];
        counts.check(model.is_coarsest({base, top.stride, top.size}), "coarsest", text);
    }
    bool known = true;
    oracle::number last = 0;
    for (int a = table.axis_count; a-- > 0;) {
        auto const& axis = model.axes[a];
        known |= axis.pitch >= 0;
        counts.check(table.memory_stride(a) == (known ? model.memory_stride(a) : -1),
                     "memory_stride", text);
        last += (model.count(axis) - 1) * model.memory_stride(a);
        counts.check(table.reach_of(a).offset == last, "greatest_offset", text);
        known &= !table.axes[a].is_dynamic;
    }
}

} // namespace

TEST_CASE("a layout table gives the offsets of the oracle") {
    tally t;
    dice random(/*salt=*/2);
    std::size_t const layouts = rounds(100'000);
    std::unordered_set<std::uint64_t> seen;
    long long offsets = 0;
    int folded = 0;
    int pitched = 0;
    int derived = 0;
    int ringed = 0;
    int dynamic = 0;
    auto const has_any = [](auto const& list, auto holds) {
        return std::any_of(list.begin(), list.end(), holds);
    };
    while (seen.size() < layouts) {
        auto const l = draw_layout(random);
        if (!seen.insert(fingerprint(l)).second) continue;
        auto const table = table_of(l);
        folded += l.placed().size() > l.bases.size();
        pitched += has_any(l.axes, [](auto const& a) { return a.pitch >= 0; });
        derived += has_any(l.axes, [](auto const& a) { return a.kind != "plain"; });
        ringed += has_any(l.bases, [](auto const& b) { return b.ring; });
        dynamic += has_any(l.bases, [](auto const& b) { return b.dynamic; });
        check_numbers(t, l, table);
        check_free_moves(t, random, l, table);
        for (int walk = 0; walk < 2; ++walk) {
            auto const terms = draw_terms(random, l);
            auto const p = position_of(terms, l.bases.size());
            auto const right = l.offset(p);
            if (!right) continue;
            ++offsets;
            t.check(planned_offset(l, table, terms) == *right, "offset",
                    [&] { return text_of(l) + "\n  position " + listed(p); });
        }
    }
    t.conclude("tables: " + std::to_string(layouts) + " different layouts (" +
               std::to_string(folded) + " folded, " + std::to_string(pitched) + " pitched, " +
               std::to_string(derived) + " swizzled, " + std::to_string(ringed) + " ringed, " +
               std::to_string(dynamic) + " dynamic), " + std::to_string(offsets) + " offsets, " +
               std::to_string(t.tried) + " checks");
}

TEST_CASE("offsets that need 64 bits get them, however great sizes and pitches are") {
    tally t;
    dice random(/*salt=*/3);
    for (int n = 0; n < rounds(10'000); ++n) {
        drawn_table table;
        struct {
            __int128 steps, pitch;
        } axes[4];
        int const count = 1 + random.draw_below(4);
        for (int a = 0; a < count; ++a) {
            bool const dynamic = random.one_in(2);
            long long const greatest = dynamic && random.one_in(2) ? 31 : random.draw_below(16);
            long long const size = random.draw_between(1, (1LL << greatest) - (greatest == 31));
            long long const pitch = random.one_in(3)
                                        ? random.draw_between(0, 1LL << random.draw_below(40))
                                    : random.one_in(8) ? spio::dynamic_pitch
                                                       : spio::dense;
            table.add_axis({.size = static_cast<int>(size),
                            .is_dynamic = dynamic,
                            .is_plain = true,
                            .pitch = pitch});
            table.add_digit(a, {.stride = 1, .size = static_cast<int>(size), .is_ring = false},
                            /*is_placed=*/true, dynamic);
            axes[a] = {size, pitch};
        }
        __int128 last = 0;
        __int128 running = 1;
        for (int a = count; a-- > 0;) {
            // A pitch that only the run knows may be any.
            __int128 const late = __int128(1) << 62;
            __int128 const stride = axes[a].pitch >= 0                     ? axes[a].pitch
                                    : axes[a].pitch == spio::dynamic_pitch ? late
                                                                           : running;
            last += (axes[a].steps - 1) * stride;
            running = std::min(axes[a].steps * stride, __int128(1) << 90);
            __int128 const said = table.reach_of(a).offset;
            bool const too_far = last > (__int128(1) << 61);
            t.check(too_far ? said > (1LL << 60) : said == last, "greatest_offset");
            // The end of an axis is an address too.
            bool const fits = last <= 0x7fffffff && running <= 0x7fffffff;
            t.check(table.is_narrow(a) == fits, "an int holds the offsets exactly if it can");
        }
    }
    t.conclude("widths: " + std::to_string(t.tried) + " checks");
}
