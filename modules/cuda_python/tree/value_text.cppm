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
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:value_text;

import :tree;
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
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./- ";
    std::string result;
    for (char const c : text) {
        bool const is_plain = plain.find(c) != std::string_view::npos;
        result += is_plain ? c : '\\';
        if (is_plain) continue;
        for (int const unit : {64, 8, 1}) {
            result += static_cast<char>('0' + static_cast<unsigned char>(c) / unit % 8);
        }
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

// The texts of values by those of their parts: $0 is the first part and $1 the second, $A all with
// commas between, $B and $C all but the first and the first two; $T the type, $E that of the first
// part; $W the word of the node, $N its number; $F whether // rounds down.
inline constexpr std::pair<form, std::string_view> patterns[] = {
    {form::coercion, "py::cast<$T>($0)"},
    {form::math, "py::$W($A)"},
    {form::element, "$E::read($0.place($B))"},
    {form::extent, "$0.shape[$N]"},
    {form::stride, "$0.strides[$N]"},
    {form::size, "$0.size()"},
    {form::thread_index, "py::thread_index($N)"},
    {form::block_index, "py::block_index($N)"},
    {form::block_size, "py::block_size($N)"},
    {form::grid_size, "py::grid_size($N)"},
    {form::tuple, "$T{$A}"},
};

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
        auto const element = type.element.is_boolean() ? "bool" : "py::" + name_of(type.element);
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

    std::string expanded(std::string_view pattern, node const& value,
                         std::span<std::string const> parts) {
        std::string result;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] != '$') {
                result += pattern[i];
                continue;
            }
            char const key = pattern[++i];
            if (key == '0' || key == '1') result += parts[static_cast<std::size_t>(key - '0')];
            if (key == 'A') result += list(parts);
            if (key == 'B') result += list(parts.subspan(1));
            if (key == 'C') result += list(parts.subspan(2));
            if (key == 'T') result += type_name(value.type);
            if (key == 'E') result += type_name(value.parts[0].type);
            if (key == 'W') result += value.word == "arctan" ? "atan" : value.word;
            if (key == 'N') result += std::to_string(value.number);
            if (key == 'F') result += program.options.has_floor_division ? "true" : "false";
        }
        return result;
    }
    // Expands a text by those of nodes. If a device function is called among them, they are
    // computed from left to right in a lambda.
    std::string joined(std::string_view pattern, node const& value,
                       std::vector<node const*> const& nodes, bool is_sequenced = false) {
        bool const is_ordered =
            nodes.size() > 1 && !is_sequenced && std::ranges::any_of(nodes, &node::has_call);
        std::string lambda = "[&] { ";
        texts parts;
        for (auto const* part : nodes) {
            auto const name = is_ordered ? new_temporary() : "";
            auto text = value_text(*part);
            if (is_ordered) lambda += "auto const " + name + " = " + text + "; ";
            parts.push_back(is_ordered ? name : std::move(text));
        }
        auto const result = expanded(pattern, value, parts);
        return is_ordered ? lambda + "return " + result + "; }()" : result;
    }
    static std::vector<node const*> pointers(std::vector<node> const& nodes) {
        std::vector<node const*> result;
        for (auto const& node : nodes) result.push_back(&node);
        return result;
    }

    std::string value_text(node const& value) {
        auto const number = static_cast<std::size_t>(value.number);
        if (value.form == form::constant) return constant_text(value);
        if (value.form == form::slot) return prefixed('v', number, function->slots[number].name);
        if (value.form == form::shared_array) return shared_array_text(value);
        auto const parts = pointers(value.parts);
        if (value.form == form::operation) {
            bool const is_logical = value.operation() <= operation::logical_and;
            return joined(operation_pattern(value), value, parts, is_logical);
        }
        if (value.form == form::call) {
            auto const name = prefixed('f', number, program.functions[number].name);
            return joined(name + "($A)", value, parts);
        }
        // The parts of a tuple are in braces, which are computed from left to right.
        auto const* const found =
            std::ranges::find(patterns, value.form, &std::pair<form, std::string_view>::first);
        return joined(found->second, value, parts, value.form == form::tuple);
    }
    std::string shared_array_text(node const& value) {
        auto text = "py::shared_array<" + type_name(number(value.type.element));
        for (auto const& extent : value.parts) text += ", " + std::to_string(extent.value.integer);
        return text + ">(" + std::to_string(value.number) + ")";
    }
    // A condition needs no brackets of its own.
    std::string condition_text(node const& value) {
        auto text = value_text(value);
        bool const is_wrapped = value.form == form::operation && text.front() == '(';
        return is_wrapped ? text.substr(1, text.size() - 2) : text;
    }
    std::string constant_text(node const& constant) {
        auto const element = constant.type.element;
        auto const& value = constant.value;
        if (element.is_boolean()) return value.integer != 0 ? "true" : "false";
        auto const type = type_name(constant.type);
        auto const real = literal_of(value.real);
        if (element.is_complex())
            return type + "{" + real + ", " + literal_of(value.imaginary) + "}";
        auto const text = element.is_real() ? real : literal_of(value.integer);
        return element == intp || element == float64 ? text
                                                     : "py::cast<" + type + ">(" + text + ")";
    }
    std::string operation_pattern(node const& value) const {
        auto const operation = value.operation();
        auto const& entry = entry_of(operation);
        bool const is_function =
            operation == operation::floor_divide || operation == operation::remainder ||
            (operation == operation::multiply && !program.options.has_fused_products);
        if (!entry.text.empty() && (is_function || !value.parts[0].type.element.is_real())) {
            return std::string(entry.text);
        }
        auto const sign = std::string(entry.sign);
        return value.parts.size() == 1 ? "(" + sign + "$0)" : "($0 " + sign + " $1)";
    }
};

} // namespace spio::cuda_python
