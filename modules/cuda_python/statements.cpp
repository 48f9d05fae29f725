// Reads statements, functions, imports and the other names of a module.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The parser makes a
// tree of the tokens of a text; a node of the tree owns the nodes below it. read_… reads what its
// name says, from the next token on; accept() takes the next token if it is this one, expect()
// refuses any other; a keyword is a reserved word, a sign an operator or bracket. A path is a full
// name, such as math.sin, that a name of the program may stand for.
module;

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python;

import :expressions;
import :syntax;

namespace spio::cuda_python {

namespace {

constexpr std::size_t greatest_branches = 200, greatest_parameters = 255;
constexpr int bitwise_precedence = 5; // operations that bind as tightly have an assignment: |=

class statement_parser : expression_parser {
  public:
    explicit statement_parser(module_tree& module)
        : expression_parser(module.text, module.text.whole()), module(module) {}

    void read_module() {
        while (next().kind != token_kind::end) {
            if (accept(token_kind::newline)) continue;
            refuse_if(next().kind == token_kind::indent, "syntax", "this line is indented too far");
            if (is_sign("@") || is_keyword("def")) {
                read_function();
            } else {
                bool const is_import = is_keyword("import") || is_keyword("from");
                is_import ? read_import() : read_global();
                end_line();
            }
        }
    }

  private:
    module_tree& module;
    std::vector<std::string_view>* assigned = nullptr; // of the function that is being read
    int loops = 0, depth = 0; // loops and blocks around the statement that is being read

    // Whether a semicolon parts this statement from another one in its line.
    bool has_another() { return accept(";") && next().kind != token_kind::newline; }
    void end_line() {
        if (has_another() || accept(token_kind::newline)) return;
        fail("syntax", "expected the end of the line and not ", quoted{word()});
    }

    // Gives a name its meaning for the part of the text that it stands in.
    void define(std::string_view name, module_name meaning) {
        module.names_for(meaning.location).insert_or_assign(name, std::move(meaning));
    }

    // The place of a dotted name, such as numba.cuda, and the name without blanks.
    std::pair<span, std::string> read_path() {
        auto const place = next().location;
        std::string path;
        do {
            path += (path.empty() ? "" : ".") + std::string(expect_name("the name of a module"));
        } while (accept("."));
        return {place, path};
    }
    // What a module is called in the paths of names: math, cuda, or types, which stands for any of
    // the packages. All of them have all types.
    std::string canonical(span place, std::string const& path) const {
        if (path == "math" || path == "__future__") return path;
        for (std::string const known : {"numpy", "numba", "numbapro", "spio"}) {
            if (path == known) return "types";
            if (path == known + ".cuda" && known != "numpy") return "cuda";
        }
        text.fail(place, "modules", "there is no module ", quoted{path},
                  "; there are math, numpy, numba, numbapro and spio");
    }
    void read_import() {
        bool const is_selective = advance() == "from";
        auto const [place, path] = read_path();
        if (!is_selective) {
            bool const has_alias = accept("as");
            auto const meaning = canonical(place, path);
            auto const name = has_alias ? expect_name("a name") : text.text(place);
            auto const package = canonical(place, path.substr(0, path.find('.')));
            return define(name, {place, has_alias ? meaning : package});
        }
        auto const meaning = canonical(place, path);
        expect("import");
        bool const has_bracket = accept("(");
        do {
            auto const name_place = next().location;
            auto const name = expect_name("a name to import");
            auto const alias = accept("as") ? expect_name("a name") : name;
            if (meaning == "__future__") continue;
            define(alias, {name_place, path_within(meaning, name)});
        } while (accept(",") && !is_sign(")"));
        if (has_bracket) expect(")");
    }

    // A global, which need not make sense until a function uses it, or a text that documents.
    void read_global() {
        constexpr auto rule = "a module has imports, functions, and globals: ";
        auto const location = next().location;
        refuse_if(is_reserved(), "modules", rule, "there is no ", quoted{word()}, " here");
        auto const target = read_list();
        if (!accept("=")) {
            if (target.form == form::text) return;
            fail("modules", rule, "nothing is run here");
        }
        text.refuse_if(target.form != form::name, target.location, "modules",
                       "a global is assigned to a name");
        auto const& value = module.values.emplace_back(read_list());
        define(target.word, {.location = location, .value = &value, .text = &text});
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
        assigned = &function.assigned;
        while (has_more(")")) {
            read_parameter(function);
            if (!accept(",")) break;
        }
        expect(")");
        refuse_if(is_sign("->"), "functions", "a function has no annotation");
        text.refuse_if(function.parameters.size() > greatest_parameters, function.location,
                       "functions", "a function has at most 255 parameters");
        function.body = read_block();
        std::ranges::sort(function.assigned);
        define(function.name, {.location = function.location,
                               .function = static_cast<int>(module.functions.size())});
        module.functions.push_back(std::move(function));
    }
    void read_parameter(function_tree& function) {
        auto const location = next().location;
        refuse_if(is_sign("*") || is_sign("**"), "functions",
                  "a function has a fixed number of parameters");
        auto const name = expect_name("the name of a parameter");
        refuse_if(is_sign("=") || is_sign(":"), "functions",
                  "a parameter has neither a default nor an annotation");
        text.refuse_if(std::ranges::find(*assigned, name) != assigned->end(), location, "functions",
                       "two parameters have one name");
        function.parameters.emplace_back(name, location);
        assigned->push_back(name);
    }

    // What follows a colon: statements in the line, or an indented block.
    block read_block() {
        refuse_if(++depth > greatest_depth, "nesting", "blocks are nested more than 100 deep");
        expect(":");
        block block;
        if (!accept(token_kind::newline)) {
            read_line(block);
        } else {
            refuse_if(!accept(token_kind::indent), "syntax", "expected an indented block");
            while (!accept(token_kind::dedent)) read_statement(block);
        }
        --depth;
        return block;
    }

    void read_statement(block& block) {
        statement result = {action::choose, next().location};
        refuse_if(next().kind == token_kind::indent, "syntax", "this line is indented too far");
        if (accept("if")) {
            read_branches(result);
        } else if (accept("while")) {
            result.action = action::repeat;
            result.values.push_back(read());
            result.blocks.push_back(read_loop());
        } else if (accept("for")) {
            result.action = action::count;
            result.values.push_back(read_counter());
            expect("in");
            result.values.push_back(read());
            result.blocks.push_back(read_loop());
        } else {
            return read_line(block);
        }
        block.push_back(std::move(result));
    }
    void read_branches(statement& choice) {
        do {
            refuse_if(choice.blocks.size() >= greatest_branches, "nesting",
                      "an if has at most 200 branches");
            choice.values.push_back(read());
            choice.blocks.push_back(read_block());
        } while (accept("elif"));
        if (accept("else")) choice.blocks.push_back(read_block());
    }
    block read_loop() {
        ++loops;
        auto body = read_block();
        --loops;
        refuse_if(is_keyword("else"), "loops", "a loop has no else");
        return body;
    }
    expression read_counter() {
        auto const location = next().location;
        auto const name = expect_name("the name of a variable");
        text.refuse_if(!is_keyword("in"), location, "loops",
                       "the target of a loop is one variable");
        assigned->push_back(name);
        return {form::name, location, name};
    }

    // Statements of a line, parted by semicolons.
    void read_line(block& block) {
        do {
            block.push_back(read_simple());
        } while (has_another());
        refuse_if(!accept(token_kind::newline), "syntax", "expected the end of the line and not ",
                  quoted{word()});
    }
    statement read_simple() {
        auto const location = next().location;
        if (is_keyword("break") || is_keyword("continue")) {
            refuse_if(loops == 0, "loops", quoted{word()}, " stands in no loop");
            return {advance() == "break" ? action::break_loop : action::continue_loop, location};
        }
        if (accept("pass")) return {action::pass, location};
        if (accept("return")) {
            bool const is_bare = next().kind == token_kind::newline || is_sign(";");
            statement result = {action::leave, location};
            if (!is_bare) result.values.push_back(read_list());
            return result;
        }
        refuse_if(is_reserved() && !is_keyword("not") && !is_keyword("True") &&
                      !is_keyword("False"),
                  "statements", "there is no statement ", quoted{word()}, " in CUDA Python");
        return read_assignment(location);
    }
    statement read_assignment(span location) {
        auto target = read_list();
        refuse_if(is_sign(":"), "statements", "a variable has no annotation");
        bool const is_augmented = next().kind == token_kind::sign && word().ends_with('=');
        auto const operation = is_augmented
                                   ? operation_named(word().substr(0, word().size() - 1), true)
                                   : std::nullopt;
        if (operation && entry_of(*operation).precedence >= bitwise_precedence) {
            advance();
            check_target(target);
            return {
                action::augment, location, list_of(std::move(target), read_list()), {}, *operation};
        }
        if (!accept("=")) return {action::evaluate, location, list_of(std::move(target))};
        bool const is_unpacking = target.form == form::tuple;
        text.refuse_if(is_unpacking && target.parts.empty(), target.location, "assignment",
                       "nothing is assigned to");
        auto values = is_unpacking ? std::move(target.parts) : list_of(std::move(target));
        for (auto const& part : values) check_target(part);
        values.push_back(read_list());
        refuse_if(is_sign("="), "assignment", "a statement assigns once");
        text.refuse_if(!is_unpacking && values.back().form == form::tuple, values.back().location,
                       "tuples", "a tuple is unpacked where it is made");
        return {is_unpacking ? action::unpack : action::store, location, std::move(values)};
    }
    // Refuses what cannot be assigned to, and notes a variable of the function.
    void check_target(expression const& target) {
        if (target.form == form::name) {
            assigned->push_back(target.word);
        } else if (target.form != form::subscript) {
            text.fail(target.location, "assignment",
                      "only variables and elements of arrays are assigned to");
        }
    }
};

} // namespace

void parse_module(module_tree& module) { statement_parser(module).read_module(); }

expression parse_expression(source_text const& text, span part) {
    return expression_parser(text, part).read_whole();
}

} // namespace spio::cuda_python
