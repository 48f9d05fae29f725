// Writes a typed program as CUDA C++, every coercion as a cast.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, a coercion one of another type; a slot is a variable of a function with one type. A
// typed program is a kernel and the device functions that it calls, whose text becomes a spec: what
// a kernel is compiled from.
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :tree;
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
    std::string output; // the text of a function
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
        emit_block(function->body);
        return "__device__ inline " + type_name(function->result) + " " +
               prefixed('f', number, function->name) + "(" + parameters + ") {\n" + output +
               "}\n\n";
    }

    void emit_block(node const& block) {
        ++indentation;
        for (auto const& statement : block.parts) {
            if (program.options.has_lines && statement.location.end > 0) {
                auto const place = program.tree->text.position_of(statement.location);
                output += "#line " + std::to_string(std::max(place.line, 1)) + " \"" +
                          escaped(place.file) + "\"\n";
            }
            emit(statement);
        }
        --indentation;
    }
    void emit_loop(std::string const& opening, node const& block) {
        line(opening + " {");
        emit_block(block);
        line("}");
    }
    void assign(node const& slot, std::string const& text) {
        line(value_text(slot) + " = " + text + ";");
    }
    void emit(node const& statement) {
        auto const& parts = statement.parts;
        switch (statement.form) {
        case form::evaluate:
            return line("static_cast<void>(" + value_text(parts[0]) + ");");
        case form::store:
            if (parts[0].form == form::slot) return assign(parts[0], value_text(parts[1]));
            return emit_store(parts[0], parts[1]);
        case form::unpack:
            return emit_unpacking(parts);
        case form::augment: {
            auto const array = type_name(parts[0].parts[0].type);
            auto const name = new_temporary();
            line("auto* const " + name + " = " +
                 joined("$0.place($B)", parts[0], pointers(parts[0].parts)) + ";");
            assign(parts[1], array + "::read(" + name + ")");
            return line(array + "::write(" + name + ", " + value_text(parts[2]) + ");");
        }
        case form::choose:
            return emit_choice(parts);
        case form::repeat:
            return emit_loop("while (" + condition_text(parts[0]) + ")", parts[1]);
        case form::count: {
            auto const name = new_temporary();
            texts limits;
            for (std::size_t i = 1; i < 4; ++i) limits.push_back(value_text(parts[i]));
            return emit_loop("for (py::range " + name + "{" + list(limits) + "}; " + name +
                                 ".next(" + value_text(parts[0]) + ");)",
                             parts[4]);
        }
        case form::leave:
            return line(parts.empty() ? "return;" : "return " + value_text(parts[0]) + ";");
        case form::barrier:
            return line("py::sync_block();");
        default:
            return line(statement.form == form::break_loop ? "break;" : "continue;");
        }
    }
    // Stores to an element. The value is computed first.
    void emit_store(node const& element, node const& operand) {
        auto values = pointers(element.parts);
        values.insert(values.begin(), &operand);
        line(joined("$E::write($1.place($C), $0)", element, values) + ";");
    }
    void emit_unpacking(std::vector<node> const& parts) {
        auto const& tuple = parts.back();
        bool const is_spelled = tuple.form == form::tuple;
        auto const name = is_spelled ? "" : new_temporary();
        if (!is_spelled) line("auto const " + name + " = " + value_text(tuple) + ";");
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            assign(parts[i],
                   is_spelled ? value_text(tuple.parts[i]) : name + ".part" + std::to_string(i));
        }
    }
    void emit_choice(std::vector<node> const& parts) {
        std::string opening = "if (";
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
            line(opening + condition_text(parts[i]) + ") {");
            emit_block(parts[i + 1]);
            opening = "} else if (";
        }
        if (!parts.back().parts.empty()) {
            line("} else {");
            emit_block(parts.back());
        }
        line("}");
    }
};

} // namespace

std::string text_of(typed_program const& program) { return emitter(program).text(); }

} // namespace spio::cuda_python
