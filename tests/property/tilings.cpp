// Axes of one base must tile it: which sets of them are refused, and with which two numbers.
// SPDX-License-Identifier: Apache-2.0
//
// A digit of a position in a base (a dimension) is floor(position / stride) mod size; an axis of a
// layout counts one. A tally counts checks, and reports the first failure of each law; dice draw
// random numbers. Axes tile a base if their digits, from fine to coarse, meet without a gap or an
// overlap. A ring is a base around which positions wrap; the size of a dynamic digit is known at
// run time; only the coarsest digit may be either. A digit that is not placed is only read, by a
// swizzle. An axis that divides another by 8 is a fold of it. conclude() prints how much was
// checked, and fails the test if a law did not hold. rounds(n) is n unless SPIO_ROUNDS scales it.
#include "tally.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drawn_layout.h"
#include "spio/well_formed.h"

namespace {

// A digit as the table of a layout has it.
struct row {
    int base;
    long long stride;
    long long size;
    bool ring;
    bool dynamic;
    bool placed;
};

std::string text_of(std::vector<row> const& rows) {
    std::string text;
    for (row const& drawn : rows) {
        text += "base " + std::to_string(drawn.base) + " stride " + std::to_string(drawn.stride) +
                " size " + std::to_string(drawn.size) + (drawn.ring ? " ring" : "") +
                (drawn.dynamic ? " dynamic" : "") + (drawn.placed ? "; " : " read; ");
    }
    return text;
}

// Draws digits that tile their bases, sometimes with faults.
std::vector<row> draw_rows(dice& random) {
    std::vector<row> rows;
    int const bases = 1 + random.draw_below(3);
    for (int b = 0; b < bases; ++b) {
        long long stride = random.one_in(4) ? 1 + random.draw_below(4) : 1;
        for (int count = 1 + random.draw_below(4); count > 0; --count) {
            long long const size = 2 + random.draw_below(7);
            rows.push_back({.base = b,
                            .stride = stride,
                            .size = size,
                            .ring = false,
                            .dynamic = false,
                            .placed = true});
            stride *= size;
        }
        rows.back().ring = random.one_in(4);
        rows.back().dynamic = !rows.back().ring && random.one_in(4);
    }
    if (random.one_in(8)) {
        // A digit that is only read: of the last base, or of one that no axis places.
        rows.push_back({.base = bases - random.draw_below(2),
                        .stride = 1 + random.draw_below(3),
                        .size = 2,
                        .ring = false,
                        .dynamic = false,
                        .placed = false});
    }
    for (int wrong = random.draw_below(3); wrong > 0; --wrong) {
        row& drawn = rows[random.draw_below(static_cast<int>(rows.size()))];
        switch (random.draw_below(6)) {
        case 0:
            drawn.stride = 1 + random.draw_below(20);
            break;
        case 1:
            drawn.size = random.one_in(3) ? 1 : 1 + random.draw_below(12);
            break;
        case 2:
            drawn.ring = true;
            break;
        case 3:
            drawn.dynamic = drawn.placed;
            break;
        case 4:
            drawn.size = 0x7fffffff - random.draw_below(3);
            break;
        case 5:
            rows.push_back(drawn);
            if (random.one_in(2)) rows.back().size = 1;
            break;
        }
    }
    for (std::size_t n = rows.size(); n > 1; --n) {
        std::swap(rows[n - 1], rows[random.draw_below(static_cast<int>(n))]);
    }
    return rows;
}

// The library's table of these digits, each placed one on an axis of its own.
drawn_table table_of(std::vector<row> const& rows) {
    drawn_table table;
    for (row const& drawn : rows) {
        if (drawn.placed || table.axis_count == 0) {
            table.add_axis({.size = static_cast<int>(drawn.size),
                            .is_dynamic = drawn.dynamic,
                            .is_plain = true,
                            .pitch = spio::dense});
        }
        spio::digit const d{static_cast<int>(drawn.stride), static_cast<int>(drawn.size),
                            drawn.ring};
        table.add_digit(drawn.base, d, drawn.placed, drawn.dynamic);
    }
    return table;
}

// A reason to refuse digits: its kind, the base, and the numbers that the error names (0: none).
struct fault {
    spio::flaw kind;
    int base;
    long long first;
    long long second;

    auto operator<=>(fault const&) const = default;
};

// All faults. Of two successive digits of a base, the finer must end where the coarser starts; in
// an index it may end earlier, if its stride divides the coarser one.
std::set<fault> faults_of(std::vector<row> rows, spio::folds law) {
    std::set<fault> faults;
    int last_base = 0;
    for (row const& drawn : rows) last_base = std::max(last_base, drawn.base);
    std::sort(rows.begin(), rows.end(),
              [](row const& a, row const& b) { return a.stride < b.stride; });
    for (int b = 0; b <= last_base; ++b) {
        std::vector<row> own;
        for (row const& drawn : rows) {
            if (drawn.base == b && drawn.placed) own.push_back(drawn);
        }
        if (own.empty()) {
            faults.insert({spio::flaw::reads, b, 0, 0});
            continue;
        }
        // A digit of one step may stand beside another of its stride: it is always 0.
        for (std::size_t d = 0; d < own.size(); ++d) {
            bool const is_unit = own[d].size == 1 && !own[d].dynamic && !own[d].ring;
            bool const has_twin = std::count_if(own.begin(), own.end(), [&](row const& drawn) {
                                      return drawn.stride == own[d].stride;
                                  }) > 1;
            if (is_unit && has_twin) own.erase(own.begin() + static_cast<long>(d--));
        }
        for (std::size_t d = 0; d + 1 < own.size(); ++d) {
            row const& finer = own[d];
            row const& coarser = own[d + 1];
            long long const end = finer.stride * finer.size;
            bool const good = law == spio::folds::tile
                                  ? end == coarser.stride
                                  : end <= coarser.stride && coarser.stride % finer.stride == 0;
            bool const repeated = finer.stride == coarser.stride;
            if (repeated) {
                faults.insert({spio::flaw::twice, b, finer.stride, 0});
            } else if (!good) {
                faults.insert({spio::flaw::gap, b, end, coarser.stride});
            }
            // Of two digits with the greatest stride the library may take either as the coarsest,
            // so that both faults are right answers.
            bool const may_be_coarsest = finer.stride == own.back().stride;
            if (finer.dynamic && !may_be_coarsest) {
                faults.insert({spio::flaw::dynamic, b, finer.stride, 0});
            }
            if (finer.ring && !may_be_coarsest)
                faults.insert({spio::flaw::ring, b, finer.stride, 0});
            if (may_be_coarsest) {
                for (row const& drawn : {finer, coarser}) {
                    if (drawn.dynamic) faults.insert({spio::flaw::dynamic, b, drawn.stride, 0});
                    if (drawn.ring) faults.insert({spio::flaw::ring, b, drawn.stride, 0});
                }
            }
        }
        // The extent of a base must fit into an int.
        row const& top = own.back();
        if (!top.dynamic && top.stride * top.size > 0x7fffffff) {
            faults.insert({spio::flaw::size, b, top.stride * top.size, 0});
        }
    }
    return faults;
}

// Whether each position of a base is a different combination of digits, and each combination one.
bool is_bijective(std::vector<row> const& rows, int base) {
    std::vector<row> own;
    for (row const& drawn : rows) {
        if (drawn.base == base && drawn.placed) own.push_back(drawn);
    }
    long long finest = own[0].stride;
    long long extent = 0;
    long long combinations = 1;
    for (row const& drawn : own) {
        finest = std::min(finest, drawn.stride);
        extent = std::max(extent, drawn.stride * drawn.size);
        combinations *= drawn.size;
    }
    if (extent / finest > 400) return true; // too many to try
    std::set<std::vector<long long>> seen;
    for (long long p = 0; p < extent; p += finest) {
        std::vector<long long> digits;
        for (row const& drawn : own) digits.push_back(p / drawn.stride % drawn.size);
        seen.insert(digits);
    }
    return static_cast<long long>(seen.size()) == combinations &&
           seen.size() * finest == std::size_t(extent);
}

} // namespace

TEST_CASE("folds that do not tile are found, with the dimension and both numbers") {
    tally counts;
    dice random(/*salt=*/4);
    int const sets = rounds(400'000);
    int broken = 0;
    for (int n = 0; n < sets; ++n) {
        auto const rows = draw_rows(random);
        auto const faults = faults_of(rows, spio::folds::tile);
        auto const problem = spio::find_problem(table_of(rows), spio::folds::tile);
        auto const text = [&] {
            return text_of(rows) + "said " + std::to_string(static_cast<int>(problem.kind)) +
                   " base " + std::to_string(problem.base) + ": " + std::to_string(problem.first) +
                   ", " + std::to_string(problem.second);
        };
        if (faults.empty()) {
            counts.check(problem.kind == spio::flaw::none, "a tiling is refused", text);
            if (n % 8 == 0)
                counts.check(is_bijective(rows, /*base=*/0), "the tiling is not one", text);
        } else {
            ++broken;
            counts.check(problem.kind != spio::flaw::none, "a broken tiling passes", text);
            counts.check(
                faults.contains({problem.kind, problem.base, problem.first, problem.second}),
                "the refusal names what is not wrong", text);
        }
    }
    counts.conclude("tilings: " + std::to_string(sets) + " sets of digits, " +
                    std::to_string(broken) + " broken, " + std::to_string(counts.tried) +
                    " checks");
}

TEST_CASE("digits of an index may leave gaps, but not overlap") {
    tally counts;
    dice random(/*salt=*/5);
    int broken = 0;
    for (int n = 0; n < rounds(200'000); ++n) {
        auto rows = draw_rows(random);
        std::erase_if(rows, [](row const& drawn) { return !drawn.placed; });
        if (rows.empty()) continue;
        for (row& drawn : rows) drawn.ring = drawn.dynamic = false;
        auto const faults = faults_of(rows, spio::folds::are_disjoint);
        auto const problem = spio::find_problem(table_of(rows), spio::folds::are_disjoint);
        bool const good =
            faults.empty()
                ? problem.kind == spio::flaw::none
                : faults.contains({problem.kind, problem.base, problem.first, problem.second});
        counts.check(good, "disjoint digits", [&] { return text_of(rows); });
        broken += !faults.empty();
    }
    counts.conclude("tilings.of_indices: " + std::to_string(broken) + " broken, " +
                    std::to_string(counts.tried) + " checks");
}
