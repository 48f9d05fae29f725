// JSON, built as a tree.
// SPDX-License-Identifier: Apache-2.0
//
// Subcommands with --json print one such value, for programs.
module;

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.command:json;

export namespace spio::command {

//     json::object({{"n", 3}, {"names", json::array({"a", "b"})}, {"reason", nullptr}})
class json {
  public:
    json(std::nullptr_t);
    json(bool);
    json(double); // null unless it is finite
    json(std::string_view);
    json(std::string const& text) : json(std::string_view(text)) {}
    json(char const* text) : json(std::string_view(text)) {}
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    json(Number number) : json(integer{number < 0, static_cast<std::uint64_t>(number)}) {}
    template <class T>
    json(std::optional<T> const& value) : json(value ? json(*value) : json(nullptr)) {}

    using member = std::pair<std::string_view, json>;
    static json object(std::initializer_list<member>);
    static json array(std::vector<json> const&);
    // An array of f(element) for each element of the range.
    template <class Range, class F> static json array(Range const& range, F f) {
        std::vector<json> elements;
        for (auto const& element : range) elements.push_back(f(element));
        return array(elements);
    }

    // The JSON text on one line, in ASCII. Bytes that are not valid UTF-8 become U+FFFD.
    std::string text() const;

  private:
    struct tree;
    struct integer {
        bool is_negative;
        std::uint64_t bits;
    };
    std::shared_ptr<tree const> root;

    json(integer);
    explicit json(tree);
};

// The text as JSON, or null if it is empty.
inline json json_or_null(std::string const& text) {
    return text.empty() ? json(nullptr) : json(text);
}

} // namespace spio::command
