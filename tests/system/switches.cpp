// Switches of the environment have one grammar, whatever they switch.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

import spio.error;
import spio.system;

using namespace spio;

TEST_CASE("switches: four words are on, four are off, in any case, and no other text is one") {
    for (std::string_view const word : {"on", "ON", "On", "1", "true", "True", "yes", "YES"}) {
        CAPTURE(word);
        CHECK(parse_switch(word) == true);
    }
    for (std::string_view const word : {"off", "OFF", "Off", "0", "false", "FALSE", "no", "No"}) {
        CAPTURE(word);
        CHECK(parse_switch(word) == false);
    }
    for (std::string_view const word :
         {"", " ", "2", "00", "on ", " off", "enabled", "o", "y", "n"}) {
        CAPTURE(word);
        CHECK(parse_switch(word) == std::nullopt);
    }
}

TEST_CASE("switches: one that is not set or empty has its default, and a wrong word is an error") {
    auto const* const name = "SPIO_TEST_SWITCH";
    for (bool const default_value : {false, true}) {
        unsetenv(name);
        CHECK(is_on(name, default_value) == default_value);
        setenv(name, "", 1);
        CHECK(is_on(name, default_value) == default_value);
        setenv(name, "No", 1);
        CHECK(!is_on(name, default_value));
        setenv(name, "1", 1);
        CHECK(is_on(name, default_value));
        setenv(name, "never\x1b[2J", 1);
        CHECK_THROWS_WITH_AS(is_on(name, default_value),
                             doctest::Contains("'never\\x1b[2J' is neither on nor off"), error);
    }
    unsetenv(name);
}
