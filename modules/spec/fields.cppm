// Plain aggregates by their fields: as an initializer, as `key=value` text, and back from it.
// SPDX-License-Identifier: Apache-2.0
//
// The problems and configurations of kernels are such aggregates. A family is the kernels of one
// operation, such as conv2d.
module;

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

// The values that an integer field may have.
struct bound {
    int least = INT_MIN;
    int most = INT_MAX;
    int multiple_of = 1;

    // Whether a field with this bound may have the value.
    bool holds(int value) const {
        return value >= least && value <= most && value % multiple_of == 0;
    }
    std::string spelled() const; // "at least 8, at most 2048, a multiple of 8"
};

// Whether a text must have a field. An `implied` field is optional, and texts that are written
// leave it out where it has its default; a field that is added later leaves older texts as they
// were.
enum class presence { required, optional, implied };

// The names of an enumeration's values, which count from 0, and the name of the enumeration in
// kernel text:
//     template <> struct enumerator_table<direction> {
//         static constexpr std::string_view type = "spio::conv2d::direction";
//         static constexpr std::array<std::string_view, 2> names = {"fprop", "dgrad"};
//     };
template <class Enumeration> struct enumerator_table;
template <class T>
concept enumerated = std::is_enum_v<T> && requires { enumerator_table<T>::names; };

template <enumerated T> std::string enumerator_name(T value) {
    return std::string(enumerator_table<T>::names[static_cast<std::size_t>(value)]);
}

// A member of an aggregate and its name. Its type is int, bool, an enumeration, or an aggregate of
// these.
template <class Aggregate, class Member> struct field {
    std::string_view name;
    Member Aggregate::* member;
    bound range = {};
    presence need = presence::required;
};

// An aggregate is described by all of its fields in their order:
//     template <> struct field_table<problem> {
//         static constexpr auto fields = std::tuple(
//             field{"channels", &problem::channels, {.least = 8, .most = 2048, .multiple_of = 8}});
//     };
template <class Aggregate> struct field_table;
// A struct without members has no fields, and needs no table.
template <class Aggregate>
    requires std::is_empty_v<Aggregate>
struct field_table<Aggregate> {
    static constexpr auto fields = std::tuple();
};

// A value that converts to any type, to count the members of an aggregate.
struct any_value {
    template <class T> operator T() const;
};
// Whether an aggregate can be made of so many values.
template <class T, std::size_t... Is> constexpr bool takes(std::index_sequence<Is...>) {
    return requires { T{((void)Is, any_value())...}; };
}
template <class T>
concept described = std::is_aggregate_v<T> && requires { field_table<T>::fields; };

template <class T>
constexpr std::size_t field_count = std::tuple_size_v<decltype(field_table<T>::fields)>;

// Whether two fields have one name, or are one member.
template <class A, class B> constexpr bool are_one_field(A const& a, B const& b) {
    if constexpr (std::same_as<A, B>) {
        if (a.member == b.member) return true;
    }
    return a.name == b.name;
}
template <class T>
constexpr bool are_fields_distinct = std::apply(
    [](auto const&... fields) {
        auto const is_once = [&](auto const& field) {
            return (std::size_t{0} + ... + are_one_field(field, fields)) == 1;
        };
        return (is_once(fields) && ...);
    },
    field_table<T>::fields);

template <described T, class F> constexpr void for_each_field(F&& f) {
    static_assert(are_fields_distinct<T>, "field_table<T> must name each member of T once");
    static_assert(takes<T>(std::make_index_sequence<field_count<T>>()) &&
                      !takes<T>(std::make_index_sequence<field_count<T> + 1>()),
                  "field_table<T> must name every member of T");
    std::apply([&](auto const&... field) { (f(field), ...); }, field_table<T>::fields);
}

// Whether a field has its default, and texts leave it out for that.
template <class T, class Member> bool is_implied(T const& value, field<T, Member> const& field) {
    if constexpr (std::equality_comparable<Member>) {
        return field.need == presence::implied && value.*field.member == T{}.*field.member;
    } else {
        return false;
    }
}

// {.channels = 64, .affine = true}
template <described T> std::string initializer_of(T const& value) {
    std::string text;
    for_each_field<T>([&](auto const& field) __attribute__((noinline)) {
        if (is_implied(value, field)) return;
        auto const& member = value.*field.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        text += (text.empty() ? "." : ", .") + std::string(field.name) + " = ";
        if constexpr (std::same_as<Member, bool>) {
            text += member ? "true" : "false";
        } else if constexpr (std::same_as<Member, int>) {
            text += std::to_string(member);
        } else if constexpr (enumerated<Member>) {
            text += std::string(enumerator_table<Member>::type) + "::" + enumerator_name(member);
        } else {
            text += initializer_of(member);
        }
    });
    return "{" + text + "}";
}

// A field of an aggregate in memory, whatever its type: where its value is read from and written
// to.
struct field_slot {
    std::string name; // fields of an inner aggregate are outer.inner
    int* integer = nullptr;
    bool* boolean = nullptr;
    bound range = {};
    bool is_required = true;
    bool is_present = false; // whether the text that was read has the field
    bool is_implied = false; // whether text that is written leaves the field out
    // For an enumeration only: the names of its values, and access to the value by its number.
    std::span<std::string_view const> enumerators = {};
    void* enumeration = nullptr;
    std::size_t (*number)(void const* enumeration) = nullptr;
    void (*assign)(void* enumeration, std::size_t number) = nullptr;
};
// channels=64 affine=true
std::string text_of_fields(std::vector<field_slot> const&);
// Reads text in that form into the fields. Throws what is wrong with it; the family is named in
// messages.
void parse_fields(std::vector<field_slot>&, std::string_view family, std::string_view text);
// Throws an error that names a field whose value is out of its range.
void check_fields(std::vector<field_slot> const&, std::string_view family, std::string_view text);

// Appends a slot for each field of `value`, so that text can be read into it; `prefix` is for the
// fields of an inner struct.
template <described T>
void add_fields(std::vector<field_slot>& slots, T& value, std::string const& prefix = "") {
    // Out of line, once for each type of member instead of once for each field: that is most of
    // what a compiler takes for a problem of many fields.
    for_each_field<T>([&](auto const& field) __attribute__((noinline)) {
        auto& member = value.*field.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        bool const is_required = field.need == presence::required;
        auto const name = prefix + std::string(field.name);
        auto const first = slots.size();
        if constexpr (std::same_as<Member, bool>) {
            slots.push_back({.name = name, .boolean = &member, .is_required = is_required});
        } else if constexpr (std::same_as<Member, int>) {
            slots.push_back({.name = name,
                             .integer = &member,
                             .range = field.range,
                             .is_required = is_required});
        } else if constexpr (enumerated<Member>) {
            slots.push_back(
                {.name = name,
                 .is_required = is_required,
                 .enumerators = enumerator_table<Member>::names,
                 .enumeration = &member,
                 .number =
                     [](void const* enumeration) {
                         return static_cast<std::size_t>(*static_cast<Member const*>(enumeration));
                     },
                 .assign =
                     [](void* enumeration, std::size_t number) {
                         *static_cast<Member*>(enumeration) = static_cast<Member>(number);
                     }});
        } else {
            add_fields(slots, member, name + ".");
        }
        if (is_implied(value, field)) slots[first].is_implied = true;
    });
}
// One slot for each field of `value`, in order, by which the field is read and written. `value`
// must outlive the slots.
template <described T> std::vector<field_slot> slots_of(T& value) {
    std::vector<field_slot> slots;
    add_fields(slots, value);
    return slots;
}

// channels=64 affine=true
template <described T> std::string text_of(T value) { return text_of_fields(slots_of(value)); }
template <described T> T parse(std::string_view family, std::string_view text) {
    T value = {};
    auto slots = slots_of(value);
    parse_fields(slots, family, text);
    return value;
}
// Whether all numbers are within their bounds.
template <described T> bool is_within_bounds(T const& value) {
    bool is_within = true;
    for_each_field<T>([&](auto const& field) {
        auto const& member = value.*field.member;
        using Member = std::remove_cvref_t<decltype(member)>;
        if constexpr (std::same_as<Member, int>) {
            is_within = is_within && field.range.holds(member);
        } else if constexpr (described<Member>) {
            is_within = is_within && is_within_bounds(member);
        }
    });
    return is_within;
}
// Throws an error that names a field whose value is out of its range.
template <described T> void check(std::string_view family, T value) {
    if (is_within_bounds(value)) return;
    auto const slots = slots_of(value);
    check_fields(slots, family, text_of_fields(slots));
}

// The first of some conditions that does not hold, in words: why a configuration does not fit.
class unmet_condition {
  public:
    void require(bool holds, std::string_view otherwise) {
        if (!holds && words.empty()) words = otherwise;
    }
    // "the warps of a block are 40, of at most 32"
    void require_most(std::string_view values, long long value, long long most) {
        require(value <= most, std::string(values) + " are " + std::to_string(value) +
                                   ", of at most " + std::to_string(most));
    }
    // Empty if all conditions hold.
    std::string const& text() const { return words; }

  private:
    std::string words;
};

} // namespace spio
