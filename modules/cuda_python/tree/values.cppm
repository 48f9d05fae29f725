// The types of expressions: operators, variables, arrays, and the coercions they take.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A coercion is a typed expression of another type;
// a slot is a variable of a function with one type; a span is a place in the source. The meaning of
// a name that is no variable is a path, a function, or the value of a global.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:values;

import :names;
import :tree;
import :types;

namespace spio::cuda_python {

// A function that is named after a part of the tree types that part, and refuses it if it breaks a
// rule.
class value_typer : protected name_typer {
  protected:
    using name_typer::name_typer;
    ~value_typer() = default;

    virtual node call_value(node const&) = 0;

    node value_of(node const& expression) override {
        auto const guard = nested(expression);
        if (expression.form == form::constant) return expression;
        if (expression.form == form::name) return name_value(expression);
        if (expression.form == form::attribute) return attribute_value(expression);
        if (expression.form == form::subscript) return element_of(expression);
        if (expression.form == form::call) return call_value(expression);
        refuse_if(expression.form == form::text, expression,
                  "types: a text is no value: there are numbers and arrays of them");
        refuse_if(expression.form != form::operation, expression,
                  "tuples: a tuple is made by shape, strides, cuda.grid and return alone");
        std::vector<node> operands;
        for (auto const& part : expression.parts) operands.push_back(number_of(part));
        return operated(expression, expression.operation(), std::move(operands));
    }
    // A value that is a number.
    node number_of(node const& expression) {
        auto number = value_of(expression);
        refuse_if(!number.type.is_number(), expression, "types: expected a number and not %",
                  number.type);
        return number;
    }
    // The value of an expression that must be a bool: numbers do not stand for truth.
    node condition_of(node const& expression) {
        auto condition = number_of(expression);
        refuse_if(!condition.type.element.is_boolean(), expression,
                  "coercion: a condition is a bool and not %: compare it with 0, or write bool(x)",
                  condition.type);
        return condition;
    }
    // An integer as an intp. The message refuses any other value.
    node integer_with(node value, span place, std::string_view message) const {
        bool const is_integer = value.type.is_number() && value.type.element.is_integer();
        refuse_if(!is_integer, place, message, value.type);
        return coercion_to(intp, std::move(value));
    }
    // `purpose` is the beginning of a message, with its rule.
    std::int64_t constant_integer(node const& expression, std::string const& purpose) {
        auto const number = number_of(expression);
        auto const constant = constant_value(number, program.options);
        refuse_if(!constant || !number.type.element.is_integer(), expression,
                  purpose + " is a constant integer");
        return constant->integer;
    }
    // The value as it is stored to this type; `purpose` says in a message what the value is for.
    node coerced(node operand, type const& target, std::string const& purpose) const {
        if (operand.type == target) return operand;
        refuse_if(!is_coercible(operand.type) || !is_coercible(target), operand,
                  "coercion: % is %, and % is not coerced to it: ints and floats alone are",
                  purpose, target, operand.type);
        return coercion_to(target.element, std::move(operand));
    }

    node operated(span place, operation operation, std::vector<node> operands) const {
        auto const left = operands.front().type.element, right = operands.back().type.element;
        check_operands(place, entry_of(operation), left, right, operands.size() == 1);
        if (operation == "+"_unary) return std::move(operands[0]);
        auto const [common, result] = types_of(operation, left, right);
        for (auto& operand : operands) operand = coercion_to(common, std::move(operand));
        return typed_node(form::operation, place, number(result), std::move(operands),
                          static_cast<int>(operation));
    }

    // An element of an array, whose indices are those of a subscript: one for each dimension.
    node element_with(node const& subscript, node array) {
        auto const rank = array.type.rank;
        auto const element = number(array.type.element);
        auto const indices = arguments_in(subscript);
        refuse_if(indices.size() != static_cast<std::size_t>(rank), subscript,
                  "arrays: an array of % dimensions takes % indices and not %", rank, rank,
                  indices.size());
        auto parts = list_of(std::move(array));
        for (auto const& index : indices) {
            refuse_if(index.form == form::slice, index, "arrays: there are no slices");
            parts.push_back(
                integer_with(number_of(index), index, "arrays: an index is an integer and not %"));
        }
        return typed_node(form::element, subscript, element, std::move(parts));
    }

  private:
    node name_value(node const& expression) {
        auto const name = expression.word;
        if (is_local(name)) {
            auto const found = state->names.find(name);
            refuse_if(found == state->names.end(), expression,
                      "variables: '%' is used before it is defined", name);
            auto const [slot, is_certain, has_conflict] = found->second;
            refuse_if(has_conflict, expression,
                      "variables: '%' has types here that are not coerced to one", name);
            refuse_if(!is_certain, expression, "variables: '%' may be undefined here", name);
            return slot_value(expression, slot);
        }
        auto const found = meaning_named(name, expression);
        refuse_if(!found, expression, "variables: there is no '%'", name);
        return found->number ? *found->number : path_value(expression, found->path);
    }

    node attribute_value(node const& expression) {
        auto const name = expression.word;
        if (auto const found = meaning_of(expression)) return path_value(expression, found->path);
        auto const object = value_of(expression.parts[0]);
        refuse_if(!object.type.is_array() || object.form != form::slot, expression,
                  "arrays: attributes are those of a variable that is an array: shape, strides, "
                  "size and ndim");
        auto const fact = [&](form form, int dimension) {
            return typed_node(form, expression, number(intp), list_of(object), dimension);
        };
        if (name == "size") return fact(form::size, 0);
        if (name == "ndim") return constant_with(expression, intp, {object.type.rank});
        refuse_if(name != "shape" && name != "strides", expression,
                  "arrays: an array has no attribute '%': it has shape, strides, size and ndim",
                  name);
        std::vector<node> facts;
        for (int i = 0; i < object.type.rank; ++i) {
            facts.push_back(fact(name == "shape" ? form::extent : form::stride, i));
        }
        return tuple_with(expression, std::move(facts));
    }

    node element_of(node const& expression) {
        auto object = value_of(expression.parts[0]);
        if (object.form != form::tuple) {
            refuse_if(!object.type.is_array(), expression,
                      "arrays: only arrays have elements, and this is %", object.type);
            return element_with(expression, std::move(object));
        }
        refuse_if(expression.parts.size() != 2, expression, "tuples: a tuple takes one index");
        auto const index = constant_integer(expression.parts[1], "tuples: an index of a tuple");
        auto const last = static_cast<std::int64_t>(object.parts.size()) - 1;
        refuse_if(index < 0 || index > last, expression.parts[1],
                  "tuples: the indices of this tuple are 0 to %", last);
        return std::move(object.parts[static_cast<std::size_t>(index)]);
    }

    // Refuses operands that an operator does not take. A single one is left and right.
    void check_operands(span place, operation_entry const& entry, scalar left, scalar right,
                        bool is_single) const {
        bool const is_boolean = left.is_boolean() && right.is_boolean();
        bool const is_mixed = left.is_boolean() || right.is_boolean();
        bool const is_integer = left.is_integer() && right.is_integer();
        bool const is_complex = left.is_complex() || right.is_complex();
        auto const kinds = entry.operands;
        std::string const start = is_single ? "it must be " : "both must be ";
        auto const reason = kinds == operands::booleans
                                ? (is_boolean ? "" : start + "bool; compare with 0 to make one")
                            : is_mixed && !(is_boolean && kinds == operands::equals)
                                ? "a bool is no number; int32(x) makes one of it"
                            : kinds == operands::integers && !is_integer
                                ? start + (is_single ? "an integer" : "integers")
                            : is_complex && kinds != operands::numbers
                                ? "complex numbers have +, - and * alone"
                                : "";
        refuse_if(!reason.empty(), place, "operators: '%' of %%: %", entry.sign, left,
                  is_single ? "" : " and " + name_of(right), reason);
    }
    // The type that operands are coerced to, and that of the result.
    static std::pair<scalar, scalar> types_of(operation operation, scalar left, scalar right) {
        if (left.is_boolean()) return {boolean, boolean};
        auto const generic = most_generic(left, right);
        if (operation <= "!="_binary) return {generic, boolean};
        if (operation == "/"_binary) {
            scalar const real = {kind::real, std::max({left.bits, right.bits, 32})};
            return {real, real};
        }
        if (operation != "//"_binary) return {generic, generic};
        auto const kind = generic.is_real() ? kind::signed_integer : generic.kind;
        return {generic, {kind, std::max(generic.bits, 32)}};
    }
};

} // namespace spio::cuda_python
