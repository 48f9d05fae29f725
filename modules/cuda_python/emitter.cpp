// Writes a typed program as CUDA C++, every coercion as a cast.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, a coercion one of another type; a slot is a variable of a function with one type; a
// location (span) is a place in the source. A typed program is a kernel and the device functions
// that it calls, whose text becomes a spec: what a kernel is compiled from.
module;

#include <algorithm>
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

module spio.cuda_python;

import :syntax;
import :typed;
import :value_text;

namespace spio::cuda_python {

namespace {

// In the text, @ stands for the kernel's symbol, which is computed from the text.
class emitter : value_texts {
  public:
    explicit emitter(typed_program const& program) : value_texts(program) {}

    std::string text() {
        std::string functions;
        for (std::size_t i = 0; i < program.functions.size(); ++i) functions += function_text(i);
        auto const& kernel = program.functions.back();
        std::string members, copies;
        for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.parameter_count); ++i) {
            auto const name = prefixed('v', i, kernel.slots[i].name);
            members += "    " + type_name(kernel.slots[i].type) + " " + name + ";\n";
            copies += (i == 0 ? "p." : ", p.") + name;
        }
        if (members.empty()) members = "    char unused;\n";
        auto const name = prefixed('f', program.functions.size() - 1, kernel.name);
        return "#include \"spio/tile/python.cuh\"\n\nnamespace text_of_@ {\n"
               "namespace py = spio::python;\n\n" +
               tuples + functions + "struct params {\n" + members +
               "};\n} // namespace text_of_@\n\n"
               "extern \"C\" __global__ void @(__grid_constant__ text_of_@::params const p) {\n"
               "    text_of_@::" +
               name + "(" + copies + ");\n}\n";
    }

  private:
    std::string output;
    std::size_t indentation = 0;

    void line(std::string const& text) {
        output += std::string(4 * indentation, ' ') + text + "\n";
    }
    std::string function_text(std::size_t number) {
        function = &program.functions[number];
        output.clear();
        indentation = 1;
        std::string parameters;
        for (std::size_t i = 0; i < function->slots.size(); ++i) {
            auto const& [name, type] = function->slots[i];
            auto const variable = type_name(type) + " " + prefixed('v', i, name);
            if (i < static_cast<std::size_t>(function->parameter_count)) {
                parameters += (i == 0 ? "" : ", ") + variable;
            } else {
                line(variable + " = {};");
            }
        }
        indentation = 0;
        emit(function->body);
        return "__device__ inline " + type_name(function->result) + " " +
               prefixed('f', number, function->name) + "(" + parameters + ") {\n" + output +
               "}\n\n";
    }

    void emit(typed_block const& block) {
        ++indentation;
        for (auto const& statement : block) {
            if (program.options.has_lines && statement.location.end > 0) {
                auto const place = program.tree->text.position_of(statement.location);
                output += "#line " + std::to_string(std::max(place.line, 1)) + " \"" +
                          escaped(place.file) + "\"\n";
            }
            emit(statement);
        }
        --indentation;
    }
    void emit_block(std::string const& opening, typed_block const& block) {
        line(opening + " {");
        emit(block);
        line("}");
    }
    void emit(typed_statement const& statement) {
        auto const& values = statement.values;
        auto const assign = [&](value const& slot, std::string const& text) {
            line(value_text(slot) + " = " + text + ";");
        };
        switch (statement.action) {
        case action::evaluate:
            return line("static_cast<void>(" + value_text(values[0]) + ");");
        case action::store:
            if (values[0].form == value_form::element) return emit_store(values[0], values[1]);
            return assign(values[0], value_text(values[1]));
        case action::unpack: {
            auto const& tuple = values.back();
            bool const is_spelled = tuple.form == value_form::tuple;
            auto const name = is_spelled ? "" : new_temporary();
            if (!is_spelled) line("auto const " + name + " = " + value_text(tuple) + ";");
            for (std::size_t i = 0; i + 1 < values.size(); ++i) {
                assign(values[i], is_spelled ? value_text(tuple.parts[i])
                                             : name + ".part" + std::to_string(i));
            }
            return;
        }
        case action::augment: {
            auto const array = type_name(values[0].parts[0].type);
            auto const name = new_temporary();
            line("auto* const " + name + " = " + joined(pointers(values[0].parts), place) + ";");
            assign(values[1], array + "::read(" + name + ")");
            return line(array + "::write(" + name + ", " + value_text(values[2]) + ");");
        }
        case action::choose:
            return emit_choice(statement);
        case action::repeat:
            return emit_block("while (" + condition_text(values[0]) + ")", statement.blocks[0]);
        case action::count: {
            auto const name = new_temporary();
            texts limits;
            for (std::size_t i = 1; i < 4; ++i) limits.push_back(value_text(values[i]));
            return emit_block("for (py::range " + name + "{" + list(limits) + "}; " + name +
                                  ".next(" + value_text(values[0]) + ");)",
                              statement.blocks[0]);
        }
        case action::leave:
            return line(values.empty() ? "return;" : "return " + value_text(values[0]) + ";");
        case action::barrier:
            return line("py::sync_block();");
        default:
            return line(statement.action == action::break_loop ? "break;" : "continue;");
        }
    }
    // Stores to an element. The value is computed first.
    void emit_store(value const& element, value const& operand) {
        auto values = pointers(element.parts);
        values.insert(values.begin(), &operand);
        auto const array = type_name(element.parts[0].type);
        line(joined(values,
                    [&](std::span<std::string const> parts) {
                        return array + "::write(" + place(parts.subspan(1)) + ", " + parts[0] + ")";
                    }) +
             ";");
    }
    void emit_choice(typed_statement const& choice) {
        std::string opening = "if (";
        for (std::size_t i = 0; i < choice.blocks.size(); ++i) {
            bool const is_else = i == choice.values.size();
            if (is_else && choice.blocks[i].empty()) continue;
            line(is_else ? "} else {" : opening + condition_text(choice.values[i]) + ") {");
            emit(choice.blocks[i]);
            opening = "} else if (";
        }
        line("}");
    }
};

} // namespace

std::string text_of(typed_program const& program) { return emitter(program).text(); }

} // namespace spio::cuda_python
