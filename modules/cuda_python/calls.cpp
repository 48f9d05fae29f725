// The types of calls: casts, math, intrinsics, device functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A value is a typed expression, a coercion one
// of another type; a location (span) is a place in the source. An entity is what a name means that
// is no variable: a path such as math.sin, a function, or the value of a global.
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

namespace {

constexpr auto math_functions = std::to_array<std::string_view>(
    {"atan2", "pow",   "copysign", "fmod", "acos", "asin",  "atan",  "arctan", "acosh", "asinh",
     "atanh", "cos",   "sin",      "tan",  "cosh", "sinh",  "tanh",  "exp",    "expm1", "fabs",
     "log",   "log10", "log1p",    "sqrt", "ceil", "floor", "isnan", "isinf"});
constexpr std::size_t binary_count = 4; // the first functions take two operands

constexpr int greatest_shared_bytes = 48 * 1024; // of static shared memory, on any GPU
constexpr int shared_alignment = 16;             // suits all types

} // namespace

// Nothing for a local variable, and for an expression that is no dotted name.
std::optional<entity> typer::entity_of(expression const& expression) {
    if (expression.form == form::name) {
        bool const is_local =
            state->tree && std::ranges::binary_search(state->tree->assigned, expression.word);
        return is_local ? std::nullopt : entity_named(expression.word, expression.location);
    }
    if (expression.form != form::attribute) return {};
    auto const object = entity_of(expression.parts[0]);
    if (!object || object->path.empty()) return {};
    return entity{path_within(object->path, expression.word)};
}

// The values of a call's arguments, which have no names.
std::vector<value> typer::arguments_of(expression const& call) {
    std::vector<value> values;
    for (auto const& argument : arguments_in(call)) {
        refuse_if(!argument.keyword.empty(), argument.location, "functions",
                  "this function takes no keyword arguments");
        values.push_back(value_of(argument));
        refuse_if(values.back().type.is_tuple(), argument.location, "tuples",
                  "a tuple is unpacked before it is passed on");
    }
    return values;
}

value typer::call_value(expression const& expression) {
    auto const location = expression.location;
    auto const callee = entity_of(expression.parts[0]);
    refuse_if(!callee, location, "functions", quoted{text->text(expression.parts[0].location)},
              " is no function of CUDA Python");
    if (callee->function >= 0) return device_call(expression, callee->function);
    auto const& path = callee->path;
    if (path == "cuda.grid") return grid_value(expression);
    refuse_if(path == "cuda.syncthreads", location, "intrinsics",
              "cuda.syncthreads() is a statement and has no value");
    refuse_if(path == "cuda.shared.array", location, "shared memory",
              "cuda.shared.array is assigned to a variable, in the entry "
              "block of a kernel");
    refuse_if(path == "range" || path == "xrange", location, "loops",
              "a range is what a loop runs over, and no value");
    if (auto const scalar = type_named(path)) return cast_value(expression, *scalar);
    if (path.starts_with("math.")) return math_value(expression, path.substr(5));
    bool const is_intrinsic = path.starts_with("cuda.");
    fail(location, is_intrinsic ? "intrinsics" : "functions", quoted{path}, " is no ",
         is_intrinsic ? "intrinsic of CUDA Python v0.2" : "function of CUDA Python");
}

value typer::cast_value(expression const& expression, scalar target) {
    auto const location = expression.location;
    auto operands = arguments_of(expression);
    refuse_if(operands.size() != 1 || !operands[0].type.is_number(), location, "types", target,
              "(x) takes one number");
    refuse_if(operands[0].type.element.is_complex() && !target.is_complex(), location, "types",
              "a complex number is not cast to ", target);
    auto value = coercion_to(target, std::move(operands[0]));
    value.location = location;
    return value;
}

value typer::math_value(expression const& expression, std::string_view name) {
    auto const full_name = "math." + std::string(name);
    auto const* const found = std::ranges::find(math_functions, name);
    refuse_if(found == math_functions.end(), expression.location, "math", "there is no ", full_name,
              " among the 28 functions");
    auto operands = arguments_of(expression);
    std::size_t const wanted = found < math_functions.begin() + binary_count ? 2 : 1;
    refuse_if(operands.size() != wanted, expression.location, "math", full_name, " takes ", wanted,
              " and not ", operands.size(), " arguments");
    for (auto const& operand : operands) {
        refuse_if(!is_coercible(operand.type), operand.location, "math", full_name,
                  " takes ints and floats and not ", operand.type);
    }
    // An int is computed as the float of its width, and of 32 bits at least.
    auto const generic = most_generic(operands.front().type.element, operands.back().type.element);
    scalar const real = {kind::real, std::max(generic.bits, 32)};
    for (auto& operand : operands) operand = coercion_to(real, std::move(operand));
    auto result = value_with(value_form::math, expression.location,
                             number(name.starts_with("is") ? boolean : real), std::move(operands));
    result.function = *found;
    return result;
}

// cuda.grid(1), the number of the thread in the grid, and cuda.grid(2), a tuple of two.
value typer::grid_value(expression const& expression) {
    auto const location = expression.location;
    auto const arguments = arguments_in(expression);
    refuse_if(arguments.size() != 1 || !arguments[0].keyword.empty(), location, "intrinsics",
              "cuda.grid takes the number of dimensions, 1 or 2");
    auto const dimensions =
        constant_integer(arguments[0], "intrinsics", "the argument of cuda.grid");
    refuse_if(dimensions != 1 && dimensions != 2, location, "intrinsics",
              "cuda.grid takes 1 or 2: three dimensions are no part of v0.2");
    std::vector<value> indices;
    for (std::string const axis : {".x", ".y"}) {
        auto first = operated(location, operation::multiply,
                              list_of(path_value(location, "cuda.blockIdx" + axis),
                                      path_value(location, "cuda.blockDim" + axis)));
        auto thread = path_value(location, "cuda.threadIdx" + axis);
        indices.push_back(
            operated(location, operation::add, list_of(std::move(first), std::move(thread))));
    }
    return dimensions == 1 ? std::move(indices[0]) : tuple_with(location, std::move(indices));
}

value typer::device_call(expression const& expression, int callee) {
    auto const location = expression.location;
    refuse_if(!state->tree, location, "globals", "a global does not call a function");
    auto const& called = program.tree->functions[static_cast<std::size_t>(callee)];
    auto const name = in_quotes(called.name);
    auto const decoration = decoration_of(*program.tree, called);
    refuse_if(!decoration.is_device, location, "functions", name,
              " is no device function: its decorator does not say device=True");
    auto operands = arguments_of(expression);
    refuse_if(operands.size() != called.parameters.size(), location, "functions", name, " takes ",
              called.parameters.size(), " and not ", operands.size(), " arguments");
    std::vector<type> types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (decoration.signature) {
            operands[i] = coerced(std::move(operands[i]), decoration.signature->parameters[i],
                                  "parameter " + in_quotes(called.parameters[i].first));
        }
        refuse_if(operands[i].type.is_nothing(), operands[i].location, "functions",
                  "an argument has a value");
        types.push_back(operands[i].type);
    }
    int const number = instance(callee, types, location);
    return value_with(value_form::call, location,
                      program.functions[static_cast<std::size_t>(number)].result,
                      std::move(operands), number);
}

// cuda.shared.array(shape, type): the array of a block, whose shape must be known now.
value typer::shared_array(expression const& expression) {
    auto const location = expression.location;
    constexpr auto rule = "shared memory";
    refuse_if(!state->is_kernel || !state->is_entry, location, rule,
              "an array in shared memory is made in the entry block of a kernel, before "
              "any branch, loop or return");
    constexpr auto usage = "cuda.shared.array takes a shape and a dtype";
    cuda_python::expression const* parameters[] = {nullptr, nullptr};
    for (auto const& argument : arguments_in(expression)) {
        auto const position = static_cast<std::size_t>(&argument - &expression.parts[1]);
        auto const& name = argument.keyword;
        auto const number = name.empty() ? position : name == "shape" ? 0 : name == "dtype" ? 1 : 2;
        refuse_if(number > 1 || parameters[number], argument.location, rule, usage);
        parameters[number] = &argument;
    }
    auto const [shape, element] = parameters;
    refuse_if(!shape || !element, location, rule, usage);
    auto const meaning = entity_of(*element);
    auto const scalar = meaning ? type_named(meaning->path) : std::nullopt;
    refuse_if(!scalar, element->location, rule, "a dtype is a type, such as float32");

    std::vector<value> extents;
    auto bytes = static_cast<std::int64_t>(scalar->bytes());
    bool const is_tuple = shape->form == form::tuple;
    for (auto const& part : is_tuple ? std::span(shape->parts) : std::span(shape, 1)) {
        auto const extent = constant_integer(part, rule, "an extent");
        refuse_if(extent < 1 || extent > greatest_shared_bytes, part.location, rule,
                  "an extent is at least 1, and the array at most 48 KiB");
        extents.push_back(constant_with(part.location, extent));
        bytes = std::min(bytes * extent, std::int64_t(greatest_shared_bytes) + 1);
    }
    refuse_if(extents.empty() || extents.size() > greatest_rank, shape->location, rule,
              "an array has 1 to 8 dimensions");
    int const offset =
        (program.shared_bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
    refuse_if(offset + bytes > greatest_shared_bytes, location, rule,
              "the arrays in shared memory take more than 48 KiB");
    program.shared_bytes = offset + static_cast<int>(bytes);
    auto const rank = static_cast<int>(extents.size());
    return value_with(value_form::shared_array, location, array(*scalar, rank), std::move(extents),
                      offset);
}

} // namespace spio::cuda_python
