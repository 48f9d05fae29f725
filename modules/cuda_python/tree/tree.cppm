// The tree of a program, as parsed and as typed, and the operators of the language.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A span is a place
// in the source; a node of the tree owns the nodes below it, its parts. The parser keeps the text,
// and texts in the tree refer to it. A slot is a variable of a function with one type.
module;

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python:tree;

import :text;
import :types;

namespace spio::cuda_python {

// What an operator takes: two bools; integers; reals, which ints are too; numbers, complex ones
// among them. Those that compare for equality take reals or two bools.
enum class operands : unsigned char { booleans, equals, integers, reals, numbers };
// A place in the table `operations`.
enum class operation : unsigned char {};
struct operation_entry {
    std::string_view sign;
    int precedence; // 0 for operations of one operand; the greatest binds first
    cuda_python::operands operands;
    // In CUDA C++, as the emitter's texts are spelled; the second of reals, if it is another one.
    std::string_view text, real_text = {};
};
inline constexpr auto operations = std::to_array<operation_entry>({
    {"or", 1, operands::booleans, "($0 || $1)"},
    {"and", 2, operands::booleans, "($0 && $1)"},
    {"<", 4, operands::reals, "($0 < $1)"},
    {"<=", 4, operands::reals, "($0 <= $1)"},
    {">", 4, operands::reals, "($0 > $1)"},
    {">=", 4, operands::reals, "($0 >= $1)"},
    {"==", 4, operands::equals, "($0 == $1)"},
    {"!=", 4, operands::equals, "($0 != $1)"},
    {"|", 5, operands::integers, "static_cast<$T>($0 | $1)"},
    {"^", 6, operands::integers, "static_cast<$T>($0 ^ $1)"},
    {"&", 7, operands::integers, "static_cast<$T>($0 & $1)"},
    {"<<", 8, operands::integers, "py::shift_left($A)"},
    {">>", 8, operands::integers, "py::shift_right($A)"},
    {"~", 0, operands::integers, "static_cast<$T>(~$0)"},
    {"+", 9, operands::numbers, "py::add($A)", "($0 + $1)"},
    {"-", 9, operands::numbers, "py::subtract($A)", "($0 - $1)"},
    {"*", 10, operands::numbers, "py::multiply($A)", "($0 * $1)"},
    {"-", 0, operands::numbers, "py::negate($A)", "(-$0)"},
    {"+", 0, operands::numbers, ""},
    {"/", 10, operands::reals, "($0 / $1)"},
    {"//", 10, operands::reals, "py::quotient<$T, $F>($A)"},
    {"%", 10, operands::reals, "py::remainder<$F>($A)"},
    {"not", 0, operands::booleans, "(!$0)"},
});
inline operation_entry const& entry_of(operation operation) {
    return operations[static_cast<std::size_t>(operation)];
}
// The operation of two operands, or of one, that a sign stands for.
constexpr std::optional<operation> operation_named(std::string_view sign, bool is_binary) {
    auto const found = std::ranges::find_if(operations, [&](operation_entry const& entry) {
        return entry.sign == sign && (entry.precedence > 0) == is_binary;
    });
    if (found == operations.end()) return {};
    return static_cast<operation>(found - operations.begin());
}
// The same in the program: "+"_binary, "-"_unary.
consteval operation operator""_binary(char const* sign, std::size_t size) {
    return operation_named({sign, size}, true).value();
}
consteval operation operator""_unary(char const* sign, std::size_t size) {
    return operation_named({sign, size}, false).value();
}

// The number of a thread: an integer of any type, extended to 64 bits by its sign or by zeros, or a
// bool; or the parts of a number, which are exact in the precision of its type; or the number of an
// array.
struct cell {
    std::int64_t integer = 0;
    double real = 0, imaginary = 0;
};

// The kinds of nodes, each with its parts and its number.
enum class form : unsigned char {
    constant,  // a number, with its type
    operation, // the operands; its enumerator. Typed operands have the types that it wants
    tuple,     // its parts; when parsed, a list too
    call, // what is called, and the arguments; when typed: the arguments; the function's number
    name, // in the parsed tree alone, as those to slice
    text, // that documents, or is a signature
    attribute,    // the object
    subscript,    // the object, and the indices
    slice,        // the ":" of a signature
    slot,         // its number; in the typed tree alone, as those to shared_array
    coercion,     // the operand as a number of the node's type
    math,         // the operands
    element,      // the array, and an index for each dimension
    place,        // the same, for its address, which has the array's type; in the typed tree alone
    extent,       // the array; the dimension
    stride,       // the array; the dimension
    size,         // the array
    axis,         // thread_index, block_index, block_size or grid_size, its word; 0 for x
    shared_array, // its extents, which are constants; where it begins, in bytes
    block,        // statements. A target is a name or an element, when typed a slot or an element
    evaluate,     // a call
    store,        // the target, and the operand; typed: the operand; the slot
    write,        // in the typed tree alone: the operand, the array, and the indices
    unpack,       // the targets, and a tuple; typed: a call; the slot of its first part
    augment,      // the target and the operand; the operation. When typed: the place of an element,
                  // and its new value; the slot of the old one
    choose,       // conditions, each with its block behind it; at last the block of an else
    repeat,       // the condition, and the block
    count, // the variable, the range, the block; typed: start, stop, step, the block; the slot
    leave, // the result, if there is one
    break_loop,
    continue_loop,
    pass,
    barrier // in the typed tree alone
};
struct node {
    cuda_python::form form;
    span location = {};
    cuda_python::type type = {}; // of a value in the typed tree, and of a constant
    std::vector<node> parts = {};
    int number = 0;
    // A name, the name of an attribute or of a function of math, a text without its quotes.
    std::string_view word = {};
    cell value = {};               // of a constant
    std::string_view keyword = {}; // the name of an argument that has one
    int height = 1; // of an expression: 1 without parts, else 1 more than its highest part
    // Whether it calls a device function, which may store to arrays. Such values are computed in
    // the order of the source, and are the only ones that may be a statement.
    bool has_call = false;

    cuda_python::operation operation() const { return static_cast<cuda_python::operation>(number); }
    operator span() const { return location; }
};
template <class First, class... Others> std::vector<First> list_of(First first, Others... others) {
    std::vector<First> list;
    list.push_back(std::move(first));
    (list.push_back(std::move(others)), ...);
    return list;
}
inline node constant_with(span location, scalar type, cell value) {
    node result = {form::constant, location, number(type)};
    result.value = value;
    return result;
}
node number_in(reader const&, span); // the constant that a token spells

struct function_tree {
    std::string_view name = {};
    span location = {}; // of the name
    std::vector<std::string_view> parameters = {};
    std::vector<node> decorators = {};
    node body = {form::block};
    std::vector<std::string_view> assigned = {}; // names that are local, sorted
};
// What a name means that is no variable: a path, or a function, or the value of a global.
struct meaning {
    std::string path = {}; // such as math.sin, cuda.threadIdx.x or types.float32
    function_tree const* function = nullptr;
    node const* value = nullptr;       // an expression
    source_text const* text = nullptr; // that has the value
    std::optional<node> number = {};   // that the value is
};
// A file as it was read: functions without types, and what its names mean.
struct module_tree {
    using meanings = std::map<std::string_view, meaning>;

    std::vector<fragment> fragments;
    source_text text;                      // of all fragments
    std::deque<source_text> further_texts; // of globals
    std::deque<node> values;               // of globals
    std::deque<function_tree> functions;
    std::vector<meanings> names; // of each fragment

    explicit module_tree(std::vector<fragment> list)
        : fragments(std::move(list)), text(fragments), names(fragments.size()) {}
};

// A variable of a function, with one type. A name whose type changes has several slots, and so have
// values that the source gives no name.
struct slot {
    std::string_view name;
    cuda_python::type type;
};
struct typed_function {
    std::string_view name = {};
    std::size_t parameter_count = 0;
    std::vector<slot> slots = {}; // the parameters first
    type result = {};
    node body = {form::block};
};
// A kernel, and the device functions that it calls, each for the types of its arguments.
struct typed_program {
    std::shared_ptr<module_tree const> tree; // as parsed, without types
    cuda_python::options options = {};
    std::vector<typed_function> functions = {}; // the kernel is the last
    int shared_bytes = 0;
};
// What the module's decorators say about a function.
struct decoration {
    bool is_decorated = false, is_device = false;
    std::optional<cuda_python::signature> signature = {};
};

inline constexpr int greatest_depth = 100; // of expressions, of blocks, and of calls
inline constexpr int greatest_rank = 8;    // dimensions of an array

void parse_module(module_tree&);
// A text, or a part of it, that is one expression.
inline constexpr span whole_text = {0, std::string_view::npos};
node parse_expression(source_text const&, span part = whole_text);
// The path of what an object such as cuda, math or types has under a name.
std::string path_within(std::string const& object, std::string_view name);
signature signature_of(reader const&, node const&); // that an expression spells
decoration decoration_of(module_tree const&, function_tree const&);
// Refuses a signature of `count` parameters where the function has another number.
void check_count(reader const&, span, std::size_t count, function_tree const&);
// Types a kernel for arguments of these types.
typed_program typed(std::shared_ptr<module_tree const>, options, function_tree const& kernel,
                    std::vector<type> const& parameters);
// The value of a tree that has constants, coercions, operations and math alone; else nothing.
std::optional<cell> constant_value(node const&, options);
// The text of a kernel whose symbol is @.
std::string text_of(typed_program const&);

} // namespace spio::cuda_python
