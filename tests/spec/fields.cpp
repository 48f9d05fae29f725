// Structs such as problems become initializers and text, and text becomes structs or is refused.
// SPDX-License-Identifier: Apache-2.0
//
// The table of fields of a struct names its members with their bounds, so that its values have a
// text "key=value ..." and a C++ initializer. An optional field may be left out of the text.
#include <doctest/doctest.h>

#include <array>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <tuple>

import spio.spec;

namespace {

struct tile {
    int rows = 4;
    bool padded = false;
    friend bool operator==(tile const&, tile const&) = default;
};
enum class color { red, green };
struct shape {
    int n;
    tile cell;
    bool wide = true;
    color hue = color::red;
    friend bool operator==(shape const&, shape const&) = default;
};

} // namespace

template <> struct spio::field_table<tile> {
    static constexpr auto fields = std::tuple(
        field{"rows", &tile::rows, {.least = 2, .most = 64, .multiple_of = 2}, presence::optional},
        field{"padded", &tile::padded, {}, presence::optional});
};
template <> struct spio::enumerator_table<color> {
    static constexpr std::string_view type = "paint::color";
    static constexpr std::array<std::string_view, 2> names = {"red", "green"};
};
template <> struct spio::field_table<shape> {
    static constexpr auto fields =
        std::tuple(field{"n", &shape::n, {.least = -8}}, field{"cell", &shape::cell},
                   field{"wide", &shape::wide, {}, presence::optional},
                   field{"hue", &shape::hue, {}, presence::optional});
};

namespace {

// The reason for which the text of a shape is refused, or "none".
std::string refusal(std::string_view text) {
    try {
        spio::parse<shape>("thing", text);
    } catch (spio::error const& e) {
        CHECK(e.subject() == "thing" + (text.empty() ? "" : " " + std::string(text)));
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("an initializer names all fields in their order, those of nested aggregates too") {
    shape const s = {
        .n = -3, .cell = {.rows = 8, .padded = true}, .wide = false, .hue = color::green};
    CHECK(spio::initializer_of(s) == "{.n = -3, .cell = {.rows = 8, .padded = true}, .wide = "
                                     "false, .hue = paint::color::green}");
    CHECK(spio::text_of(s) == "n=-3 cell.rows=8 cell.padded=true wide=false hue=green");
    CHECK(spio::parse<shape>("thing", spio::text_of(s)) == s);
}

namespace {

struct nothing {};
struct pair_of_numbers {
    int a = 0, b = 0;
};
struct same_name {
    int a = 0, b = 0;
};

} // namespace
template <> struct spio::field_table<pair_of_numbers> {
    static constexpr auto fields =
        std::tuple(field{"a", &pair_of_numbers::a}, field{"b", &pair_of_numbers::a});
};
template <> struct spio::field_table<same_name> {
    static constexpr auto fields = std::tuple(field{"a", &same_name::a}, field{"a", &same_name::b});
};

TEST_CASE("a struct without members needs no table, and a table has each member once") {
    static_assert(spio::described<nothing>);
    CHECK(spio::text_of(nothing()).empty());
    CHECK(spio::initializer_of(nothing()) == "{}");
    CHECK_THROWS_WITH(spio::parse<nothing>("thing", "n=1"), doctest::Contains("'n'"));
    static_assert(spio::are_fields_distinct<shape> && spio::are_fields_distinct<nothing>);
    static_assert(!spio::are_fields_distinct<pair_of_numbers>);
    static_assert(!spio::are_fields_distinct<same_name>);
}

TEST_CASE("words may come in any order, and optional fields that are left out keep their value") {
    CHECK(spio::parse<shape>("thing", "n=1") == shape{.n = 1, .cell = {}});
    CHECK(spio::parse<shape>("thing", "  wide=false\t hue=green cell.rows=6 n=1 ") ==
          shape{.n = 1, .cell = {.rows = 6}, .wide = false, .hue = color::green});
}

TEST_CASE("the error of a wrong word names the field and its bound") {
    CHECK(refusal("") == "n is missing");
    CHECK(refusal("n") == "'n' is no key=value");
    CHECK(refusal("n=1 m=2") ==
          "there is no field 'm'; the fields are n, cell.rows, cell.padded, wide, hue");
    CHECK(refusal("n=1 n=1") == "n is given twice");
    CHECK(refusal("n=") == "n is '', but must be a whole number");
    CHECK(refusal("n=1x") == "n is '1x', but must be a whole number");
    CHECK(refusal("n=99999999999") == "n is '99999999999', which is beyond what an int holds");
    CHECK(refusal("n=-9") == "n is -9, but must be at least -8");
    CHECK(refusal("n=1 cell.rows=7") ==
          "cell.rows is 7, but must be at least 2, at most 64, a multiple of 2");
    CHECK(refusal("n=1 hue=blue") == "hue is 'blue', but must be one of red, green");
    CHECK(refusal("n=1 wide=1") == "wide is '1', but must be true or false");
}

TEST_CASE("any text is either parsed or refused") {
    std::mt19937 random(7);
    std::string const letters = "n=cell.rowspdwihu 01-\t9truefgas"; // those of right texts
    int parsed = 0, refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = round % 2 == 0 ? "n=1 wide=true" : "";
        for (unsigned i = random() % 24; i > 0; --i) {
            auto const position = random() % (text.size() + 1);
            text.insert(text.begin() + static_cast<std::ptrdiff_t>(position),
                        letters[random() % letters.size()]);
        }
        try {
            auto const value = spio::parse<shape>("thing", text);
            REQUIRE(spio::parse<shape>("thing", spio::text_of(value)) == value);
            ++parsed;
        } catch (spio::error const&) {
            ++refused;
        }
    }
    std::cout << "summary: spec.random_texts: " << parsed << " read, " << refused << " refused\n";
    CHECK(parsed > 0);
}

TEST_CASE("an unmet condition is the first that does not hold, in words") {
    spio::unmet_condition first;
    first.require(true, "n is odd");
    first.require_most("the rows", 4, 4);
    CHECK(first.text().empty());
    first.require_most("the rows", 5, 4);
    first.require(false, "n is even");
    CHECK(first.text() == "the rows are 5, of at most 4");
}
