// Texts of values: expressions of CUDA C++.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, a coercion one of another type; a slot is a variable of one type, in the text by its
// number.
module;

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python:value_text;

import :syntax;
import :typed;
import :types;

namespace spio::cuda_python {

using texts = std::vector<std::string>;

// A name of the source behind a prefix, so that it is no word of C++, and no longer than 40
// letters.
inline std::string prefixed(char prefix, std::size_t number, std::string_view name) {
    return prefix + std::to_string(number) + "_" + std::string(name.substr(0, 40));
}

// The text of a string literal: whatever is not a plain letter is an octal escape.
inline std::string escaped(std::string_view text) {
    constexpr std::string_view signs = "_./- ";
    auto const is_within = [](char c, char first, char last) { return c >= first && c <= last; };
    std::string result;
    for (char const c : text) {
        bool const is_plain = is_within(c, 'a', 'z') || is_within(c, 'A', 'Z') ||
                              is_within(c, '0', '9') || signs.find(c) != std::string_view::npos;
        if (is_plain) {
            result += c;
            continue;
        }
        auto const byte = static_cast<unsigned char>(c);
        result += '\\';
        for (int const unit : {64, 8, 1}) result += static_cast<char>('0' + byte / unit % 8);
    }
    return result;
}

inline std::string literal_of(double x) {
    if (std::isnan(x)) return "py::not_a_number()";
    if (std::isinf(x)) return x > 0 ? "py::infinity()" : "(-py::infinity())";
    char digits[64];
    std::string text(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return std::signbit(x) ? "(" + text + ")" : text;
}

inline std::string literal_of(std::int64_t x) {
    if (x == INT64_MIN) return "(-9223372036854775807ll - 1)";
    return x < 0 ? "(" + std::to_string(x) + "ll)" : std::to_string(x) + "ll";
}

inline std::string list(std::span<std::string const> parts) {
    std::string result;
    for (auto const& part : parts) result += (&part == parts.data() ? "" : ", ") + part;
    return result;
}
// The address of an element, by the texts of the array and the indices.
inline std::string place(std::span<std::string const> parts) {
    return parts[0] + ".place(" + list(parts.subspan(1)) + ")";
}

// What the texts of values need to know of the function that they stand in. In the text, f2_name is
// a function and v3_name a variable by their numbers, and e4 is a temporary value.
class value_texts {
  protected:
    explicit value_texts(typed_program const& program) : program(program) {}

    typed_program const& program;
    typed_function const* function = nullptr;
    std::string tuples; // their definitions
    texts tuple_names;
    std::size_t temporaries = 0;

    std::string new_temporary() { return "e" + std::to_string(temporaries++); }

    std::string type_name(type const& type) {
        if (type.is_nothing()) return "void";
        bool const is_bool = type.element.is_boolean();
        auto const element = is_bool ? "bool" : "py::" + name_of(type.element);
        if (type.is_number()) return element;
        if (type.is_array()) {
            return "py::array<" + element + ", " + std::to_string(type.rank) + ">";
        }
        auto const key = name_of(type);
        auto const found = std::ranges::find(tuple_names, key) - tuple_names.begin();
        auto name = "tuple_" + std::to_string(found);
        if (static_cast<std::size_t>(found) == tuple_names.size()) {
            tuple_names.push_back(key);
            std::string members;
            for (std::size_t i = 0; i < type.parts.size(); ++i) {
                members += " " + type_name(type.parts[i]) + " part" + std::to_string(i) + ";";
            }
            tuples += "struct " + name + " {" + members + " };\n";
        }
        return name;
    }

    // Calls join() with the texts of values. If a device function is called among them, they are
    // computed from left to right in a lambda.
    std::string joined(std::vector<value const*> const& values,
                       std::function<std::string(std::span<std::string const>)> const& join) {
        texts parts;
        bool const is_ordered = values.size() > 1 && std::ranges::any_of(values, &value::has_call);
        std::string lambda = "[&] { ";
        for (auto const* part : values) {
            auto const name = is_ordered ? new_temporary() : "";
            auto text = value_text(*part);
            if (is_ordered) lambda += "auto const " + name + " = " + text + "; ";
            parts.push_back(is_ordered ? name : std::move(text));
        }
        return is_ordered ? lambda + "return " + join(parts) + "; }()" : join(parts);
    }
    static std::vector<value const*> pointers(std::vector<value> const& values) {
        std::vector<value const*> result;
        for (auto const& value : values) result.push_back(&value);
        return result;
    }

    std::string value_text(value const& value) {
        bool const is_operation = value.form == value_form::operation;
        if (is_operation && value.operation() <= operation::logical_and) {
            auto const sign = value.operation() == operation::logical_and ? " && " : " || ";
            return "(" + value_text(value.parts[0]) + sign + value_text(value.parts[1]) + ")";
        }
        if (value.form == value_form::tuple) { // parts in braces are computed from left to right
            texts parts;
            for (auto const& part : value.parts) parts.push_back(value_text(part));
            return type_name(value.type) + "{" + list(parts) + "}";
        }
        if (value.form == value_form::constant) return constant_text(value);
        return joined(pointers(value.parts), [&](std::span<std::string const> parts) {
            return is_operation ? operation_text(value, parts) : joined_text(value, parts);
        });
    }
    // A condition needs no brackets of its own.
    std::string condition_text(value const& value) {
        auto text = value_text(value);
        bool const is_wrapped = value.form == value_form::operation && text.front() == '(';
        return is_wrapped ? text.substr(1, text.size() - 2) : text;
    }
    std::string constant_text(value const& value) {
        auto const type = type_name(value.type);
        if (auto const* boolean = std::get_if<bool>(&value.constant)) {
            return *boolean ? "true" : "false";
        }
        if (auto const* number = std::get_if<std::complex<double>>(&value.constant)) {
            return type + "{" + literal_of(number->real()) + ", " + literal_of(number->imag()) +
                   "}";
        }
        auto const* integer = std::get_if<std::int64_t>(&value.constant);
        auto const text =
            integer ? literal_of(*integer) : literal_of(std::get<double>(value.constant));
        bool const is_plain = value.type.element == (integer ? intp : float64);
        return is_plain ? text : "py::cast<" + type + ">(" + text + ")";
    }
    std::string operation_text(value const& value, std::span<std::string const> operands) {
        auto const operation = value.operation();
        auto const& [sign, precedence, function_name] = entry_of(operation);
        auto const result = type_name(value.type);
        auto const spelled = operation == operation::logical_not ? "!" : std::string(sign);
        auto const infix = operands.size() == 2 ? operands[0] + " " + spelled + " " + operands[1]
                                                : spelled + operands[0];
        bool const is_bitwise = operation >= operation::bit_or && operation <= operation::invert;
        bool const is_division =
            operation == operation::floor_divide || operation == operation::remainder;
        bool const is_rounded =
            operation == operation::multiply && !program.options.has_fused_products;
        bool const is_real = value.parts[0].type.element.is_real();
        if (function_name.empty() || (is_real && !is_division && !is_rounded)) {
            return is_bitwise ? "static_cast<" + result + ">(" + infix + ")" : "(" + infix + ")";
        }
        std::string const floors = program.options.has_floor_division ? "true" : "false";
        auto const options = operation == operation::floor_divide
                                 ? "<" + result + ", " + floors + ">"
                             : is_division ? "<" + floors + ">"
                                           : "";
        return "py::" + std::string(function_name) + options + "(" + list(operands) + ")";
    }
    // The text of any other value, by those of its parts.
    std::string joined_text(value const& value, std::span<std::string const> parts) {
        auto const number = static_cast<std::size_t>(value.number);
        auto const digits = std::to_string(value.number);
        constexpr std::string_view registers[] = {"thread_index", "block_index", "block_size",
                                                  "grid_size"};
        switch (value.form) {
        case value_form::slot:
            return prefixed('v', number, function->slots[number].name);
        case value_form::coercion:
            return "py::cast<" + type_name(value.type) + ">(" + parts[0] + ")";
        case value_form::math: {
            auto const name = value.function == "arctan" ? "atan" : value.function;
            return "py::" + std::string(name) + "(" + list(parts) + ")";
        }
        case value_form::element:
            return type_name(value.parts[0].type) + "::read(" + place(parts) + ")";
        case value_form::extent:
            return parts[0] + ".shape[" + digits + "]";
        case value_form::stride:
            return parts[0] + ".strides[" + digits + "]";
        case value_form::size:
            return parts[0] + ".size()";
        case value_form::call:
            return prefixed('f', number, program.functions[number].name) + "(" + list(parts) + ")";
        case value_form::shared_array: {
            auto text = "py::shared_array<" + type_name(cuda_python::number(value.type.element));
            for (auto const& extent : value.parts)
                text += ", " + std::to_string(std::get<std::int64_t>(extent.constant));
            return text + ">(" + digits + ")";
        }
        default:
            break;
        }
        auto const axis_of = static_cast<std::size_t>(value.form) -
                             static_cast<std::size_t>(value_form::thread_index);
        return "py::" + std::string(registers[axis_of]) + "(" + digits + ")";
    }
};

} // namespace spio::cuda_python
