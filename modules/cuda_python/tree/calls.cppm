// The types of calls: casts, math, intrinsics, device functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A span is a place in the source. The meaning of a
// name that is no variable is a path such as math.sin, a function, or the value of a global. An
// intrinsic is what the module cuda has of a GPU, such as cuda.grid(1); a device function is one
// that kernels call, an instance of it that for arguments of certain types.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:calls;

import :names;
import :tree;
import :types;
import :values;

namespace spio::cuda_python {

class call_typer : protected value_typer {
  protected:
    using value_typer::value_typer;
    ~call_typer() = default;

    // The number in `program` of a function for these types, which is typed if it was not yet.
    virtual int instance(function_tree const&, std::vector<type> const& parameters, span call) = 0;

    // The values of a call's arguments, which have no names.
    std::vector<node> arguments_of(node const& call) {
        std::vector<node> values;
        for (auto const& argument : arguments_in(call)) {
            refuse_if(!argument.keyword.empty(), argument,
                      "functions: this function takes no keyword arguments");
            values.push_back(value_of(argument));
            refuse_if(values.back().type.is_tuple(), argument,
                      "tuples: a tuple is unpacked before it is passed on");
        }
        return values;
    }

    // cuda.shared.array(shape, type): the array of a block, whose shape must be known now.
    node shared_array(node const& expression) {
        refuse_if(
            !state->is_kernel || !state->is_entry, expression,
            "shared memory: an array in shared memory is made in the entry block of a kernel, "
            "before any branch, loop or return");
        constexpr auto usage = "shared memory: cuda.shared.array takes a shape and a dtype";
        constexpr std::string_view names[] = {"shape", "dtype"};
        node const* parameters[] = {nullptr, nullptr};
        for (auto const& argument : arguments_in(expression)) {
            auto const number = argument.keyword.empty()
                                    ? &argument - &expression.parts[1]
                                    : std::ranges::find(names, argument.keyword) - names;
            refuse_if(number > 1 || parameters[number], argument, usage);
            parameters[number] = &argument;
        }
        auto const [shape, element] = parameters;
        refuse_if(!shape || !element, expression, usage);
        auto const meaning = meaning_of(*element);
        auto const scalar = meaning ? type_named(meaning->path) : std::nullopt;
        refuse_if(!scalar, *element, "shared memory: a dtype is a type, such as float32");

        constexpr std::int64_t greatest_bytes = 48 * 1024; // of static shared memory, on any GPU
        constexpr int alignment = 16;                      // suits all types
        std::vector<node> extents;
        auto bytes = static_cast<std::int64_t>(scalar->bytes());
        bool const is_tuple = shape->form == form::tuple;
        for (auto const& part : is_tuple ? std::span(shape->parts) : std::span(shape, 1)) {
            auto const extent = constant_integer(part, "shared memory: an extent");
            refuse_if(extent < 1 || extent > greatest_bytes, part,
                      "shared memory: an extent is at least 1, and the array at most 48 KiB");
            extents.push_back(constant_with(part, intp, {extent}));
            bytes = std::min(bytes * extent, greatest_bytes + 1);
        }
        refuse_if(extents.empty() || extents.size() > greatest_rank, *shape,
                  "shared memory: an array has 1 to 8 dimensions");
        int const offset = (program.shared_bytes + alignment - 1) / alignment * alignment;
        refuse_if(offset + bytes > greatest_bytes, expression,
                  "shared memory: the arrays in shared memory take more than 48 KiB");
        program.shared_bytes = offset + static_cast<int>(bytes);
        auto const type = array(*scalar, static_cast<int>(extents.size()));
        return typed_node(form::shared_array, expression, type, std::move(extents), offset);
    }

  private:
    node call_value(node const& expression) override {
        auto const callee = meaning_of(expression.parts[0]);
        constexpr auto unknown = "functions: '%' is no function of CUDA Python";
        refuse_if(!callee, expression, unknown, text->text(expression.parts[0]));
        if (callee->function) return device_call(expression, *callee->function);
        auto const& path = callee->path;
        if (path == "cuda.grid") return grid_value(expression);
        refuse_if(path == "cuda.syncthreads", expression,
                  "intrinsics: cuda.syncthreads() is a statement and has no value");
        refuse_if(path == "cuda.shared.array", expression,
                  "shared memory: cuda.shared.array is assigned to a variable, in the entry block "
                  "of a kernel");
        refuse_if(path == "range" || path == "xrange", expression,
                  "loops: a range is what a loop runs over, and no value");
        if (auto const scalar = type_named(path)) return cast_value(expression, *scalar);
        if (path.starts_with("math.")) return math_value(expression, path);
        bool const is_intrinsic = path.starts_with("cuda.");
        refuse(expression,
               is_intrinsic ? "intrinsics: '%' is no intrinsic of CUDA Python v0.2" : unknown,
               {path});
    }

    node cast_value(node const& expression, scalar target) {
        auto operands = arguments_of(expression);
        refuse_if(operands.size() != 1 || !operands[0].type.is_number(), expression,
                  "types: %(x) takes one number", target);
        refuse_if(operands[0].type.element.is_complex() && !target.is_complex(), expression,
                  "types: a complex number is not cast to %", target);
        auto value = coercion_to(target, std::move(operands[0]));
        value.location = expression;
        return value;
    }

    node math_value(node const& expression, std::string const& path) {
        constexpr std::string_view functions[] = {
            "atan2",  "pow",   "copysign", "fmod",  "acos",  "asin",  "atan",
            "arctan", "acosh", "asinh",    "atanh", "cos",   "sin",   "tan",
            "cosh",   "sinh",  "tanh",     "exp",   "expm1", "fabs",  "log",
            "log10",  "log1p", "sqrt",     "ceil",  "floor", "isnan", "isinf"};
        constexpr std::ptrdiff_t binary_count = 4; // the first functions take two operands
        auto const* const found = std::ranges::find(functions, path.substr(5));
        refuse_if(found == std::end(functions), expression,
                  "math: there is no % among the 28 functions", path);
        auto operands = arguments_of(expression);
        std::size_t const wanted = found - functions < binary_count ? 2 : 1;
        refuse_if(operands.size() != wanted, expression, "math: % takes % and not % arguments",
                  path, wanted, operands.size());
        for (auto const& operand : operands) {
            refuse_if(!is_coercible(operand.type), operand,
                      "math: % takes ints and floats and not %", path, operand.type);
        }
        // An int is computed as the float of its width, and of 32 bits at least.
        auto const generic =
            most_generic(operands.front().type.element, operands.back().type.element);
        scalar const real = {kind::real, std::max(generic.bits, 32)};
        for (auto& operand : operands) operand = coercion_to(real, std::move(operand));
        auto const result = number(found->starts_with("is") ? boolean : real);
        return typed_node(form::math, expression, result, std::move(operands), /*number=*/0,
                          *found == "arctan" ? "atan" : *found);
    }

    // cuda.grid(1), the number of the thread in the grid, and cuda.grid(2), a tuple of two.
    node grid_value(node const& expression) {
        auto const arguments = arguments_in(expression);
        refuse_if(arguments.size() != 1 || !arguments[0].keyword.empty(), expression,
                  "intrinsics: cuda.grid takes the number of dimensions, 1 or 2");
        auto const dimensions =
            constant_integer(arguments[0], "intrinsics: the argument of cuda.grid");
        refuse_if(dimensions != 1 && dimensions != 2, expression,
                  "intrinsics: cuda.grid takes 1 or 2: three dimensions are no part of v0.2");
        std::vector<node> indices;
        for (std::string const axis : {".x", ".y"}) {
            auto const part = [&](char const* name) { return path_value(expression, name + axis); };
            auto first = operated(expression, "*"_binary,
                                  list_of(part("cuda.blockIdx"), part("cuda.blockDim")));
            indices.push_back(operated(expression, "+"_binary,
                                       list_of(std::move(first), part("cuda.threadIdx"))));
        }
        return dimensions == 1 ? std::move(indices[0]) : tuple_with(expression, std::move(indices));
    }

    node device_call(node const& expression, function_tree const& called) {
        refuse_if(!state->tree, expression, "globals: a global does not call a function");
        auto const decoration = decoration_of(*program.tree, called);
        refuse_if(!decoration.is_device, expression,
                  "functions: '%' is no device function: its decorator does not say device=True",
                  called.name);
        auto operands = arguments_of(expression);
        refuse_if(operands.size() != called.parameters.size(), expression,
                  "functions: '%' takes % and not % arguments", called.name,
                  called.parameters.size(), operands.size());
        std::vector<type> types;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (decoration.signature) {
                operands[i] = coerced(std::move(operands[i]), decoration.signature->parameters[i],
                                      "parameter " + in_quotes(called.parameters[i]));
            }
            refuse_if(operands[i].type.is_nothing(), operands[i],
                      "functions: an argument has a value");
            types.push_back(operands[i].type);
        }
        int const number = instance(called, types, expression);
        auto const& result = program.functions[static_cast<std::size_t>(number)].result;
        return typed_node(form::call, expression, result, std::move(operands), number);
    }
};

} // namespace spio::cuda_python
