// Reads statements, functions, imports and the other names of a module.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The parser makes a
// tree of the tokens of a text; a node of the tree owns the nodes below it, its parts; its form is
// what it is, such as a loop. read_… reads what its name says, from the next token on; accept()
// takes the next token if it is this one, expect() refuses any other. A path is a full name, such
// as math.sin, that a name of the program may stand for. A fragment is a part of a program that
// comes from one text, and in which names have meanings of their own.
module;

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :expressions;
import :tree;

namespace spio::cuda_python {

namespace {

// The most branches of an if statement, and the most parameters of a function.
constexpr std::size_t greatest_branches = 200, greatest_parameters = 255;
constexpr int bitwise_precedence = 5; // operations that bind as tightly have an assignment: |=

class statement_parser : expression_parser {
  public:
    explicit statement_parser(module_tree& module)
        : expression_parser(module.text, whole_text), module(module) {}

    void read_module() {
        while (!is_next(token_kind::end)) {
            if (accept(token_kind::newline)) continue;
            refuse_indentation();
            bool const is_function = is_any_next({"@", "def"});
            bool const is_import = is_any_next({"import", "from"});
            is_function ? read_function() : is_import ? read_import() : read_global();
            if (!is_function) end_line();
        }
    }

  private:
    module_tree& module;
    function_tree function;    // that is being read
    int loops = 0, blocks = 0; // around the statement that is being read

    void refuse_indentation() const {
        refuse_next_if(is_next(token_kind::indent), "syntax: this line is indented too far");
    }
    // Whether a semicolon parts this statement from another one in its line.
    bool has_another() { return accept(";") && !is_next(token_kind::newline); }
    void end_line() {
        if (!has_another()) expect_line_end();
    }
    void expect_line_end() {
        refuse_next_if(!accept(token_kind::newline),
                       "syntax: expected the end of the line and not '%'");
    }

    // Gives a name its meaning for the part of the text that it stands in.
    void define(std::string_view name, span place, meaning meaning) {
        module.names[text->part_of(place).fragment].insert_or_assign(name, std::move(meaning));
    }

    // A dotted name, such as numba.cuda, without blanks.
    std::string read_path() {
        std::string path(expect_name("the name of a module"));
        while (accept(".")) path += "." + std::string(expect_name("the name of a module"));
        return path;
    }
    // What a module is called in the paths of names: math, cuda, or types, which stands for any of
    // the packages. All of them have all types.
    std::string canonical(span place, std::string const& path) const {
        if (path == "math" || path == "__future__") return path;
        for (std::string const known : {"numpy", "numba", "numbapro", "spio"}) {
            if (path == known) return "types";
            if (path == known + ".cuda" && known != "numpy") return "cuda";
        }
        refuse(place,
               "modules: there is no module '%'; there are math, numpy, numba, numbapro and spio",
               {path});
    }
    void read_import() {
        bool const is_selective = advance() == "from";
        auto const place = here();
        auto const path = read_path();
        if (!is_selective) {
            bool const has_alias = accept("as");
            auto const module = canonical(place, path);
            auto const name = has_alias ? expect_name("a name") : text->text(place);
            auto const package = canonical(place, path.substr(0, path.find('.')));
            return define(name, place, {has_alias ? module : package});
        }
        auto const module = canonical(place, path);
        expect("import");
        bool const has_bracket = accept("(");
        do {
            auto const name_place = here();
            auto const name = expect_name("a name to import");
            auto const alias = accept("as") ? expect_name("a name") : name;
            if (module != "__future__") define(alias, name_place, {path_within(module, name)});
        } while (accept(",") && !is_next(")"));
        if (has_bracket) expect(")");
    }

    // A global, which need not make sense until a function uses it, or a text that documents.
    void read_global() {
        refuse_next_if(is_reserved(), "modules: a module has imports, functions, and globals: "
                                      "there is no '%' here");
        auto const target = read_list();
        bool const is_assigned = accept("=");
        refuse_next_if(!is_assigned && target.form != form::text,
                       "modules: a module has imports, functions, and globals: nothing is run "
                       "here");
        if (!is_assigned) return;
        refuse_if(target.form != form::name, target, "modules: a global is assigned to a name");
        auto const& value = module.values.emplace_back(read_list());
        define(target.word, target, {.value = &value, .text = text});
    }

    void read_function() {
        function = {};
        while (accept("@")) {
            function.decorators.push_back(read());
            end_line();
        }
        expect("def");
        function.location = here();
        function.name = expect_name("the name of a function");
        expect("(");
        read_parts(")", [&] { read_parameter(); });
        refuse_next_if(is_next("->"), "functions: a function has no annotation");
        refuse_if(function.parameters.size() > greatest_parameters, function.location,
                  "functions: a function has at most 255 parameters");
        function.body = read_block();
        std::ranges::sort(function.assigned);
        auto const& result = module.functions.emplace_back(std::move(function));
        define(result.name, result.location, {.function = &result});
    }
    void read_parameter() {
        auto const place = here();
        refuse_next_if(is_any_next({"*", "**"}),
                       "functions: a function has a fixed number of parameters");
        auto const name = expect_name("the name of a parameter");
        refuse_next_if(is_any_next({"=", ":"}),
                       "functions: a parameter has neither a default nor an annotation");
        refuse_if(std::ranges::find(function.assigned, name) != function.assigned.end(), place,
                  "functions: two parameters have one name");
        function.parameters.push_back(name);
        function.assigned.push_back(name);
    }

    // What follows a colon: statements in the line, or an indented block.
    node read_block() {
        level const guard(*this, blocks, greatest_depth, here(),
                          "nesting: blocks are nested more than 100 deep");
        expect(":");
        node block = {form::block, here()};
        if (!accept(token_kind::newline)) {
            read_line(block);
            return block;
        }
        refuse_next_if(!accept(token_kind::indent), "syntax: expected an indented block");
        while (!accept(token_kind::dedent)) read_statement(block);
        return block;
    }
    node read_loop() {
        ++loops;
        auto body = read_block();
        --loops;
        refuse_next_if(is_next("else"), "loops: a loop has no else");
        return body;
    }
    void read_statement(node& block) {
        node statement = {form::choose, here()};
        auto& parts = statement.parts;
        refuse_indentation();
        if (accept("if")) {
            do {
                refuse_next_if(parts.size() >= 2 * greatest_branches,
                               "nesting: an if has at most 200 branches");
                parts.push_back(read());
                parts.push_back(read_block());
            } while (accept("elif"));
            if (accept("else")) parts.push_back(read_block());
        } else if (is_any_next({"while", "for"})) {
            statement.form = advance() == "while" ? form::repeat : form::count;
            if (statement.form == form::count) parts.push_back(read_counter());
            parts.push_back(read());
            parts.push_back(read_loop());
        } else {
            return read_line(block);
        }
        block.parts.push_back(std::move(statement));
    }
    node read_counter() {
        node counter = {form::name, here()};
        counter.word = expect_name("the name of a variable");
        refuse_if(!accept("in"), counter, "loops: the target of a loop is one variable");
        function.assigned.push_back(counter.word);
        return counter;
    }

    // Statements of a line, parted by semicolons.
    void read_line(node& block) {
        do {
            block.parts.push_back(read_simple());
        } while (has_another());
        expect_line_end();
    }
    node read_simple() {
        node result = {form::pass, here()};
        if (is_any_next({"break", "continue"})) {
            refuse_next_if(loops == 0, "loops: '%' stands in no loop");
            result.form = advance() == "break" ? form::break_loop : form::continue_loop;
        } else if (accept("return")) {
            result.form = form::leave;
            bool const is_bare = is_next(token_kind::newline) || is_next(";");
            if (!is_bare) result.parts.push_back(read_list());
        } else if (!accept("pass")) {
            refuse_next_if(is_reserved() && !is_any_next({"not", "True", "False"}),
                           "statements: there is no statement '%' in CUDA Python");
            read_assignment(result);
        }
        return result;
    }
    void read_assignment(node& statement) {
        auto& parts = statement.parts;
        auto target = read_list();
        refuse_next_if(is_next(":"), "statements: a variable has no annotation");
        auto const sign = word().ends_with('=') ? word().substr(0, word().size() - 1) : "";
        auto const operation = operation_named(sign, /*is_binary=*/true);
        statement.form = form::evaluate;
        if (operation && entry_of(*operation).precedence >= bitwise_precedence) {
            advance();
            statement.form = form::augment;
            statement.number = static_cast<int>(*operation);
        } else if (accept("=")) {
            statement.form = target.form == form::tuple ? form::unpack : form::store;
        }
        span const place = target;
        bool const is_unpacking = statement.form == form::unpack;
        parts = is_unpacking ? std::move(target.parts) : list_of(std::move(target));
        if (statement.form == form::evaluate) return;
        refuse_if(parts.empty(), place, "assignment: nothing is assigned to");
        for (auto const& part : parts) check_target(part);
        auto const& value = parts.emplace_back(read_list());
        if (statement.form == form::augment) return;
        refuse_next_if(is_next("="), "assignment: a statement assigns once");
        refuse_if(!is_unpacking && value.form == form::tuple, value,
                  "tuples: a tuple is unpacked where it is made");
    }
    // Refuses what cannot be assigned to, and notes a variable of the function.
    void check_target(node const& target) {
        bool const is_name = target.form == form::name;
        refuse_if(!is_name && target.form != form::subscript, target,
                  "assignment: only variables and elements of arrays are assigned to");
        if (is_name) function.assigned.push_back(target.word);
    }
};

} // namespace

void parse_module(module_tree& module) { statement_parser(module).read_module(); }

node parse_expression(source_text const& text, span part) {
    return expression_parser(text, part).read_whole();
}

} // namespace spio::cuda_python
