// The types of expressions: operators, variables, arrays, and the coercions they take.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A value is a typed expression, a coercion one
// of another type; a slot is a variable of a function with one type; a location (span) is a place
// in the source. An entity is what a name means that is no variable.
module;

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
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

value constant_with(span location, constant const& constant) {
    constexpr scalar types[] = {boolean, intp, float64, complex128};
    auto result = value_with(value_form::constant, location, number(types[constant.index()]));
    result.constant = constant;
    return result;
}

// The operand as a number of the target's type.
value coercion_to(scalar target, value operand) {
    if (operand.type.element == target) return operand;
    auto const location = operand.location;
    return value_with(value_form::coercion, location, number(target), list_of(std::move(operand)));
}

value tuple_with(span location, std::vector<value> parts) {
    type types = {type::form::tuple};
    for (auto const& part : parts) types.parts.push_back(part.type);
    return value_with(value_form::tuple, location, std::move(types), std::move(parts));
}

namespace {

// Whether an operation is among those that the enumeration lists from first to last.
bool is_within(operation operation, cuda_python::operation first, cuda_python::operation last) {
    return operation >= first && operation <= last;
}
bool is_comparison(operation operation) {
    return is_within(operation, operation::less, operation::not_equal);
}

// The type that operands are coerced to, and that of the result.
std::pair<scalar, scalar> types_of(operation operation, scalar left, scalar right) {
    if (left.is_boolean()) return {boolean, boolean};
    auto const generic = most_generic(left, right);
    if (is_comparison(operation)) return {generic, boolean};
    if (operation == operation::divide) {
        scalar const real = {kind::real, std::max({left.bits, right.bits, 32})};
        return {real, real};
    }
    if (operation == operation::floor_divide) {
        auto const kind = generic.is_real() ? kind::signed_integer : generic.kind;
        return {generic, {kind, std::max(generic.bits, 32)}};
    }
    return {generic, generic};
}

// Why an operation does not take these operands, or nothing. A single operand is left and right.
std::string refusal(operation operation, bool is_single, scalar left, scalar right) {
    auto const names = "'" + std::string(entry_of(operation).sign) + "' of " + name_of(left) +
                       (is_single ? "" : " and " + name_of(right)) + ": ";
    bool const is_logical =
        operation == operation::logical_not || operation <= operation::logical_and;
    if (is_logical) {
        if (left.is_boolean() && right.is_boolean()) return {};
        return names + (is_single ? "it" : "both") + " must be bool; compare with 0 to make one";
    }
    if (left.is_boolean() || right.is_boolean()) {
        bool const is_equality = operation == operation::equal || operation == operation::not_equal;
        if (is_equality && left == right) return {};
        return names + "a bool is no number; int32(x) makes one of it";
    }
    bool const is_bitwise = is_within(operation, operation::bit_or, operation::invert);
    if (is_bitwise && !(left.is_integer() && right.is_integer())) {
        return names + (is_single ? "it must be an integer" : "both must be integers");
    }
    bool const has_complex = is_within(operation, operation::add, operation::identity);
    if ((left.is_complex() || right.is_complex()) && !has_complex) {
        return names + "complex numbers have +, - and * alone";
    }
    return {};
}

} // namespace

value typer::value_of(expression const& expression) {
    auto const location = expression.location;
    level const guard(*this, location);
    if (expression.form == form::literal) return constant_with(location, expression.number);
    if (expression.form == form::name) return name_value(expression);
    if (expression.form == form::attribute) return attribute_value(expression);
    if (expression.form == form::subscript) return element_of(expression);
    if (expression.form == form::call) return call_value(expression);
    if (expression.form == form::operation) {
        std::vector<value> operands;
        for (auto const& part : expression.parts) operands.push_back(number_of(part));
        return operated(location, expression.operation, std::move(operands));
    }
    refuse_if(expression.form == form::text, location, "types",
              "a text is no value: there are numbers and arrays of them");
    fail(location, "tuples", "a tuple is made by shape, strides, cuda.grid and return alone");
}

value typer::operated(span location, operation operation, std::vector<value> operands) {
    auto const left = operands.front().type.element, right = operands.back().type.element;
    auto reason = refusal(operation, operands.size() == 1, left, right);
    refuse_if(!reason.empty(), location, "operators", reason);
    if (operation == operation::identity) return std::move(operands[0]);
    auto const [common, result] = types_of(operation, left, right);
    for (auto& operand : operands) operand = coercion_to(common, std::move(operand));
    return value_with(value_form::operation, location, number(result), std::move(operands),
                      static_cast<int>(operation));
}

value typer::number_of(expression const& expression) {
    auto number = value_of(expression);
    if (number.type.is_number()) return number;
    fail(expression.location, "types", "expected a number and not ", number.type);
}

// The value of an expression that must be a bool: numbers do not stand for truth.
value typer::condition_of(expression const& expression) {
    auto condition = number_of(expression);
    if (condition.type.element.is_boolean()) return condition;
    fail(expression.location, "coercion", "a condition is a bool and not ", condition.type,
         ": compare it with 0, or write bool(x)");
}

std::int64_t typer::constant_integer(expression const& expression, std::string_view rule,
                                     std::string purpose) {
    auto const number = number_of(expression);
    auto const constant = constant_value(number, program.options);
    refuse_if(!constant || !number.type.element.is_integer(), expression.location, rule, purpose,
              " is a constant integer");
    return std::get<std::int64_t>(*constant);
}

value typer::coerced(value operand, type const& target, std::string const& purpose) {
    if (operand.type == target) return operand;
    if (is_coercible(operand.type) && is_coercible(target)) {
        return coercion_to(target.element, std::move(operand));
    }
    fail(operand.location, "coercion", purpose, " is ", target, ", and ", operand.type,
         " is not coerced to it: ints and floats alone are");
}

value typer::name_value(expression const& expression) {
    auto const location = expression.location;
    quoted const name = {expression.word};
    if (state->tree && std::ranges::binary_search(state->tree->assigned, expression.word)) {
        auto const found = state->names.find(expression.word);
        refuse_if(found == state->names.end(), location, "variables", name,
                  " is used before it is defined");
        auto const [slot, is_certain, has_conflict] = found->second;
        refuse_if(has_conflict, location, "variables", name,
                  " has types here that are not coerced to one");
        refuse_if(!is_certain, location, "variables", name, " may be undefined here");
        return slot_value(location, slot);
    }
    auto const found = entity_named(expression.word, location);
    refuse_if(!found, location, "variables", "there is no ", name);
    return found->number ? *found->number : path_value(location, found->path);
}

// A path that is a value, such as cuda.threadIdx.x or math.pi.
value typer::path_value(span location, std::string const& path) {
    if (path == "math.pi") return constant_with(location, 3.141592653589793);
    if (path == "math.e") return constant_with(location, 2.718281828459045);
    constexpr std::pair<std::string_view, value_form> registers[] = {
        {"cuda.threadIdx.", value_form::thread_index},
        {"cuda.blockIdx.", value_form::block_index},
        {"cuda.blockDim.", value_form::block_size},
        {"cuda.gridDim.", value_form::grid_size}};
    for (auto const& [prefix, form] : registers) {
        if (!path.starts_with(prefix)) continue;
        bool const is_in_grid = form == value_form::block_index || form == value_form::grid_size;
        auto const axis = std::string_view("xyz").find(path.substr(prefix.size()));
        if (axis > (is_in_grid ? 1U : 2U)) break;
        refuse_if(!state->tree, location, "globals", "a global does not depend on the thread");
        return value_with(form, location, number(intp), {}, static_cast<int>(axis));
    }
    refuse_if(type_named(path).has_value(), location, "types",
              "a type is no value: call it, as in float32(x)");
    bool const is_extension = path.starts_with("cuda.");
    fail(location, is_extension ? "intrinsics" : "types",
         path.empty() ? "a function" : in_quotes(path),
         is_extension ? " is no intrinsic of CUDA Python v0.2" : " is no value");
}

value typer::attribute_value(expression const& expression) {
    auto const location = expression.location;
    if (auto const found = entity_of(expression)) return path_value(location, found->path);
    auto const object = value_of(expression.parts[0]);
    refuse_if(!object.type.is_array() || object.form != value_form::slot, location, "arrays",
              "attributes are those of a variable that is an array: shape, "
              "strides, size and ndim");
    auto const fact = [&](value_form form, int dimension) {
        return value_with(form, location, number(intp), list_of(object), dimension);
    };
    if (expression.word == "size") return fact(value_form::size, 0);
    if (expression.word == "ndim") return constant_with(location, std::int64_t(object.type.rank));
    refuse_if(expression.word != "shape" && expression.word != "strides", location, "arrays",
              "an array has no attribute ", quoted{expression.word},
              ": it has shape, strides, size and ndim");
    auto const form = expression.word == "shape" ? value_form::extent : value_form::stride;
    std::vector<value> facts;
    for (int i = 0; i < object.type.rank; ++i) facts.push_back(fact(form, i));
    return tuple_with(location, std::move(facts));
}

value typer::element_of(expression const& expression) {
    auto object = value_of(expression.parts[0]);
    if (object.form == value_form::tuple) {
        refuse_if(expression.parts.size() != 2, expression.location, "tuples",
                  "a tuple takes one index");
        auto const& spelled = expression.parts[1];
        auto const index = constant_integer(spelled, "tuples", "an index of a tuple");
        refuse_if(index < 0 || index >= static_cast<std::int64_t>(object.parts.size()),
                  spelled.location, "tuples", "the indices of this tuple are 0 to ",
                  object.parts.size() - 1);
        return std::move(object.parts[static_cast<std::size_t>(index)]);
    }
    if (object.type.is_array()) return element_with(expression, std::move(object));
    fail(expression.location, "arrays", "only arrays have elements, and this is ", object.type);
}

// An element of an array, whose indices are those of a subscript: one for each dimension.
value typer::element_with(expression const& subscript, value array) {
    auto const element = array.type.element;
    auto const rank = array.type.rank;
    auto const indices = arguments_in(subscript);
    refuse_if(indices.size() != static_cast<std::size_t>(rank), subscript.location, "arrays",
              "an array of ", rank, " dimensions takes ", rank, " indices and not ",
              indices.size());
    auto parts = list_of(std::move(array));
    for (auto const& index : indices) {
        refuse_if(index.form == form::slice, index.location, "arrays", "there are no slices");
        auto position = number_of(index);
        refuse_if(!position.type.element.is_integer(), index.location, "arrays",
                  "an index is an integer and not ", position.type);
        parts.push_back(coercion_to(intp, std::move(position)));
    }
    return value_with(value_form::element, subscript.location, number(element), std::move(parts));
}

} // namespace spio::cuda_python
