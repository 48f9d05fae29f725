// The types of operators over all pairs of types, against the tables; of functions and literals.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The tables are
// those of result_type(operator, left, right), written from the language's description.
#include <doctest/doctest.h>

#include "tests/cuda_python/kernels.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

import spio.cuda_python;

namespace py = spio::cuda_python;
using namespace spio::cuda_python_test;

namespace {

constexpr std::string_view operators[] = {"+",  "-",  "*", "/",  "//", "%",  "&",  "|", "^",
                                          "<<", ">>", "<", "<=", ">",  ">=", "==", "!="};

// The CUDA C++ of a kernel k(a, b) with this body, for parameters of these types.
std::string text_of(std::string const& body, std::string const& types) {
    py::program const program({.name = "k.py", .text = "@cuda.jit\ndef k(a, b):\n" + body});
    return program.compile("k", types).text;
}

// The type of a variable in the generated text.
std::string declared_type(std::string const& text, std::string const& variable) {
    auto const name = text.find("_" + variable + " = {};");
    if (name == std::string::npos) return "none";
    auto const line = text.rfind('\n', name) + 1;
    auto const begin = text.find_first_not_of(' ', line);
    auto const type = text.substr(begin, text.find(' ', begin) - begin);
    return type.starts_with("py::") ? type.substr(4) : type;
}

// The rule (a section of docs/cuda_python.md) that such a kernel breaks, or none.
std::string rule_of(std::string const& body, std::string const& types) {
    try {
        text_of(body, types);
    } catch (py::program_error const& e) {
        return e.diagnostic().rule;
    }
    return "none";
}

bool is_bool(std::string_view type) { return type == "bool"; }

} // namespace

TEST_CASE("the type of each operator for each pair of types") {
    std::vector<std::string> types = {"bool"};
    types.insert(types.end(), std::begin(number_types), std::end(number_types));
    std::size_t accepted = 0, refused = 0;
    for (auto const& left : types) {
        for (auto const& right : types) {
            auto const arrays = left + "[:], " + right + "[:]";
            std::string body;
            std::vector<std::string> expected;
            for (auto const operation : operators) {
                std::string type;
                bool const is_equality = operation == "==" || operation == "!=";
                if (is_bool(left) || is_bool(right)) {
                    if (is_equality && left == right) type = "bool";
                } else {
                    type = result_type(operation, left, right);
                }
                auto const expression = "a[0] " + std::string(operation) + " b[0]\n";
                if (type.empty()) {
                    CHECK_MESSAGE(rule_of("    x = " + expression, arrays) == "operators",
                                  left << " " << operation << " " << right);
                    ++refused;
                } else {
                    body += "    r" + std::to_string(expected.size()) + " = " + expression;
                    expected.push_back(type);
                }
            }
            if (body.empty()) continue;
            auto const text = text_of(body, arrays);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                CHECK_MESSAGE(declared_type(text, "r" + std::to_string(i)) == expected[i],
                              left << ", " << right << ": " << body);
            }
            accepted += expected.size();
        }
    }
    // 8 x 8 pairs of integers have all 17 operators, 36 other pairs of the 10 integers and reals
    // all but five on bits, 44 pairs with a complex number + - *, and bools == and !=.
    CHECK(accepted == 64 * 17 + 36 * 12 + 44 * 3 + 2);
    CHECK(accepted + refused == 13 * 13 * 17);
}

TEST_CASE("and, or and not take bools alone; - and ~ keep the type") {
    std::vector<std::string> types = {"bool"};
    types.insert(types.end(), std::begin(number_types), std::end(number_types));
    for (auto const& type : types) {
        bool const is_integer = type.find("int") != std::string::npos;
        auto const arrays = type + "[:], bool[:]";
        auto const expect = [&](std::string const& expression, std::string const& expected) {
            auto const body = "    r = " + expression + "\n";
            if (expected.empty()) {
                CHECK_MESSAGE(rule_of(body, arrays) == "operators", type << ": " << body);
            } else {
                CHECK_MESSAGE(declared_type(text_of(body, arrays), "r") == expected,
                              type << ": " << body);
            }
        };
        expect("a[0] and b[0]", is_bool(type) ? "bool" : "");
        expect("b[0] or a[0]", is_bool(type) ? "bool" : "");
        expect("not a[0]", is_bool(type) ? "bool" : "");
        expect("-a[0]", is_bool(type) ? "" : type);
        expect("+a[0]", is_bool(type) ? "" : type);
        expect("~a[0]", is_integer ? type : "");
    }
}

TEST_CASE("a store, an argument and a result coerce between ints and floats alone") {
    std::vector<std::string> types = {"bool"};
    types.insert(types.end(), std::begin(number_types), std::end(number_types));
    for (auto const& source : types) {
        for (auto const& target : types) {
            auto const is_coercible = [](std::string const& type) {
                return type.find("int") != std::string::npos || type.starts_with("float");
            };
            bool const is_fine = source == target || (is_coercible(source) && is_coercible(target));
            auto const arrays = source + "[:], " + target + "[:]";
            CHECK(rule_of("    b[0] = a[0]\n", arrays) == (is_fine ? "none" : "coercion"));
            auto const call = "    x = f(a[0])\n@cuda.jit('" + target + "(" + target +
                              ")', device=True)\ndef f(x):\n    return x\n";
            CHECK(rule_of(call, arrays) == (is_fine ? "none" : "coercion"));
            auto const result = "    x = f(a[0])\n@cuda.jit('" + target + "(" + source +
                                ")', device=True)\ndef f(x):\n    return x\n";
            CHECK(rule_of(result, arrays) == (is_fine ? "none" : "coercion"));
            // A type that is called forces it; nothing but a complex number becomes complex alone.
            bool const loses = source.starts_with("complex") && !target.starts_with("complex");
            auto const cast = "    x = " + target + "(a[0])\n";
            CHECK(rule_of(cast, arrays) == (loses ? "types" : "none"));
        }
    }
}

TEST_CASE("literals are intp and float64; functions of math make floats of at least 32 bits") {
    auto const type_of = [](std::string const& expression, std::string const& types) {
        return declared_type(text_of("    r = " + expression + "\n", types), "r");
    };
    CHECK(type_of("1", "bool, bool") == "int64");
    CHECK(type_of("0x10", "bool, bool") == "int64");
    CHECK(type_of("1.5", "bool, bool") == "float64");
    CHECK(type_of("1e3", "bool, bool") == "float64");
    CHECK(type_of("2j", "bool, bool") == "complex128");
    CHECK(type_of("True", "bool, bool") == "bool");
    for (auto const type : number_types) {
        if (type.starts_with("complex")) continue;
        bool const is_wide = type.ends_with("64");
        auto const types = std::string(type) + ", float32";
        CHECK(type_of("math.sqrt(a)", types) == (is_wide ? "float64" : "float32"));
        CHECK(type_of("math.isnan(a)", types) == "bool");
        CHECK(type_of("math.pow(a, b)", types) == (type == "float64" ? "float64" : "float32"));
    }
}

TEST_CASE("every coercion is a cast in the generated text") {
    std::vector<std::string> const types(std::begin(number_types), std::end(number_types));
    for (auto const& source : types) {
        for (auto const& target : types) {
            if (source.starts_with("complex") || target.starts_with("complex")) continue;
            auto const arrays = source + "[:], " + target + "[:]";
            auto const cast = "py::cast<py::" + target + ">(";
            auto const function = "@cuda.jit('" + target + "(" + target +
                                  ")', device=True)\ndef f(x):\n    return x\n";
            // A store to an element, one to a variable in a loop, and an argument.
            for (auto const& body :
                 {"    b[0] = a[0]\n", "    y = b[0]\n    while True: y = a[0]\n",
                  "    y = f(a[0])\n"}) {
                auto const text = text_of(body + function, arrays);
                CHECK_MESSAGE((text.find(cast) != std::string::npos) == (source != target),
                              arrays << ": " << body);
            }
        }
    }
}

TEST_CASE("a new type outside of a loop makes a new variable of C++, and none in a loop") {
    auto const variables = [](std::string const& body) {
        auto const text = text_of(body, "int32, float32");
        std::size_t count = 0;
        for (auto begin = text.find("_x = {};"); begin != std::string::npos;
             begin = text.find("_x = {};", begin + 1)) {
            ++count;
        }
        return count;
    };
    CHECK(variables("    x = a\n    x = b\n") == 2);
    CHECK(variables("    x = a\n    x = b\n    x = a\n") == 3);
    CHECK(variables("    x = a\n    x = a * a\n") == 1);
    CHECK(variables("    x = a\n    while True:\n        x = b\n        x = 1\n") == 1);
}
