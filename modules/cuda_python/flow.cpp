// The types of statements: definitions of variables, branches that join, and returns.
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

// Adds a variable of one type.
int typer::new_slot(std::string_view name, type type) {
    state->function.slots.push_back({name, std::move(type)});
    return static_cast<int>(state->function.slots.size()) - 1;
}

// Types statements in their order.
typed_block typer::typed(block const& statements) {
    typed_block result;
    for (auto const& statement : statements) type_statement(statement, result);
    return result;
}

void typer::type_statement(statement const& statement, typed_block& block) {
    level const guard(*this, statement.location);
    auto const action = statement.action;
    if (action == action::pass) return;
    if (action == action::evaluate) return type_evaluation(statement, block);
    if (action == action::store) return type_store(statement, block);
    if (action == action::unpack) return type_unpacking(statement, block);
    if (action == action::augment) return type_augmented(statement, block);
    state->is_entry = false;
    if (action == action::choose) return type_choice(statement, block);
    if (action == action::repeat) return type_while(statement, block);
    if (action == action::count) return type_for(statement, block);
    if (action == action::leave) return type_return(statement, block);
    block.push_back({action, statement.location});
    state->is_reachable = false;
}

// A statement that is an expression: a call, a barrier, or a text that documents.
void typer::type_evaluation(statement const& statement, typed_block& block) {
    auto const& expression = statement.values[0];
    auto const location = expression.location;
    if (expression.form == form::text) return;
    refuse_if(expression.form != form::call, location, "statements",
              "an expression is no statement: its value is lost");
    auto const callee = entity_of(expression.parts[0]);
    if (callee && callee->path == "cuda.syncthreads") {
        refuse_if(expression.parts.size() > 1, location, "intrinsics",
                  "cuda.syncthreads takes no arguments");
        return block.push_back({action::barrier, statement.location});
    }
    auto operand = value_of(expression);
    refuse_if(!operand.has_call, location, "statements",
              "this call has no effect: its value is lost");
    block.push_back({action::evaluate, statement.location, list_of(std::move(operand))});
}

void typer::type_store(statement const& statement, typed_block& block) {
    auto const& operand = statement.values[1];
    auto const callee = operand.form == form::call ? entity_of(operand.parts[0]) : std::nullopt;
    bool const is_shared = callee && callee->path == "cuda.shared.array";
    assign(statement.values[0], is_shared ? shared_array(operand) : value_of(operand), block);
}

// Stores to an element or to a variable. In a loop a variable that has a type keeps it; elsewhere
// it gets a new one.
void typer::assign(expression const& target, value operand, typed_block& block) {
    auto const store = [&](value place) {
        block.push_back(
            {action::store, target.location, list_of(std::move(place), std::move(operand))});
    };
    if (target.form == form::subscript) {
        auto array = value_of(target.parts[0]);
        refuse_if(!array.type.is_array(), target.location, "arrays",
                  "only elements of arrays are stored, and this is ", array.type);
        auto element = element_with(target, std::move(array));
        operand = coerced(std::move(operand), element.type, "the element");
        return store(std::move(element));
    }
    refuse_if(operand.type.is_tuple(), operand.location, "tuples",
              "a tuple is unpacked where it is made");
    refuse_if(operand.type.is_nothing(), operand.location, "functions", "this call has no value");
    auto& binding = state->names[target.word];
    bool const has_type = binding.slot >= 0 && !binding.has_conflict;
    if (has_type && state->loops > 0) {
        operand = coerced(std::move(operand), type_of_slot(binding.slot),
                          "the variable " + in_quotes(target.word));
    } else if (!has_type || type_of_slot(binding.slot) != operand.type) {
        binding.slot = new_slot(target.word, operand.type);
    }
    binding = {binding.slot};
    store(slot_value(target.location, binding.slot));
}

// Stores the parts of a tuple to slots of their own first, and from there to the targets, so that
// all parts are computed before the first target changes.
void typer::type_unpacking(statement const& statement, typed_block& block) {
    auto const location = statement.values.back().location;
    auto operand = value_of(statement.values.back());
    auto const targets = std::span(statement.values).first(statement.values.size() - 1);
    refuse_if(operand.type.is_array(), location, "tuples", "an array is not unpacked");
    refuse_if(!operand.type.is_tuple(), location, "tuples",
              "only shape, strides and results of calls are unpacked, and this is ", operand.type);
    auto const types = operand.type.parts;
    refuse_if(types.size() != targets.size(), location, "tuples", types.size(),
              " values are unpacked into ", targets.size(), " targets");
    std::vector<value> parts;
    for (auto const& type : types) parts.push_back(slot_value(location, new_slot("part", type)));
    typed_statement unpacking = {action::unpack, location, parts};
    unpacking.values.push_back(std::move(operand));
    block.push_back(std::move(unpacking));
    for (std::size_t i = 0; i < parts.size(); ++i) assign(targets[i], std::move(parts[i]), block);
}

void typer::type_augmented(statement const& statement, typed_block& block) {
    auto const& target = statement.values[0];
    auto old = number_of(target);
    auto const type = old.type;
    auto const operate = [&](value left) {
        return operated(statement.location, statement.operation,
                        list_of(std::move(left), number_of(statement.values[1])));
    };
    if (target.form == form::name) return assign(target, operate(std::move(old)), block);
    refuse_if(old.form != value_form::element, target.location, "tuples",
              "a tuple does not change");
    auto const slot = slot_value(target.location, new_slot("old", type));
    auto result = coerced(operate(slot), type, "the element");
    block.push_back(
        {action::augment, statement.location, list_of(std::move(old), slot, std::move(result))});
}

void typer::type_choice(statement const& statement, typed_block& block) {
    typed_statement result = {action::choose, statement.location};
    auto const entry = state->names;
    bool const was_reachable = state->is_reachable;
    std::vector<std::pair<std::size_t, bindings>> ends; // of the branches that reach the join
    for (std::size_t i = 0; i < statement.blocks.size(); ++i) {
        state->names = entry;
        state->is_reachable = was_reachable;
        bool const is_else = i == statement.values.size();
        if (!is_else) result.values.push_back(condition_of(statement.values[i]));
        result.blocks.push_back(typed(statement.blocks[i]));
        if (state->is_reachable) ends.emplace_back(i, std::move(state->names));
    }
    if (statement.values.size() == statement.blocks.size()) { // there is no else
        ends.emplace_back(result.blocks.size(), entry);
        result.blocks.emplace_back();
    }
    state->is_reachable = was_reachable && !ends.empty();
    join(entry, ends, result.blocks);
    block.push_back(std::move(result));
}

// Joins the variables at the ends of branches: the type is that of before, or else that of the
// first branch that has one. Appends to the other branches what stores and coerces to it.
void typer::join(bindings const& entry, std::vector<std::pair<std::size_t, bindings>> const& ends,
                 std::vector<typed_block>& branches) {
    state->names = entry;
    for (auto const& [branch, names] : ends) {
        for (auto const& [name, ignored] : names) state->names.try_emplace(name);
    }
    for (auto& [name, joined] : state->names) {
        for (auto const& [branch, names] : ends) {
            auto const found = names.find(name);
            bool const is_defined = found != names.end() && found->second.slot >= 0;
            joined.is_certain &= is_defined && found->second.is_certain;
            joined.has_conflict |= is_defined && found->second.has_conflict;
            if (joined.slot < 0 && is_defined) joined.slot = found->second.slot;
        }
        for (auto const& [branch, names] : ends) {
            auto const found = names.find(name);
            if (joined.has_conflict || found == names.end()) continue;
            int const slot = found->second.slot;
            if (slot < 0 || slot == joined.slot) continue;
            auto const wanted = type_of_slot(joined.slot);
            auto operand = slot_value({}, slot);
            joined.has_conflict =
                operand.type != wanted && !(is_coercible(operand.type) && is_coercible(wanted));
            if (joined.has_conflict) break;
            operand = coerced(std::move(operand), wanted, "");
            branches[branch].push_back(
                {action::store, {}, list_of(slot_value({}, joined.slot), std::move(operand))});
        }
    }
}

void typer::type_return(statement const& statement, typed_block& block) {
    auto const location = statement.location;
    state->is_reachable = false;
    auto& result = state->result;
    if (statement.values.empty()) {
        if (result && !result->is_nothing()) {
            fail(location, "functions", "this function returns ", *result);
        }
        result = type();
        return block.push_back({action::leave, location});
    }
    refuse_if(state->is_kernel, location, "functions", "a kernel returns nothing");
    auto const purpose = "the result of " + in_quotes(state->tree->name);
    auto const& spelled = statement.values[0];
    bool const is_tuple = spelled.form == form::tuple && spelled.parts.size() > 1;
    std::vector<value> parts;
    for (auto const& part : std::span(spelled.parts).first(is_tuple ? spelled.parts.size() : 0)) {
        auto value = value_of(part);
        auto const i = parts.size();
        bool const is_known = result && i < result->parts.size();
        if (is_known) value = coerced(std::move(value), result->parts[i], purpose);
        refuse_if(!value.type.is_number() && !value.type.is_array(), part.location, "tuples",
                  "a part of a tuple is a number or an array");
        parts.push_back(std::move(value));
    }
    auto operand = is_tuple ? tuple_with(spelled.location, std::move(parts)) : value_of(spelled);
    refuse_if(operand.type.is_nothing(), location, "functions", "this call has no value");
    if (!result) result = operand.type;
    operand = coerced(std::move(operand), *result, purpose);
    block.push_back({action::leave, location, list_of(std::move(operand))});
}

} // namespace spio::cuda_python
