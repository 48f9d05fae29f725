// What decorators say about functions.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A signature lists
// the types of a function's parameters, such as "float32, float32[:]". A decorator is what stands
// before a function, such as @cuda.jit(device=True); a device function is one that kernels call. A
// span is a place in the source.
module;

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

module spio.cuda_python;

import :tree;

namespace spio::cuda_python {

namespace {

// The signature that an expression spells, or a text.
signature signature_in(reader const& reader, node const& argument) {
    if (argument.form != form::text) return signature_of(reader, argument);
    auto const offset = argument.word.data() - reader.text->characters.data();
    auto const begin = static_cast<std::size_t>(offset);
    auto const text = parse_expression(*reader.text, {begin, begin + argument.word.size()});
    return signature_of(reader, text);
}

void read_argument(reader const& reader, node const& argument, decoration& result) {
    auto const refuse_if = [&](bool is_wrong, std::string_view reason) {
        reader.refuse_if(is_wrong, argument.location, "functions: %", reason);
    };
    auto const& name = argument.keyword;
    if (name == "device") {
        refuse_if(argument.form != form::constant || !argument.type.element.is_boolean(),
                  "device is True or False");
        result.is_device = argument.value.integer != 0;
    } else if (name.empty() || name == "argtypes") {
        auto signature = signature_in(reader, argument);
        if (result.signature) signature.result = result.signature->result;
        result.signature = std::move(signature);
    } else if (name == "restype") {
        auto const types = signature_of(reader, argument).parameters;
        refuse_if(types.size() != 1, "restype is one type");
        if (!result.signature) result.signature.emplace();
        result.signature->result = types[0];
    } else {
        refuse_if(name != "inline" && name != "target",
                  "a decorator has no argument " + in_quotes(name));
    }
}

} // namespace

void check_count(reader const& reader, span location, std::size_t count,
                 function_tree const& function) {
    reader.refuse_if(count != function.parameters.size(), location,
                     "signature: the signature has % parameters, and the function %", count,
                     function.parameters.size());
}

decoration decoration_of(module_tree const& module, function_tree const& function) {
    reader const reader{&module.text};
    decoration result;
    for (auto const& decorator : function.decorators) {
        bool const is_call = decorator.form == form::call;
        auto const path = module.text.text((is_call ? decorator.parts[0] : decorator).location);
        auto const name = path.substr(path.rfind('.') + 1);
        reader.refuse_if(name != "jit" && name != "autojit", decorator.location,
                         "functions: '%' is no decorator of CUDA Python: there are cuda.jit and "
                         "cuda.autojit",
                         path);
        result.is_decorated = true;
        if (!is_call) continue;
        for (auto const& argument : std::span(decorator.parts).subspan(1)) {
            read_argument(reader, argument, result);
        }
        if (!result.signature) continue;
        check_count(reader, decorator.location, result.signature->parameters.size(), function);
    }
    return result;
}

} // namespace spio::cuda_python
