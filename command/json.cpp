// Keeps JSON values in the trees of the library nlohmann-json.
// SPDX-License-Identifier: Apache-2.0
//
// A value owns a tree that it shares with its copies.
module;

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

namespace spio::command {

// The library's value, which only this file knows.
struct json::tree {
    nlohmann::ordered_json value;
};

json::json(tree value) : root(std::make_shared<tree const>(std::move(value))) {}
json::json(std::nullptr_t) : json(tree{nullptr}) {}
json::json(bool value) : json(tree{value}) {}
json::json(double value) : json(tree{value}) {}
json::json(std::string_view text) : json(tree{std::string(text)}) {}
json::json(integer number)
    : json(number.is_negative ? tree{static_cast<std::int64_t>(number.bits)} : tree{number.bits}) {}

json json::object(std::initializer_list<member> members) {
    auto object = nlohmann::ordered_json::object();
    for (auto const& [name, value] : members) object[std::string(name)] = value.root->value;
    return json(tree{std::move(object)});
}

json json::array(std::vector<json> const& elements) {
    auto array = nlohmann::ordered_json::array();
    for (auto const& element : elements) array.push_back(element.root->value);
    return json(tree{std::move(array)});
}

std::string json::text() const {
    constexpr int one_line = -1; // instead of an indentation
    constexpr bool is_ascii = true;
    using nlohmann::ordered_json;
    return root->value.dump(one_line, ' ', is_ascii, ordered_json::error_handler_t::replace);
}

} // namespace spio::command
