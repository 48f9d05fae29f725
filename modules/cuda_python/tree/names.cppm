// What names mean: variables, dotted paths, functions and frozen globals.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A coercion is a typed expression of another type;
// a slot is a variable of a function with one type; a span is a place in the source. A frozen
// global keeps the value that it has when a kernel is compiled.
module;

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

module spio.cuda_python:names;

import :tree;
import :types;

namespace spio::cuda_python {

// The type that a path such as types.float32 stands for, if it does.
inline std::optional<scalar> type_named(std::string_view path) {
    return path.starts_with("types.") ? scalar_named(path.substr(6)) : std::nullopt;
}
inline bool is_coercible(type const& type) {
    return type.is_number() && (type.element.is_integer() || type.element.is_real());
}
// The parts of a call behind the first, which is what is called.
inline std::span<node const> arguments_in(node const& call) {
    return std::span(call.parts).subspan(1);
}

inline node typed_node(form form, span place, type type, std::vector<node> parts = {},
                       int number = 0, std::string_view word = {}) {
    bool const has_call = form == form::call || std::ranges::any_of(parts, &node::has_call);
    node result = {form, place, std::move(type), std::move(parts), number, word};
    result.has_call = has_call;
    return result;
}
// The number as one of this type, by a coercion if it has another.
inline node coercion_to(scalar target, node operand) {
    if (operand.type.element == target) return operand;
    span const place = operand;
    return typed_node(form::coercion, place, number(target), list_of(std::move(operand)));
}
inline node tuple_with(span place, std::vector<node> parts) {
    type types = {type::form::tuple};
    for (auto const& part : parts) types.parts.push_back(part.type);
    return typed_node(form::tuple, place, std::move(types), std::move(parts));
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

class name_typer : protected reader {
  protected:
    typed_program program;
    scope* state = nullptr;                     // of the function that is being typed
    int depth = 0;                              // of the calls of the pass to itself
    std::vector<std::string_view> open_globals; // whose values are being computed

    name_typer(std::shared_ptr<module_tree const> tree, options options)
        : reader{&tree->text}, program{.tree = std::move(tree), .options = options} {}
    ~name_typer() = default;

    // The typed value of an expression.
    virtual node value_of(node const&) = 0;

    // Counts a level as long as the result exists.
    level nested(span place) {
        constexpr int greatest_typing_depth = 500;
        return {*this, depth, greatest_typing_depth, place,
                "nesting: calls, blocks and expressions are nested too deeply"};
    }
    type const& type_of_slot(int slot) const {
        return state->function.slots[static_cast<std::size_t>(slot)].type;
    }
    node slot_value(span place, int slot) const {
        return typed_node(form::slot, place, type_of_slot(slot), /*parts=*/{}, slot);
    }
    bool is_local(std::string_view name) const {
        return state->tree && std::ranges::binary_search(state->tree->assigned, name);
    }

    // Nothing for a local variable, and for an expression that is no dotted name.
    std::optional<meaning> meaning_of(node const& expression) {
        if (expression.form == form::name && !is_local(expression.word)) {
            return meaning_named(expression.word, expression);
        }
        if (expression.form != form::attribute) return {};
        auto const object = meaning_of(expression.parts[0]);
        if (!object || object->path.empty()) return {};
        return meaning{path_within(object->path, expression.word)};
    }
    // The path of what is called, if this is a call of a dotted name.
    std::string called_path(node const& expression) {
        auto const is_call = expression.form == form::call;
        auto const callee = is_call ? meaning_of(expression.parts[0]) : std::nullopt;
        return callee ? callee->path : "";
    }

    // A path that is a value, such as cuda.threadIdx.x or math.pi.
    node path_value(span place, std::string const& path) const {
        if (path == "math.pi") return constant_with(place, float64, {.real = 3.141592653589793});
        if (path == "math.e") return constant_with(place, float64, {.real = 2.718281828459045});
        constexpr std::tuple<std::string_view, std::string_view, int> axes[] = {
            {"cuda.threadIdx.x", "thread_index", 0}, {"cuda.threadIdx.y", "thread_index", 1},
            {"cuda.threadIdx.z", "thread_index", 2}, {"cuda.blockIdx.x", "block_index", 0},
            {"cuda.blockIdx.y", "block_index", 1},   {"cuda.blockDim.x", "block_size", 0},
            {"cuda.blockDim.y", "block_size", 1},    {"cuda.blockDim.z", "block_size", 2},
            {"cuda.gridDim.x", "grid_size", 0},      {"cuda.gridDim.y", "grid_size", 1}};
        for (auto const& [name, word, axis] : axes) {
            if (path != name) continue;
            refuse_if(!state->tree, place, "globals: a global does not depend on the thread");
            return typed_node(form::axis, place, number(intp), /*parts=*/{}, axis, word);
        }
        refuse_if(type_named(path).has_value(), place,
                  "types: a type is no value: call it, as in float32(x)");
        refuse_if(path.starts_with("cuda."), place,
                  "intrinsics: '%' is no intrinsic of CUDA Python v0.2", path);
        refuse(place, "types: % is no value", {path.empty() ? "a function" : in_quotes(path)});
    }

    std::optional<meaning> meaning_named(std::string_view name, span place) {
        // The value of a global may come from outside the program as text of its own. Its names are
        // looked up without the program's definitions: only built-in names are found.
        auto const& tree = *program.tree;
        static module_tree::meanings const none;
        auto const& names = text == &tree.text ? tree.names[text->part_of(place).fragment] : none;
        auto const found = names.find(name);
        if (found == names.end()) {
            constexpr std::string_view known[] = {"cuda", "math", "range", "xrange"};
            bool const is_known = std::ranges::find(known, name) != std::end(known);
            if (!is_known && !scalar_named(name)) return {};
            return meaning{(is_known ? "" : "types.") + std::string(name)};
        }
        auto const& global = found->second;
        if (!global.value) return global;
        refuse_if(std::ranges::find(open_globals, name) != open_globals.end(), place,
                  "globals: '%' is defined by itself", name);
        open_globals.push_back(name);
        auto const* const outer_text = std::exchange(text, global.text);
        scope outside;
        auto* const outer = std::exchange(state, &outside);
        auto result = meaning_of(*global.value);
        if (!result || !type_named(result->path)) {
            auto const number = value_of(*global.value);
            auto const constant = constant_value(number, program.options);
            refuse_if(!constant, *global.value,
                      "globals: a global that a kernel uses is a number or a type");
            result = {.number = constant_with(place, number.type.element, *constant)};
        }
        state = outer;
        text = outer_text;
        open_globals.pop_back();
        return result;
    }
};

} // namespace spio::cuda_python
