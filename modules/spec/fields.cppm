// Plain aggregates by their fields: as an initializer, as `key=value` text, and back from it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <charconv>
#include <climits>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

export module spio.spec:fields;

export namespace spio {

// What a whole number may be.
struct bound {
    int least = INT_MIN;
    int most = INT_MAX;
    int multiple_of = 1;

    bool holds(int value) const {
        return value >= least && value <= most && value % multiple_of == 0;
    }
    std::string spelled() const; // "at least 8, at most 2048, a multiple of 8"
};

enum class presence { required, optional };

// The enumerators of an enumeration, which count from 0, and how text of kernels names it:
//     template <> struct enumerators_of<direction> {
//         static constexpr std::string_view type = "spio::conv2d::direction";
//         static constexpr std::array<std::string_view, 2> all = {"fprop", "dgrad"};
//     };
template <class Enumeration> struct enumerators_of;
template <class T>
concept enumerated = std::is_enum_v<T> && requires { enumerators_of<T>::all; };

template <enumerated T> std::string word_of(T value) {
    return std::string(enumerators_of<T>::all[static_cast<std::size_t>(value)]);
}

// A member and its name; an int, a bool, an enumeration, or an aggregate of such.
template <class Aggregate, class Member> struct field {
    std::string_view name;
    Member Aggregate::* member;
    bound within = {};
    presence is = presence::required;
};

// An aggregate is described by all of its fields in their order:
//     template <> struct fields_of<problem> {
//         static constexpr auto all = std::tuple(field{"channels", &problem::channels, {8, 2048,
//         8}});
//     };
template <class Aggregate> struct fields_of;

// Anything at all, to count what an aggregate is made of.
struct anything {
    template <class T> operator T() const;
};
template <class T, std::size_t... Is> constexpr bool takes(std::index_sequence<Is...>) {
    return requires { T{((void)Is, anything())...}; };
}
template <class T>
concept described = std::is_aggregate_v<T> && requires { fields_of<T>::all; };

template <class T>
constexpr std::size_t field_count = std::tuple_size_v<decltype(fields_of<T>::all)>;

template <described T, class F> constexpr void for_each_field(F&& f) {
    static_assert(takes<T>(std::make_index_sequence<field_count<T>>()) &&
                      !takes<T>(std::make_index_sequence<field_count<T> + 1>()),
                  "fields_of<T> must name every member of T");
    std::apply([&](auto const&... each) { (f(each), ...); }, fields_of<T>::all);
}

// {.channels = 64, .affine = true}
template <described T> std::string initializer_of(T const& value) {
    std::string text;
    for_each_field<T>([&](auto const& each) {
        auto const& member = value.*each.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        text += (text.empty() ? "." : ", .") + std::string(each.name) + " = ";
        if constexpr (std::same_as<Member, bool>) {
            text += member ? "true" : "false";
        } else if constexpr (std::same_as<Member, int>) {
            text += std::to_string(member);
        } else if constexpr (enumerated<Member>) {
            text += std::string(enumerators_of<Member>::type) + "::" + word_of(member);
        } else {
            text += initializer_of(member);
        }
    });
    return "{" + text + "}";
}

// channels=64 affine=true; those of an aggregate in it are outer.inner=1.
template <described T> std::string text_of(T const& value, std::string const& outer = "") {
    std::string text;
    for_each_field<T>([&](auto const& each) {
        auto const& member = value.*each.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        auto const name = outer + std::string(each.name);
        if (!text.empty()) text += ' ';
        if constexpr (std::same_as<Member, bool>) {
            text += name + (member ? "=true" : "=false");
        } else if constexpr (std::same_as<Member, int>) {
            text += name + "=" + std::to_string(member);
        } else if constexpr (enumerated<Member>) {
            text += name + "=" + word_of(member);
        } else {
            text += text_of(member, name + ".");
        }
    });
    return text;
}

// A place for one value of a text.
struct slot {
    std::string name;
    int* number = nullptr;
    bool* truth = nullptr;
    bound within = {};
    bool is_required = true;
    bool is_given = false;
    // An enumeration's words; the word with a number is put into what is chosen.
    std::span<std::string_view const> words = {};
    void* chosen = nullptr;
    void (*choose)(void* chosen, std::size_t number) = nullptr;
};
// Reads key=value words into them; throws what is wrong, for the family and its text.
void read_slots(std::vector<slot>&, std::string_view family, std::string_view text);
// Throws which of them is not what it may be.
void check_slots(std::vector<slot> const&, std::string_view family, std::string_view text);

template <described T> void add_slots(std::vector<slot>& all, T& value, std::string const& outer) {
    for_each_field<T>([&](auto const& each) {
        auto& member = value.*each.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        bool const required = each.is == presence::required;
        auto const name = outer + std::string(each.name);
        if constexpr (std::same_as<Member, bool>) {
            all.push_back({name, nullptr, &member, each.within, required});
        } else if constexpr (std::same_as<Member, int>) {
            all.push_back({name, &member, nullptr, each.within, required});
        } else if constexpr (enumerated<Member>) {
            all.push_back({.name = name,
                           .is_required = required,
                           .words = enumerators_of<Member>::all,
                           .chosen = &member,
                           .choose = [](void* chosen, std::size_t number) {
                               *static_cast<Member*>(chosen) = static_cast<Member>(number);
                           }});
        } else {
            add_slots(all, member, name + ".");
        }
    });
}

// The family is for messages.
template <described T> T parse(std::string_view family, std::string_view text) {
    T value = {};
    std::vector<slot> slots;
    add_slots(slots, value, "");
    read_slots(slots, family, text);
    return value;
}
template <described T> void check(std::string_view family, T value) {
    auto const text = text_of(value);
    std::vector<slot> slots;
    add_slots(slots, value, "");
    check_slots(slots, family, text);
}

} // namespace spio
