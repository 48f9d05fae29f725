// The typed tree of a program: each value in it has a type, and every coercion is a node.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A value is a typed
// expression, and its node says of what kind; a slot is a variable of a function with one type, and
// stands here by its number. Statements own their values. A span is a place in the source.
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

module spio.cuda_python:typed;

import :syntax;
import :types;

namespace spio::cuda_python {

struct value;
using value_ptr = std::unique_ptr<value>;
using value_list = std::vector<value_ptr>;

struct slot_value { // a variable of a function
    int slot;
};
// The operand as a number of the value's type.
struct coercion {
    value_ptr operand;
};
struct operation_value { // operands have the types that the operation wants
    cuda_python::operation operation;
    value_list operands;
};
// An element of an array, of as many indices as the array has dimensions.
struct element_value {
    value_ptr array;
    value_list indices;
};
enum class array_fact : unsigned char { extent, stride, size };
struct array_fact_value {
    array_fact fact;
    value_ptr array;
    int dimension;
};
enum class special_register : unsigned char { thread_index, block_index, block_size, grid_size };
struct register_value {
    special_register source;
    int axis; // 0: x
};
struct math_value {
    std::string_view function;
    value_list operands;
};
struct call_value {
    int function; // its number in typed_program::functions
    value_list operands;
};
struct tuple_value {
    value_list parts;
};
struct shared_array_value {
    int offset; // in bytes
    std::vector<std::int64_t> shape;
};
struct value {
    span location;
    cuda_python::type type;
    // Whether it calls a device function, which may store to arrays. Such values are computed in
    // the order of the source, and are the only ones that may be a statement.
    bool has_call = false;
    std::variant<constant, slot_value, coercion, operation_value, element_value, array_fact_value,
                 register_value, math_value, call_value, tuple_value, shared_array_value>
        node;
};

struct typed_statement;
using typed_block = std::vector<typed_statement>;
struct store_slot {
    int slot;
    value_ptr operand;
};
struct store_element {
    value_ptr array;
    value_list indices;
    value_ptr operand;
    int old_slot = -1; // gets the element before `operand` is computed, if it is not negative
};
// A value that is computed for its calls alone.
struct evaluation {
    value_ptr operand;
};
// The parts of a tuple, each stored to a slot.
struct unpacking {
    std::vector<int> slots;
    value_ptr operand;
};
struct typed_branch {
    value_ptr condition; // null: else
    typed_block body;
};
struct typed_if {
    std::vector<typed_branch> branches;
};
struct typed_while {
    value_ptr condition;
    typed_block body;
};
struct typed_for {
    int counter; // a slot that the source has no name for
    value_ptr start, stop, step;
    typed_block body; // it begins with the store of the counter
};
struct typed_return {
    value_ptr operand; // may be null
};
struct barrier {};
struct typed_statement {
    span location;
    std::variant<store_slot, store_element, evaluation, unpacking, typed_if, typed_while, typed_for,
                 typed_return, jump, barrier>
        node;
};
// A variable of a function, with one type. A name whose type changes has several slots, and so have
// values that the source gives no name.
struct slot {
    std::string_view name;
    cuda_python::type type;
};
struct typed_function {
    std::string_view name;
    int parameter_count = 0;
    std::vector<slot> slots; // the parameters first
    type result;
    typed_block body;
};
// A kernel, and the device functions that it calls, each for the types of its arguments.
struct typed_program {
    std::shared_ptr<module_tree const> tree; // as parsed, without types
    cuda_python::options options = {};
    std::vector<typed_function> functions = {}; // the kernel is the last
    int shared_bytes = 0;
};

// A function of the module math. A predicate has a bool as its result.
struct math_function {
    std::string_view name;
    int parameters;
    bool is_predicate = false;
};
math_function const* math_named(std::string_view);

typed_program typed(std::shared_ptr<module_tree const>, int function,
                    std::vector<type> const& parameters, options);
// What the module's decorators say about a function.
struct decoration {
    bool is_decorated = false, is_device = false;
    std::optional<cuda_python::signature> signature = {};
};
decoration decoration_of(module_tree const&, function_tree const&);

// The text of a kernel whose symbol is @.
std::string text_of(typed_program const&);

} // namespace spio::cuda_python
