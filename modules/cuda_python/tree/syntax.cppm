// The tree that the parser makes of a text: tokens, expressions, statements, functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A span is a place
// in the source; a node of the tree owns the nodes below it, its parts. The parser keeps the text,
// and texts in the tree refer to it. The typed tree has statements of the same kinds.
module;

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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

std::string in_quotes(std::string_view); // for messages: short and printable
// Parts of a message: texts as they are or in quotes, numbers, and types by their names.
struct quoted {
    std::string_view text;
};
inline std::string words_of(quoted name) { return in_quotes(name.text); }
inline std::string words_of(std::string_view text) { return std::string(text); }
inline std::string words_of(std::integral auto number) { return std::to_string(number); }
inline std::string words_of(scalar type) { return name_of(type); }
inline std::string words_of(type const& type) { return name_of(type); }
template <class... Words> std::string sentence(Words const&... words) {
    return (std::string() + ... + words_of(words));
}

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
    std::vector<text_part> parts = {}; // in the order of their begins, which are begins of lines

    explicit source_text(cuda_python::source);
    explicit source_text(std::vector<fragment> const&);
    text_part const& part_of(span) const;
    std::string_view text(span location) const {
        return std::string_view(source.text).substr(location.begin, location.end - location.begin);
    }
    span whole() const { return {0, static_cast<unsigned>(source.text.size())}; }
    position position_of(span) const;
    // Refuses the program for a place in the source, with these words. The rule is the section of
    // docs/cuda_python.md that it breaks.
    template <class... Words>
    [[noreturn]] void fail(span location, std::string_view rule, Words const&... words) const {
        throw program_error(
            diagnostic{std::string(rule), sentence(words...), position_of(location), {}});
    }
    template <class... Words>
    void refuse_if(bool is_wrong, span location, std::string_view rule,
                   Words const&... words) const {
        if (is_wrong) fail(location, rule, words...);
    }

  private:
    std::vector<unsigned> line_begins = {0};

    void find_lines();
};
std::vector<token> tokens_of(source_text const&, span part);

using constant = std::variant<bool, std::int64_t, double, std::complex<double>>;
constant constant_of(source_text const&, span number);

// Comparisons, operations on bits, and those that complex numbers have stand together.
enum class operation : unsigned char {
    logical_or,
    logical_and,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    bit_or,
    bit_xor,
    bit_and,
    shift_left,
    shift_right,
    invert,
    add,
    subtract,
    multiply,
    negate,
    identity,
    divide,
    floor_divide,
    remainder,
    logical_not
};
struct operation_entry { // in the order of the operations
    std::string_view sign;
    int precedence;                 // 0 for operations of one operand; the greatest binds first
    std::string_view function = {}; // of spio/tile/python.cuh, if the sign of C++ is not enough
};
inline constexpr auto operations = std::to_array<operation_entry>({
    {"or", 1},
    {"and", 2},
    {"<", 4},
    {"<=", 4},
    {">", 4},
    {">=", 4},
    {"==", 4},
    {"!=", 4},
    {"|", 5},
    {"^", 6},
    {"&", 7},
    {"<<", 8, "shift_left"},
    {">>", 8, "shift_right"},
    {"~", 0},
    {"+", 9, "add"},
    {"-", 9, "subtract"},
    {"*", 10, "multiply"},
    {"-", 0, "negate"},
    {"+", 0},
    {"/", 10},
    {"//", 10, "quotient"},
    {"%", 10, "remainder"},
    {"not", 0},
});
inline operation_entry const& entry_of(operation operation) {
    return operations[static_cast<std::size_t>(operation)];
}

// The kinds of expressions, each with its parts.
enum class form : unsigned char {
    name,
    literal,
    text,
    attribute, // the object
    subscript, // the object, and the indices
    slice,     // the ":" of a signature
    call,      // what is called, and the arguments
    operation, // the operands
    tuple      // or a list
};
struct expression {
    cuda_python::form form;
    span location;
    std::string_view word = {}; // a name, the name of an attribute, a text without its quotes
    cuda_python::operation operation = {};
    std::vector<expression> parts = {};
    constant number = {};          // of a literal
    std::string_view keyword = {}; // the name of an argument that has one
    int height = 1;                // 1 without parts, else 1 more than that of the highest part
};
template <class First, class... Others> std::vector<First> list_of(First first, Others... others) {
    std::vector<First> list;
    list.push_back(std::move(first));
    (list.push_back(std::move(others)), ...);
    return list;
}

// The kinds of statements, each with its values. A target is a name or an element; in the typed
// tree a variable is a slot.
enum class action : unsigned char {
    evaluate, // a call
    store,    // the target, and the operand
    unpack,   // the targets, and a tuple
    augment,  // the target, and the operand; when typed: an element, the slot of its old value, and
              // the new value
    choose,   // conditions: one for each block, but none for an else, which is the last block
    repeat,   // the condition of the block
    count,    // the variable and the range; when typed: the slot, the start, the stop and the step
    leave,    // the result, if there is one
    break_loop,
    continue_loop,
    pass,
    barrier // in the typed tree alone
};
template <class Value> struct statement_of {
    cuda_python::action action;
    span location;
    std::vector<Value> values = {};
    std::vector<std::vector<statement_of>> blocks = {};
    cuda_python::operation operation = {}; // of an augmented assignment
};
using statement = statement_of<expression>;
using block = std::vector<statement>;

struct function_tree {
    std::string_view name = {};
    span location = {}; // of the name
    std::vector<std::pair<std::string_view, span>> parameters = {};
    std::vector<expression> decorators = {};
    cuda_python::block body = {};
    std::vector<std::string_view> assigned = {}; // names that are local, sorted
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
    std::deque<expression> values;         // of globals
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
inline constexpr int greatest_rank = 8;    // dimensions of an array

void parse_module(module_tree&);
// The path of what an object such as cuda, math or types has under a name.
std::string path_within(std::string const& object, std::string_view name);
// A text, or a part of it, that is one expression.
expression parse_expression(source_text const&, span part);

// The types of a signature that is an expression such as float32[:], or a string of one.
signature signature_of(source_text const&, expression const&);

} // namespace spio::cuda_python
