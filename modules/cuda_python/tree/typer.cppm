// The typing pass: one walk over a function, for arguments of known types.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The parsed tree has
// expressions; the typed one has values, each with a type. A slot is a variable of one type; a span
// is a place in the source. A rule is the section of docs/cuda_python.md that a refused program
// breaks. An entity is what a name means that is no variable.
module;

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

module spio.cuda_python:typer;

import :syntax;
import :typed;
import :types;

namespace spio::cuda_python {

// What a name means that is no variable: a path, or a function, or the value of a global.
struct entity {
    std::string path = {}; // such as math.sin, cuda.threadIdx.x or types.float32; may be empty
    int function = -1;     // its number in module_tree::functions, or -1
    value_ptr number = {}; // may be null
};

// Types the functions of a program, each once for each list of argument types.
class program_typer {
  public:
    program_typer(std::shared_ptr<module_tree const>, options);

    // The number in `result` of a function for these types. Types it if that was not yet done.
    int instance(int function, std::vector<type> const& parameters, span call);
    typed_program finish() { return std::move(result); }

    std::optional<entity> entity_named(std::string_view name, span);
    // Refuses the program; `rule` is the section of docs/cuda_python.md that it breaks.
    [[noreturn]] void fail(span, std::string_view rule, std::string message) const;

    typed_program result;

  private:
    std::vector<std::pair<int, span>> active; // the functions being typed, and who called them
    std::map<std::string, int> instances;
    std::set<std::string_view> open_globals; // whose values are being computed

    source_text const* text; // of the function or of the global that is being typed
    int depth = 0;
    friend class function_typer;
    friend class depth_guard;
};

// Bounds how deep the typing pass calls itself.
class depth_guard {
  public:
    depth_guard(program_typer&, span);
    depth_guard(depth_guard const&) = delete;
    ~depth_guard() { --depth; }

  private:
    int& depth;
};

// What is known of a variable at a point of the program.
struct binding {
    int slot = -1;
    bool is_certain = true; // false: some path to here does not define it
    bool has_conflict = false;
};
using bindings = std::map<std::string_view, binding>;

// Types one function. A function that is named after a part of the tree types that part, and
// refuses it if it breaks a rule.
class function_typer {
  public:
    // `tree` is the parsed function, or null to type the value of a global.
    function_typer(program_typer& program, function_tree const* tree, typed_function& function,
                   bool is_kernel)
        : program(program), tree(tree), function(function), is_kernel(is_kernel) {}

    void type_function(std::vector<type> const& parameters, std::optional<type> const& declared);
    value_ptr value_of(expression const&);
    std::optional<entity> entity_of(expression const&);

  private:
    program_typer& program;
    function_tree const* tree;
    typed_function& function;
    bool is_kernel;
    bindings names;
    int loop_depth = 0;
    bool is_entry = true;     // no branch or loop came before
    bool is_reachable = true; // the end of the block that is being typed
    std::optional<type> result_type;

    [[noreturn]] void fail(span location, std::string_view rule, std::string message) const {
        program.fail(location, rule, std::move(message));
    }

    value_ptr number_of(expression const&); // value_of() that refuses what is no number
    value_ptr name_value(expression const&, std::string_view name);
    value_ptr attribute_value(expression const&, attribute_expression const&);
    value_ptr element_of(expression const&, subscript_expression const&);
    value_ptr unary_value(expression const&, unary_expression const&);
    value_ptr binary_value(span, operation, value_ptr left, value_ptr right);
    value_ptr call_value_of(expression const&, call_expression const&);
    value_ptr cast_value(expression const&, call_expression const&, scalar);
    value_ptr math_value_of(expression const&, call_expression const&, std::string_view name);
    value_ptr grid_value(expression const&, call_expression const&);
    value_ptr device_call(expression const&, call_expression const&, int callee); // its number
    value_ptr path_value(span, std::string const& path);
    value_list index_values(expression const&, value const& array, expression_list const&);
    value_list arguments_of(call_expression const&);
    std::int64_t constant_integer(expression const&, std::string_view rule, std::string purpose);
    // The value as it is stored to this type; `purpose` says in a message what the value is for.
    value_ptr coerced(value_ptr, type const&, std::string const& purpose);
    value_ptr condition_of(expression const&);

    typed_block typed(block const&);
    void type_statement(statement const&, typed_block&);
    void assign(std::string_view name, span, value_ptr, typed_block&);
    void assign(expression const& target, value_ptr, typed_block&);
    void unpack(assignment const&, typed_block&);
    void type_augmented(statement const&, augmented_assignment const&, typed_block&);
    void type_if(statement const&, if_statement const&, typed_block&);
    void type_while(statement const&, while_statement const&, typed_block&);
    void type_for(statement const&, for_statement const&, typed_block&);
    void type_return(statement const&, return_statement const&, typed_block&);
    void type_evaluation(statement const&, expression const&, typed_block&);
    typed_block loop_body(block const&);
    value_ptr shared_array(expression const&, call_expression const&);
    void join(bindings const& entry, std::vector<typed_branch>&, std::vector<bindings>&);
    int new_slot(std::string_view name, type);
};

// A value of a node whose type is known.
template <class Node>
value_ptr value_with(span location, type type, Node node, bool has_call = false) {
    return std::make_unique<value>(value{location, std::move(type), has_call, std::move(node)});
}
// The number as one of this type, by a coercion if it has another.
value_ptr coercion_to(scalar, value_ptr);
// The value of a tree that has constants, coercions, operations and math alone; else nothing.
std::optional<constant> constant_value(value const&, options);

} // namespace spio::cuda_python
