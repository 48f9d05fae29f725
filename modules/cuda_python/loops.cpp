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

// Types the body of a loop. Behind it, variables from before have their old slots; others may be
// undefined, since the body may not have run.
typed_block function_typer::loop_body(block const& body) {
    auto const entry = names;
    bool const was_reachable = is_reachable;
    ++loop_depth;
    auto result = typed(body);
    --loop_depth;
    // The body may not have run: what it alone defines may be undefined.
    for (auto& [name, binding] : names) {
        auto const found = entry.find(name);
        if (found == entry.end()) {
            binding.is_certain = false;
        } else {
            binding = found->second;
        }
    }
    is_reachable = was_reachable;
    return result;
}

void function_typer::type_while(statement const& statement, while_statement const& loop,
                                typed_block& block) {
    auto condition = condition_of(*loop.condition);
    auto body = loop_body(loop.body);
    block.push_back({statement.location, typed_while{std::move(condition), std::move(body)}});
}

void function_typer::type_for(statement const& statement, for_statement const& loop,
                              typed_block& block) {
    auto const* call = std::get_if<call_expression>(&loop.range->node);
    auto const callee = call ? entity_of(*call->callee) : std::nullopt;
    if (!callee || (callee->path != "range" && callee->path != "xrange")) {
        fail(loop.range->location, "loops", "a loop runs over range or xrange alone");
    }
    value_list limits;
    for (auto& argument : arguments_of(*call)) {
        if (!argument->type.is_number() || !argument->type.element.is_integer()) {
            fail(argument->location, "loops",
                 "the limits of a range are integers and not " + name_of(argument->type));
        }
        limits.push_back(coercion_to(intp, std::move(argument)));
    }
    if (limits.empty() || limits.size() > 3)
        fail(call->callee->location, "loops", "a range takes 1 to 3 limits");
    auto const literal = [&](std::int64_t number_value) {
        return value_with(loop.range->location, number(intp), constant{number_value});
    };
    typed_for result;
    result.step = limits.size() == 3 ? std::move(limits[2]) : literal(1);
    result.stop = limits.size() == 1 ? std::move(limits[0]) : std::move(limits[1]);
    result.start = limits.size() == 1 ? literal(0) : std::move(limits[0]);
    auto const step = constant_value(*result.step, program.result.options);
    if (step && std::get<std::int64_t>(step->value) == 0) {
        fail(result.step->location, "loops", "the step of a range is not 0");
    }
    result.counter = new_slot("counter", number(intp));
    auto const entry = names;
    auto const name = std::get<name_expression>(loop.target->node).name;
    ++loop_depth;
    assign(name, loop.target->location,
           value_with(loop.target->location, number(intp), slot_value{result.counter}),
           result.body);
    --loop_depth;
    auto body = loop_body(loop.body);
    std::ranges::move(body, std::back_inserter(result.body));
    auto const found = entry.find(name);
    if (found == entry.end()) {
        names[name].is_certain = false;
    } else {
        names[name] = found->second;
    }
    block.push_back({statement.location, std::move(result)});
}

} // namespace spio::cuda_python
