// Remembers what was loaded on a stage.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <chrono>
#include <vector>

module spio.command;

import spio.image;

namespace spio::command {

void stage::note(image const& from, clock::duration found, clock::duration load) {
    auto const is_known = [&](staged const& each) { return each.from.symbol == from.symbol; };
    if (std::ranges::any_of(loaded, is_known)) return;
    using milliseconds = std::chrono::duration<double, std::milli>;
    loaded.push_back({from, milliseconds(found).count(), milliseconds(load).count()});
}

} // namespace spio::command
