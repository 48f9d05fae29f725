// Reads statements, functions and the names of a module.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The parser makes a
// tree of the tokens of a text; a node of the tree owns the nodes below it. read_… reads what its
// name says, from the next token on; accept() takes the next token if it is this one, expect()
// refuses any other; a keyword is a reserved word, a sign an operator or bracket.
module;

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
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

namespace spio::cuda_python {

namespace {

constexpr auto augmented_signs = std::to_array<std::pair<std::string_view, operation>>({
    {"+=", operation::add},
    {"-=", operation::subtract},
    {"*=", operation::multiply},
    {"/=", operation::divide},
    {"//=", operation::floor_divide},
    {"%=", operation::remainder},
    {"&=", operation::bit_and},
    {"|=", operation::bit_or},
    {"^=", operation::bit_xor},
    {"<<=", operation::shift_left},
    {">>=", operation::shift_right},
});
constexpr std::size_t greatest_branches = 200;

class statement_parser : public expression_parser {
  public:
    explicit statement_parser(module_tree& module)
        : expression_parser(module.text), module(module) {}

    void read_module() {
        while (next().kind != token_kind::end) {
            if (accept(token_kind::newline)) continue;
            if (next().kind == token_kind::indent) fail("syntax", "this line is indented too far");
            if (is_sign("@") || is_keyword("def")) {
                read_function();
            } else if (is_keyword("import") || is_keyword("from")) {
                read_import(*this, module);
                end_line();
            } else {
                read_global();
            }
        }
    }

  private:
    module_tree& module;
    std::vector<std::string_view>* assigned = nullptr; // of the function that is being read
    int loops = 0, depth = 0; // loops and blocks around the statement that is being read

    // A line ends, or a semicolon parts its statements.
    void end_line() {
        if (accept(";") && next().kind != token_kind::newline) return;
        if (!accept(token_kind::newline)) {
            fail("syntax", "expected the end of the line and not " + in_quotes(word()));
        }
    }

    // Gives a name its meaning for the part of the text that it stands in.
    void define(std::string_view name, module_name meaning) {
        module.names_for(meaning.location).insert_or_assign(name, std::move(meaning));
    }

    // A global, which need not make sense until a function uses it, or a text that documents.
    void read_global() {
        auto const location = next().location;
        if (next().kind == token_kind::name && is_reserved(word())) {
            fail("modules", "a module has imports, functions, and globals: there is no " +
                                in_quotes(word()) + " here");
        }
        auto value = read_list();
        if (!is_sign("=")) {
            if (!std::holds_alternative<string_expression>(value->node)) {
                fail("modules",
                     "a module has imports, functions, and globals: nothing is run here");
            }
            return end_line();
        }
        auto const* name = std::get_if<name_expression>(&value->node);
        if (!name) text.fail(value->location, "modules", "a global is assigned to a name");
        advance();
        module.values.push_back(read_list());
        define(name->name,
               {.location = location, .value = module.values.back().get(), .text = &text});
        end_line();
    }

    void read_function() {
        function_tree function;
        while (accept("@")) {
            function.decorators.push_back(read());
            end_line();
        }
        expect("def");
        function.location = next().location;
        function.name = expect_name("the name of a function");
        expect("(");
        while (!is_past_end(")")) {
            auto const location = next().location;
            if (is_sign("*") || is_sign("**")) {
                fail("functions", "a function has a fixed number of parameters");
            }
            auto const name = expect_name("the name of a parameter");
            if (is_sign("=") || is_sign(":")) {
                fail("functions", "a parameter has neither a default nor an annotation");
            }
            for (auto const& [other, place] : function.parameters) {
                if (other == name) text.fail(location, "functions", "two parameters have one name");
            }
            function.parameters.emplace_back(name, location);
            if (!accept(",")) break;
        }
        expect(")");
        if (is_sign("->")) fail("functions", "a function has no annotation");
        if (function.parameters.size() > 255) {
            text.fail(function.location, "functions", "a function has at most 255 parameters");
        }
        assigned = &function.assigned;
        for (auto const& [name, location] : function.parameters) assigned->push_back(name);
        function.body = read_block();
        std::ranges::sort(function.assigned);
        define(function.name, {.location = function.location,
                               .function = static_cast<int>(module.functions.size())});
        module.functions.push_back(std::move(function));
    }

    // What follows a colon: statements in the line, or an indented block.
    block read_block() {
        if (++depth > greatest_depth) fail("nesting", "blocks are nested more than 100 deep");
        expect(":");
        block block;
        if (!accept(token_kind::newline)) {
            read_simple(block);
        } else {
            if (!accept(token_kind::indent)) fail("syntax", "expected an indented block");
            while (!accept(token_kind::dedent)) read_statement(block);
        }
        --depth;
        return block;
    }

    void read_statement(block& block) {
        auto const location = next().location;
        if (next().kind == token_kind::indent) fail("syntax", "this line is indented too far");
        if (accept("if")) {
            block.push_back({location, read_if()});
        } else if (accept("while")) {
            auto condition = read();
            block.push_back({location, while_statement{std::move(condition), read_loop()}});
        } else if (accept("for")) {
            for_statement loop;
            loop.target = loop_target();
            expect("in");
            loop.range = read();
            loop.body = read_loop();
            block.push_back({location, std::move(loop)});
        } else {
            read_simple(block);
        }
    }

    if_statement read_if() {
        if_statement choice;
        do {
            if (choice.branches.size() >= greatest_branches) {
                fail("nesting", "an if has at most 200 branches");
            }
            auto condition = read();
            choice.branches.push_back({std::move(condition), read_block()});
        } while (accept("elif"));
        if (accept("else")) choice.branches.push_back({nullptr, read_block()});
        return choice;
    }

    block read_loop() {
        ++loops;
        auto body = read_block();
        --loops;
        if (is_keyword("else")) fail("loops", "a loop has no else");
        return body;
    }

    // Statements of a line, parted by semicolons.
    void read_simple(block& block) {
        do {
            auto const location = next().location;
            if (is_keyword("break") || is_keyword("continue")) {
                auto const kind = is_keyword("break") ? jump::break_loop : jump::continue_loop;
                if (loops == 0) fail("loops", in_quotes(word()) + " stands in no loop");
                advance();
                block.push_back({location, kind});
            } else if (accept("pass")) {
                block.push_back({location, jump::pass});
            } else if (accept("return")) {
                bool const is_bare = next().kind == token_kind::newline || is_sign(";");
                block.push_back({location, return_statement{is_bare ? nullptr : read_list()}});
            } else {
                refuse_keywords();
                read_assignment(block);
            }
        } while (accept(";") && next().kind != token_kind::newline);
        if (!accept(token_kind::newline)) {
            fail("syntax", "expected the end of the line and not " + in_quotes(word()));
        }
    }

    void refuse_keywords() const {
        if (next().kind != token_kind::name || !is_reserved(word())) return;
        if (is_keyword("not") || is_keyword("True") || is_keyword("False")) return;
        fail("statements", "there is no statement " + in_quotes(word()) + " in CUDA Python");
    }

    void read_assignment(block& block) {
        auto const location = next().location;
        auto value = read_list();
        if (is_sign(":")) fail("statements", "a variable has no annotation");
        for (auto const& [sign, operation] : augmented_signs) {
            if (!accept(sign)) continue;
            check_target(*value);
            auto operand = read_list();
            block.push_back(
                {location, augmented_assignment{std::move(value), operation, std::move(operand)}});
            return;
        }
        if (!accept("=")) {
            block.push_back({location, expression_statement{std::move(value)}});
            return;
        }
        cuda_python::expression_list targets;
        bool const is_unpacking = std::holds_alternative<tuple_expression>(value->node);
        if (auto* tuple = std::get_if<tuple_expression>(&value->node)) {
            targets = std::move(tuple->parts);
            if (targets.empty()) text.fail(value->location, "assignment", "nothing is assigned to");
        } else {
            targets.push_back(std::move(value));
        }
        for (auto const& part : targets) check_target(*part);
        auto operand = read_list();
        if (is_sign("=")) fail("assignment", "a statement assigns once");
        if (!is_unpacking && std::holds_alternative<tuple_expression>(operand->node)) {
            text.fail(operand->location, "tuples", "a tuple is unpacked where it is made");
        }
        block.push_back(
            {location, assignment{std::move(targets), std::move(operand), is_unpacking}});
    }

    expression_ptr loop_target() {
        auto const location = next().location;
        auto const name = expect_name("the name of a variable");
        if (!is_keyword("in")) {
            text.fail(location, "loops", "the target of a loop is one variable");
        }
        assigned->push_back(name);
        return std::make_unique<expression>(expression{location, 1, name_expression{name}});
    }
    // Refuses what cannot be assigned to, and notes a variable of the function.
    void check_target(expression const& target) {
        if (auto const* name = std::get_if<name_expression>(&target.node)) {
            assigned->push_back(name->name);
        } else if (!std::holds_alternative<subscript_expression>(target.node)) {
            text.fail(target.location, "assignment",
                      "only variables and elements of arrays are assigned to");
        }
    }
};

} // namespace

void parse_module(module_tree& module) { statement_parser(module).read_module(); }

} // namespace spio::cuda_python
