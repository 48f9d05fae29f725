// Random layouts as the library computes them, against a reference in plain loops, model.h.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a dimension is what one axis counts of it: of K, the axis K / 8 counts the blocks of
// 8, and K % 8 the rest. A plain axis counts one digit and has no function such as a swizzle. A
// portrait is what a tensor says of its sizes, a visit a position of range(tensor) with its offset,
// a walk a list of subscripts. A base cursor is a pointer that whole blocks move; a move that
// compiles commits. A tally counts checks, and reports the first failure of each law; dice draw
// random numbers; the oracle is the reference. conclude() prints how much was checked, and fails
// the test if a law did not hold. rounds(n) is n unless SPIO_ROUNDS scales it. A compiled_layout is
// a type that a script has drawn for generated.h, with its text, its words for the oracle, its
// walks and its moves; leads_back says that an offset gives its position again. is_injective says
// whether different positions have different offsets.
#include "tally.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
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
std::string describe(compiled_layout const& compiled, sizes const& chosen) {
    return std::string(compiled.text) + "\n  " + compiled.model + "\n  sizes " + listed(chosen);
}

// Compares sizes, extents and properties of a layout's tensor.
void check_portrait(tally& counts, compiled_layout const& compiled, sizes const& chosen,
                    oracle::layout const& model) {
    portrait const shown = compiled.describe(chosen.data());
    auto const expect = [&](bool holds, char const* law) {
        counts.check(holds, law, [&] { return describe(compiled, chosen); });
    };
    expect(shown.size == model.size(), "size()");
    expect(shown.storage_size == model.storage_size(), "storage_size()");
    expect(shown.absent_is_refused, "a single value of an absent base");
    for (std::size_t b = 0; b < model.bases.size(); ++b) {
        expect(shown.extents[b] == model.bases[b].extent, "extents()");
        expect(shown.exact_extents[b] == model.bases[b].extent, "extent<Base>()");
    }
    auto const digits = model.placed();
    for (std::size_t d = 0; d < digits.size(); ++d) {
        expect(shown.sizes[d] == model.greatest_count(digits[d]), "size<D>()");
    }
    expect(shown.is_wide == model.is_wide(), "offset_type");
}

// Whether there is a plain axis of the finest digit of its dimension, along which every aligned
// group of `width` cells is contiguous in memory and starts at a multiple of `width`.
bool can_be_vectors(oracle::layout const& model, std::vector<oracle::position> const& cells,
                    int width) {
    for (oracle::axis const& a : model.axes) {
        if (a.kind != "plain") continue;
        oracle::digit const& d = a.placed[0];
        bool contiguous = model.count(d) % width == 0 && d.stride == model.finest_stride(d.base);
        for (auto const& cell : cells) {
            auto const remainder = cell[d.base] / d.stride % width;
            auto first = cell;
            first[d.base] -= remainder * d.stride;
            auto const start = model.offset(first).value_or(0);
            contiguous &= start % width == 0 && model.offset(cell) == start + remainder;
        }
        if (contiguous) return true;
    }
    return width == 1;
}

// Whether each axis has steps at least as wide as all that axes of lesser strides span. Only sizes
// that a tensor brings can make a layout overlap that has positions at offsets.
bool is_nested(oracle::layout const& model) {
    std::vector<std::pair<oracle::number, oracle::number>> axes; // strides and counts
    for (std::size_t a = 0; a < model.axes.size(); ++a) {
        oracle::number const count = model.count(model.axes[a]);
        if (count > 1) axes.emplace_back(model.memory_stride(a), count);
    }
    std::sort(axes.begin(), axes.end());
    oracle::number span = 1;
    for (auto const& [stride, count] : axes) {
        if (stride < span) return false;
        span += (count - 1) * stride;
    }
    return true;
}

// Checks range(tensor), and the properties of the tensor as a whole. `chosen` has the sizes of the
// dynamic dimensions. A cell is a place in storage; those of a last block beyond the extent are no
// positions.
void check_visits(tally& counts, compiled_layout const& compiled, sizes const& chosen,
                  oracle::layout const& model) {
    auto const visits = compiled.visit_all(chosen.data());
    auto const cells = model.cells();
    std::vector<oracle::position> positions;
    std::set<long long> offsets;
    for (auto const& cell : cells) {
        if (model.inbounds(cell)) positions.push_back(cell);
    }
    auto const expect = [&](bool holds, char const* law) {
        counts.check(holds, law, [&] { return describe(compiled, chosen); });
    };
    bool const is_unique = is_nested(model);
    expect(visits.size() == positions.size(), "number of elements in range(tensor)");
    for (std::size_t i = 0; i < std::min(visits.size(), positions.size()); ++i) {
        bool same = true;
        for (std::size_t b = 0; b < model.bases.size(); ++b) {
            same &= visits[i].position[b] == positions[i][b];
        }
        expect(same, "order of range(tensor)");
        expect(visits[i].offset == model.offset(positions[i]), "offset in range(tensor)");
        if (is_unique) expect(visits[i].leads_back, "position(tensor, offset)");
        offsets.insert(visits[i].offset);
    }
    portrait const shown = compiled.describe(chosen.data());
    if (shown.is_injective) expect(offsets.size() == positions.size(), "is_injective");
    expect(can_be_vectors(model, cells, shown.vector_width), "vector_width");
    expect(shown.is_wide_as_vectors, "the tensor can be read as vectors of its width");
    expect(!shown.is_wider_as_vectors, "the tensor cannot be read as wider vectors");
    if (shown.vector_width == 1) return;
    // Each vector holds the elements from its position on, and each element is in one vector.
    auto const vectors = compiled.visit_vectors(chosen.data());
    std::set<oracle::number> covered;
    for (visit const& v : vectors) {
        oracle::position const first(v.position, v.position + model.bases.size());
        expect(model.offset(first) == v.offset, "offset of a vector");
        for (int n = 0; n < shown.vector_width; ++n) covered.insert(v.offset + n);
    }
    for (auto const& position : positions) {
        expect(covered.contains(model.offset(position).value_or(-1)), "elements of vectors");
    }
}

// Whether a position lies so far outside that the 32-bit sum of the offsets on the narrow axes may
// overflow.
bool is_out_of_reach(oracle::layout const& model, oracle::position const& p) {
    oracle::number reach = 0;
    for (std::size_t a = model.axes.size(); a-- > 0 && !model.is_wide(a);) {
        oracle::number steps = model.count(model.axes[a]);
        for (auto const& d : model.axes[a].placed)
            steps += 2 * (std::abs(p[d.base]) / d.stride + 16);
        reach += steps * model.memory_stride(a);
    }
    return reach > 0x7fffffff;
}

// Checks one walk. Returns false if its end is out of reach.
bool check_walk(tally& counts, compiled_layout const& compiled, compiled_walk const& planned,
                sizes const& chosen, oracle::layout const& model, dice& random) {
    auto const walk = oracle::walk::parse(model, planned.terms);
    auto values = walk.draw(random, model);
    auto const end = walk.end(model, values);
    if (is_out_of_reach(model, end)) return false;
    int const last_move = static_cast<int>(random.draw_between(-5, 5));
    values.push_back(last_move);
    arrival const reached = planned.go(chosen.data(), values.data());
    auto const expect = [&](bool holds, char const* law) {
        counts.check(holds, law, [&] {
            auto const right = model.offset(end);
            return describe(compiled, chosen) + "\n  " + planned.text + "\n  " + planned.terms +
                   "\n  v " + listed(values) + " position " + listed(end) + "\n  offset " +
                   std::to_string(reached.offset) + " oracle " +
                   (right ? std::to_string(*right) : "none");
        });
    };
    expect(reached.inbounds == model.inbounds(end), "inbounds()");
    expect(reached.address == reached.offset, "get() and offset()");
    if (auto const right = model.offset(end)) expect(reached.offset == *right, "offset of a walk");
    if (&planned != &compiled.walks.front()) return true;
    for (std::size_t m = 0; m < compiled.moves.size(); ++m) {
        auto const move =
            oracle::walk::parse(model, "+ " + std::string(compiled.moves[m])).terms[0];
        auto moved = end;
        move.add_to(moved, last_move);
        if (reached.moves[m].compiles && model.offset(end) && model.offset(moved)) {
            expect(reached.moves[m].apart == 0, "committed cursor");
        }
    }
    return true;
}

// Checks that base cursors move by whole blocks of the coarsest axis of a base, if it is plain and
// no function reads it.
void check_moves(tally& counts, compiled_layout const& compiled, oracle::layout const& model,
                 arrival const& reached) {
    for (std::size_t m = 0; m < compiled.moves.size(); ++m) {
        auto const move =
            oracle::walk::parse(model, "+ " + std::string(compiled.moves[m])).terms[0].digits[0];
        bool free = false;
        bool derived = false;
        for (oracle::axis const& axis : model.axes) {
            for (oracle::digit const& d : axis.placed) {
                if (axis.kind != "plain")
                    derived |= d.base == move.base;
                else if (d.base == move.base && model.is_coarsest(d))
                    free = move.stride % d.stride == 0;
            }
            for (oracle::digit const& d : axis.sources) derived |= d.base == move.base;
        }
        free &= !model.bases[move.base].ring;
        if (!derived) {
            counts.check(reached.moves[m].compiles == free, "which moves commit",
                         [&] { return describe(compiled, /*chosen=*/{}); });
        }
    }
}

} // namespace

TEST_CASE("every compiled layout agrees with the oracle") {
    std::vector<compiled_layout> types;
    add_layouts(types);
    tally counts;
    long long layouts = 0;
    long long walks = 0;
    for (std::size_t number = 0; number < types.size(); ++number) {
        compiled_layout const& compiled = types[number];
        auto const model = oracle::layout::parse(compiled.model);
        dice random(number);
        bool const is_dynamic = !draw_sizes(random, model).empty();
        std::set<sizes> tried;
        for (int round = 0; round < rounds(is_dynamic ? 150 : 20); ++round) {
            sizes const chosen = draw_sizes(random, model);
            auto const sized = model.sized(chosen);
            bool const is_new = tried.insert(chosen).second;
            if (is_new) check_portrait(counts, compiled, chosen, sized);
            if (is_new && sized.size() <= 2000 && (!is_dynamic || round < 6))
                check_visits(counts, compiled, chosen, sized);
            for (compiled_walk const& planned : compiled.walks) {
                for (int i = 0; i < 10; ++i)
                    walks += check_walk(counts, compiled, planned, chosen, sized, random);
            }
        }
        std::vector<int> const zeros(64);
        check_moves(counts, compiled, model, compiled.walks.front().go(zeros.data(), zeros.data()));
        layouts += static_cast<long long>(tried.size());
    }
    counts.conclude("layouts: " + std::to_string(types.size()) + " types (seed " +
                    std::to_string(seed_of_types) + "), " + std::to_string(layouts) + " layouts, " +
                    std::to_string(walks) + " positions, " + std::to_string(counts.tried) +
                    " checks");
}
