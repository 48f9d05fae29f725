// The types of assignments: definitions of variables, elements, tuples that are unpacked.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A slot is a variable of a function with one type;
// a binding is what is known of a variable at a point of the program. A span is a place in the
// source.
module;

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:assignments;

import :calls;
import :names;
import :tree;
import :types;

namespace spio::cuda_python {

class assignment_typer : protected call_typer {
  protected:
    using call_typer::call_typer;
    ~assignment_typer() = default;

    // Adds a variable of one type.
    int new_slot(std::string_view name, type type) {
        state->function.slots.push_back({name, std::move(type)});
        return static_cast<int>(state->function.slots.size()) - 1;
    }
    template <class... Parts>
    static void add(node& block, form form, span location, Parts... parts) {
        block.parts.push_back(typed_node(form, location, {}, list_of<node>(std::move(parts)...)));
    }

    // A statement that is an expression: a call, a barrier, or a text that documents.
    void type_evaluation(node const& statement, node& block) {
        auto const& expression = statement.parts[0];
        auto const location = expression.location;
        if (expression.form == form::text) return;
        refuse_if(expression.form != form::call, location,
                  "statements: an expression is no statement: its value is lost");
        if (called_path(expression) == "cuda.syncthreads") {
            refuse_if(expression.parts.size() > 1, location,
                      "intrinsics: cuda.syncthreads takes no arguments");
            return block.parts.push_back({form::barrier, statement.location});
        }
        auto operand = value_of(expression);
        refuse_if(!operand.has_call, location,
                  "statements: this call has no effect: its value is lost");
        add(block, form::evaluate, statement.location, std::move(operand));
    }

    void type_store(node const& statement, node& block) {
        auto const& operand = statement.parts[1];
        bool const is_shared = called_path(operand) == "cuda.shared.array";
        assign(statement.parts[0], is_shared ? shared_array(operand) : value_of(operand), block);
    }
    // Stores to an element or to a variable. In a loop a variable that has a type keeps it;
    // elsewhere it gets a new one.
    void assign(node const& target, node operand, node& block) {
        auto const location = target.location;
        if (target.form == form::subscript) {
            auto array = value_of(target.parts[0]);
            refuse_if(!array.type.is_array(), location,
                      "arrays: only elements of arrays are stored, and this is %", array.type);
            auto element = element_with(target, std::move(array));
            operand = coerced(std::move(operand), element.type, "the element");
            return add(block, form::store, location, std::move(element), std::move(operand));
        }
        refuse_if(operand.type.is_tuple(), operand.location,
                  "tuples: a tuple is unpacked where it is made");
        refuse_if(operand.type.is_nothing(), operand.location, "functions: this call has no value");
        auto& binding = state->names[target.word];
        bool const has_type = binding.slot >= 0 && !binding.has_conflict;
        if (has_type && state->loops > 0) {
            operand = coerced(std::move(operand), type_of_slot(binding.slot),
                              "the variable " + in_quotes(target.word));
        } else if (!has_type || type_of_slot(binding.slot) != operand.type) {
            binding.slot = new_slot(target.word, operand.type);
        }
        binding = {binding.slot};
        add(block, form::store, location, slot_value(location, binding.slot), std::move(operand));
    }

    // Stores the parts of a tuple to slots of their own first, and from there to the targets, so
    // that all parts are computed before the first target changes.
    void type_unpacking(node const& statement, node& block) {
        auto const location = statement.parts.back().location;
        auto operand = value_of(statement.parts.back());
        auto const targets = std::span(statement.parts).first(statement.parts.size() - 1);
        refuse_if(operand.type.is_array(), location, "tuples: an array is not unpacked");
        refuse_if(!operand.type.is_tuple(), location,
                  "tuples: only shape, strides and results of calls are unpacked, and this is %",
                  operand.type);
        auto const types = operand.type.parts;
        refuse_if(types.size() != targets.size(), location,
                  "tuples: % values are unpacked into % targets", types.size(), targets.size());
        node unpacking = {form::unpack, location};
        for (auto const& type : types) {
            unpacking.parts.push_back(slot_value(location, new_slot("part", type)));
        }
        auto slots = unpacking.parts;
        unpacking.parts.push_back(std::move(operand));
        block.parts.push_back(std::move(unpacking));
        for (std::size_t i = 0; i < slots.size(); ++i) assign(targets[i], slots[i], block);
    }

    void type_augmented(node const& statement, node& block) {
        auto const& target = statement.parts[0];
        auto old = number_of(target);
        auto const type = old.type;
        auto const operate = [&](node left) {
            return operated(statement.location, statement.operation(),
                            list_of(std::move(left), number_of(statement.parts[1])));
        };
        if (target.form == form::name) return assign(target, operate(std::move(old)), block);
        refuse_if(old.form != form::element, target.location, "tuples: a tuple does not change");
        auto const slot = slot_value(target.location, new_slot("old", type));
        auto result = coerced(operate(slot), type, "the element");
        add(block, form::augment, statement.location, std::move(old), slot, std::move(result));
    }
};

} // namespace spio::cuda_python
