// Aggregates become initializers and text, and text becomes aggregates or a clear refusal.
// SPDX-License-Identifier: Apache-2.0
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
    tile each;
    bool wide = true;
    color in = color::red;
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
        std::tuple(field{"n", &shape::n, {.least = -8}}, field{"each", &shape::each},
                   field{"wide", &shape::wide, {}, presence::optional},
                   field{"in", &shape::in, {}, presence::optional});
};

namespace {

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

TEST_CASE("an aggregate is spelled with its names, in their order, to the innermost") {
    shape const s = {
        .n = -3, .each = {.rows = 8, .padded = true}, .wide = false, .in = color::green};
    CHECK(spio::initializer_of(s) == "{.n = -3, .each = {.rows = 8, .padded = true}, .wide = "
                                     "false, .in = paint::color::green}");
    CHECK(spio::text_of(s) == "n=-3 each.rows=8 each.padded=true wide=false in=green");
    CHECK(spio::parse<shape>("thing", spio::text_of(s)) == s);
}

TEST_CASE("words come in any order, and what may be left out keeps its value") {
    CHECK(spio::parse<shape>("thing", "n=1") == shape{.n = 1, .each = {}});
    CHECK(spio::parse<shape>("thing", "  wide=false\t in=green each.rows=6 n=1 ") ==
          shape{.n = 1, .each = {.rows = 6}, .wide = false, .in = color::green});
}

TEST_CASE("what is wrong is told by the field and its bound") {
    CHECK(refusal("") == "n is missing");
    CHECK(refusal("n") == "'n' is no key=value");
    CHECK(refusal("n=1 m=2") ==
          "there is no field 'm'; the fields are n, each.rows, each.padded, wide, in");
    CHECK(refusal("n=1 n=1") == "n is given twice");
    CHECK(refusal("n=") == "n is '', but must be a whole number");
    CHECK(refusal("n=1x") == "n is '1x', but must be a whole number");
    CHECK(refusal("n=99999999999") == "n is '99999999999', which is beyond what an int holds");
    CHECK(refusal("n=-9") == "n is -9, but must be at least -8");
    CHECK(refusal("n=1 each.rows=7") ==
          "each.rows is 7, but must be at least 2, at most 64, a multiple of 2");
    CHECK(refusal("n=1 in=blue") == "in is 'blue', but must be one of red, green");
    CHECK(refusal("n=1 wide=1") == "wide is '1', but must be true or false");
}

TEST_CASE("no text does more than be read or refused") {
    std::mt19937 random(7);
    std::string const letters = "n=each.rowspdwig 01-\t9truefls";
    int read = 0, refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = round % 2 == 0 ? "n=1 wide=true" : "";
        for (unsigned i = random() % 24; i > 0; --i) {
            auto const at = random() % (text.size() + 1);
            text.insert(text.begin() + static_cast<std::ptrdiff_t>(at),
                        letters[random() % letters.size()]);
        }
        try {
            auto const value = spio::parse<shape>("thing", text);
            REQUIRE(spio::parse<shape>("thing", spio::text_of(value)) == value);
            ++read;
        } catch (spio::error const&) {
            ++refused;
        }
    }
    std::cout << "figure: spec.random_texts: " << read << " read, " << refused << " refused\n";
    CHECK(read > 0);
}
