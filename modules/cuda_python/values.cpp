// The types of expressions: operators, calls, elements of arrays, and the coercions they take.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A value is a typed expression, a coercion one
// of another type; a slot is a variable of a function with one type; a location (span) is a place
// in the source.
module;

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
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

// The number as one of this type, by a coercion if it has another.
value_ptr coercion_to(scalar target, value_ptr operand) {
    if (operand->type.element == target) return operand;
    auto const location = operand->location;
    bool const has_call = operand->has_call;
    return value_with(location, number(target), coercion{std::move(operand)}, has_call);
}

namespace {

bool is_comparison(operation operation) {
    return operation >= operation::less && operation <= operation::not_equal;
}
bool is_bitwise(operation operation) {
    return operation >= operation::bit_and && operation <= operation::shift_right;
}
// Whether complex numbers have this operator: +, - or *.
bool is_of_rings(operation operation) { return operation <= operation::multiply; }

type type_of(constant const& constant) {
    constexpr scalar types[] = {boolean, intp, float64, complex128};
    return number(types[constant.value.index()]);
}

// The type that both operands are coerced to, and that of the result.
std::pair<scalar, scalar> types_of(operation operation, scalar left, scalar right) {
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

// Why an operator does not take these operands, or nothing.
std::string refusal(operation operation, scalar left, scalar right) {
    auto const names = "'" + std::string(sign_of(operation)) + "' of " + name_of(left) + " and " +
                       name_of(right) + ": ";
    bool const is_logical =
        operation == operation::logical_and || operation == operation::logical_or;
    if (is_logical) {
        bool const is_fine = left.is_boolean() && right.is_boolean();
        return is_fine ? "" : names + "both must be bool; compare with 0 to make one";
    }
    if (left.is_boolean() || right.is_boolean()) {
        bool const is_equality = operation == operation::equal || operation == operation::not_equal;
        if (is_equality && left == right) return {};
        return names + "a bool is no number; int32(x) makes one of it";
    }
    if (is_bitwise(operation) && !(left.is_integer() && right.is_integer())) {
        return names + "both must be integers";
    }
    if ((left.is_complex() || right.is_complex()) && !is_of_rings(operation)) {
        return names + "complex numbers have +, - and * alone";
    }
    return {};
}

} // namespace

value_ptr function_typer::value_of(expression const& expression) {
    auto const location = expression.location;
    depth_guard const guard(program, location);
    if (auto const* literal = std::get_if<constant>(&expression.node)) {
        return value_with(location, type_of(*literal), *literal);
    }
    if (auto const* name = std::get_if<name_expression>(&expression.node)) {
        return name_value(expression, name->name);
    }
    if (auto const* attribute = std::get_if<attribute_expression>(&expression.node)) {
        return attribute_value(expression, *attribute);
    }
    if (auto const* subscript = std::get_if<subscript_expression>(&expression.node)) {
        return element_of(expression, *subscript);
    }
    if (auto const* call = std::get_if<call_expression>(&expression.node)) {
        return call_value_of(expression, *call);
    }
    if (auto const* unary = std::get_if<unary_expression>(&expression.node)) {
        return unary_value(expression, *unary);
    }
    if (auto const* binary = std::get_if<binary_expression>(&expression.node)) {
        auto left = number_of(*binary->left);
        return binary_value(location, binary->operation, std::move(left),
                            number_of(*binary->right));
    }
    if (std::holds_alternative<string_expression>(expression.node)) {
        fail(location, "types", "a text is no value: there are numbers and arrays of them");
    }
    fail(location, "tuples", "a tuple is made by shape, strides, cuda.grid and return alone");
}

// The value of an expression that must be a number.
value_ptr function_typer::number_of(expression const& expression) {
    auto number = value_of(expression);
    if (!number->type.is_number()) {
        fail(expression.location, "types", "expected a number and not " + name_of(number->type));
    }
    return number;
}

// The value of an expression that must be a bool: numbers do not stand for truth.
value_ptr function_typer::condition_of(expression const& expression) {
    auto condition = number_of(expression);
    if (!condition->type.element.is_boolean()) {
        fail(expression.location, "coercion",
             "a condition is a bool and not " + name_of(condition->type) +
                 ": compare it with 0, or write bool(x)");
    }
    return condition;
}

value_ptr function_typer::coerced(value_ptr operand, type const& target,
                                  std::string const& purpose) {
    if (operand->type == target) return operand;
    auto const is_coercible = [](type const& type) {
        return type.is_number() && (type.element.is_integer() || type.element.is_real());
    };
    if (is_coercible(operand->type) && is_coercible(target)) {
        return coercion_to(target.element, std::move(operand));
    }
    fail(operand->location, "coercion",
         purpose + " is " + name_of(target) + ", and " + name_of(operand->type) +
             " is not coerced to it: ints and floats alone are");
}

value_ptr function_typer::name_value(expression const& expression, std::string_view name) {
    auto const location = expression.location;
    if (tree && std::ranges::binary_search(tree->assigned, name)) {
        auto const found = names.find(name);
        if (found == names.end()) {
            fail(location, "variables", in_quotes(name) + " is used before it is defined");
        }
        if (found->second.has_conflict) {
            fail(location, "variables",
                 in_quotes(name) + " has types here that are not coerced to one");
        }
        if (!found->second.is_certain) {
            fail(location, "variables", in_quotes(name) + " may be undefined here");
        }
        int const slot = found->second.slot;
        return value_with(location, function.slots[static_cast<std::size_t>(slot)].type,
                          slot_value{slot});
    }
    auto found = program.entity_named(name, location);
    if (!found) fail(location, "variables", "there is no " + in_quotes(name));
    if (found->number) {
        found->number->location = location;
        return std::move(found->number);
    }
    return path_value(location, found->path);
}

// A path that is a value, such as cuda.threadIdx.x or math.pi.
value_ptr function_typer::path_value(span location, std::string const& path) {
    if (path == "math.pi")
        return value_with(location, number(float64), constant{3.141592653589793});
    if (path == "math.e") return value_with(location, number(float64), constant{2.718281828459045});
    constexpr std::string_view registers[] = {"cuda.threadIdx.", "cuda.blockIdx.", "cuda.blockDim.",
                                              "cuda.gridDim."};
    for (std::size_t i = 0; i < 4; ++i) {
        if (!path.starts_with(registers[i])) continue;
        auto const axis = std::string_view("xyz").find(path.substr(registers[i].size()));
        bool const is_of_grid = i % 2 == 1;
        if (axis > (is_of_grid ? 1U : 2U)) break;
        if (!tree) fail(location, "globals", "a global does not depend on the thread");
        return value_with(location, number(intp),
                          register_value{static_cast<special_register>(i), static_cast<int>(axis)});
    }
    bool const is_type = path.starts_with("types.") && scalar_named(path.substr(6));
    if (is_type) fail(location, "types", "a type is no value: call it, as in float32(x)");
    bool const is_extension = path.starts_with("cuda.");
    fail(location, is_extension ? "intrinsics" : "types",
         (path.empty() ? "a function" : in_quotes(path)) +
             (is_extension ? " is no intrinsic of CUDA Python v0.2" : " is no value"));
}

value_ptr function_typer::unary_value(expression const& expression, unary_expression const& unary) {
    auto operand = number_of(*unary.operand);
    auto const type = operand->type.element;
    auto const refuse = [&](std::string const& reason) {
        fail(expression.location, "operators",
             "'" + std::string(sign_of(unary.operation)) + "' of " + name_of(type) + ": " + reason);
    };
    if (unary.operation == operation::logical_not) {
        if (!type.is_boolean()) refuse("it must be bool; compare with 0 to make one");
    } else if (type.is_boolean()) {
        refuse("a bool is no number; int32(x) makes one of it");
    } else if (unary.operation == operation::invert && !type.is_integer()) {
        refuse("it must be an integer");
    }
    if (unary.operation == operation::identity) return operand;
    bool const has_call = operand->has_call;
    operation_value node = {unary.operation, {}};
    node.operands.push_back(std::move(operand));
    return value_with(expression.location, number(type), std::move(node), has_call);
}

value_ptr function_typer::binary_value(span location, operation operation, value_ptr left,
                                       value_ptr right) {
    auto const a = left->type.element, b = right->type.element;
    if (auto reason = refusal(operation, a, b); !reason.empty()) {
        fail(location, "operators", std::move(reason));
    }
    bool const has_call = left->has_call || right->has_call;
    bool const is_of_bools = a.is_boolean();
    auto const [operand, result] =
        is_of_bools ? std::pair(boolean, boolean) : types_of(operation, a, b);
    operation_value node = {operation, {}};
    node.operands.push_back(coercion_to(operand, std::move(left)));
    node.operands.push_back(coercion_to(operand, std::move(right)));
    return value_with(location, number(result), std::move(node), has_call);
}

} // namespace spio::cuda_python
