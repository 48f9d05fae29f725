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

// What an operator takes: bools; reals or bools, to compare for equality; integers; reals, which
// integers are too; numbers, which complex ones are too.
enum class operands : unsigned char { booleans, equals, integers, reals, numbers };
// A place in the table `operations`.
enum class operation : unsigned char {};
struct operation_entry {
    std::string_view sign;
    int precedence; // 0 for operations of one operand; the greatest binds first
    cuda_python::operands operands;
    // The operation in CUDA C++, and for reals if that differs. The emitter replaces $0 and $1 by
    // the operands, $A by both with a comma between, $T by the type of the result, and $F by
    // whether // rounds down.
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
    return operation_named({sign, size}, /*is_binary=*/true).value();
}
consteval operation operator""_unary(char const* sign, std::size_t size) {
    return operation_named({sign, size}, /*is_binary=*/false).value();
}

// The value of a constant: an integer of any type, extended to 64 bits by its sign or by zeros, or
// a bool; or the real and imaginary part of a number, in the precision of its type.
struct cell {
    std::int64_t integer = 0;
    double real = 0, imaginary = 0;
};

// The kinds of nodes. A comment names the parts of a node and, after a semicolon, the meaning of
// its member `number`; "typed:" begins what is different in the typed tree. A target is what is
// assigned to: a name or an element, in the typed tree a slot or an element. The emitter compares
// forms by their order.
enum class form : unsigned char {
    // Expressions of both trees.
    constant,  // none; its `value` is a number of its `type`
    operation, // operands; the enumerator of the operation. typed: operands of the types it wants
    tuple,     // the elements of a tuple or list. typed: of a tuple
    call,      // what is called, arguments. typed: arguments; the number of the function
    // Expressions of the parsed tree alone.
    name,      // none; its `word` is the name
    text,      // none; its `word` is a documentation text or the text of a signature
    attribute, // the object; its `word` is the attribute's name
    subscript, // the object, indices
    slice,     // none; the ":" of a signature
    // Expressions of the typed tree alone.
    slot,         // none; the number of the slot
    coercion,     // the operand, which becomes a number of the node's type
    math,         // operands; its `word` is the function of math
    element,      // the array, an index for each dimension
    place,        // the same, for the address of the element
    extent,       // the array; the dimension
    stride,       // the array; the dimension
    size,         // the array
    axis,         // none; 0, 1 or 2 for x, y or z of its `word`: thread_index, block_size or so
    shared_array, // constant extents; the offset in shared memory, in bytes
    // Statements.
    block,    // statements
    evaluate, // a call
    store,    // the target, the value. typed: the value; the slot
    write,    // typed alone: the value, the array, indices
    unpack,   // targets, a tuple. typed: a call; the slot of the first result
    augment,  // the target, the operand; the operation, as in a += b. typed: the place of an
              // element, its new value; the slot of its old value
    choose,   // a condition and its block, for each branch; then the block of an else
    repeat,   // the condition of a while loop, the block
    count,    // the variable of a for loop, the range, the block. typed: start, stop, step, the
              // block; the slot of the variable
    leave,    // the result of a return, if there is one
    break_loop,
    continue_loop,
    pass,
    barrier // typed alone: cuda.syncthreads()
};
struct node {
    cuda_python::form form;
    span location = {};
    cuda_python::type type = {}; // of a value in the typed tree, and of a constant
    std::vector<node> parts = {};
    int number = 0;
    std::string_view word = {};    // as the forms say; a text without its quotes
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
