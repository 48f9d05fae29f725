// Random views and orders of random layouts, against the laws that name their elements.
// SPDX-License-Identifier: Apache-2.0
//
// A view is a tensor over the same memory whose dimensions are renamed, reversed, split, joined or
// cut. Layouts and chains of views are generated as C++ (the compiled side) and described in plain
// numbers (the oracle); every element must be the same for both. Positions and extents have a
// number for each of six dimensions: I, J, K and N, which layouts have, and A and B, which views
// make. `absent` is the extent of a dimension that there is not. A tally counts checks, and reports
// the first failure of each law; dice draw random numbers. conclude() prints how much was checked,
// and fails the test if a law did not hold. rounds(n) is n unless SPIO_ROUNDS scales it.
#include "tally.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "view_model.h"

#include "compiled_layout.h"

#include "generated.h"

namespace {

using sizes = std::vector<int>;

// Extents for the dimensions whose size is known at run time only, in the layout's order. Small
// ones, so that all positions can be visited; one in thirty may be 0.
sizes draw_extents(dice& random, oracle::layout const& layout) {
    sizes result;
    for (oracle::base const& b : layout.bases) {
        if (b.dynamic) {
            long long const most = std::min(b.extent, 60LL);
            result.push_back(
                static_cast<int>(random.draw_between(random.one_in(30) ? 0 : 1, most)));
        }
    }
    return result;
}

// The views of a chain that compile for this layout. A slice, a tile or a shift is a part; each
// gets a random start. Empty if a part is longer than its dimension.
std::vector<oracle::view_step> draw_chain(dice& random, compiled_chain const& c,
                                          glimpse const& types, oracle::layout const& model,
                                          std::vector<int>& starts) {
    std::vector<oracle::number> extents(6, oracle::absent);
    for (oracle::base const& b : model.bases) {
        extents[oracle::view_dimensions.find(b.name)] = b.extent;
    }
    std::vector<oracle::view_step> chain;
    for (std::size_t n = 0; n < c.steps.size(); ++n) {
        if (!types.is_possible[n]) continue;
        auto& step = chain.emplace_back(oracle::view_step::parse(c.steps[n]));
        step.extents = extents;
        if (step.is_part()) {
            if (step.last_start() < 0) return {};
            starts[n] = static_cast<int>(random.draw_between(0, step.last_start()));
            step.start = starts[n];
        }
        extents = step.new_extents();
    }
    return chain;
}

// Checks the element at a random position of a view: inside, or in one case of twelve for each
// dimension up to two steps beside it.
void check_position(tally& counts, dice& random, compiled_layout const& compiled,
                    compiled_chain const& c, sizes const& chosen, oracle::layout const& model,
                    std::vector<int> const& starts, std::vector<oracle::view_step> const& chain) {
    auto const extents = chain.back().new_extents();
    bool is_inside = true;
    oracle::position p(6);
    std::vector<int> numbers(6);
    for (int n = 0; n < 6; ++n) {
        bool const is_near = random.one_in(12);
        auto const last = std::max(extents[n] - 1, 0LL);
        numbers[n] = static_cast<int>(random.draw_between(is_near ? -2 : 0, last + 2 * is_near));
        p[n] = numbers[n];
        if (extents[n] != oracle::absent) is_inside &= 0 <= p[n] && p[n] < extents[n];
    }
    glimpse const g = c.see(chosen.data(), starts.data(), numbers.data());
    auto source = p;
    for (std::size_t n = chain.size(); n-- > 0;) source = chain[n].source(source);
    oracle::position place;
    for (auto const& b : model.bases) place.push_back(source[oracle::view_dimensions.find(b.name)]);
    auto const expect = [&](bool holds, char const* law) {
        counts.check(holds, law, [&] {
            std::string steps;
            for (char const* step : c.steps) steps += std::string(step) + "; ";
            return std::string(compiled.text) + "\n  sizes " + listed(chosen) + " views " + steps +
                   "\n  starts " + listed(starts) + " position " + listed(p) + " source " +
                   listed(place) + " address " + std::to_string(g.address) + " oracle " +
                   std::to_string(model.offset(place).value_or(-1)) + " extents " + listed(extents);
        });
    };
    for (int n = 0; n < 6; ++n) expect(g.extents[n] == extents[n], "extent of a view");
    expect(g.inbounds == is_inside, "inbounds() of a view");
    if (is_inside) expect(g.address == model.offset(place), "element of a view");
}

// Checks that an order has each position once, in the order of its axes.
void check_order(tally& counts, compiled_layout const& compiled, sizes const& chosen,
                 oracle::layout const& model) {
    auto order = oracle::layout::parse(std::string(compiled.model) + " " + compiled.order);
    order.axes.erase(order.axes.begin(), order.axes.begin() + static_cast<long>(model.axes.size()));
    order.settle();
    order = order.sized(chosen);
    auto const visits = compiled.visit_order(chosen.data());
    std::size_t count = 0;
    bool agrees = true;
    for (auto const& cell : order.cells()) {
        if (!order.inbounds(cell)) continue;
        bool is_same = count < visits.size() && visits[count].offset == model.offset(cell);
        for (std::size_t b = 0; is_same && b < model.bases.size(); ++b) {
            is_same = visits[count].position[b] == cell[b];
        }
        agrees &= is_same;
        ++count;
    }
    counts.check(agrees && count == visits.size(), "positions of an order", [&] {
        return std::string(compiled.text) + "\n  order " + compiled.order + "\n  sizes " +
               listed(chosen);
    });
}

} // namespace

TEST_CASE("every compiled view has the elements that its law names") {
    std::vector<compiled_layout> types;
    add_layouts(types);
    tally counts;
    long long chains = 0;
    long long views = 0;
    std::set<std::string> kinds;
    for (std::size_t number = 0; number < types.size(); ++number) {
        compiled_layout const& compiled = types[number];
        auto const model = oracle::layout::parse(compiled.model);
        dice random(7000 + number);
        for (int round = 0; round < rounds(40); ++round) {
            sizes const chosen = draw_extents(random, model);
            auto const sized = model.sized(chosen);
            if (round < 3 && sized.size() <= 2000) check_order(counts, compiled, chosen, sized);
            for (compiled_chain const& c : compiled.chains) {
                std::vector<int> starts(c.steps.size() + 1);
                int const origin[6] = {};
                auto const chain = draw_chain(
                    random, c, c.see(chosen.data(), starts.data(), origin), sized, starts);
                if (chain.empty()) continue;
                ++chains;
                views += static_cast<long long>(chain.size());
                for (auto const& step : chain) kinds.insert(step.kind);
                for (int n = 0; n < 12; ++n)
                    check_position(counts, random, compiled, c, chosen, sized, starts, chain);
            }
        }
    }
    CHECK(kinds.size() > 6); // of nine: few layouts can be joined
    counts.conclude("views: " + std::to_string(types.size()) + " types, " + std::to_string(chains) +
                    " chains of " + std::to_string(views) + " views, " +
                    std::to_string(counts.tried) + " checks");
}
