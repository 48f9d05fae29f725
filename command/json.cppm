// Values of JSON, spelled as they are made.
// SPDX-License-Identifier: Apache-2.0
module;

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.command:json;

export namespace spio::command {

//     json::object({{"n", 3}, {"names", json::array({"a", "b"})}, {"reason", nullptr}})
class json {
  public:
    json(std::nullptr_t) : spelled("null") {}
    json(std::same_as<bool> auto is) : spelled(is ? "true" : "false") {}
    json(std::integral auto number)
        requires(!std::same_as<decltype(number), bool>)
        : spelled(std::to_string(number)) {}
    json(double);                // null unless it is finite
    json(std::string_view text); // bytes that are no UTF-8 become U+FFFD
    json(std::string const& text) : json(std::string_view(text)) {}
    json(char const* text) : json(std::string_view(text)) {}
    template <class T>
    json(std::optional<T> const& value) : json(value ? json(*value) : json(nullptr)) {}

    using member = std::pair<std::string_view, json>;
    static json object(std::initializer_list<member> members);
    static json array(std::span<json const> elements);
    static json array(std::initializer_list<json> elements) {
        return array(std::span(elements.begin(), elements.size()));
    }

    std::string const& text() const { return spelled; }

  private:
    std::string spelled;
};

// An array of what f makes of each element.
template <class Range, class F> json json_of_each(Range const& all, F f) {
    std::vector<json> elements;
    for (auto const& each : all) elements.push_back(f(each));
    return json::array(elements);
}

} // namespace spio::command
