// The types of assignments: definitions of variables, elements, tuples that are unpacked.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A slot is a variable of a function with one type;
// a binding is what is known of a variable at a point of the program. A span is a place in the
// source. value_of() and number_of() type an expression, coerced() converts it to a type, and
// refuse_if() ends with an error of the program. has_call says that computing an expression calls a
// function.
module;

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
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

    static void add(node& block, form form, span place, std::vector<node> parts = {},
                    int number = 0) {
        block.parts.push_back(typed_node(form, place, {}, std::move(parts), number));
    }
    // Adds a variable of one type.
    int new_slot(std::string_view name, type type) {
        state->function.slots.push_back({name, std::move(type)});
        return static_cast<int>(state->function.slots.size()) - 1;
    }

    // A statement that is an expression: a call, a barrier, or a text that documents.
    void type_evaluation(node const& statement, node& block) {
        auto const& expression = statement.parts[0];
        if (expression.form == form::text) return;
        refuse_if(expression.form != form::call, expression,
                  "statements: an expression is no statement: its value is lost");
        if (called_path(expression) == "cuda.syncthreads") {
            refuse_if(expression.parts.size() > 1, expression,
                      "intrinsics: cuda.syncthreads takes no arguments");
            return add(block, form::barrier, statement);
        }
        auto operand = value_of(expression);
        refuse_if(!operand.has_call, expression,
                  "statements: this call has no effect: its value is lost");
        add(block, form::evaluate, statement, list_of(std::move(operand)));
    }

    void type_store(node const& statement, node& block) {
        auto const &target = statement.parts[0], &operand = statement.parts[1];
        bool const is_shared = called_path(operand) == "cuda.shared.array";
        assign(target, is_shared ? shared_array(operand) : value_of(operand), block);
    }
    // Stores to an element or to a variable. In a loop a variable that has a type keeps it;
    // elsewhere it gets a new one.
    void assign(node const& target, node operand, node& block) {
        if (target.form == form::subscript) {
            auto array = value_of(target.parts[0]);
            refuse_if(!array.type.is_array(), target,
                      "arrays: only elements of arrays are stored, and this is %", array.type);
            auto element = element_with(target, std::move(array));
            auto parts = list_of(coerced(std::move(operand), element.type, "the element"));
            std::ranges::move(element.parts, std::back_inserter(parts));
            return add(block, form::write, target, std::move(parts));
        }
        refuse_if(operand.type.is_tuple(), operand, "tuples: a tuple is unpacked where it is made");
        refuse_if(operand.type.is_nothing(), operand, "functions: this call has no value");
        auto& binding = state->names[target.word];
        bool const has_type = binding.slot >= 0 && !binding.has_conflict;
        if (has_type && state->loops > 0) {
            operand = coerced(std::move(operand), type_of_slot(binding.slot),
                              "the variable " + in_quotes(target.word));
        } else if (!has_type || type_of_slot(binding.slot) != operand.type) {
            binding.slot = new_slot(target.word, operand.type);
        }
        binding = {binding.slot};
        add(block, form::store, target, list_of(std::move(operand)), binding.slot);
    }

    // Stores the parts of a tuple to slots of their own first, and from there to the targets, so
    // that all parts are computed before the first target changes.
    void type_unpacking(node const& statement, node& block) {
        auto const& spelled = statement.parts.back();
        auto operand = value_of(spelled);
        auto const targets = std::span(statement.parts).first(statement.parts.size() - 1);
        refuse_if(operand.type.is_array(), spelled, "tuples: an array is not unpacked");
        refuse_if(!operand.type.is_tuple(), spelled,
                  "tuples: only shape, strides and results of calls are unpacked, and this is %",
                  operand.type);
        auto const types = operand.type.parts;
        refuse_if(types.size() != targets.size(), spelled,
                  "tuples: % values are unpacked into % targets", types.size(), targets.size());
        auto const first = static_cast<int>(state->function.slots.size());
        for (auto const& type : types) new_slot("part", type);
        bool const is_call = operand.form == form::call;
        if (is_call) add(block, form::unpack, spelled, list_of(std::move(operand)), first);
        for (int slot = first; auto& part : operand.parts) {
            if (is_call) break;
            add(block, form::store, slot == first ? spelled : span(), list_of(std::move(part)),
                slot);
            ++slot;
        }
        for (int slot = first; auto const& target : targets) {
            assign(target, slot_value(spelled, slot++), block);
        }
    }

    void type_augmented(node const& statement, node& block) {
        auto const& target = statement.parts[0];
        auto element = number_of(target);
        auto const type = element.type;
        auto const operate = [&](node old) {
            return operated(statement, statement.operation(),
                            list_of(std::move(old), number_of(statement.parts[1])));
        };
        if (target.form == form::name) return assign(target, operate(std::move(element)), block);
        refuse_if(element.form != form::element, target, "tuples: a tuple does not change");
        element.form = form::place;
        element.type = element.parts[0].type;
        int const slot = new_slot("old", type);
        auto result = coerced(operate(slot_value(target, slot)), type, "the element");
        add(block, form::augment, statement, list_of(std::move(element), std::move(result)), slot);
    }
};

} // namespace spio::cuda_python
