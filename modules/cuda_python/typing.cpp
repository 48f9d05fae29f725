// The types of functions and their statements: branches that join, loops, returns.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; its classes are layers:
// names, values, calls, assignments, statements. A slot is a variable of a function with one type;
// a binding is what is known of a variable at a point of the program: its slot, and whether every
// path to the point defines it. A span is a place in the source.
module;

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :assignments;
import :names;
import :tree;

namespace spio::cuda_python {

namespace {

// What is known at the ends of branches, each by its place among the parts of a choice.
using branch_ends = std::vector<std::pair<std::size_t, bindings>>;

class statement_typer : assignment_typer {
  public:
    statement_typer(std::shared_ptr<module_tree const> tree, options options)
        : assignment_typer(std::move(tree), options) {}

    typed_program typed(function_tree const& kernel, std::vector<type> const& parameters) {
        instance(kernel, parameters, kernel.location);
        return std::move(program);
    }

  private:
    std::vector<function_tree const*> active; // the functions being typed
    std::map<std::pair<function_tree const*, std::string>, int> instances;

    int instance(function_tree const& tree, std::vector<type> const& parameters,
                 span call) override {
        std::pair key = {&tree, name_of(type{.form = type::form::tuple, .parts = parameters})};
        if (auto const found = instances.find(key); found != instances.end()) return found->second;
        refuse_if(std::ranges::find(active, &tree) != active.end(), call,
                  "recursion: functions do not call themselves, and '%' is being called",
                  tree.name);
        auto const guard = nested(call);
        bool const is_kernel = active.empty();
        active.push_back(&tree);
        if (!is_kernel) calls.emplace_back(&program.tree->text, call);
        auto const decoration = decoration_of(*program.tree, tree);
        scope scope = {.tree = &tree, .is_kernel = is_kernel};
        if (decoration.signature) scope.result = decoration.signature->result;
        if (is_kernel) {
            refuse_if(scope.result && !scope.result->is_nothing(), tree.location,
                      "functions: a kernel returns nothing: its signature begins with void");
            scope.result = type();
        }
        auto* const outer = std::exchange(state, &scope);
        auto& function = scope.function;
        function.name = tree.name;
        function.parameter_count = parameters.size();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            scope.names[tree.parameters[i]] = {new_slot(tree.parameters[i], parameters[i])};
        }
        function.body = typed_block(tree.body);
        function.result = scope.result.value_or(type());
        refuse_if(scope.is_reachable && !function.result.is_nothing(), tree.location,
                  "functions: '%' returns %, but may end without a return", tree.name,
                  function.result);
        state = outer;
        active.pop_back();
        if (!is_kernel) calls.pop_back();
        program.functions.push_back(std::move(function));
        int const result = static_cast<int>(program.functions.size()) - 1;
        instances.emplace(std::move(key), result);
        return result;
    }

    // Types statements in their order.
    node typed_block(node const& statements) {
        node block = {form::block, statements};
        for (auto const& statement : statements.parts) type_statement(statement, block);
        return block;
    }
    void type_statement(node const& statement, node& block) {
        auto const guard = nested(statement);
        auto const form = statement.form;
        if (form == form::evaluate) return type_evaluation(statement, block);
        if (form == form::store) return type_store(statement, block);
        if (form == form::unpack) return type_unpacking(statement, block);
        if (form == form::augment) return type_augmented(statement, block);
        if (form == form::pass) return;
        state->is_entry = false;
        if (form == form::choose) return type_choice(statement, block);
        if (form == form::repeat) return type_while(statement, block);
        if (form == form::count) return type_for(statement, block);
        state->is_reachable = false;
        if (form == form::leave) return type_return(statement, block);
        add(block, form, statement);
    }

    void type_choice(node const& statement, node& block) {
        node choice = {form::choose, statement};
        auto const entry = state->names;
        bool const was_reachable = state->is_reachable;
        branch_ends ends; // that reach the join
        for (auto const& part : statement.parts) {
            bool const is_block = part.form == form::block;
            state->names = entry;
            state->is_reachable = was_reachable;
            choice.parts.push_back(is_block ? typed_block(part) : condition_of(part));
            bool const is_end = is_block && state->is_reachable;
            if (is_end) ends.emplace_back(choice.parts.size() - 1, state->names);
        }
        if (statement.parts.size() % 2 == 0) { // there is no else
            ends.emplace_back(choice.parts.size(), entry);
            choice.parts.push_back({form::block});
        }
        state->is_reachable = was_reachable && !ends.empty();
        join(entry, std::move(ends), choice.parts);
        block.parts.push_back(std::move(choice));
    }
    // Joins the variables at the ends of branches: the type is that of before, or else that of the
    // first branch that has one. Appends to the other branches what stores and coerces to it.
    void join(bindings const& entry, branch_ends ends, std::vector<node>& branches) {
        state->names = entry;
        for (auto const& [branch, names] : ends) state->names.insert(names.begin(), names.end());
        for (auto& [name, joined] : state->names) {
            for (auto& [branch, names] : ends) {
                auto const found = names.try_emplace(name, binding{-1, false}).first->second;
                joined.is_certain &= found.is_certain;
                joined.has_conflict |= found.has_conflict;
            }
            for (auto const& [branch, names] : ends) {
                int const slot = names.at(name).slot;
                if (joined.has_conflict || slot < 0 || slot == joined.slot) continue;
                auto const wanted = type_of_slot(joined.slot);
                auto operand = slot_value(/*place=*/{}, slot);
                joined.has_conflict =
                    operand.type != wanted && !(is_coercible(operand.type) && is_coercible(wanted));
                if (joined.has_conflict) break;
                operand = coerced(std::move(operand), wanted, "");
                add(branches[branch], form::store, {}, list_of(std::move(operand)), joined.slot);
            }
        }
    }

    // Types the body of a loop behind what `block` has of it already. Behind the loop, variables
    // from before have their old slots; others may be undefined, since the body may not have run.
    void type_body(node const& body, node& block, bindings const& entry) {
        bool const was_reachable = state->is_reachable;
        ++state->loops;
        for (auto& statement : typed_block(body).parts) block.parts.push_back(std::move(statement));
        --state->loops;
        state->is_reachable = was_reachable;
        for (auto& [name, binding] : state->names) {
            auto const found = entry.find(name);
            if (found != entry.end()) binding = found->second;
            binding.is_certain &= found != entry.end();
        }
    }
    void type_while(node const& statement, node& block) {
        auto condition = condition_of(statement.parts[0]);
        node body = {form::block};
        type_body(statement.parts[1], body, bindings(state->names));
        add(block, form::repeat, statement, list_of(std::move(condition), std::move(body)));
    }
    void type_for(node const& statement, node& block) {
        auto const &variable = statement.parts[0], &range = statement.parts[1];
        auto const path = called_path(range);
        refuse_if(path != "range" && path != "xrange", range,
                  "loops: a loop runs over range or xrange alone");
        auto parts = arguments_of(range);
        for (auto& limit : parts) {
            span const place = limit;
            limit = integer_with(std::move(limit), place,
                                 "loops: the limits of a range are integers and not %");
        }
        refuse_if(parts.empty() || parts.size() > 3, range.parts[0],
                  "loops: a range takes 1 to 3 limits");
        if (parts.size() == 1) parts.insert(parts.begin(), constant_with(range, intp, {0}));
        if (parts.size() == 2) parts.push_back(constant_with(range, intp, {1}));
        auto const step = constant_value(parts[2], program.options);
        refuse_if(step && step->integer == 0, parts[2], "loops: the step of a range is not 0");
        int const counter = new_slot("counter", number(intp));
        auto const entry = state->names;
        node body = {form::block};
        ++state->loops;
        assign(variable, slot_value(variable, counter), body);
        --state->loops;
        type_body(statement.parts[2], body, entry);
        parts.push_back(std::move(body));
        add(block, form::count, statement, std::move(parts), counter);
    }

    void type_return(node const& statement, node& block) {
        auto& result = state->result;
        if (statement.parts.empty()) {
            refuse_if(result && !result->is_nothing(), statement,
                      "functions: this function returns %", result.value_or(type()));
            result = type();
            return add(block, form::leave, statement);
        }
        refuse_if(state->is_kernel, statement, "functions: a kernel returns nothing");
        auto const purpose = "the result of " + in_quotes(state->tree->name);
        auto const& spelled = statement.parts[0];
        bool const is_tuple = spelled.form == form::tuple && spelled.parts.size() > 1;
        std::vector<node> parts;
        for (auto const& part : is_tuple ? std::span(spelled.parts) : std::span<node const>()) {
            auto value = value_of(part);
            auto const i = parts.size();
            bool const is_known = result && i < result->parts.size();
            if (is_known) value = coerced(std::move(value), result->parts[i], purpose);
            refuse_if(!value.type.is_number() && !value.type.is_array(), part,
                      "tuples: a part of a tuple is a number or an array");
            parts.push_back(std::move(value));
        }
        auto operand = is_tuple ? tuple_with(spelled, std::move(parts)) : value_of(spelled);
        refuse_if(operand.type.is_nothing(), statement, "functions: this call has no value");
        if (!result) result = operand.type;
        add(block, form::leave, statement, list_of(coerced(std::move(operand), *result, purpose)));
    }
};

} // namespace

typed_program typed(std::shared_ptr<module_tree const> tree, options options,
                    function_tree const& kernel, std::vector<type> const& parameters) {
    return statement_typer(std::move(tree), options).typed(kernel, parameters);
}

} // namespace spio::cuda_python
