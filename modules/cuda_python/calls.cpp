// The types of calls: casts, math, intrinsics, device functions; and what names of modules mean.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A value is a typed expression, a coercion one
// of another type; a slot is a variable of a function with one type; a location (span) is a place
// in the source. An entity is what a name means that is no variable: a path such as math.sin, a
// function, or the value of a global.
module;

#include <algorithm>
#include <array>
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

namespace {

constexpr auto math_functions = std::to_array<math_function>({
    {"acos", 1},  {"asin", 1},        {"atan", 1},        {"arctan", 1}, {"acosh", 1},
    {"asinh", 1}, {"atanh", 1},       {"cos", 1},         {"sin", 1},    {"tan", 1},
    {"cosh", 1},  {"sinh", 1},        {"tanh", 1},        {"atan2", 2},  {"exp", 1},
    {"expm1", 1}, {"fabs", 1},        {"log", 1},         {"log10", 1},  {"log1p", 1},
    {"sqrt", 1},  {"pow", 2},         {"ceil", 1},        {"floor", 1},  {"copysign", 2},
    {"fmod", 2},  {"isnan", 1, true}, {"isinf", 1, true},
});

constexpr int greatest_shared_bytes = 48 * 1024; // of static shared memory, on any GPU

} // namespace

math_function const* math_named(std::string_view name) {
    auto const found = std::ranges::find(math_functions, name, &math_function::name);
    return found == math_functions.end() ? nullptr : &*found;
}

// Nothing for a local variable, and for an expression that is no dotted name.
std::optional<entity> function_typer::entity_of(expression const& expression) {
    if (auto const* name = std::get_if<name_expression>(&expression.node)) {
        if (tree && std::ranges::binary_search(tree->assigned, name->name)) return {};
        return program.entity_named(name->name, expression.location);
    }
    auto const* attribute = std::get_if<attribute_expression>(&expression.node);
    if (!attribute) return {};
    auto object = entity_of(*attribute->object);
    if (!object || object->path.empty()) return {};
    return entity{path_within(object->path, attribute->name)};
}

// The values of a call's arguments, which have no names.
value_list function_typer::arguments_of(call_expression const& call) {
    value_list values;
    for (auto const& [name, argument] : call.arguments) {
        if (!name.empty()) {
            fail(argument->location, "functions", "this function takes no keyword arguments");
        }
        values.push_back(value_of(*argument));
        if (values.back()->type.is_tuple()) {
            fail(argument->location, "tuples", "a tuple is unpacked before it is passed on");
        }
    }
    return values;
}

value_ptr function_typer::call_value_of(expression const& expression, call_expression const& call) {
    auto const location = expression.location;
    auto const callee = entity_of(*call.callee);
    if (!callee) {
        auto const name = in_quotes(program.text->text(call.callee->location));
        fail(location, "functions", name + " is no function of CUDA Python");
    }
    if (callee->function >= 0) return device_call(expression, call, callee->function);
    auto const& path = callee->path;
    if (path == "cuda.grid") return grid_value(expression, call);
    if (path == "cuda.syncthreads") {
        fail(location, "intrinsics", "cuda.syncthreads() is a statement and has no value");
    }
    if (path == "cuda.shared.array") {
        fail(location, "shared memory",
             "cuda.shared.array is assigned to a variable, in the entry "
             "block of a kernel");
    }
    if (path == "range" || path == "xrange") {
        fail(location, "loops", "a range is what a loop runs over, and no value");
    }
    if (path.starts_with("types.")) {
        if (auto const scalar = scalar_named(path.substr(6))) {
            return cast_value(expression, call, *scalar);
        }
    }
    if (path.starts_with("math.")) {
        return math_value_of(expression, call, std::string_view(path).substr(5));
    }
    bool const is_intrinsic = path.starts_with("cuda.");
    fail(location, is_intrinsic ? "intrinsics" : "functions",
         in_quotes(path) + (is_intrinsic ? " is no intrinsic of CUDA Python v0.2"
                                         : " is no function of CUDA Python"));
}

value_ptr function_typer::cast_value(expression const& expression, call_expression const& call,
                                     scalar target) {
    auto const location = expression.location;
    auto operands = arguments_of(call);
    if (operands.size() != 1 || !operands[0]->type.is_number()) {
        fail(location, "types", name_of(target) + "(x) takes one number");
    }
    auto const operand = operands[0]->type.element;
    if (operand.is_complex() && !target.is_complex()) {
        fail(location, "types", "a complex number is not cast to " + name_of(target));
    }
    auto value = coercion_to(target, std::move(operands[0]));
    value->location = location;
    return value;
}

value_ptr function_typer::math_value_of(expression const& expression, call_expression const& call,
                                        std::string_view name) {
    auto const location = expression.location;
    auto const* function = math_named(name);
    if (!function) {
        fail(location, "math", "there is no math." + std::string(name) + " among the 28 functions");
    }
    auto operands = arguments_of(call);
    if (operands.size() != static_cast<std::size_t>(function->parameters)) {
        fail(location, "math",
             "math." + std::string(name) + " takes " + std::to_string(function->parameters) +
                 " and not " + std::to_string(operands.size()) + " arguments");
    }
    std::optional<scalar> generic;
    bool has_call = false;
    for (auto const& operand : operands) {
        auto const type = operand->type.element;
        if (!operand->type.is_number() || type.is_boolean() || type.is_complex()) {
            fail(operand->location, "math",
                 "math." + std::string(name) + " takes ints and floats and not " +
                     name_of(operand->type));
        }
        generic = generic ? most_generic(*generic, type) : type;
        has_call |= operand->has_call;
    }
    // An int is computed as the float of its width, and of 32 bits at least.
    scalar const real = {kind::real, std::max(generic->bits, 32)};
    for (auto& operand : operands) operand = coercion_to(real, std::move(operand));
    return value_with(location, number(function->is_predicate ? boolean : real),
                      math_value{function->name, std::move(operands)}, has_call);
}

// cuda.grid(1), the number of the thread in the grid, and cuda.grid(2), a tuple of two.
value_ptr function_typer::grid_value(expression const& expression, call_expression const& call) {
    auto const location = expression.location;
    if (call.arguments.size() != 1 || !call.arguments[0].name.empty()) {
        fail(location, "intrinsics", "cuda.grid takes the number of dimensions, 1 or 2");
    }
    auto const dimensions =
        constant_integer(*call.arguments[0].value, "intrinsics", "the argument of cuda.grid");
    if (dimensions != 1 && dimensions != 2) {
        fail(location, "intrinsics",
             "cuda.grid takes 1 or 2: three dimensions are no part of v0.2");
    }
    tuple_value tuple;
    for (char const axis : {'x', 'y'}) {
        auto const part = [&](std::string const& name) {
            return path_value(location, "cuda." + name + "." + axis);
        };
        tuple.parts.push_back(binary_value(
            location, operation::add,
            binary_value(location, operation::multiply, part("blockIdx"), part("blockDim")),
            part("threadIdx")));
    }
    if (dimensions == 1) return std::move(tuple.parts[0]);
    return value_with(location, {type::form::tuple, {}, 0, {number(intp), number(intp)}},
                      std::move(tuple));
}

value_ptr function_typer::device_call(expression const& expression, call_expression const& call,
                                      int callee) {
    auto const location = expression.location;
    if (!tree) fail(location, "globals", "a global does not call a function");
    auto const& module = *program.result.tree;
    auto const& called = module.functions[static_cast<std::size_t>(callee)];
    auto const decoration = decoration_of(module, called);
    if (!decoration.is_device) {
        fail(location, "functions",
             in_quotes(called.name) + " is no device function: its decorator "
                                      "does not say device=True");
    }
    auto operands = arguments_of(call);
    if (operands.size() != called.parameters.size()) {
        fail(location, "functions",
             in_quotes(called.name) + " takes " + std::to_string(called.parameters.size()) +
                 " and not " + std::to_string(operands.size()) + " arguments");
    }
    std::vector<type> types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (decoration.signature) {
            operands[i] = coerced(std::move(operands[i]), decoration.signature->parameters[i],
                                  "parameter " + in_quotes(called.parameters[i].first));
        }
        if (operands[i]->type.is_nothing()) {
            fail(operands[i]->location, "functions", "an argument has a value");
        }
        types.push_back(operands[i]->type);
    }
    int const instance = program.instance(callee, types, location);
    auto result = program.result.functions[static_cast<std::size_t>(instance)].result;
    return value_with(location, std::move(result), call_value{instance, std::move(operands)}, true);
}

// cuda.shared.array(shape, type): the array of a block, whose shape must be known now.
value_ptr function_typer::shared_array(expression const& expression, call_expression const& call) {
    auto const location = expression.location;
    auto const refuse = [&](span place, std::string reason) {
        fail(place, "shared memory", std::move(reason));
    };
    if (!is_kernel || !is_entry) {
        refuse(location, "an array in shared memory is made in the entry block of a kernel, before "
                         "any branch, loop or return");
    }
    cuda_python::expression const *shape = nullptr, *element = nullptr;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        auto const& [name, argument] = call.arguments[i];
        bool const is_shape = name.empty() ? i == 0 : name == "shape";
        bool const is_element = name.empty() ? i == 1 : name == "dtype";
        auto& place = is_shape ? shape : element;
        if ((!is_shape && !is_element) || place) {
            refuse(argument->location, "cuda.shared.array takes a shape and a dtype");
        }
        place = argument.get();
    }
    if (!shape || !element) refuse(location, "cuda.shared.array takes a shape and a dtype");
    auto const meaning = entity_of(*element);
    auto const scalar = meaning && meaning->path.starts_with("types.")
                            ? scalar_named(meaning->path.substr(6))
                            : std::nullopt;
    if (!scalar) refuse(element->location, "a dtype is a type, such as float32");

    shared_array_value array;
    auto bytes = static_cast<std::int64_t>(scalar->bytes());
    auto const add = [&](cuda_python::expression const& part) {
        auto const extent = constant_integer(part, "shared memory", "an extent");
        if (extent < 1 || extent > greatest_shared_bytes) {
            refuse(part.location, "an extent is at least 1, and the array at most 48 KiB");
        }
        array.shape.push_back(extent);
        bytes = std::min(bytes * extent, std::int64_t(greatest_shared_bytes) + 1);
    };
    if (auto const* parts = std::get_if<tuple_expression>(&shape->node)) {
        for (auto const& part : parts->parts) add(*part);
    } else {
        add(*shape);
    }
    if (array.shape.empty() || array.shape.size() > 8) {
        refuse(shape->location, "an array has 1 to 8 dimensions");
    }
    // 16 bytes suit all types.
    array.offset = (program.result.shared_bytes + 15) / 16 * 16;
    if (array.offset + bytes > greatest_shared_bytes) {
        refuse(location, "the arrays in shared memory take more than 48 KiB");
    }
    program.result.shared_bytes = array.offset + static_cast<int>(bytes);
    int const rank = static_cast<int>(array.shape.size());
    return value_with(location, cuda_python::array(*scalar, rank), std::move(array));
}

} // namespace spio::cuda_python
