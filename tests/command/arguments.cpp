// What is parsed from a command line of `spio`, and the answers to wrong ones.
// SPDX-License-Identifier: Apache-2.0
//
// `spio` is the project's command: it compiles, runs, measures and lists kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

import spio.command;

using namespace spio::command;

namespace {

using texts = std::vector<std::string>;

// The arguments of a command line, split at spaces.
arguments parse(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        auto const end = std::min(line.find(' '), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return parse_arguments(words, subcommands());
}

// The error of a command line that is refused, or "none".
std::string refusal(std::string_view line) {
    try {
        parse(line);
    } catch (failure const& e) {
        CHECK(e.status() == exit_status::usage);
        return e.what();
    }
    return "none";
}

} // namespace

TEST_CASE("options stand anywhere, with their values after them or after a =") {
    for (auto const* line : {"run axpby n=3 --seed 5 --check --pack a --pack=b",
                             "run --check --pack=a axpby --pack b --seed=5 n=3"}) {
        auto const args = parse(line);
        CHECK(args.subcommand->name == "run");
        CHECK(args.operands == texts{"axpby", "n=3"});
        CHECK(args.has("--check"));
        CHECK(!args.has("--time"));
        CHECK(args.value("--seed", "1") == "5");
        CHECK(args.number("--seed", "1") == 5);
        CHECK(args.value("--arch", "sm_80") == "sm_80");
        CHECK(args.values("--pack") == texts{"a", "b"});
    }
    CHECK(parse("pack list -- --json -").operands == texts{"--json", "-"});
    CHECK(parse("pack list a [b] -- --json list").operands == texts{"a", "[b]", "--json", "list"});
    CHECK(parse("pack verify pack list").operands == texts{"pack", "list"});
    CHECK(parse("--version").subcommand->name == "version");
}

TEST_CASE("help may be asked for anywhere in a line, and then the other words are not checked") {
    CHECK(parse("--help").subcommand == nullptr);
    CHECK(parse("-h").wants_help);
    CHECK(parse("pack --help").subcommand == nullptr);
    CHECK(parse("run --help").subcommand->name == "run");
    CHECK(parse("run axpby -h n=").wants_help);
    for (auto const& known : subcommands()) {
        CAPTURE(known.name);
        auto const text = help(known);
        CHECK(text.find("usage: spio " + std::string(known.name)) != text.npos);
        for (auto const& option : known.options) CHECK(text.find(option.name) != text.npos);
        CHECK(help().find("  " + std::string(known.name) + " ") != std::string::npos);
        CHECK(!known.summary.empty());
    }
}

TEST_CASE("wrong words are answered with the nearest word that is known") {
    struct answer {
        char const *line, *refusal;
    };
    for (auto const& [line, expected] : {
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
             {"run axpby --seed",
              "--seed: 1 required NUMBER missing; 'spio run --help' tells more"},
             {"run axpby --seed= n=1",
              "'--seed=' needs a value after the =; 'spio --help' tells more"},
             {"run axpby --check=1", "check was given a disallowed flag override; 'spio run "
                                     "--help' tells more"},
             {"run axpby --seed 1 --seed 2",
              "--seed: At Most 1 required but received 2; 'spio run --help' tells more"},
             {"run axpby --policy aot",
              "--policy is 'aot' (did you mean 'aot_only'?), but must be aot_only, "
              "generic_then_jit, aot_then_jit or "
              "jit_only; 'spio run --help' tells more"},
             {"run", "'run' needs FAMILY KEY=VALUE...; 'spio run --help' tells more"},
             {"list all", "'all' is one word too many; 'spio list --help' tells more"},
         }) {
        CAPTURE(line);
        CHECK(refusal(line) == expected);
    }
    CHECK(refusal(std::string(5000, 'x')).size() < 200);
    CHECK(refusal("run axpby --" + std::string(5000, 'x')).size() < 200);
}

TEST_CASE("words from outside are quoted so that they steer no terminal") {
    CHECK(quote("n=1") == "'n=1'");
    CHECK(quote("a\x1b[31mb\n\tc") == "'a\\x1b[31mb\\n\\tc'");
    CHECK(quote("\xff\xc3") == "'\\xff\\xc3'");
    CHECK(quote("\xc2\x9b"
                "1m") == "'\\xc2\\x9b1m'"); // U+009B, which terminals take for ESC [
    CHECK(quote("größe") == "'größe'");
    CHECK(quote("\xed\xa0\x80") == "'\\xed\\xa0\\x80'"); // half of a surrogate pair of UTF-16
    CHECK(quote(std::string(100, 'y')) == "'" + std::string(60, 'y') + "…'");
}

TEST_CASE("JSON is one line of ASCII, whatever the bytes") {
    CHECK(json::object({{"a", 1}, {"b", json::array({true, nullptr, "x\"\\\n\x7f\xff"})}}).text() ==
          R"({"a":1,"b":[true,null,"x\"\\\n\u007f\ufffd"]})");
    CHECK(json(0.1).text() == "0.1");
    CHECK(json(1e300 * 1e300).text() == "null"); // JSON has no infinity
    CHECK(json("größe").text() == "\"gr\\u00f6\\u00dfe\"");
    CHECK(json(18446744073709551615u).text() == "18446744073709551615");
    CHECK(json(-3).text() == "-3");
    CHECK(json::object({}).text() == "{}");
    CHECK(json::array({}).text() == "[]");
    CHECK(json_or_null("").text() == "null");
}

TEST_CASE("numbers are formatted for people") {
    CHECK(format_bytes(1) == "1 byte");
    CHECK(format_bytes(9999) == "9999 bytes");
    CHECK(format_bytes(12'345'678) == "12.3 MB");
    CHECK(format_bytes(999'999'999'999) == "1000 GB");
    CHECK(format_milliseconds(0.0123) == "12.3 us");
    CHECK(format_milliseconds(12.34) == "12.3 ms");
    CHECK(format_milliseconds(12340) == "12.3 s");
    CHECK(format_count(0, "entry") == "0 entries");
    CHECK(parse_number("4294967295", "it") == 4294967295u);
    for (auto const* wrong : {"", "-1", "4294967296", "1x", " 1", "0x1"}) {
        CHECK_THROWS_AS(parse_number(wrong, "it"), failure);
    }
}

// compare() takes an array's name, an index, a result, what it should be, and how far off it may
// be.
TEST_CASE("a verdict knows how many results are wrong, and the first of them") {
    verdict v;
    v.compare("y", 5, 1, 1, 0);
    CHECK(v.is_exact);
    v.compare("y", 0, 1.5, 1, 1);
    CHECK(!v.is_exact);
    CHECK(v.worst == 0.5);
    v.compare("y", 1, 0, 0, 0);
    CHECK(v.wrong == 0);
    v.compare("y", 2, 3, 1, 1);
    v.compare("y", 3, 0.0 / 0.0, 1, 1);     // not a number
    v.compare("y", 4, 1e300 * 1e300, 1, 1); // infinity
    CHECK(v.compared == 6);
    CHECK(v.wrong == 3);
    CHECK(v.first_wrong == "y[2] is 3, should be 1, and may be 1 off");
}
