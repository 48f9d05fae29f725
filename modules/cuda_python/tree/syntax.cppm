// The tree that the parser makes of a text: tokens, expressions, statements, functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A span is a place
// in the source; a node of the tree owns the nodes below it. The parser keeps the text, and texts
// in the tree refer to it.
module;

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

module spio.cuda_python:syntax;

import :types;

namespace spio::cuda_python {

// A part of the source, in bytes.
struct span {
    unsigned begin = 0, end = 0;
};

enum class token_kind : unsigned char { name, number, string, sign, newline, indent, dedent, end };
struct token {
    token_kind kind;
    span location;
};

// A part of a text that comes from a file of its own, or from lines of its own.
struct text_part {
    unsigned begin;
    std::string file;
    int first_line, first_column;
    std::size_t fragment; // whose meanings its names have
};
// A source whose lines can be found, and errors in it.
struct source_text {
    cuda_python::source source;
    std::vector<text_part> parts; // in the order of their begins, which are begins of lines

    explicit source_text(cuda_python::source);
    explicit source_text(std::vector<fragment> const&);
    text_part const& part_of(span) const;
    std::string_view text(span location) const {
        return std::string_view(source.text).substr(location.begin, location.end - location.begin);
    }
    position position_of(span) const;
    // Throws an error at a place in the source. The rule is the section of docs/cuda_python.md that
    // the program breaks.
    [[noreturn]] void fail(span, std::string_view rule, std::string message) const;

  private:
    std::vector<unsigned> line_begins;
};
std::vector<token> tokens_of(source_text const&);

struct expression;
using expression_ptr = std::unique_ptr<expression>;
using expression_list = std::vector<expression_ptr>;

struct name_expression {
    std::string_view name;
};
struct constant { // bool, intp, float64 or complex128
    std::variant<bool, std::int64_t, double, std::complex<double>> value;
};
struct string_expression {
    std::string_view text; // without its quotes
};
struct attribute_expression {
    expression_ptr object;
    std::string_view name;
};
struct subscript_expression {
    expression_ptr object;
    expression_list indices;
};
struct slice_expression {}; // the ":" of a signature
struct argument {
    std::string_view name; // of a keyword argument, or empty
    expression_ptr value;
};
struct call_expression {
    expression_ptr callee;
    std::vector<argument> arguments;
};
enum class operation : unsigned char {
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    remainder,
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    negate,
    identity,
    invert,
    logical_not
};
std::string_view sign_of(operation);
struct unary_expression {
    cuda_python::operation operation;
    expression_ptr operand;
};
struct binary_expression {
    cuda_python::operation operation;
    expression_ptr left, right;
};
struct tuple_expression { // or a list
    expression_list parts;
};
struct expression {
    span location;
    int height = 1; // 1 without parts, else 1 more than that of the highest part
    std::variant<name_expression, constant, string_expression, attribute_expression,
                 subscript_expression, slice_expression, call_expression, unary_expression,
                 binary_expression, tuple_expression>
        node;
};

struct statement;
using block = std::vector<statement>;

struct expression_statement {
    expression_ptr value;
};
struct assignment {
    expression_list targets;
    expression_ptr value;
    bool is_unpacking = false;
};
struct augmented_assignment {
    expression_ptr target;
    cuda_python::operation operation;
    expression_ptr value;
};
struct branch {
    expression_ptr condition; // null: else
    block body;
};
struct if_statement {
    std::vector<branch> branches;
};
struct while_statement {
    expression_ptr condition;
    block body;
};
struct for_statement {
    expression_ptr target, range;
    block body;
};
struct return_statement {
    expression_ptr value; // may be null
};
enum class jump : unsigned char { break_loop, continue_loop, pass };
struct statement {
    span location;
    std::variant<expression_statement, assignment, augmented_assignment, if_statement,
                 while_statement, for_statement, return_statement, jump>
        node;
};

struct function_tree {
    std::string_view name;
    span location; // of the name
    std::vector<std::pair<std::string_view, span>> parameters;
    expression_list decorators;
    block body;
    std::vector<std::string_view> assigned; // names that are local, sorted
};

// What a name of a module means: a dotted path such as math.sin, or an expression, or a function.
struct module_name {
    span location = {};
    std::string path = {};
    expression const* value = nullptr;
    source_text const* text = nullptr; // that has the value
    int function = -1;
};
// A file as it was read: functions without types, and what its names mean.
struct module_tree {
    using meanings = std::map<std::string_view, module_name>;

    std::vector<fragment> fragments;
    source_text text;                      // of all fragments
    std::deque<source_text> further_texts; // of globals
    expression_list values;                // of globals
    std::vector<function_tree> functions;
    std::vector<meanings> names; // of each fragment

    explicit module_tree(std::vector<fragment> list)
        : fragments(std::move(list)), text(fragments), names(fragments.size()) {}
    // What names mean where a part of the text stands.
    meanings& names_for(span location) { return names[text.part_of(location).fragment]; }
    meanings const& names_for(span location) const {
        return names[text.part_of(location).fragment];
    }
};

inline constexpr int greatest_depth = 100; // of expressions, of blocks, and of calls

// Reads expressions from tokens.
class expression_parser {
  public:
    explicit expression_parser(source_text const& text) : text(text), tokens(tokens_of(text)) {}

    expression_ptr read();      // without commas
    expression_ptr read_list(); // a tuple if there are commas

    token const& next() const { return tokens[number]; }
    std::string_view word() const { return text.text(next().location); }
    bool is_sign(std::string_view sign) const {
        return next().kind == token_kind::sign && word() == sign;
    }
    bool is_keyword(std::string_view keyword) const {
        return next().kind == token_kind::name && word() == keyword;
    }
    bool accept(std::string_view sign_or_keyword);
    void expect(std::string_view sign_or_keyword);
    bool accept(token_kind);
    std::string_view expect_name(std::string_view purpose);
    token advance();
    bool is_past_end(std::string_view closing) const {
        return is_sign(closing) || next().kind == token_kind::end;
    }
    [[noreturn]] void fail(std::string_view rule, std::string message) const {
        text.fail(next().location, rule, std::move(message));
    }

    source_text const& text;

  private:
    std::vector<token> tokens;
    std::size_t number = 0;
    int depth = 0;
    unsigned last_end = 0; // of the token before the next

    expression_ptr binary(int precedence);
    expression_ptr unary();
    expression_ptr primary();
    expression_ptr atom();
    expression_ptr call(expression_ptr callee);
    expression_ptr subscript(expression_ptr object);
    operation const* operation_here(int precedence) const;
    template <class Node> expression_ptr node(unsigned begin, Node, int height_within);
};

std::string in_quotes(std::string_view); // for messages: short and printable
bool is_reserved(std::string_view name);
void parse_module(module_tree&);
void read_import(expression_parser&, module_tree&);
// The path of what an object such as cuda, math or types has under a name.
std::string path_within(std::string const& object, std::string_view name);
// A text that is one expression.
expression_ptr parse_expression(source_text const&);
constant constant_of(source_text const&, span number);

// The types of a signature that is a string, or an expression such as float32[:].
signature signature_of(source_text const&, expression const&);
signature signature_in(std::string_view text, position const&);

} // namespace spio::cuda_python
