// The typing pass: one walk over a kernel and what it calls, for arguments of known types.
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
#include <span>
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
    std::string path = {};            // such as math.sin, cuda.threadIdx.x or types.float32
    int function = -1;                // its number in module_tree::functions, or -1
    std::optional<value> number = {}; // of a global
};
// The type that a path such as types.float32 stands for, if it does.
inline std::optional<scalar> type_named(std::string_view path) {
    return path.starts_with("types.") ? scalar_named(path.substr(6)) : std::nullopt;
}
// Whether a value of the type may stand where another number is expected.
inline bool is_coercible(type const& type) {
    return type.is_number() && (type.element.is_integer() || type.element.is_real());
}
inline std::span<expression const> arguments_in(expression const& call) {
    return std::span(call.parts).subspan(1);
}

// What is known of a variable at a point of the program.
struct binding {
    int slot = -1;
    bool is_certain = true; // false: some path to here does not define it
    bool has_conflict = false;
};
using bindings = std::map<std::string_view, binding>;

// A function that is being typed, and the point that was reached in it.
struct scope {
    function_tree const* tree = nullptr; // as parsed; null for the value of a global
    bool is_kernel = false;
    std::optional<type> result = {}; // as declared, or as the first return has it
    typed_function function = {};
    bindings names = {};
    int loops = 0;        // around the point
    bool is_entry = true; // no branch or loop came before
    bool is_reachable = true;
};

// A function that is named after a part of the tree types that part, and refuses it if it breaks a
// rule.
class typer {
  public:
    typer(std::shared_ptr<module_tree const> tree, options options)
        : program{.tree = std::move(tree), .options = options}, text(&program.tree->text) {}

    typed_program typed(int kernel, std::vector<type> const& parameters, span location) {
        instance(kernel, parameters, location);
        return std::move(program);
    }

  private:
    typed_program program;
    source_text const* text; // of the function or of the global that is being typed
    scope* state = nullptr;  // of the function that is being typed
    std::vector<std::pair<int, span>> active; // the functions being typed, and who called them
    std::map<std::string, int> instances;
    std::set<std::string_view> open_globals; // whose values are being computed
    int depth = 0;                           // of the calls of the pass to itself

    struct level {
        int& depth;
        level(typer&, span);
        level(level const&) = delete;
        ~level() { --depth; }
    };

    // As those of source_text, with the calls that led to the place.
    [[noreturn]] void refuse(span, std::string_view rule, std::string message) const;
    template <class... Words>
    [[noreturn]] void fail(span location, std::string_view rule, Words const&... words) const {
        refuse(location, rule, sentence(words...));
    }
    template <class... Words>
    void refuse_if(bool is_wrong, span location, std::string_view rule,
                   Words const&... words) const {
        if (is_wrong) refuse(location, rule, sentence(words...));
    }
    // The number in `program` of a function for these types, which is typed if it was not yet.
    int instance(int function, std::vector<type> const& parameters, span call);
    std::optional<entity> entity_named(std::string_view name, span);
    std::optional<entity> entity_of(expression const&);

    value value_of(expression const&);
    value number_of(expression const&); // value_of() that refuses what is no number
    value condition_of(expression const&);
    std::int64_t constant_integer(expression const&, std::string_view rule, std::string purpose);
    // The value as it is stored to this type; `purpose` says in a message what the value is for.
    value coerced(value, type const&, std::string const& purpose);
    value operated(span, operation, std::vector<value> operands);
    value name_value(expression const&);
    value attribute_value(expression const&);
    value path_value(span, std::string const& path);
    value element_of(expression const&);
    value element_with(expression const& subscript, value array);

    value call_value(expression const&);
    std::vector<value> arguments_of(expression const&);
    value cast_value(expression const&, scalar);
    value math_value(expression const&, std::string_view name);
    value grid_value(expression const&);
    value device_call(expression const&, int callee); // its number
    value shared_array(expression const&);

    typed_block typed(block const&);
    void type_statement(statement const&, typed_block&);
    void type_evaluation(statement const&, typed_block&);
    void type_store(statement const&, typed_block&);
    void type_unpacking(statement const&, typed_block&);
    void type_augmented(statement const&, typed_block&);
    void type_choice(statement const&, typed_block&);
    void type_while(statement const&, typed_block&);
    void type_for(statement const&, typed_block&);
    void type_return(statement const&, typed_block&);
    typed_block loop_body(block const&);
    void leave_loop(bindings const& entry);
    void assign(expression const& target, value, typed_block&);
    void join(bindings const& entry, std::vector<std::pair<std::size_t, bindings>> const& ends,
              std::vector<typed_block>&);
    type const& type_of_slot(int slot) const {
        return state->function.slots[static_cast<std::size_t>(slot)].type;
    }
    value slot_value(span location, int slot) const {
        return value_with(value_form::slot, location, type_of_slot(slot), {}, slot);
    }
    int new_slot(std::string_view name, type); // its number
};

value tuple_with(span, std::vector<value> parts);

} // namespace spio::cuda_python
