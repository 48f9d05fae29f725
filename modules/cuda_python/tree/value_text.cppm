// Texts of values: expressions of CUDA C++.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression; a slot is a variable of one type, in the text by its number.
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

inline std::string name_in_text(scalar scalar) {
    return scalar.is_boolean() ? "bool" : "py::" + name_of(scalar);
}

// A name of the source behind a prefix, so that it is no word of C++, and no longer than 40
// letters.
inline std::string prefixed(char prefix, std::size_t number, std::string_view name) {
    return prefix + std::to_string(number) + "_" + std::string(name.substr(0, 40));
}

// The text of a string literal: whatever is not a plain letter is an octal escape.
inline std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
        bool const is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' ||
                              c == '-' || c == ' ';
        auto const byte = static_cast<unsigned char>(c);
        if (is_plain) {
            result += c;
        } else {
            result += {'\\', static_cast<char>('0' + byte / 64),
                       static_cast<char>('0' + byte / 8 % 8), static_cast<char>('0' + byte % 8)};
        }
    }
    return result;
}

inline std::string literal_of(double x) {
    if (std::isnan(x)) return "py::not_a_number()";
    if (std::isinf(x)) return x > 0 ? "py::infinity()" : "(-py::infinity())";
    char digits[64];
    auto const end = std::to_chars(digits, digits + sizeof digits, x).ptr;
    std::string text(digits, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return x < 0 || std::signbit(x) ? "(" + text + ")" : text;
}

inline std::string literal_of(std::int64_t x) {
    if (x == INT64_MIN) return "(-9223372036854775807ll - 1)";
    return x < 0 ? "(" + std::to_string(x) + "ll)" : std::to_string(x) + "ll";
}

// What the texts of values need to know of the function that they stand in. In the text, f2_name is
// a function and v3_name a variable by their numbers, and e4 is a temporary value.
class value_texts {
  protected:
    explicit value_texts(typed_program const& program) : program(program) {}

    typed_program const& program;
    typed_function const* function = nullptr;
    std::string tuples; // their definitions
    std::vector<std::string> tuple_names;
    std::size_t temporaries = 0;

    std::string name_of_type(type const& type) {
        if (type.is_nothing()) return "void";
        auto const element = name_in_text(type.element);
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
                members += " " + name_of_type(type.parts[i]) + " part" + std::to_string(i) + ";";
            }
            tuples += "struct " + name + " {" + members + " };\n";
        }
        return name;
    }

    std::string slot_name(int slot) const {
        auto const number = static_cast<std::size_t>(slot);
        return prefixed('v', number, function->slots[number].name);
    }

    // Calls join() with the texts of values. If a device function is called among them, they are
    // computed from left to right in a lambda.
    using join_function = std::function<std::string(std::vector<std::string> const&)>;
    std::string joined(std::vector<value const*> const& values, join_function const& join) {
        std::vector<std::string> texts;
        bool const has_call = std::ranges::any_of(values, &value::has_call);
        if (!has_call || values.size() < 2) {
            for (auto const* operand : values) texts.push_back(text_of(*operand));
            return join(texts);
        }
        std::string lambda = "[&] { ";
        for (auto const* operand : values) {
            auto const name = "e" + std::to_string(temporaries++);
            lambda += "auto const " + name + " = " + text_of(*operand) + "; ";
            texts.push_back(name);
        }
        return lambda + "return " + join(texts) + "; }()";
    }
    static std::vector<value const*> pointers(value_list const& values) {
        std::vector<value const*> result;
        for (auto const& operand : values) result.push_back(operand.get());
        return result;
    }
    static std::string list(std::vector<std::string> const& texts, std::size_t first = 0) {
        std::string result;
        for (std::size_t i = first; i < texts.size(); ++i) {
            result += (i == first ? "" : ", ") + texts[i];
        }
        return result;
    }

    std::string text_of(value const& value) {
        return std::visit([&](auto const& node) { return node_text(value, node); }, value.node);
    }
    // A condition needs no brackets of its own.
    std::string condition_text(value const& value) {
        auto text = text_of(value);
        auto const* node = std::get_if<operation_value>(&value.node);
        bool const is_wrapped = node && text.front() == '(';
        return is_wrapped ? text.substr(1, text.size() - 2) : text;
    }

    std::string node_text(value const& value, constant const& constant) {
        auto const element = value.type.element;
        if (auto const* boolean = std::get_if<bool>(&constant.value)) {
            return *boolean ? "true" : "false";
        }
        if (auto const* number = std::get_if<std::complex<double>>(&constant.value)) {
            return name_in_text(element) + "{" + literal_of(number->real()) + ", " +
                   literal_of(number->imag()) + "}";
        }
        auto const* integer = std::get_if<std::int64_t>(&constant.value);
        auto const text =
            integer ? literal_of(*integer) : literal_of(std::get<double>(constant.value));
        bool const is_plain = element == (integer ? intp : float64);
        return is_plain ? text : "py::cast<" + name_in_text(element) + ">(" + text + ")";
    }
    std::string node_text(value const&, slot_value const& node) { return slot_name(node.slot); }
    std::string node_text(value const& value, coercion const& node) {
        return "py::cast<" + name_in_text(value.type.element) + ">(" + text_of(*node.operand) + ")";
    }
    std::string node_text(value const& value, operation_value const& node) {
        bool const is_logical =
            node.operation == operation::logical_and || node.operation == operation::logical_or;
        if (is_logical) {
            auto const sign = node.operation == operation::logical_and ? " && " : " || ";
            return "(" + text_of(*node.operands[0]) + sign + text_of(*node.operands[1]) + ")";
        }
        return joined(pointers(node.operands), [&](std::vector<std::string> const& operands) {
            return operation_text(value, node, operands);
        });
    }
    std::string operation_text(value const& value, operation_value const& node,
                               std::vector<std::string> const& operands) const {
        auto const type = node.operands.front()->type.element;
        auto const result = name_in_text(value.type.element);
        auto const arguments = "(" + list(operands) + ")";
        auto const floors = std::string(program.options.has_floor_division ? "true" : "false");
        auto const sign = std::string(sign_of(node.operation));
        auto const infix = operands.size() == 2 ? operands[0] + " " + sign + " " + operands[1]
                                                : (sign == "not" ? "!" : sign) + operands[0];
        switch (node.operation) {
        case operation::add:
            return type.is_real() ? "(" + infix + ")" : "py::add" + arguments;
        case operation::subtract:
            return type.is_real() ? "(" + infix + ")" : "py::subtract" + arguments;
        case operation::multiply:
            return type.is_real() && program.options.has_fused_products
                       ? "(" + infix + ")"
                       : "py::multiply" + arguments;
        case operation::negate:
            return type.is_real() ? "(" + infix + ")" : "py::negate" + arguments;
        case operation::floor_divide:
            return "py::quotient<" + result + ", " + floors + ">" + arguments;
        case operation::remainder:
            return "py::remainder<" + floors + ">" + arguments;
        case operation::shift_left:
            return "py::shift_left" + arguments;
        case operation::shift_right:
            return "py::shift_right" + arguments;
        case operation::bit_and:
        case operation::bit_or:
        case operation::bit_xor:
        case operation::invert:
            return "static_cast<" + result + ">(" + infix + ")";
        default:
            return "(" + infix + ")";
        }
    }
    std::string node_text(value const&, element_value const& node) {
        auto values = pointers(node.indices);
        values.insert(values.begin(), node.array.get());
        auto const type = name_of_type(node.array->type);
        return joined(values, [&](std::vector<std::string> const& texts) {
            return type + "::read(" + texts[0] + ".place(" + list(texts, 1) + "))";
        });
    }
    std::string node_text(value const&, array_fact_value const& node) {
        auto const array = text_of(*node.array);
        if (node.fact == array_fact::size) return array + ".size()";
        return array + (node.fact == array_fact::extent ? ".shape[" : ".strides[") +
               std::to_string(node.dimension) + "]";
    }
    std::string node_text(value const&, register_value const& node) {
        constexpr std::string_view names[] = {"thread_index", "block_index", "block_size",
                                              "grid_size"};
        return "py::" + std::string(names[static_cast<std::size_t>(node.source)]) + "(" +
               std::to_string(node.axis) + ")";
    }
    std::string node_text(value const&, math_value const& node) {
        auto const name = node.function == "arctan" ? "atan" : std::string(node.function);
        return joined(pointers(node.operands), [&](std::vector<std::string> const& operands) {
            return "py::" + name + "(" + list(operands) + ")";
        });
    }
    std::string node_text(value const&, call_value const& node) {
        auto const number = static_cast<std::size_t>(node.function);
        auto const name = prefixed('f', number, program.functions[number].name);
        return joined(pointers(node.operands), [&](std::vector<std::string> const& operands) {
            return name + "(" + list(operands) + ")";
        });
    }
    // The parts in braces are computed from left to right.
    std::string node_text(value const& value, tuple_value const& node) {
        std::vector<std::string> parts;
        for (auto const& part : node.parts) parts.push_back(text_of(*part));
        return name_of_type(value.type) + "{" + list(parts) + "}";
    }
    std::string node_text(value const& value, shared_array_value const& node) {
        auto text = "py::shared_array<" + name_in_text(value.type.element);
        for (auto const extent : node.shape) text += ", " + std::to_string(extent);
        return text + ">(" + std::to_string(node.offset) + ")";
    }
};

} // namespace spio::cuda_python
