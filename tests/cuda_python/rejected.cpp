// Programs that are not CUDA Python are refused with the place, the rule and the calls.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. SPIO_REJECTED is
// the file rejected.txt: a line ">>> LINE:COLUMN: RULE: MESSAGE <- CALLS", then the program, or the
// body of its kernel k(n, a, b), that is refused so.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import spio.cuda_python;

namespace py = spio::cuda_python;

namespace {

// The first line of the message, without the file's name, and the places of the calls.
std::string message_of(std::string const& text) {
    try {
        py::program const program({.name = "k.py", .text = text});
        bool const has_signature = program.declared_signature("k").has_value();
        program.compile("k", has_signature ? "" : "int32, float32[:], float32[:, :]");
    } catch (py::program_error const& e) {
        auto const& problem = e.diagnostic();
        auto message = std::to_string(problem.place.line) + ":" +
                       std::to_string(problem.place.column) + ": " + problem.rule + ": " +
                       problem.message;
        if (!problem.calls.empty()) message += " <-";
        for (auto const& call : problem.calls) {
            message += " " + std::to_string(call.line) + ":" + std::to_string(call.column);
        }
        CHECK(e.log().starts_with("k.py:" + message.substr(0, message.find(" <-"))));
        return message;
    }
    return "accepted";
}

// A kernel k with this body.
std::string body_of_k(std::string const& body) {
    std::string text = "@cuda.jit\ndef k(n, a, b):\n";
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
    return text;
}

// The programs of the file, each with the message for which it is refused.
std::vector<std::pair<std::string, std::string>> table() {
    std::vector<std::pair<std::string, std::string>> entries;
    std::ifstream file(SPIO_REJECTED);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(">>> ")) {
            entries.emplace_back(line.substr(4), "");
        } else if (!entries.empty()) {
            entries.back().second += line + "\n";
        }
    }
    return entries;
}

std::string repeated(std::string_view text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
}

} // namespace

TEST_CASE("every program of the table is refused with its message") {
    auto const entries = table();
    CHECK(entries.size() >= 120);
    for (auto const& [message, program] : entries) {
        bool const is_module = program.find("def k") != std::string::npos;
        CHECK_MESSAGE(message_of(is_module ? program : body_of_k(program)) == message, program);
    }
}

TEST_CASE("a message shows the line, a caret, and the calls") {
    std::string const text = "@cuda.jit(device=True)\n"
                             "def f(x):\n"
                             "    return x & 1\n"
                             "@cuda.jit\n"
                             "def k(a):\n"
                             "    a[0] = f(a[0])\n";
    std::string shown;
    try {
        py::program({.name = "two\nlines.py", .text = text, .first_line = 10})
            .compile("k", "float32[:]");
    } catch (spio::error const& e) {
        shown = e.log();
        CHECK(e.kind() == spio::error_kind::invalid);
    }
    CHECK(shown ==
          "two?lines.py:12:12: operators: '&' of float32 and int64: both must be integers\n"
          "        return x & 1\n"
          "               ^\n"
          "two?lines.py:15:12: called from here\n"
          "        a[0] = f(a[0])\n"
          "               ^\n");
}

TEST_CASE("an error in a signature shows the decorator") {
    std::string shown;
    try {
        py::program({.name = "k.py", .text = "@cuda.jit('void(floot[:])')\ndef k(a): pass\n"})
            .compile("k");
    } catch (spio::error const& e) {
        shown = e.log();
    }
    CHECK(shown == "k.py:1:17: signature: 'floot[:]' is no type of an argument\n"
                   "    @cuda.jit('void(floot[:])')\n"
                   "                    ^\n");
}

TEST_CASE("nesting that is too deep gives one error") {
    auto const expect_nesting_error = [](std::string const& body) {
        auto const message = message_of(body_of_k(body));
        CHECK_MESSAGE(message.find(": nesting: ") != std::string::npos, message);
    };
    constexpr int depth = 10000;
    expect_nesting_error("x = " + repeated("(", depth) + "1" + repeated(")", depth));
    expect_nesting_error("x = " + repeated("-", depth) + "1");
    expect_nesting_error("x = " + repeated("not ", depth) + "True");
    expect_nesting_error("x = 1" + repeated(" + 1", depth));
    expect_nesting_error("x = n" + repeated(".x", depth));
    expect_nesting_error("x = a" + repeated("[0]", depth));
    expect_nesting_error("x = " + repeated("f(", depth) + "1" + repeated(")", depth));
    expect_nesting_error("if n > 0:\n    pass\n" + repeated("elif n > 1:\n    pass\n", depth));
    std::string blocks, calls;
    for (int i = 0; i < depth; ++i)
        blocks += std::string(static_cast<std::size_t>(i), ' ') + "if n > 0:\n";
    expect_nesting_error(blocks);
    for (int i = 0; i < 1000; ++i) {
        calls += "@cuda.jit(device=True)\ndef f" + std::to_string(i) + "(x):\n    return f" +
                 std::to_string(i + 1) + "(x)\n";
    }
    calls += "@cuda.jit\ndef k(n, a, b):\n    x = f0(n)\n";
    auto const message = message_of(calls);
    CHECK_MESSAGE(message.find(": nesting: ") != std::string::npos, message);
}

TEST_CASE("hostile texts are refused quickly, each with one error") {
    auto const start = std::chrono::steady_clock::now();
    std::string const megabyte(1 << 20, 'x');
    std::string const texts[] = {
        "x = " + megabyte,
        "x = '" + megabyte + "'",
        "x = 0" + std::string(1 << 20, '1'),
        "# " + megabyte + "\nx = $",
        "x = " + repeated("1 + ", 1 << 15),
        "x = [" + repeated("1, ", 1 << 15) + "]",
        std::string("x = \0 1", 7),
        "x = \xff\xfe",
        "\xef\xbb\xbfx = 1",
        "x = 1\r\n  y = 2\r\n",
        "x = \\",
        "'''",
        "\t x = 1",
        std::string(1 << 20, '\t') + "x",
        std::string(1 << 16, '\n') + "$",
        "def",
        "@",
        "@cuda.jit(",
        "def k(n, a, b):",
    };
    for (auto const& text : texts) {
        auto const message = message_of(text + "\n@cuda.jit\ndef k(n, a, b):\n    y = x\n");
        CHECK_MESSAGE(message != "accepted", text.substr(0, 40));
        CHECK(message.size() < 300);
    }
    // Of a long name, a message has the first characters.
    for (auto const& value : {megabyte, "math." + megabyte + "(1)", "cuda." + megabyte,
                              "cuda.gridDim." + megabyte, "a." + megabyte}) {
        auto const message = message_of("@cuda.jit\ndef k(n, a, b):\n    y = " + value + "\n");
        CHECK_MESSAGE(message != "accepted", value.substr(0, 40));
        CHECK(message.size() < 400);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("nothing of a program escapes into the generated text") {
    std::string const text = "@cuda.jit\n"
                             "def k(int, template, __global__):\n"
                             "    'a text: \"; } #error'\n"
                             "    asm = int + 1 # */ #error\n"
                             "    NULL = asm\n"
                             "    __syncthreads = template\n"
                             "    " +
                             std::string(1000, 'x') + " = 1\n";
    py::program const program({.name = "a\"\n#error @\\\xff.py", .text = text});
    auto const kernel = program.compile("k", "int32, float32, float32[:]", {.has_lines = true});
    CHECK(kernel.text.find("#error") == std::string::npos);
    CHECK(kernel.text.find(std::string(50, 'x')) == std::string::npos);
    CHECK(kernel.text.find("#line 4 \"a\\042\\012\\043error \\100\\134\\377.py\"\n") !=
          std::string::npos);
    // Names of the program stand behind a prefix everywhere.
    for (auto const* name : {"asm", "NULL", "template", "__syncthreads"}) {
        for (auto begin = kernel.text.find(name); begin != std::string::npos;
             begin = kernel.text.find(name, begin + 1)) {
            CHECK(kernel.text[begin - 1] == '_');
        }
    }
}
