// Functions and their decorators, each typed once for a list of argument types; and frozen globals.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A slot is a variable of one type. A frozen
// global keeps the value that it has when a kernel is compiled. A span is a place in the source. An
// entity is what a name means that is no variable.
module;

#include <algorithm>
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

module spio.cuda_python;

import :syntax;
import :typed;
import :typer;

namespace spio::cuda_python {

namespace {

constexpr int greatest_typing_depth = 500;

} // namespace

program_typer::program_typer(std::shared_ptr<module_tree const> tree, options options)
    : result{.tree = std::move(tree), .options = options}, text(&result.tree->text) {}

depth_guard::depth_guard(program_typer& program, span location) : depth(program.depth) {
    if (++depth > greatest_typing_depth) {
        program.fail(location, "nesting", "calls, blocks and expressions are nested too deeply");
    }
}

void program_typer::fail(span location, std::string_view rule, std::string message) const {
    diagnostic problem = {std::string(rule), std::move(message), text->position_of(location), {}};
    for (std::size_t i = active.size(); i-- > 1;) {
        problem.calls.push_back(result.tree->text.position_of(active[i].second));
    }
    throw program_error(std::move(problem));
}

// The function's number for arguments of these types: typed now, if it was not yet.
int program_typer::instance(int function, std::vector<type> const& parameters, span call) {
    auto key = std::to_string(function);
    for (auto const& parameter : parameters) key += " " + name_of(parameter);
    if (auto const found = instances.find(key); found != instances.end()) return found->second;
    auto const& tree = result.tree->functions[static_cast<std::size_t>(function)];
    if (std::ranges::find(active, function, &std::pair<int, span>::first) != active.end()) {
        fail(call, "recursion",
             "functions do not call themselves, and " + in_quotes(tree.name) + " is being called");
    }
    depth_guard const guard(*this, call);
    active.emplace_back(function, call);
    auto const decoration = decoration_of(*result.tree, tree);
    typed_function typed;
    typed.name = tree.name;
    typed.parameter_count = static_cast<int>(parameters.size());
    bool const is_kernel = active.size() == 1;
    auto const declared = decoration.signature ? decoration.signature->result : std::nullopt;
    if (is_kernel && declared && !declared->is_nothing()) {
        fail(tree.location, "functions",
             "a kernel returns nothing: its signature begins with void");
    }
    function_typer typer(*this, &tree, typed, is_kernel);
    typer.type_function(parameters, is_kernel ? type() : declared);
    active.pop_back();
    result.functions.push_back(std::move(typed));
    int const number = static_cast<int>(result.functions.size()) - 1;
    instances.emplace(std::move(key), number);
    return number;
}

std::optional<entity> program_typer::entity_named(std::string_view name, span location) {
    // Names in the value of a global that was passed have their first meanings.
    bool const is_passed = text != &result.tree->text;
    static module_tree::meanings const none;
    auto const& names = is_passed ? none : result.tree->names_for(location);
    auto const found = names.find(name);
    if (found == names.end()) {
        for (std::string_view const known : {"cuda", "math", "range", "xrange"}) {
            if (name == known) return entity{std::string(name)};
        }
        if (scalar_named(name)) return entity{"types." + std::string(name)};
        return {};
    }
    auto const& meaning = found->second;
    if (meaning.function >= 0) return entity{.function = meaning.function};
    if (!meaning.value) return entity{meaning.path};
    if (!open_globals.insert(name).second) {
        fail(location, "globals", in_quotes(name) + " is defined by itself");
    }
    auto const* const outer = std::exchange(text, meaning.text);
    typed_function unused;
    function_typer typer(*this, nullptr, unused, false);
    auto result_entity = typer.entity_of(*meaning.value);
    bool const is_type = result_entity && result_entity->path.starts_with("types.") &&
                         scalar_named(result_entity->path.substr(6));
    if (!is_type) {
        auto number = typer.value_of(*meaning.value);
        auto const constant = constant_value(*number, result.options);
        if (!constant) {
            fail(meaning.value->location, "globals",
                 "a global that a kernel uses is a number or a "
                 "type");
        }
        result_entity = entity{};
        result_entity->number = value_with(location, number->type, *constant);
    }
    text = outer;
    open_globals.erase(name);
    return result_entity;
}

void function_typer::type_return(statement const& statement, return_statement const& end,
                                 typed_block& block) {
    auto const location = statement.location;
    is_reachable = false;
    if (is_kernel && end.value) fail(location, "functions", "a kernel returns nothing");
    if (!end.value) {
        if (result_type && !result_type->is_nothing()) {
            fail(location, "functions", "this function returns " + name_of(*result_type));
        }
        result_type = type();
        block.push_back({location, typed_return{}});
        return;
    }
    value_ptr operand;
    auto const* const parts = std::get_if<tuple_expression>(&end.value->node);
    auto const purpose = "the result of " + in_quotes(tree->name);
    if (parts && parts->parts.size() > 1) {
        tuple_value tuple;
        type tuple_type = {type::form::tuple};
        bool has_call = false;
        for (auto const& part : parts->parts) {
            auto value = value_of(*part);
            auto const i = tuple.parts.size();
            bool const is_known = result_type && i < result_type->parts.size();
            if (is_known) value = coerced(std::move(value), result_type->parts[i], purpose);
            if (!value->type.is_number() && !value->type.is_array()) {
                fail(part->location, "tuples", "a part of a tuple is a number or an array");
            }
            has_call |= value->has_call;
            tuple_type.parts.push_back(value->type);
            tuple.parts.push_back(std::move(value));
        }
        operand =
            value_with(end.value->location, std::move(tuple_type), std::move(tuple), has_call);
    } else {
        operand = value_of(*end.value);
    }
    if (operand->type.is_nothing()) fail(location, "functions", "this call has no value");
    if (!result_type) result_type = operand->type;
    block.push_back({location, typed_return{coerced(std::move(operand), *result_type, purpose)}});
}

// A statement that is an expression: a call, a barrier, or a text that documents.
void function_typer::type_evaluation(statement const& statement, expression const& expression,
                                     typed_block& block) {
    if (std::holds_alternative<string_expression>(expression.node)) return;
    auto const* call = std::get_if<call_expression>(&expression.node);
    if (!call) {
        fail(expression.location, "statements", "an expression is no statement: its value is lost");
    }
    auto const callee = entity_of(*call->callee);
    if (callee && callee->path == "cuda.syncthreads") {
        if (!call->arguments.empty()) {
            fail(expression.location, "intrinsics", "cuda.syncthreads takes no arguments");
        }
        block.push_back({statement.location, barrier{}});
        return;
    }
    auto operand = value_of(expression);
    if (!operand->has_call) {
        fail(expression.location, "statements", "this call has no effect: its value is lost");
    }
    block.push_back({statement.location, evaluation{std::move(operand)}});
}

namespace {

position place_of(source_text const& text, string_expression const& spelled) {
    auto const begin = static_cast<unsigned>(spelled.text.data() - text.source.text.data());
    return text.position_of({begin, begin});
}

// The value of an argument that must be True or False.
bool is_true(source_text const& text, argument const& argument) {
    auto const* value = std::get_if<constant>(&argument.value->node);
    auto const* boolean = value ? std::get_if<bool>(&value->value) : nullptr;
    if (!boolean) {
        text.fail(argument.value->location, "functions",
                  std::string(argument.name) + " is True or False");
    }
    return *boolean;
}

} // namespace

decoration decoration_of(module_tree const& module, function_tree const& function) {
    auto const& text = module.text;
    decoration result;
    for (auto const& decorator : function.decorators) {
        auto const* call = std::get_if<call_expression>(&decorator->node);
        auto const& callee = call ? *call->callee : *decorator;
        auto const path = text.text(callee.location);
        auto const name = path.substr(path.rfind('.') + 1);
        if (name != "jit" && name != "autojit") {
            text.fail(decorator->location, "functions",
                      in_quotes(path) + " is no decorator of CUDA Python: there are cuda.jit and "
                                        "cuda.autojit");
        }
        result.is_decorated = true;
        if (!call) continue;
        for (auto const& argument : call->arguments) {
            auto const& value = *argument.value;
            if (argument.name == "device") {
                result.is_device = is_true(text, argument);
            } else if (argument.name.empty() || argument.name == "argtypes") {
                auto const* spelled = std::get_if<string_expression>(&value.node);
                auto signature = spelled ? signature_in(spelled->text, place_of(text, *spelled))
                                         : signature_of(text, value);
                if (result.signature) signature.result = result.signature->result;
                result.signature = std::move(signature);
            } else if (argument.name == "restype") {
                if (!result.signature) result.signature.emplace();
                result.signature->result = signature_of(text, value).parameters.at(0);
            } else if (argument.name != "inline" && argument.name != "target") {
                text.fail(value.location, "functions",
                          "a decorator has no argument " + in_quotes(argument.name));
            }
        }
        auto const& signature = result.signature;
        if (signature && signature->parameters.size() != function.parameters.size()) {
            text.fail(decorator->location, "signature",
                      "the signature has " + std::to_string(signature->parameters.size()) +
                          " parameters, and the function " +
                          std::to_string(function.parameters.size()));
        }
    }
    return result;
}

} // namespace spio::cuda_python
