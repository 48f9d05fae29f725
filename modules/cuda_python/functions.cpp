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
#include <span>
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

typer::level::level(typer& typer, span location) : depth(typer.depth) {
    if (++depth > greatest_typing_depth) {
        typer.fail(location, "nesting", "calls, blocks and expressions are nested too deeply");
    }
}

void typer::refuse(span location, std::string_view rule, std::string message) const {
    diagnostic problem = {std::string(rule), std::move(message), text->position_of(location), {}};
    for (std::size_t i = active.size(); i-- > 1;) {
        problem.calls.push_back(program.tree->text.position_of(active[i].second));
    }
    throw program_error(std::move(problem));
}

int typer::instance(int function, std::vector<type> const& parameters, span call) {
    auto key = std::to_string(function);
    for (auto const& parameter : parameters) key += " " + name_of(parameter);
    if (auto const found = instances.find(key); found != instances.end()) return found->second;
    auto const& tree = program.tree->functions[static_cast<std::size_t>(function)];
    refuse_if(std::ranges::find(active, function, &std::pair<int, span>::first) != active.end(),
              call, "recursion", "functions do not call themselves, and ", quoted{tree.name},
              " is being called");
    level const guard(*this, call);
    active.emplace_back(function, call);
    auto const decoration = decoration_of(*program.tree, tree);
    scope scope = {.tree = &tree, .is_kernel = active.size() == 1};
    if (decoration.signature) scope.result = decoration.signature->result;
    if (scope.is_kernel) {
        refuse_if(scope.result && !scope.result->is_nothing(), tree.location, "functions",
                  "a kernel returns nothing: its signature begins with void");
        scope.result = type();
    }
    auto* const outer = std::exchange(state, &scope);
    auto& typed_tree = scope.function;
    typed_tree.name = tree.name;
    typed_tree.parameter_count = static_cast<int>(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto const name = tree.parameters[i].first;
        scope.names[name] = {new_slot(name, parameters[i])};
    }
    typed_tree.body = typed(tree.body);
    typed_tree.result = scope.result.value_or(type());
    refuse_if(scope.is_reachable && !typed_tree.result.is_nothing(), tree.location, "functions",
              quoted{tree.name}, " returns ", typed_tree.result, ", but may end without a return");
    state = outer;
    active.pop_back();
    program.functions.push_back(std::move(typed_tree));
    int const number = static_cast<int>(program.functions.size()) - 1;
    instances.emplace(std::move(key), number);
    return number;
}

std::optional<entity> typer::entity_named(std::string_view name, span location) {
    // Names in the value of a global that was passed have their first meanings.
    bool const is_passed = text != &program.tree->text;
    static module_tree::meanings const none;
    auto const& names = is_passed ? none : program.tree->names_for(location);
    auto const found = names.find(name);
    if (found == names.end()) {
        constexpr std::string_view known[] = {"cuda", "math", "range", "xrange"};
        if (std::ranges::find(known, name) != std::end(known)) return entity{std::string(name)};
        if (scalar_named(name)) return entity{"types." + std::string(name)};
        return {};
    }
    auto const& meaning = found->second;
    if (meaning.function >= 0) return entity{.function = meaning.function};
    if (!meaning.value) return entity{meaning.path};
    refuse_if(!open_globals.insert(name).second, location, "globals", quoted{name},
              " is defined by itself");
    auto const* const outer_text = std::exchange(text, meaning.text);
    scope global;
    auto* const outer = std::exchange(state, &global);
    auto result = entity_of(*meaning.value);
    if (!result || !type_named(result->path)) {
        auto number = value_of(*meaning.value);
        auto const constant = constant_value(number, program.options);
        refuse_if(!constant, meaning.value->location, "globals",
                  "a global that a kernel uses is a number or a type");
        number = value_with(value_form::constant, location, number.type);
        number.constant = *constant;
        result = entity{.number = std::move(number)};
    }
    state = outer;
    text = outer_text;
    open_globals.erase(name);
    return result;
}

namespace {

// Reads an argument of a decorator.
void read_argument(source_text const& text, expression const& argument, decoration& result) {
    auto const refuse = [&](std::string const& reason) {
        text.fail(argument.location, "functions", reason);
    };
    if (argument.keyword == "device") {
        auto const* const boolean = std::get_if<bool>(&argument.number);
        if (argument.form != form::literal || !boolean) refuse("device is True or False");
        result.is_device = *boolean;
    } else if (argument.keyword.empty() || argument.keyword == "argtypes") {
        auto const begin = static_cast<unsigned>(argument.word.data() - text.source.text.data());
        auto const end = begin + static_cast<unsigned>(argument.word.size());
        auto signature = argument.form == form::text
                             ? signature_of(text, parse_expression(text, {begin, end}))
                             : signature_of(text, argument);
        if (result.signature) signature.result = result.signature->result;
        result.signature = std::move(signature);
    } else if (argument.keyword == "restype") {
        auto const types = signature_of(text, argument).parameters;
        if (types.size() != 1) refuse("restype is one type");
        if (!result.signature) result.signature.emplace();
        result.signature->result = types[0];
    } else if (argument.keyword != "inline" && argument.keyword != "target") {
        refuse("a decorator has no argument " + in_quotes(argument.keyword));
    }
}

} // namespace

void check_count(source_text const& text, span location, std::size_t count,
                 function_tree const& function) {
    if (count == function.parameters.size()) return;
    text.fail(location, "signature", "the signature has ", count, " parameters, and the function ",
              function.parameters.size());
}

decoration decoration_of(module_tree const& module, function_tree const& function) {
    auto const& text = module.text;
    decoration result;
    for (auto const& decorator : function.decorators) {
        bool const is_call = decorator.form == form::call;
        auto const path = text.text((is_call ? decorator.parts[0] : decorator).location);
        auto const name = path.substr(path.rfind('.') + 1);
        text.refuse_if(name != "jit" && name != "autojit", decorator.location, "functions",
                       quoted{path},
                       " is no decorator of CUDA Python: there are cuda.jit and "
                       "cuda.autojit");
        result.is_decorated = true;
        if (!is_call) continue;
        for (auto const& argument : std::span(decorator.parts).subspan(1)) {
            read_argument(text, argument, result);
        }
        if (result.signature) {
            check_count(text, decorator.location, result.signature->parameters.size(), function);
        }
    }
    return result;
}

} // namespace spio::cuda_python
