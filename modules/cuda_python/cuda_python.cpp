// Programs and kernels: from a text to a specification.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A spec is what a
// kernel is compiled from. A program is a file; compile() parses, types and emits one of its
// kernels. The source's position names a file, a line and a column; a diagnostic is what the
// compiler says about one. A fragment is the text of some functions, with what their names mean.
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import spio.spec;
import :tree;

namespace spio::cuda_python {

namespace {

[[noreturn]] void fail(error_kind kind, std::string_view subject, std::string const& reason) {
    throw error(kind, "compile", std::string(subject), reason);
}

// A function that a fragment defines, or null.
function_tree const* function_named(module_tree const& tree, std::size_t fragment,
                                    std::string_view name) {
    auto const& names = tree.names.at(fragment);
    auto const found = names.find(name);
    return found == names.end() ? nullptr : found->second.function;
}
function_tree const& first_function_named(module_tree const& tree, std::string_view name) {
    if (auto const* const function = function_named(tree, /*fragment=*/0, name)) return *function;
    fail(error_kind::not_found, in_quotes(name),
         in_quotes(tree.fragments[0].source.name) + " has no function of this name");
}

} // namespace

program::program(source source, std::span<global const> globals)
    : program(std::vector{fragment{std::move(source), {}, {globals.begin(), globals.end()}}}) {}

program::program(std::vector<fragment> fragments) {
    if (fragments.empty()) fail(error_kind::invalid, "a program", "it has no fragment");
    auto module = std::make_shared<module_tree>(std::move(fragments));
    parse_module(*module);
    for (std::size_t i = 0; i < module->fragments.size(); ++i) {
        for (auto const& [name, value, fragment] : module->fragments[i].globals) {
            auto& names = module->names[i];
            if (fragment < 0) {
                cuda_python::fragment const own = {{.name = "global " + name, .text = value}};
                auto const& text = module->further_texts.emplace_back(std::vector{own});
                auto const& tree = module->values.emplace_back(parse_expression(text));
                names.try_emplace(name, meaning{.value = &tree, .text = &text});
                continue;
            }
            auto const* const function =
                function_named(*module, static_cast<std::size_t>(fragment), value);
            if (!function) {
                fail(error_kind::invalid, in_quotes(name),
                     "its fragment has no function " + in_quotes(value));
            }
            names[name] = {.function = function};
        }
    }
    tree = std::move(module);
}

std::vector<std::string> program::kernels() const {
    std::vector<std::string> names;
    for (auto const& function : tree->functions) {
        if (tree->text.part_of(function.location).fragment != 0) continue;
        auto const decoration = decoration_of(*tree, function);
        if (decoration.is_decorated && !decoration.is_device) names.emplace_back(function.name);
    }
    return names;
}

std::optional<signature> program::declared_signature(std::string_view name) const {
    return decoration_of(*tree, first_function_named(*tree, name)).signature;
}

kernel program::compile(std::string_view name, std::string_view signature, options options) const {
    auto const types = signature.empty() ? declared_signature(name) : parse_signature(signature);
    if (types) return compile(name, types->parameters, options);
    fail(error_kind::invalid, in_quotes(name),
         "its decorator has no signature, and none is passed");
}

kernel program::compile(std::string_view name, std::vector<type> const& parameters,
                        options options) const {
    auto const& function = first_function_named(*tree, name);
    auto const decoration = decoration_of(*tree, function);
    reader const reader{&tree->text};
    reader.refuse_if(!decoration.is_decorated || decoration.is_device, function.location,
                     "functions: '%' is no kernel: a kernel is decorated by cuda.jit", name);
    check_count(reader, function.location, parameters.size(), function);
    auto const program =
        std::make_shared<typed_program const>(typed(tree, options, function, parameters));

    kernel kernel = {
        .name = std::string(name), .shared_bytes = program->shared_bytes, .tree = program};
    std::size_t alignment = 1;
    auto const padded = [](std::size_t size, std::size_t unit) {
        return (size + unit - 1) / unit * unit;
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto const& type = parameters[i];
        auto const unit = type.is_array() ? 8 : type.element.alignment();
        auto const offset = padded(kernel.params_bytes, unit);
        alignment = std::max(alignment, unit);
        kernel.parameters.push_back({std::string(function.parameters[i]), type, offset});
        kernel.params_bytes = offset + size_of(type);
        kernel.signature += (i == 0 ? "" : ", ") + name_of(type);
    }
    kernel.params_bytes = std::max<std::size_t>(padded(kernel.params_bytes, alignment), 1);
    auto const text = text_of(*program);
    char digest[17];
    std::snprintf(digest, sizeof digest, "%016llx", fnv(text));
    kernel.symbol = std::string(name.substr(0, 40)) + "_" + digest;
    for (char const c : text) kernel.text += c == '@' ? kernel.symbol : std::string(1, c);
    return kernel;
}

spec kernel::specialize(extent block, spio::arch arch) const {
    return {.family = "cuda_python",
            .problem = name + "(" + signature + ")",
            .config = "",
            .arch = arch,
            .symbol = symbol,
            .source = text,
            .shape = {.block = block, .shared_bytes = shared_bytes},
            .params_bytes = params_bytes};
}

} // namespace spio::cuda_python
