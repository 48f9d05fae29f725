// Random layouts as the library computes them, against a reference in plain loops, model.h.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a dimension is what one axis counts of it: of K, the axis K / 8 counts the blocks of
// 8, and K % 8 the rest. A plain axis counts one digit and has no function such as a swizzle. A
// portrait is what a tensor says of its sizes, a visit a position of range(tensor) with its offset,
// a walk a list of subscripts. A base cursor is a pointer that whole blocks move; a move that
// compiles commits. A tally counts checks, and reports the first failure of each law; dice draw
// random numbers; the oracle is the reference.
#include "tally.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "walk.h"

#include "compiled_layout.h"

#include "generated.h"

namespace {

using sizes = std::vector<int>;

// Extents for the dynamic bases: mostly small ones, sometimes zero.
sizes draw_sizes(dice& random, oracle::layout const& layout) {
    sizes result;
    for (oracle::base const& b : layout.bases) {
        if (!b.dynamic) continue;
        long long most = std::min(b.extent, random.one_in(10) ? 100'000LL : 60LL);
        if (b.extent < 1000 && random.one_in(8)) most = b.extent;
        result.push_back(random.one_in(50) ? 0 : static_cast<int>(random.draw_between(1, most)));
    }
    return result;
}

// A layout with its sizes, for the report of a failure.
std::string describe(compiled_layout const& l, sizes const& s) {
    return std::string(l.text) + "\n  " + l.model + "\n  sizes " + listed(s);
}

// Compares sizes, extents and properties of a layout's tensor.
void check_portrait(tally& t, compiled_layout const& l, sizes const& s, oracle::layout const& o) {
    portrait const p = l.describe(s.data());
    auto const expect = [&](bool holds, char const* law) {
        t.check(holds, law, [&] { return describe(l, s); });
    };
    expect(p.size == o.size(), "size()");
    expect(p.storage_size == o.storage_size(), "storage_size()");
    expect(p.absent_is_refused, "a single value of an absent base");
    for (std::size_t b = 0; b < o.bases.size(); ++b) {
        expect(p.extents[b] == o.bases[b].extent, "extents()");
        expect(p.exact_extents[b] == o.bases[b].extent, "extent<Base>()");
    }
    auto const digits = o.placed();
    for (std::size_t d = 0; d < digits.size(); ++d) {
        expect(p.sizes[d] == o.greatest_count(digits[d]), "size<D>()");
    }
    expect(p.is_wide == o.is_wide(), "offset_type");
}

// Whether there is a plain axis of the finest digit of its dimension, along which every aligned
// group of `width` cells is contiguous in memory and starts at a multiple of `width`.
bool can_be_vectors(oracle::layout const& o, std::vector<oracle::position> const& cells,
                    int width) {
    for (oracle::axis const& a : o.axes) {
        if (a.kind != "plain") continue;
        oracle::digit const& d = a.placed[0];
        bool contiguous = o.count(d) % width == 0 && d.stride == o.finest_stride(d.base);
        for (auto const& cell : cells) {
            auto const remainder = cell[d.base] / d.stride % width;
            auto first = cell;
            first[d.base] -= remainder * d.stride;
            auto const start = o.offset(first).value_or(0);
            contiguous &= start % width == 0 && o.offset(cell) == start + remainder;
        }
        if (contiguous) return true;
    }
    return width == 1;
}

// Checks range(tensor), and the properties of the tensor as a whole.
void check_visits(tally& t, compiled_layout const& l, sizes const& s, oracle::layout const& o) {
    auto const visits = l.visit_all(s.data());
    auto const cells = o.cells();
    std::vector<oracle::position> positions;
    std::set<long long> offsets;
    for (auto const& cell : cells) {
        if (o.inbounds(cell)) positions.push_back(cell);
    }
    auto const expect = [&](bool holds, char const* law) {
        t.check(holds, law, [&] { return describe(l, s); });
    };
    expect(visits.size() == positions.size(), "number of elements in range(tensor)");
    for (std::size_t i = 0; i < std::min(visits.size(), positions.size()); ++i) {
        bool same = true;
        for (std::size_t b = 0; b < o.bases.size(); ++b) {
            same &= visits[i].position[b] == positions[i][b];
        }
        expect(same, "order of range(tensor)");
        expect(visits[i].offset == o.offset(positions[i]), "offset in range(tensor)");
        expect(visits[i].leads_back, "position(tensor, offset)");
        offsets.insert(visits[i].offset);
    }
    portrait const p = l.describe(s.data());
    if (p.is_injective) expect(offsets.size() == positions.size(), "is_injective");
    expect(can_be_vectors(o, cells, p.vector_width), "vector_width");
    expect(p.is_wide_as_vectors, "the tensor can be read as vectors of its width");
    expect(!p.is_wider_as_vectors, "the tensor cannot be read as wider vectors");
    if (p.vector_width == 1) return;
    // Each vector holds the elements from its position on, and each element is in one vector.
    auto const vectors = l.visit_vectors(s.data());
    std::set<oracle::number> covered;
    for (visit const& v : vectors) {
        oracle::position const first(v.position, v.position + o.bases.size());
        expect(o.offset(first) == v.offset, "offset of a vector");
        for (int n = 0; n < p.vector_width; ++n) covered.insert(v.offset + n);
    }
    for (auto const& position : positions) {
        expect(covered.contains(o.offset(position).value_or(-1)), "elements of vectors");
    }
}

// Whether a position lies so far outside that the 32-bit sum of the offsets on the narrow axes may
// overflow.
bool is_out_of_reach(oracle::layout const& o, oracle::position const& p) {
    oracle::number reach = 0;
    for (std::size_t a = o.axes.size(); a-- > 0 && !o.is_wide(a);) {
        oracle::number steps = o.count(o.axes[a]);
        for (auto const& d : o.axes[a].placed) steps += 2 * (std::abs(p[d.base]) / d.stride + 16);
        reach += steps * o.memory_stride(a);
    }
    return reach > 0x7fffffff;
}

// Checks one walk. Returns false if its end is out of reach.
bool check_walk(tally& t, compiled_layout const& l, compiled_walk const& w, sizes const& s,
                oracle::layout const& o, dice& random) {
    auto const walk = oracle::walk::parse(o, w.terms);
    auto values = walk.draw(random, o);
    auto const end = walk.end(o, values);
    if (is_out_of_reach(o, end)) return false;
    int const last_move = static_cast<int>(random.draw_between(-5, 5));
    values.push_back(last_move);
    arrival const a = w.go(s.data(), values.data());
    auto const expect = [&](bool holds, char const* law) {
        t.check(holds, law, [&] {
            auto const right = o.offset(end);
            return describe(l, s) + "\n  " + w.text + "\n  " + w.terms + "\n  v " + listed(values) +
                   " position " + listed(end) + "\n  offset " + std::to_string(a.offset) +
                   " oracle " + (right ? std::to_string(*right) : "none");
        });
    };
    expect(a.inbounds == o.inbounds(end), "inbounds()");
    expect(a.address == a.offset, "get() and offset()");
    if (auto const right = o.offset(end)) expect(a.offset == *right, "offset of a walk");
    if (&w != &l.walks.front()) return true;
    for (std::size_t m = 0; m < l.moves.size(); ++m) {
        auto const move = oracle::walk::parse(o, "+ " + std::string(l.moves[m])).terms[0];
        auto moved = end;
        move.add_to(moved, last_move);
        if (a.moves[m].compiles && o.offset(end) && o.offset(moved)) {
            expect(a.moves[m].apart == 0, "committed cursor");
        }
    }
    return true;
}

// Checks that base cursors move by whole blocks of the coarsest axis of a base, if it is plain and
// no function reads it.
void check_moves(tally& t, compiled_layout const& l, oracle::layout const& o, arrival const& a) {
    for (std::size_t m = 0; m < l.moves.size(); ++m) {
        auto const move = oracle::walk::parse(o, "+ " + std::string(l.moves[m])).terms[0].digits[0];
        bool free = false;
        bool derived = false;
        for (oracle::axis const& axis : o.axes) {
            for (oracle::digit const& d : axis.placed) {
                if (axis.kind != "plain")
                    derived |= d.base == move.base;
                else if (d.base == move.base && o.is_coarsest(d))
                    free = move.stride % d.stride == 0;
            }
            for (oracle::digit const& d : axis.sources) derived |= d.base == move.base;
        }
        free &= !o.bases[move.base].ring;
        if (!derived) {
            t.check(a.moves[m].compiles == free, "which moves commit",
                    [&] { return describe(l, {}); });
        }
    }
}

} // namespace

TEST_CASE("every compiled layout agrees with the oracle") {
    std::vector<compiled_layout> types;
    add_layouts(types);
    tally t;
    long long layouts = 0;
    long long walks = 0;
    for (std::size_t number = 0; number < types.size(); ++number) {
        compiled_layout const& l = types[number];
        auto const model = oracle::layout::parse(l.model);
        dice random(number);
        bool const is_dynamic = !draw_sizes(random, model).empty();
        std::set<sizes> tried;
        for (int round = 0; round < rounds(is_dynamic ? 150 : 20); ++round) {
            sizes const s = draw_sizes(random, model);
            auto const o = model.sized(s);
            bool const is_new = tried.insert(s).second;
            if (is_new) check_portrait(t, l, s, o);
            if (is_new && o.size() <= 2000 && (!is_dynamic || round < 6)) check_visits(t, l, s, o);
            for (compiled_walk const& w : l.walks) {
                for (int i = 0; i < 10; ++i) walks += check_walk(t, l, w, s, o, random);
            }
        }
        std::vector<int> const zeros(64);
        check_moves(t, l, model, l.walks.front().go(zeros.data(), zeros.data()));
        layouts += static_cast<long long>(tried.size());
    }
    t.conclude("layouts: " + std::to_string(types.size()) + " types (seed " +
               std::to_string(seed_of_types) + "), " + std::to_string(layouts) + " layouts, " +
               std::to_string(walks) + " positions, " + std::to_string(t.tried) + " checks");
}
