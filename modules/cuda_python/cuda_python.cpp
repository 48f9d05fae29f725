// Programs and kernels: from a text to a specification.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A spec is what a
// kernel is compiled from. A program is a file; compile() parses, types and emits one of its
// kernels. The source's position names a file, a line and a column; a diagnostic is what the
// compiler says about one.
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

program::program(source source, std::span<global const> globals)
    : program(std::vector{fragment{std::move(source), {}, {globals.begin(), globals.end()}}}) {}

program::program(std::vector<fragment> fragments) {
    if (fragments.empty()) {
        throw error(error_kind::invalid, "compile", "a program", "it has no fragment");
    }
    auto module = std::make_shared<module_tree>(std::move(fragments));
    auto const for_each_global = [&](auto f) {
        for (std::size_t i = 0; i < module->fragments.size(); ++i) {
            for (auto const& global : module->fragments[i].globals) f(module->names[i], global);
        }
    };
    for_each_global([&](auto& names, global const& global) {
        if (global.fragment >= 0) return;
        fragment const own = {{.name = "global " + global.name, .text = global.value}};
        auto const& text = module->further_texts.emplace_back(std::vector{own});
        auto const& value = module->values.emplace_back(parse_expression(text));
        names[global.name] = {.value = &value, .text = &text};
    });
    parse_module(*module);
    for_each_global([&](auto& names, global const& global) {
        if (global.fragment < 0) return;
        auto const& others = module->names.at(static_cast<std::size_t>(global.fragment));
        auto const found = others.find(global.value);
        if (found == others.end() || found->second.function < 0) {
            throw error(error_kind::invalid, "compile", in_quotes(global.name),
                        "its fragment has no function " + in_quotes(global.value));
        }
        names[global.name] = found->second;
    });
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

namespace {

std::size_t function_named(module_tree const& tree, std::string_view name) {
    auto const found = tree.names[0].find(name);
    if (found == tree.names[0].end() || found->second.function < 0) {
        throw error(error_kind::not_found, "compile", in_quotes(name),
                    in_quotes(tree.fragments[0].source.name) + " has no function of this name");
    }
    return static_cast<std::size_t>(found->second.function);
}

} // namespace

std::optional<signature> program::declared_signature(std::string_view name) const {
    return decoration_of(*tree, tree->functions[function_named(*tree, name)]).signature;
}

kernel program::compile(std::string_view name, std::string_view signature, options options) const {
    if (!signature.empty()) return compile(name, parse_signature(signature).parameters, options);
    auto const declared = declared_signature(name);
    if (!declared) {
        throw error(error_kind::invalid, "compile", in_quotes(name),
                    "its decorator has no signature, and none is passed");
    }
    return compile(name, declared->parameters, options);
}

kernel program::compile(std::string_view name, std::vector<type> const& parameters,
                        options options) const {
    auto const number = function_named(*tree, name);
    auto const& function = tree->functions[number];
    auto const decoration = decoration_of(*tree, function);
    reader const reader{&tree->text};
    reader.refuse_if(!decoration.is_decorated || decoration.is_device, function.location,
                     "functions: '%' is no kernel: a kernel is decorated by cuda.jit", name);
    check_count(reader, function.location, parameters.size(), function);
    auto const program = std::make_shared<typed_program const>(
        typed(tree, options, static_cast<int>(number), parameters));

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
    constexpr std::string_view digits = "0123456789abcdef";
    kernel.symbol = std::string(name.substr(0, 40)) + "_";
    auto const digest = fnv(text);
    for (int shift = 60; shift >= 0; shift -= 4) kernel.symbol += digits[digest >> shift & 15];
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
