// The types of loops, and of the variables that live into them.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A binding is what is known of a variable at a
// point: its slot (a variable of one type), and whether every path to the point defines it.
module;

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python;

import :syntax;
import :typed;
import :typer;

namespace spio::cuda_python {

// Types the body of a loop.
typed_block typer::loop_body(block const& body) {
    auto const entry = state->names;
    bool const was_reachable = state->is_reachable;
    ++state->loops;
    auto result = typed(body);
    --state->loops;
    leave_loop(entry);
    state->is_reachable = was_reachable;
    return result;
}
// Behind a loop, variables from before have their old slots; others may be undefined, since the
// body may not have run.
void typer::leave_loop(bindings const& entry) {
    for (auto& [name, binding] : state->names) {
        auto const found = entry.find(name);
        if (found != entry.end()) binding = found->second;
        binding.is_certain &= found != entry.end();
    }
}

void typer::type_while(statement const& statement, typed_block& block) {
    auto condition = condition_of(statement.values[0]);
    auto body = loop_body(statement.blocks[0]);
    block.push_back({action::repeat, statement.location, list_of(std::move(condition)),
                     list_of(std::move(body))});
}

void typer::type_for(statement const& statement, typed_block& block) {
    auto const &variable = statement.values[0], &range = statement.values[1];
    auto const callee = range.form == form::call ? entity_of(range.parts[0]) : std::nullopt;
    refuse_if(!callee || (callee->path != "range" && callee->path != "xrange"), range.location,
              "loops", "a loop runs over range or xrange alone");
    auto limits = arguments_of(range);
    for (auto& limit : limits) {
        refuse_if(!limit.type.is_number() || !limit.type.element.is_integer(), limit.location,
                  "loops", "the limits of a range are integers and not ", limit.type);
        limit = coercion_to(intp, std::move(limit));
    }
    refuse_if(limits.empty() || limits.size() > 3, range.parts[0].location, "loops",
              "a range takes 1 to 3 limits");
    auto const literal = [&](std::int64_t number) { return constant_with(range.location, number); };
    if (limits.size() == 1) limits.insert(limits.begin(), literal(0));
    if (limits.size() == 2) limits.push_back(literal(1));
    auto const step = constant_value(limits[2], program.options);
    refuse_if(step && std::get<std::int64_t>(*step) == 0, limits[2].location, "loops",
              "the step of a range is not 0");
    auto const counter = slot_value(variable.location, new_slot("counter", number(intp)));
    auto const entry = state->names;
    typed_block body;
    ++state->loops;
    assign(variable, counter, body);
    --state->loops;
    std::ranges::move(loop_body(statement.blocks[0]), std::back_inserter(body));
    leave_loop(entry);
    limits.insert(limits.begin(), counter);
    block.push_back(
        {action::count, statement.location, std::move(limits), list_of(std::move(body))});
}

} // namespace spio::cuda_python
