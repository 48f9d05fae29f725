// Well-typed programs by a seed: expressions of all types, branches, loops, calls, shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A statement or an
// expression is drawn by its number among the forms of its kind; forms that nest are rarer where
// much is nested already, so that each program ends.
#include "tests/cuda_python/kernels.h"

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spio::cuda_python_test {

namespace {

enum class kind { boolean, integer, real };

// Writes one program: two device functions f0 and f1, and a kernel with the arrays a, b and o and
// the number n. Expressions are nested as deeply as `levels` says, statements as `level` says.
class writer {
  public:
    explicit writer(unsigned seed) : random(seed), name("program_" + std::to_string(seed)) {}

    test_kernel kernel() {
        std::string const types[] = {number_type(), number_type(), number_type()};
        text = "size = " + std::to_string(1 + number(9)) + "\n\n"; // a global, which is frozen
        for (int i = 0; i < 2; ++i) write_function(i);
        text += "@cuda.jit\ndef " + name + "(a, b, o, n):\n";
        line("t = cuda.threadIdx.x");
        bool const is_sharing = number(3) == 0;
        if (is_sharing) line("s = cuda.shared.array(64, " + types[1] + ")");
        line("i = cuda.grid(1)");
        if (is_sharing) {
            line("s[t] = a[i]");
            line("cuda.syncthreads()");
            line("b[i] += s[(t + 1) % cuda.blockDim.x]");
        }
        variables = {{"i", kind::integer}, {"n", kind::integer}, {"t", kind::integer}};
        readable = {
            {"a[i]", kind_of(types[0])}, {"b[i]", kind_of(types[1])}, {"size", kind::integer}};
        // Enough statements for nested loops and branches, few enough to compile many programs.
        for (int i = 0; i < 8; ++i) write_statement(0);
        line("o[i] = " + number_expression(3));
        auto const scalar = std::string(number(2) == 0 ? "int32" : "int16");
        return {.text = text,
                .kernel = name,
                .signature = types[0] + "[:], " + types[1] + "[:], " + types[2] + "[:], " + scalar,
                .threads = 64, // two warps, and the elements of the shared array
                .has_floor_division = number(4) == 0}; // whether // and % round down, as in Python
    }

  private:
    std::mt19937 random;
    std::string name, text;
    std::size_t depth = 1;         // of the indentation
    int loops = 0, loop_count = 0; // around the statement, and so far
    // Names that statements may assign to, and those that they may only read.
    std::map<std::string, kind> variables, readable;

    // Not a distribution of the library: the programs are the same everywhere.
    unsigned number(unsigned count) { return static_cast<unsigned>(random() % count); }
    // Of an integer or a real, which are the first ten types.
    std::string number_type() { return std::string(number_types[number(10)]); }
    static kind kind_of(std::string_view type) {
        return type.starts_with("float") ? kind::real : kind::integer;
    }
    void line(std::string const& statement) {
        text += std::string(4 * depth, ' ') + statement + "\n";
    }

    void write_function(int i) {
        text += "@cuda.jit(device=True)\ndef f" + std::to_string(i) + "(x, y):\n";
        variables.clear();
        readable = {{"x", kind::real}, {"y", kind::real}};
        auto const condition = boolean(1);
        line("if " + condition + ":");
        line("    return float32(" + number_expression(2) + ")");
        line("return " + number_expression(2));
        text += "\n";
    }

    // A random name of this kind, or nothing.
    std::string chosen(kind wanted) {
        std::vector<std::string> names;
        for (auto const* list : {&variables, &readable}) {
            for (auto const& [known, its_kind] : *list) {
                if (its_kind == wanted) names.push_back(known);
            }
        }
        return names.empty() ? "" : names[number(static_cast<unsigned>(names.size()))];
    }

    // Random expressions of each kind.
    std::string boolean(int levels) {
        auto const variable = chosen(kind::boolean);
        if (levels <= 0 && !variable.empty()) return variable;
        constexpr std::string_view comparisons[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
        switch (number(levels > 0 ? 6 : 2)) {
        case 2:
            return "(" + boolean(levels - 1) + " and " + boolean(levels - 1) + ")";
        case 3:
            return "(" + boolean(levels - 1) + " or " + boolean(levels - 1) + ")";
        case 4:
            return "(not " + boolean(levels - 1) + ")";
        case 5:
            return std::string(number(2) ? "math.isnan(" : "math.isinf(") + real(levels - 1) + ")";
        default:
            return "(" + number_expression(levels - 1) + std::string(comparisons[number(6)]) +
                   number_expression(levels - 1) + ")";
        }
    }

    std::string number_expression(int levels) { return number(2) ? integer(levels) : real(levels); }

    std::string integer(int levels) {
        auto const variable = chosen(kind::integer);
        if (levels <= 0) {
            bool const is_literal = variable.empty() || number(3) == 0;
            return is_literal ? std::to_string(number(2) ? number(10) : number(100000)) : variable;
        }
        constexpr std::string_view operators[] = {" + ", " - ", " * ", " // ", " % ",
                                                  " & ", " | ", " ^ ", " << ", " >> "};
        switch (number(6)) {
        case 0:
            return std::string(number_types[number(8)]) + "(" + number_expression(levels - 1) + ")";
        case 1:
            return std::string(number(2) ? "(-" : "(~") + integer(levels - 1) + ")";
        case 2:
            return "(" + number_expression(levels - 1) + " // " + number_expression(levels - 1) +
                   ")";
        default:
            return "(" + integer(levels - 1) + std::string(operators[number(10)]) +
                   integer(levels - 1) + ")";
        }
    }

    std::string real(int levels) {
        auto const variable = chosen(kind::real);
        if (levels <= 0) {
            bool const is_literal = variable.empty() || number(3) == 0;
            return is_literal ? std::to_string(number(100)) + "." + std::to_string(number(1000))
                              : variable;
        }
        constexpr std::string_view operators[] = {" + ", " - ", " * ", " / ", " % "};
        constexpr std::string_view functions[] = {"sqrt", "fabs", "ceil", "floor"};
        switch (number(7)) {
        case 0:
            return std::string(number(2) ? "float32(" : "float64(") +
                   number_expression(levels - 1) + ")";
        case 1:
            return "(" + integer(levels - 1) + " / " + number_expression(levels - 1) + ")";
        case 2:
            return "math." + std::string(functions[number(4)]) + "(" + real(levels - 1) + ")";
        case 3:
            if (is_in_kernel()) {
                return "float64(f" + std::to_string(number(2)) + "(" + real(levels - 1) + ", " +
                       real(levels - 1) + "))";
            }
            [[fallthrough]];
        default:
            return "(" + real(levels - 1) + std::string(operators[number(5)]) +
                   number_expression(levels - 1) + ")";
        }
    }
    // Whether the kernel is being written: device functions do not call themselves.
    bool is_in_kernel() const { return text.find("def program_") != std::string::npos; }

    // The statements of a block, one level deeper.
    void write_block(int level) {
        auto const outer = variables;
        ++depth;
        unsigned const count = 1 + number(3);
        for (unsigned i = 0; i < count; ++i) write_statement(level + 1);
        --depth;
        variables = outer; // types are those of before; what is new may be undefined
    }

    void write_statement(int level) {
        switch (number(level < 3 ? 10 : 6)) {
        case 0:
            return line("a[i] = " + number_expression(3));
        case 1:
            return line("b[i] " + std::string(number(2) ? "+= " : "-= ") + number_expression(2));
        case 6:
        case 7: {
            line("if " + boolean(2) + ":");
            write_block(level);
            if (number(2)) {
                line("elif " + boolean(1) + ":");
                write_block(level);
            }
            if (number(2)) {
                line("else:");
                write_block(level);
            }
            return;
        }
        case 8:
        case 9:
            return write_loop(level);
        default:
            return write_assignment();
        }
    }

    // Outside of loops the variables v change their types. In a loop a variable keeps the type of
    // any earlier definition, also of one that may not have run: p, j and x are always of one kind.
    void write_assignment() {
        auto const wanted = static_cast<kind>(number(3));
        bool const is_boolean = wanted == kind::boolean;
        auto const expression = is_boolean                ? boolean(2)
                                : wanted == kind::integer ? integer(3)
                                                          : real(3);
        auto const digit = std::to_string(number(3));
        auto const found = variables.find("v" + digit);
        bool const is_number = found != variables.end();
        bool const changes = loops == 0 && !is_boolean && number(2) == 0;
        if (changes || (number(2) == 0 && is_number && !is_boolean)) {
            line("v" + digit + " = " + expression);
            if (loops == 0) variables["v" + digit] = wanted;
            return;
        }
        auto const natural = is_boolean ? kind::boolean : number(2) ? kind::integer : kind::real;
        auto const variable = std::string(1, "pjx"[static_cast<std::size_t>(natural)]) + digit;
        bool const is_coerced = loops > 0 && variables.contains(variable);
        if (natural != wanted && !is_coerced) return line("o[i] = " + number_expression(2));
        line(variable + " = " + expression);
        variables[variable] = natural;
    }

    void write_loop(int level) {
        auto const counter = "k" + std::to_string(loop_count++);
        bool const is_counted = number(2) == 0;
        auto const rounds = std::to_string(1 + number(4));
        auto const outer = variables;
        if (is_counted) {
            line("for " + counter + " in range(" + (number(2) ? "" : "7, 0, -") + rounds + "):");
        } else {
            line(counter + " = 0");
            line("while " + counter + " < " + rounds + (number(2) ? " and " + boolean(1) : "") +
                 ":");
        }
        ++loops;
        ++depth;
        if (!is_counted) line(counter + " += 1");
        --depth;
        variables[counter] = kind::integer;
        write_loop_body(counter, level);
        --loops;
        variables = outer;
    }
    void write_loop_body(std::string const& counter, int level) {
        // The body must not assign the counter, so it is no variable there.
        variables.erase(counter);
        readable[counter] = kind::integer;
        write_block(level);
        if (number(3) == 0) {
            ++depth;
            line("if " + boolean(1) + ":");
            line(number(2) ? "    break" : "    continue");
            --depth;
        }
        readable.erase(counter);
    }
};

} // namespace

std::vector<test_kernel> random_kernels(unsigned first_seed, unsigned count) {
    std::vector<test_kernel> kernels;
    for (unsigned i = 0; i < count; ++i) kernels.push_back(writer(first_seed + i).kernel());
    return kernels;
}

} // namespace spio::cuda_python_test
