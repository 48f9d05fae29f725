// The types of variables: definitions, and branches that join.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A binding is what is known of a variable at a
// point of the program: its slot (a variable of one type), and whether every path to the point
// defines it. A span is a place in the source.
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

// Adds a variable of one type, and returns its number.
int function_typer::new_slot(std::string_view name, type type) {
    function.slots.push_back({name, std::move(type)});
    return static_cast<int>(function.slots.size()) - 1;
}

void function_typer::type_function(std::vector<type> const& parameters,
                                   std::optional<type> const& declared) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto const name = tree->parameters[i].first;
        names[name] = {new_slot(name, parameters[i])};
    }
    result_type = declared;
    function.body = typed(tree->body);
    function.result = result_type.value_or(type());
    if (is_reachable && !function.result.is_nothing()) {
        fail(tree->location, "functions",
             in_quotes(tree->name) + " returns " + name_of(function.result) +
                 ", but may end without a return");
    }
}

// Types statements in their order.
typed_block function_typer::typed(block const& statements) {
    typed_block result;
    for (auto const& statement : statements) type_statement(statement, result);
    return result;
}

void function_typer::type_statement(statement const& statement, typed_block& block) {
    auto const& node = statement.node;
    depth_guard const guard(program, statement.location);
    if (auto const* assigned = std::get_if<assignment>(&node)) {
        if (assigned->is_unpacking) return unpack(*assigned, block);
        auto const& target = *assigned->targets.front();
        auto const* call = std::get_if<call_expression>(&assigned->value->node);
        auto const callee = call ? entity_of(*call->callee) : std::nullopt;
        bool const is_shared = callee && callee->path == "cuda.shared.array";
        return assign(
            target, is_shared ? shared_array(*assigned->value, *call) : value_of(*assigned->value),
            block);
    }
    if (auto const* evaluated = std::get_if<expression_statement>(&node)) {
        return type_evaluation(statement, *evaluated->value, block);
    }
    if (auto const* augmented = std::get_if<augmented_assignment>(&node)) {
        return type_augmented(statement, *augmented, block);
    }
    if (std::holds_alternative<jump>(node) && std::get<jump>(node) == jump::pass) return;
    is_entry = false;
    if (auto const* choice = std::get_if<if_statement>(&node)) {
        type_if(statement, *choice, block);
    } else if (auto const* loop = std::get_if<while_statement>(&node)) {
        type_while(statement, *loop, block);
    } else if (auto const* counted = std::get_if<for_statement>(&node)) {
        type_for(statement, *counted, block);
    } else if (auto const* end = std::get_if<return_statement>(&node)) {
        type_return(statement, *end, block);
    } else {
        block.push_back({statement.location, std::get<jump>(node)});
        is_reachable = false;
    }
}

// Stores to a variable. In a loop a variable that has a type keeps it; elsewhere it gets a new one.
void function_typer::assign(std::string_view name, span location, value_ptr operand,
                            typed_block& block) {
    if (operand->type.is_nothing() || operand->type.is_tuple()) {
        fail(operand->location, operand->type.is_tuple() ? "tuples" : "functions",
             operand->type.is_tuple() ? "a tuple is unpacked where it is made"
                                      : "this call has no value");
    }
    auto& binding = names[name];
    bool const has_type = binding.slot >= 0 && !binding.has_conflict;
    if (has_type && loop_depth > 0) {
        auto const type = function.slots[static_cast<std::size_t>(binding.slot)].type;
        operand = coerced(std::move(operand), type, "the variable " + in_quotes(name));
    } else if (!has_type ||
               function.slots[static_cast<std::size_t>(binding.slot)].type != operand->type) {
        binding.slot = new_slot(name, operand->type);
    }
    binding.is_certain = true;
    binding.has_conflict = false;
    block.push_back({location, store_slot{binding.slot, std::move(operand)}});
}

void function_typer::assign(expression const& target, value_ptr operand, typed_block& block) {
    if (auto const* name = std::get_if<name_expression>(&target.node)) {
        return assign(name->name, target.location, std::move(operand), block);
    }
    auto const& subscript = std::get<subscript_expression>(target.node);
    auto array = value_of(*subscript.object);
    if (!array->type.is_array()) {
        fail(target.location, "arrays",
             "only elements of arrays are stored, and this is " + name_of(array->type));
    }
    auto indices = index_values(target, *array, subscript.indices);
    operand = coerced(std::move(operand), number(array->type.element), "the element");
    block.push_back(
        {target.location, store_element{std::move(array), std::move(indices), std::move(operand)}});
}

// Stores the parts of a tuple to slots of their own first, and from there to the targets, so that
// all parts are computed before the first target changes.
void function_typer::unpack(assignment const& statement, typed_block& block) {
    auto const location = statement.value->location;
    auto operand = value_of(*statement.value);
    if (!operand->type.is_tuple()) {
        fail(location, "tuples",
             operand->type.is_array()
                 ? "an array is not unpacked"
                 : "only shape, strides and results of calls are unpacked, and "
                   "this is " +
                       name_of(operand->type));
    }
    auto const types = operand->type.parts;
    if (types.size() != statement.targets.size()) {
        fail(location, "tuples",
             std::to_string(types.size()) + " values are unpacked into " +
                 std::to_string(statement.targets.size()) + " targets");
    }
    unpacking parts = {{}, std::move(operand)};
    for (auto const& type : types) parts.slots.push_back(new_slot("part", type));
    auto const slots = parts.slots;
    block.push_back({location, std::move(parts)});
    for (std::size_t i = 0; i < types.size(); ++i) {
        assign(*statement.targets[i], value_with(location, types[i], slot_value{slots[i]}), block);
    }
}

void function_typer::type_augmented(statement const& statement,
                                    augmented_assignment const& augmented, typed_block& block) {
    auto const& target = *augmented.target;
    if (std::holds_alternative<name_expression>(target.node)) {
        auto left = number_of(target);
        auto sum = binary_value(statement.location, augmented.operation, std::move(left),
                                number_of(*augmented.value));
        return assign(target, std::move(sum), block);
    }
    auto element = number_of(target);
    if (!std::holds_alternative<element_value>(element->node)) {
        fail(target.location, "tuples", "a tuple does not change");
    }
    auto [array, indices] = std::move(std::get<element_value>(element->node));
    auto const type = element->type;
    int const slot = new_slot("old", type);
    auto sum = binary_value(statement.location, augmented.operation,
                            value_with(target.location, type, slot_value{slot}),
                            number_of(*augmented.value));
    sum = coerced(std::move(sum), type, "the element");
    block.push_back({statement.location,
                     store_element{std::move(array), std::move(indices), std::move(sum), slot}});
}

void function_typer::type_if(statement const& statement, if_statement const& choice,
                             typed_block& block) {
    typed_if result;
    auto const entry = names;
    bool const was_reachable = is_reachable;
    bool joins = false;
    std::vector<bindings> ends;        // of the branches that reach the join
    std::vector<std::size_t> reaching; // the numbers of these branches
    for (auto const& branch : choice.branches) {
        names = entry;
        is_reachable = was_reachable;
        auto condition = branch.condition ? condition_of(*branch.condition) : nullptr;
        result.branches.push_back({std::move(condition), typed(branch.body)});
        if (!is_reachable) continue;
        joins = true;
        reaching.push_back(result.branches.size() - 1);
        ends.push_back(std::move(names));
    }
    if (choice.branches.back().condition) { // there is no else
        joins = was_reachable;
        result.branches.push_back({});
        reaching.push_back(result.branches.size() - 1);
        ends.push_back(entry);
    }
    is_reachable = joins;
    std::vector<typed_branch> joined;
    for (auto const i : reaching) joined.push_back(std::move(result.branches[i]));
    join(entry, joined, ends);
    for (std::size_t i = 0; i < reaching.size(); ++i) {
        result.branches[reaching[i]] = std::move(joined[i]);
    }
    block.push_back({statement.location, std::move(result)});
}

// Joins the variables at the ends of branches: the type is that of before, or else that of the
// first branch that has one. Appends to the other branches what stores and coerces to it.
void function_typer::join(bindings const& entry, std::vector<typed_branch>& branches,
                          std::vector<bindings>& ends) {
    names = entry;
    for (auto const& end : ends) {
        for (auto const& [name, ignored] : end) names.try_emplace(name);
    }
    for (auto& [name, joined] : names) {
        for (auto const& end : ends) {
            auto const found = end.find(name);
            bool const is_defined = found != end.end() && found->second.slot >= 0;
            joined.is_certain &= is_defined && found->second.is_certain;
            joined.has_conflict |= is_defined && found->second.has_conflict;
            if (joined.slot < 0 && is_defined) joined.slot = found->second.slot;
        }
        if (joined.slot < 0 || joined.has_conflict) continue;
        auto const type = function.slots[static_cast<std::size_t>(joined.slot)].type;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            auto const found = ends[i].find(name);
            if (found == ends[i].end() || found->second.slot < 0) continue;
            int const slot = found->second.slot;
            if (slot == joined.slot) continue;
            auto const& other = function.slots[static_cast<std::size_t>(slot)].type;
            auto const is_coercible = [](cuda_python::type const& t) {
                return t.is_number() && (t.element.is_integer() || t.element.is_real());
            };
            if (other != type && !(is_coercible(other) && is_coercible(type))) {
                joined.has_conflict = true;
                break;
            }
            auto operand = value_with({}, other, slot_value{slot});
            branches[i].body.push_back(
                {{}, store_slot{joined.slot, coerced(std::move(operand), type, "")}});
        }
    }
}

} // namespace spio::cuda_python
