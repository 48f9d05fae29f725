// The types of elements and attributes of arrays, and of parts of tuples.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python whose functions become CUDA kernels. The typing pass
// turns a parsed function into a typed one, for arguments of known types; a rule is the section of
// docs/cuda_python.md that a refused program breaks. A value is a typed expression, a coercion one
// of another type; a slot is a variable of a function with one type; a location (span) is a place
// in the source.
module;

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
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

value_ptr function_typer::attribute_value(expression const& expression,
                                          attribute_expression const& attribute) {
    auto const location = expression.location;
    if (auto const found = entity_of(expression)) return path_value(location, found->path);
    auto const object = value_of(*attribute.object);
    auto const* variable = std::get_if<slot_value>(&object->node);
    if (!object->type.is_array() || !variable) {
        fail(location, "arrays",
             "attributes are those of a variable that is an array: shape, "
             "strides, size and ndim");
    }
    auto const fact = [&](array_fact kind, int dimension) {
        return value_with(
            location, number(intp),
            array_fact_value{kind, value_with(location, object->type, *variable), dimension});
    };
    if (attribute.name == "size") return fact(array_fact::size, 0);
    if (attribute.name == "ndim") {
        return value_with(location, number(intp), constant{std::int64_t(object->type.rank)});
    }
    if (attribute.name != "shape" && attribute.name != "strides") {
        fail(location, "arrays",
             "an array has no attribute " + in_quotes(attribute.name) +
                 ": it has shape, strides, size and ndim");
    }
    auto const kind = attribute.name == "shape" ? array_fact::extent : array_fact::stride;
    tuple_value tuple;
    type tuple_type = {type::form::tuple};
    for (int i = 0; i < object->type.rank; ++i) {
        tuple.parts.push_back(fact(kind, i));
        tuple_type.parts.push_back(number(intp));
    }
    return value_with(location, std::move(tuple_type), std::move(tuple));
}

std::int64_t function_typer::constant_integer(expression const& expression, std::string_view rule,
                                              std::string purpose) {
    auto const number = number_of(expression);
    auto const value = constant_value(*number, program.result.options);
    if (!value || !number->type.element.is_integer()) {
        fail(expression.location, rule, std::move(purpose) + " is a constant integer");
    }
    return std::get<std::int64_t>(value->value);
}

// The indices of an element, one for each dimension, as intp.
value_list function_typer::index_values(expression const& expression, value const& array,
                                        expression_list const& indices) {
    auto const rank = static_cast<std::size_t>(array.type.rank);
    if (indices.size() != rank) {
        fail(expression.location, "arrays",
             "an array of " + std::to_string(rank) + " dimensions takes " + std::to_string(rank) +
                 " indices and not " + std::to_string(indices.size()));
    }
    value_list values;
    for (auto const& index : indices) {
        if (std::holds_alternative<slice_expression>(index->node)) {
            fail(index->location, "arrays", "there are no slices");
        }
        auto position = number_of(*index);
        if (!position->type.element.is_integer()) {
            fail(index->location, "arrays",
                 "an index is an integer and not " + name_of(position->type));
        }
        values.push_back(coercion_to(intp, std::move(position)));
    }
    return values;
}

value_ptr function_typer::element_of(expression const& expression,
                                     subscript_expression const& subscript) {
    auto const location = expression.location;
    auto object = value_of(*subscript.object);
    if (auto* tuple = std::get_if<tuple_value>(&object->node)) {
        if (subscript.indices.size() != 1) fail(location, "tuples", "a tuple takes one index");
        auto const index = constant_integer(*subscript.indices[0], "tuples", "an index of a tuple");
        if (index < 0 || index >= static_cast<std::int64_t>(tuple->parts.size())) {
            fail(subscript.indices[0]->location, "tuples",
                 "the indices of this tuple are 0 to " + std::to_string(tuple->parts.size() - 1));
        }
        return std::move(tuple->parts[static_cast<std::size_t>(index)]);
    }
    if (!object->type.is_array()) {
        fail(location, "arrays", "only arrays have elements, and this is " + name_of(object->type));
    }
    auto indices = index_values(expression, *object, subscript.indices);
    bool has_call = object->has_call;
    for (auto const& index : indices) has_call |= index->has_call;
    auto const element = number(object->type.element);
    return value_with(location, element, element_value{std::move(object), std::move(indices)},
                      has_call);
}

} // namespace spio::cuda_python
