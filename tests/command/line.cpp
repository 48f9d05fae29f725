// What is read from a line, and how it is answered if it is wrong.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

import spio.command;

using namespace spio::command;

namespace {

line read(std::string_view words) {
    std::vector<std::string_view> all;
    while (!words.empty()) {
        auto const end = std::min(words.find(' '), words.size());
        if (end > 0) all.push_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return read_line(all, subcommands());
}

std::string refusal(std::string_view words) {
    try {
        read(words);
    } catch (failure const& e) {
        CHECK(e.code() == exit_code::usage);
        return e.what();
    }
    return "none";
}

} // namespace

TEST_CASE("options stand anywhere, with their values after them or after a =") {
    for (auto const* words :
         {"run axpby n=3 --seed 5 --check --pack a --pack=b", "run --check --pack=a axpby --pack b "
                                                              "--seed=5 n=3"}) {
        auto const asked = read(words);
        CHECK(asked.is->name == "run");
        CHECK(asked.operands == std::vector<std::string_view>{"axpby", "n=3"});
        CHECK(asked.has("--check"));
        CHECK(!asked.has("--time"));
        CHECK(asked.value("--seed", "1") == "5");
        CHECK(asked.value("--arch", "sm_80") == "sm_80");
        CHECK(asked.values("--pack") == std::vector<std::string_view>{"a", "b"});
    }
    CHECK(read("pack list -- --json -").operands == std::vector<std::string_view>{"--json", "-"});
    CHECK(read("--version").is->name == "version");
}

TEST_CASE("help is asked for anywhere, and then nothing else is judged") {
    CHECK(read("--help").is == nullptr);
    CHECK(read("-h").asks_for_help);
    CHECK(read("pack --help").is == nullptr);
    CHECK(read("run --help").is->name == "run");
    CHECK(read("run axpby -h n=").asks_for_help);
    for (auto const& each : subcommands()) {
        CAPTURE(each.name);
        auto const text = help(each);
        CHECK(text.find("usage: spio " + std::string(each.name)) != text.npos);
        for (auto const& option : each.options) CHECK(text.find(option.name) != text.npos);
        CHECK(help().find("  " + std::string(each.name) + " ") != std::string::npos);
        CHECK(!each.summary.empty());
    }
}

TEST_CASE("what is wrong is answered with the nearest word that is known") {
    struct answer {
        char const *words, *said;
    };
    for (auto const& [words, said] : {
             answer{"", "nothing is asked for; 'spio --help' tells more"},
             {"docter", "there is no subcommand 'docter' (did you mean 'doctor'?); 'spio --help' "
                        "tells more"},
             {"xyzzy", "there is no subcommand 'xyzzy'; 'spio --help' tells more"},
             {"ver", "there is no subcommand 'ver' (did you mean 'version'?); 'spio --help' tells "
                     "more"},
             {"pack lits", "'pack' has no 'lits' (did you mean 'list'?); 'spio --help' tells more"},
             {"pack",
              "'pack' needs one more word: build, list or verify; 'spio --help' tells more"},
             {"cache --json", "'cache' is followed by list, clear or verify, not by '--json'; "
                              "'spio --help' tells more"},
             {"--json list", "a subcommand comes before '--json'; 'spio --help' tells more"},
             {"run axpby --chek", "'run' has no option '--chek' (did you mean '--check'?); 'spio "
                                  "run --help' tells more"},
             {"run axpby --seed", "'--seed' needs a value: NUMBER; 'spio run --help' tells more"},
             {"run axpby --seed=", "'--seed' needs a value: NUMBER; 'spio run --help' tells more"},
             {"run axpby --check=1", "'--check' takes no value; 'spio run --help' tells more"},
             {"run axpby --check --check",
              "'--check' is there twice; 'spio run --help' tells more"},
             {"run", "'run' needs FAMILY KEY=VALUE...; 'spio run --help' tells more"},
             {"list all", "'all' is one word too many; 'spio list --help' tells more"},
         }) {
        CAPTURE(words);
        CHECK(refusal(words) == said);
    }
    CHECK(refusal("run " + std::string(5000, 'x'))
              .ends_with("which is too long; 'spio run --help' "
                         "tells more"));
    CHECK(refusal("run axpby --seed=" + std::string(5000, '1')).find("too long") !=
          std::string::npos);
}

TEST_CASE("words from outside are quoted so that they steer no terminal") {
    CHECK(in_quotes("n=1") == "'n=1'");
    CHECK(in_quotes("a\x1b[31mb\n\tc") == "'a\\x1b[31mb\\n\\tc'");
    CHECK(in_quotes("\xff\xc3") == "'\\xff\\xc3'");
    CHECK(in_quotes("\xc2\x9b"
                    "1m") == "'\\xc2\\x9b1m'"); // what ESC [ is in one character
    CHECK(in_quotes("größe") == "'größe'");
    CHECK(in_quotes("\xed\xa0\x80") == "'\\xed\\xa0\\x80'"); // half of a pair
    CHECK(in_quotes(std::string(100, 'y')) == "'" + std::string(60, 'y') + "…'");
    CHECK(printable("a\nb\tc\r") == "a\nb\tc\\x0d");
}

TEST_CASE("JSON is spelled as it must be") {
    CHECK(json::object({{"a", 1}, {"b", json::array({true, nullptr, "x\"\\\n\x7f\xff"})}}).text() ==
          R"({"a": 1, "b": [true, null, "x\"\\\u000a\u007f\ufffd"]})");
    CHECK(json(0.1).text() == "0.1");
    CHECK(json(1e300 * 1e300).text() == "null");
    CHECK(json("größe").text() == "\"größe\"");
    CHECK(json(18446744073709551615u).text() == "18446744073709551615");
    CHECK(json::object({}).text() == "{}");
    CHECK(json::array({}).text() == "[]");
}

TEST_CASE("numbers are said as people say them") {
    CHECK(spelled_bytes(1) == "1 byte");
    CHECK(spelled_bytes(9999) == "9999 bytes");
    CHECK(spelled_bytes(12'345'678) == "12.3 MB");
    CHECK(spelled_bytes(999'999'999'999) == "1000 GB");
    CHECK(spelled_milliseconds(0.0123) == "12.3 us");
    CHECK(spelled_milliseconds(12.34) == "12.3 ms");
    CHECK(spelled_milliseconds(12340) == "12.3 s");
    CHECK(counted(0, "entry") == "0 entries");
    CHECK(number_of("4294967295", "it") == 4294967295u);
    for (auto const* wrong : {"", "-1", "4294967296", "1x", " 1", "0x1"}) {
        CHECK_THROWS_AS(number_of(wrong, "it"), failure);
    }
}

TEST_CASE("a verdict knows how many results are wrong, and the first of them") {
    verdict v;
    v.compare("y", 0, 1.5, 1, 1);
    CHECK(v.worst == 0.5);
    v.compare("y", 1, 0, 0, 0);
    CHECK(v.wrong == 0);
    v.compare("y", 2, 3, 1, 1);
    v.compare("y", 3, 0.0 / 0.0, 1, 1);
    v.compare("y", 4, 1e300 * 1e300, 1, 1);
    CHECK(v.compared == 5);
    CHECK(v.wrong == 3);
    CHECK(v.first == "y[2] is 3, should be 1, and may be 1 off");
}
