// Writes a typed program as CUDA C++, every coercion as a cast.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, a coercion one of another type; a slot is a variable of a function with one type; a
// location (span) is a place in the source. A typed program is a kernel and the device functions
// that it calls, whose text becomes a spec: what a kernel is compiled from. emit_node() writes the
// text of a statement of each kind.
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
        for (std::size_t i = 0; i < program.functions.size(); ++i) {
            functions += text_of_function(i);
        }
        auto const& kernel = program.functions.back();
        std::string members, copies;
        for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.parameter_count); ++i) {
            auto const name = prefixed('v', i, kernel.slots[i].name);
            members += "    " + name_of_type(kernel.slots[i].type) + " " + name + ";\n";
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
    std::string text_of_function(std::size_t number) {
        function = &program.functions[number];
        output.clear();
        indentation = 1;
        std::string parameters;
        for (std::size_t i = 0; i < function->slots.size(); ++i) {
            auto const& type = function->slots[i].type;
            auto const name = prefixed('v', i, function->slots[i].name);
            if (i < static_cast<std::size_t>(function->parameter_count)) {
                parameters += (i == 0 ? "" : ", ") + name_of_type(type) + " " + name;
            } else {
                line(name_of_type(type) + " " + name + " = {};");
            }
        }
        indentation = 0;
        emit(function->body);
        return "__device__ inline " + name_of_type(function->result) + " " +
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
            std::visit([&](auto const& node) { emit_node(node); }, statement.node);
        }
        --indentation;
    }
    void emit_node(store_slot const& node) {
        line(slot_name(node.slot) + " = " + text_of(*node.operand) + ";");
    }
    void emit_node(store_element const& node) {
        auto const type = name_of_type(node.array->type);
        auto values = pointers(node.indices);
        values.insert(values.begin(), node.array.get());
        auto const place = [&](std::vector<std::string> const& texts) {
            return texts[0] + ".place(" + list(texts, 1) + ")";
        };
        if (node.old_slot >= 0) {
            auto const name = "e" + std::to_string(temporaries++);
            line("auto* const " + name + " = " + joined(values, place) + ";");
            line(slot_name(node.old_slot) + " = " + type + "::read(" + name + ");");
            line(type + "::write(" + name + ", " + text_of(*node.operand) + ");");
            return;
        }
        // The value is computed first.
        values.insert(values.begin(), node.operand.get());
        line(joined(values,
                    [&](std::vector<std::string> const& texts) {
                        return type + "::write(" + place({texts.begin() + 1, texts.end()}) + ", " +
                               texts[0] + ")";
                    }) +
             ";");
    }
    void emit_node(evaluation const& node) {
        line("static_cast<void>(" + text_of(*node.operand) + ");");
    }
    void emit_node(unpacking const& node) {
        if (auto const* tuple = std::get_if<tuple_value>(&node.operand->node)) {
            for (std::size_t i = 0; i < node.slots.size(); ++i) {
                line(slot_name(node.slots[i]) + " = " + text_of(*tuple->parts[i]) + ";");
            }
            return;
        }
        auto const name = "e" + std::to_string(temporaries++);
        line("auto const " + name + " = " + text_of(*node.operand) + ";");
        for (std::size_t i = 0; i < node.slots.size(); ++i) {
            line(slot_name(node.slots[i]) + " = " + name + ".part" + std::to_string(i) + ";");
        }
    }
    void emit_node(typed_if const& node) {
        std::string opening = "if (";
        for (auto const& branch : node.branches) {
            if (!branch.condition && branch.body.empty()) continue;
            if (branch.condition) {
                line(opening + condition_text(*branch.condition) + ") {");
            } else {
                line("} else {");
            }
            emit(branch.body);
            opening = "} else if (";
        }
        line("}");
    }
    void emit_node(typed_while const& node) {
        line("while (" + condition_text(*node.condition) + ") {");
        emit(node.body);
        line("}");
    }
    void emit_node(typed_for const& node) {
        auto const name = "e" + std::to_string(temporaries++);
        line("for (py::range " + name + "{" + text_of(*node.start) + ", " + text_of(*node.stop) +
             ", " + text_of(*node.step) + "}; " + name + ".next(" + slot_name(node.counter) +
             ");) {");
        emit(node.body);
        line("}");
    }
    void emit_node(typed_return const& node) {
        line(node.operand ? "return " + text_of(*node.operand) + ";" : "return;");
    }
    void emit_node(jump const& node) { line(node == jump::break_loop ? "break;" : "continue;"); }
    void emit_node(barrier const&) { line("py::sync_block();"); }
};

} // namespace

std::string text_of(typed_program const& program) { return emitter(program).text(); }

} // namespace spio::cuda_python
