// The typed tree of a program: each value in it has a type, and every coercion is a node.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, and its form says of what kind; a slot is a variable of a function with one type, and
// stands here by its number. A span is a place in the source. Statements are those of the parser's
// tree, with values for expressions.
module;

#include <algorithm>
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

module spio.cuda_python:typed;

import :syntax;
import :types;

namespace spio::cuda_python {

// The kinds of values, each with its parts and its number.
enum class value_form : unsigned char {
    constant,
    slot,         // its number
    coercion,     // the operand as a number of the value's type
    operation,    // the operands, which have the types that the operation wants; its enumerator
    math,         // the operands
    element,      // the array, and an index for each dimension
    extent,       // the array; the dimension
    stride,       // the array; the dimension
    size,         // the array
    thread_index, // an axis, 0 for x, as those that follow
    block_index,
    block_size,
    grid_size,
    call,        // the arguments; the number of the function in typed_program::functions
    tuple,       // its parts
    shared_array // its extents, which are constants; where it begins, in bytes
};
struct value {
    value_form form;
    span location;
    cuda_python::type type;
    std::vector<value> parts = {};
    int number = 0;
    cuda_python::constant constant = {}; // of a constant
    std::string_view function = {};      // of the module math
    // Whether it calls a device function, which may store to arrays. Such values are computed in
    // the order of the source, and are the only ones that may be a statement.
    bool has_call = false;

    cuda_python::operation operation() const { return static_cast<cuda_python::operation>(number); }
};
inline value value_with(value_form form, span location, type type, std::vector<value> parts = {},
                        int number = 0) {
    bool const has_call = form == value_form::call || std::ranges::any_of(parts, &value::has_call);
    return {.form = form,
            .location = location,
            .type = std::move(type),
            .parts = std::move(parts),
            .number = number,
            .has_call = has_call};
}
value constant_with(span location, constant const&); // of the type of literals
// The number as one of this type, by a coercion if it has another.
value coercion_to(scalar, value);

using typed_statement = statement_of<value>;
using typed_block = std::vector<typed_statement>;

// A variable of a function, with one type. A name whose type changes has several slots, and so have
// values that the source gives no name.
struct slot {
    std::string_view name;
    cuda_python::type type;
};
struct typed_function {
    std::string_view name = {};
    int parameter_count = 0;
    std::vector<slot> slots = {}; // the parameters first
    type result = {};
    typed_block body = {};
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
decoration decoration_of(module_tree const&, function_tree const&);
// Refuses a signature of `count` parameters where the function has another number.
void check_count(source_text const&, span, std::size_t count, function_tree const&);

// The value of a tree that has constants, coercions, operations and math alone; else nothing.
std::optional<constant> constant_value(value const&, options);
// The text of a kernel whose symbol is @.
std::string text_of(typed_program const&);

} // namespace spio::cuda_python
