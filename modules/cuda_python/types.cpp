// Names of types, the most generic of two, and signatures.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. A scalar is a type
// of numbers, a type that of a value: a number, an array, a tuple or nothing. A signature lists the
// types of a function's parameters, such as "float32, float32[:]".
module;

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.cuda_python;

import :tree;

namespace spio::cuda_python {

namespace {

constexpr scalar signed_of(int bits) { return {kind::signed_integer, bits}; }
constexpr scalar unsigned_of(int bits) { return {kind::unsigned_integer, bits}; }
constexpr scalar all_scalars[] = {
    boolean,        signed_of(8),    signed_of(16),   signed_of(32),   intp,
    unsigned_of(8), unsigned_of(16), unsigned_of(32), unsigned_of(64), float32,
    float64,        complex64,       complex128};

} // namespace

std::span<scalar const> scalars() { return all_scalars; }

std::string name_of(scalar scalar) {
    if (scalar.is_boolean()) return "bool";
    constexpr std::string_view kinds[] = {"bool", "int", "uint", "float", "complex"};
    return std::string(kinds[static_cast<std::size_t>(scalar.kind)]) + std::to_string(scalar.bits);
}

std::optional<scalar> scalar_named(std::string_view name) {
    if (name == "intp") return intp;
    for (auto const scalar : all_scalars) {
        if (name_of(scalar) == name) return scalar;
    }
    return {};
}

// The type to which an operator takes both operands: the one that holds more numbers.
scalar most_generic(scalar a, scalar b) {
    if (a.is_complex() || b.is_complex()) {
        auto const bits = [](scalar x) {
            return x.is_complex() ? x.bits : x.is_real() ? 2 * x.bits : 0;
        };
        return {kind::complex, std::max(bits(a), bits(b))};
    }
    if (a.is_real() != b.is_real()) return a.is_real() ? a : b;
    if (a.bits != b.bits) return a.bits > b.bits ? a : b;
    return a.kind == kind::unsigned_integer ? b : a;
}

// What object.name means, such as cuda.grid; several spellings of one thing have one path.
std::string path_within(std::string const& object, std::string_view name) {
    // numba.cuda is cuda, and cuda.float32 is numba.float32.
    if (object == "types" && name == "cuda") return "cuda";
    if (object == "cuda" && scalar_named(name)) return "types." + std::string(name);
    return object + "." + std::string(name);
}

std::string name_of(type const& type) {
    if (type.is_nothing()) return "void";
    if (type.is_tuple()) {
        std::string names;
        for (auto const& part : type.parts) names += (names.empty() ? "" : ", ") + name_of(part);
        return "(" + names + ")";
    }
    std::string text = name_of(type.element);
    for (int i = 0; i < type.rank; ++i) text += i == 0 ? "[:" : ", :";
    return text + (type.is_array() ? "]" : "");
}

std::size_t size_of(type const& type) {
    return type.is_array() ? 8 + 16 * static_cast<std::size_t>(type.rank) : type.element.bytes();
}

namespace {

// The last name of numba.float32 or float32; empty for anything else.
std::string_view last_name(node const& expression) {
    bool const has_name = expression.form == form::name || expression.form == form::attribute;
    return has_name ? expression.word : std::string_view();
}

// The type that an expression such as float32[:, :] spells.
type type_of(reader const& reader, node const& expression) {
    bool const is_array = expression.form == form::subscript;
    auto const scalar = scalar_named(last_name(is_array ? expression.parts[0] : expression));
    reader.refuse_if(!scalar, expression.location, "signature: '%' is no type of an argument",
                     reader.text->text(expression));
    if (!is_array) return number(*scalar);
    auto const dimensions = std::span(expression.parts).subspan(1);
    for (auto const& dimension : dimensions) {
        reader.refuse_if(dimension.form != form::slice, dimension.location,
                         "signature: a dimension of an array type is spelled ':'");
    }
    reader.refuse_if(dimensions.size() > greatest_rank, expression.location,
                     "signature: an array has at most 8 dimensions");
    return array(*scalar, static_cast<int>(dimensions.size()));
}

} // namespace

// Reads void(float32, int32), (float32, int32) or a single type.
signature signature_of(reader const& reader, node const& expression) {
    bool const is_call = expression.form == form::call;
    auto types = std::span(&expression, 1);
    if (is_call || expression.form == form::tuple) types = expression.parts;
    signature signature;
    if (is_call) {
        signature.result = last_name(types[0]) == "void" ? type() : type_of(reader, types[0]);
        types = types.subspan(1);
    }
    for (auto const& parameter : types) {
        reader.refuse_if(is_call && !parameter.keyword.empty(), parameter.location,
                         "signature: a signature names no arguments");
        signature.parameters.push_back(type_of(reader, parameter));
    }
    return signature;
}

signature parse_signature(std::string_view text) {
    source_text const source({{{.name = "signature", .text = std::string(text)}}});
    return signature_of(reader{&source}, parse_expression(source));
}

} // namespace spio::cuda_python
