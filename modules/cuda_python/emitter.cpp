// Writes a typed program as CUDA C++, every coercion as a cast.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A coercion is a
// typed expression of another type; a slot is a variable of a function with one type. A typed
// program is a kernel and the device functions that it calls, whose text becomes a spec: what a
// kernel is compiled from. In the text, f2_name is a function and v3_name a variable by their
// numbers, e4 a temporary value, and @ the kernel's symbol, which is computed from the text.
module;

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :tree;

namespace spio::cuda_python {

namespace {

using texts = std::vector<std::string>;

// A name of the source behind a prefix, so that it is no word of C++, and no longer than 40
// letters.
std::string prefixed(char prefix, std::size_t number, std::string_view name) {
    return prefix + std::to_string(number) + "_" + std::string(name.substr(0, 40));
}

std::string literal_of(double x) {
    if (std::isnan(x)) return "py::not_a_number()";
    if (std::isinf(x)) return x > 0 ? "py::infinity()" : "(-py::infinity())";
    char digits[64];
    std::string text(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return std::signbit(x) ? "(" + text + ")" : text;
}
std::string literal_of(std::int64_t x) {
    if (x == INT64_MIN) return "(-9223372036854775807ll - 1)";
    return x < 0 ? "(" + std::to_string(x) + "ll)" : std::to_string(x) + "ll";
}

// The texts of nodes by those of their parts: $0 is the first part, $A are all with commas between,
// $B and $C all but the first and the first two; $T is the type, $E that of the first array among
// the parts; $V is the variable, and $K the function, of the node's number $N; $W is its word; $F
// says whether // rounds down; $? is the first part as a condition, $L the last as a block, and $R
// a new temporary value. For operations there are the texts of their table.
struct pattern {
    cuda_python::form form;
    std::string_view text;
};
constexpr pattern patterns[] = {
    {form::slot, "$V"},
    {form::call, "$K($A)"},
    {form::tuple, "$T{$A}"},
    {form::coercion, "py::cast<$T>($0)"},
    {form::math, "py::$W($A)"},
    {form::element, "$E::read($0.place($B))"},
    {form::place, "$0.place($B)"},
    {form::extent, "$0.shape[$N]"},
    {form::stride, "$0.strides[$N]"},
    {form::size, "$0.size()"},
    {form::axis, "py::$W($N)"},
    {form::evaluate, "static_cast<void>($0)"},
    {form::store, "$V = $0"},
    {form::write, "$E::write($1.place($C), $0)"},
    {form::augment, "auto* const $R = $0;\n$V = $E::read($R);\n$E::write($R, $1)"},
    {form::repeat, "while ($?) $L"},
    {form::count, "for (py::range $R{$0, $1, $2}; $R.next($V);) $L"},
    {form::leave, "return $0"},
    {form::break_loop, "break"},
    {form::continue_loop, "continue"},
    {form::barrier, "py::sync_block()"},
};

class emitter {
  public:
    explicit emitter(typed_program const& program) : program(program) {}

    std::string text() {
        std::string functions, members, copies;
        for (std::size_t i = 0; i < program.functions.size(); ++i) functions += function_text(i);
        for (std::size_t i = 0; i < function->parameter_count; ++i) {
            members += "    " + declaration(i) + ";\n";
            copies += (i == 0 ? "p." : ", p.") + variable(i);
        }
        if (members.empty()) members = "    char unused;\n";
        return "#include \"spio/tile/python.cuh\"\n\nnamespace text_of_@ {\n"
               "namespace py = spio::python;\n\n" +
               tuples + functions + "struct params {\n" + members +
               "};\n} // namespace text_of_@\n\n"
               "extern \"C\" __global__ void @(__grid_constant__ text_of_@::params const p) {\n"
               "    text_of_@::" +
               function_name(program.functions.size() - 1) + "(" + copies + ");\n}\n";
    }

  private:
    typed_program const& program;
    typed_function const* function = nullptr; // that is being written
    std::size_t indentation = 0, temporaries = 0;
    std::string tuples; // the definitions of their types
    texts tuple_names;

    std::string new_temporary() { return "e" + std::to_string(temporaries++); }
    std::string function_name(std::size_t number) const {
        return prefixed('f', number, program.functions[number].name);
    }
    std::string variable(std::size_t slot) const {
        return prefixed('v', slot, function->slots[slot].name);
    }
    std::string declaration(std::size_t slot) {
        return type_name(function->slots[slot].type) + " " + variable(slot);
    }

    std::string type_name(type const& type) {
        if (type.is_nothing()) return "void";
        auto const element = type.element.is_boolean() ? "bool" : "py::" + name_of(type.element);
        if (type.is_number()) return element;
        if (type.is_array()) {
            return "py::array<" + element + ", " + std::to_string(type.rank) + ">";
        }
        auto const found = std::ranges::find(tuple_names, name_of(type));
        auto name = "tuple_" + std::to_string(found - tuple_names.begin());
        if (found != tuple_names.end()) return name;
        tuple_names.push_back(name_of(type));
        tuples += "struct " + name + " {";
        for (std::size_t i = 0; i < type.parts.size(); ++i) {
            tuples += " " + type_name(type.parts[i]) + " part" + std::to_string(i) + ";";
        }
        tuples += " };\n";
        return name;
    }
    std::string constant_text(node const& constant) {
        auto const element = constant.type.element;
        auto const& [integer, real, imaginary] = constant.value;
        if (element.is_boolean()) return integer != 0 ? "true" : "false";
        auto const type = type_name(constant.type);
        if (element.is_complex()) {
            return type + "{" + literal_of(real) + ", " + literal_of(imaginary) + "}";
        }
        auto const text = element.is_real() ? literal_of(real) : literal_of(integer);
        bool const is_cast = element != intp && element != float64;
        return is_cast ? "py::cast<" + type + ">(" + text + ")" : text;
    }
    std::string shared_array_text(node const& array) {
        auto text = "py::shared_array<" + type_name(number(array.type.element));
        for (auto const& extent : array.parts) text += ", " + std::to_string(extent.value.integer);
        return text + ">(" + std::to_string(array.number) + ")";
    }

    std::string_view pattern_of(node const& value) const {
        if (value.form == form::leave && value.parts.empty()) return "return";
        auto const* const found = std::ranges::find(patterns, value.form, &pattern::form);
        if (value.form != form::operation) return found->text;
        auto const& entry = entry_of(value.operation());
        bool const is_rounded =
            value.operation() == "*"_binary && !program.options.has_fused_products;
        bool const is_real = value.parts[0].type.element.is_real();
        return is_real && !is_rounded && !entry.real_text.empty() ? entry.real_text : entry.text;
    }
    // Replaces the signs of a pattern. `parts` are the texts of the parts, where the caller has
    // written them already.
    std::string expanded(std::string_view pattern, node const& value, texts const& parts = {}) {
        auto const number = static_cast<std::size_t>(value.number);
        bool const has_temporary = pattern.find("$R") != pattern.npos;
        auto const temporary = has_temporary ? new_temporary() : "";
        auto const parts_from = [&](std::size_t first, std::size_t last) {
            std::string list;
            for (auto i = first; i < last; ++i) {
                list += i == first ? "" : ", ";
                list += parts.empty() ? text_of(value.parts[i]) : parts[i];
            }
            return list;
        };
        auto const array = std::ranges::find_if(value.parts, &type::is_array, &node::type);
        std::string result;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            char const key = pattern[i] == '$' ? pattern[++i] : '$';
            auto const index = static_cast<std::size_t>(key - (key < 'A' ? '0' : 'A'));
            if (key == '$') result += pattern[i] == '\n' ? new_line() : pattern.substr(i, 1);
            if (key == 'T') result += type_name(value.type);
            if (key == 'E') result += type_name(array->type);
            if (key == 'V') result += variable(number);
            if (key == 'K') result += function_name(number);
            if (key == 'N') result += std::to_string(number);
            if (key == 'W') result += value.word;
            if (key == 'F') result += program.options.has_floor_division ? "true" : "false";
            if (key == '?') result += condition_text(value.parts[0]);
            if (key == 'L') result = block_text(std::move(result), value.parts.back());
            if (key == 'R') result += temporary;
            if (key >= '0' && key <= '9') result += parts_from(index, index + 1);
            if (key >= 'A' && key <= 'C') result += parts_from(index, value.parts.size());
        }
        return result;
    }
    // The text of a value or a statement. If a device function is called among its parts, they are
    // computed from left to right in a lambda, unless its own text sees to that.
    std::string text_of(node const& value) {
        if (value.form == form::constant) return constant_text(value);
        if (value.form == form::shared_array) return shared_array_text(value);
        if (value.form == form::choose) return choice_text(value);
        if (value.form == form::unpack) return unpacking_text(value);
        auto const pattern = pattern_of(value);
        // C++ evaluates the operands of || and &&, the braces of a tuple, and the statements from
        // form::augment on from left to right. "or" and "and" are the first two operations.
        bool const is_logic = value.form == form::operation && value.operation() <= "and"_binary;
        bool const has_order = is_logic || value.form == form::tuple ||
                               value.form >= form::augment || value.parts.size() < 2 ||
                               std::ranges::none_of(value.parts, &node::has_call);
        if (has_order) return expanded(pattern, value);
        std::string text = "[&] { ";
        texts names;
        for (auto const& part : value.parts) {
            names.push_back(new_temporary());
            text += "auto const " + names.back() + " = " + text_of(part) + "; ";
        }
        return text + "return " + expanded(pattern, value, names) + "; }()";
    }
    // A condition needs no brackets of its own.
    std::string condition_text(node const& value) {
        auto text = text_of(value);
        bool const is_wrapped = value.form == form::operation && text.front() == '(';
        return is_wrapped ? text.substr(1, text.size() - 2) : text;
    }

    std::string function_text(std::size_t number) {
        function = &program.functions[number];
        std::string parameters;
        texts locals;
        for (std::size_t i = 0; i < function->slots.size(); ++i) {
            if (i >= function->parameter_count) {
                locals.push_back(declaration(i) + " = {};");
            } else {
                parameters += (i == 0 ? "" : ", ") + declaration(i);
            }
        }
        return block_text("__device__ inline " + type_name(function->result) + " " +
                              function_name(number) + "(" + parameters + ") ",
                          function->body, locals) +
               "\n\n";
    }
    std::string new_line() const { return "\n" + std::string(4 * indentation, ' '); }
    // What opens a block, declarations and the statements, each in lines of its own.
    std::string block_text(std::string text, node const& block, texts const& declarations = {}) {
        text += "{";
        ++indentation;
        for (auto const& declaration : declarations) text += new_line() + declaration;
        for (auto const& statement : block.parts) {
            bool const has_line = program.options.has_lines && statement.location.end > 0;
            if (has_line) text += line_directive(program.tree->text.position_of(statement));
            text += new_line() + text_of(statement);
            // choose, repeat and count: if, while and for, which end with a block.
            bool const has_block = statement.form >= form::choose && statement.form <= form::count;
            text += has_block ? "" : ";";
        }
        --indentation;
        return text + new_line() + "}";
    }
    // The text of an if statement: conditions and blocks in turn.
    std::string choice_text(node const& choice) {
        auto const& parts = choice.parts;
        std::string text;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
            text += (i == 0 ? "if (" : " else if (") + condition_text(parts[i]) + ") ";
            text = block_text(std::move(text), parts[i + 1]);
        }
        bool const has_else = !parts.back().parts.empty();
        return has_else ? block_text(text + " else ", parts.back()) : text;
    }
    // The statements that take the parts of a tuple.
    std::string unpacking_text(node const& statement) {
        auto const& call = statement.parts[0];
        auto const tuple = new_temporary();
        auto text = "auto const " + tuple + " = " + text_of(call);
        for (std::size_t i = 0; i < call.type.parts.size(); ++i) {
            text += ";" + new_line() + variable(static_cast<std::size_t>(statement.number) + i) +
                    " = " + tuple + ".part" + std::to_string(i);
        }
        return text;
    }
};

} // namespace

std::string text_of(typed_program const& program) { return emitter(program).text(); }

} // namespace spio::cuda_python
