// What is parsed from a command line of `spio`, and the answers to wrong ones.
// SPDX-License-Identifier: Apache-2.0
//
// `spio` is the project's command: it compiles, runs, measures and lists kernels. A pack is a file
// of compiled kernels; a policy says whether kernels come from packs or from a compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
             {"run axpby --seed", "--seed needs a value: NUMBER; 'spio run --help' tells more"},
             {"run axpby --seed= n=1",
              "'--seed=' needs a value after the =; 'spio --help' tells more"},
             {"run axpby --check=1", "--check takes no value; 'spio run --help' tells more"},
             {"run axpby --seed 1 --seed 2",
              "--seed is given more than once; 'spio run --help' tells more"},
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
    for (auto const& [number, text] : {std::pair{0., "0"},
                                       {1., "1"},
                                       {0.5, "0.5"},
                                       {999., "999"},
                                       {1000., "1000"},
                                       {1234567., "1234567"},
                                       {-1234567., "-1234567"},
                                       {9.99e14, "999000000000000"},
                                       {1e15, "1e+15"},
                                       {-1e15, "-1e+15"},
                                       {0.000123, "0.000123"},
                                       {0.00001234, "1.23e-05"},
                                       {-0.00001234, "-1.23e-05"},
                                       {0.9999, "1"},
                                       {1. / 0., "inf"}}) {
        CHECK(format_number(number) == text);
    }
    CHECK(format_number(0.123456789, 9) == "0.123456789");
    CHECK(format_number(12345.678, 1) == "12346");
    for (auto const& [bytes, text] : {std::pair{0LL, "0 bytes"},
                                      {1LL, "1 byte"},
                                      {2LL, "2 bytes"},
                                      {9999LL, "9999 bytes"},
                                      {10'000LL, "10 kB"},
                                      {999'499LL, "999 kB"},
                                      {999'999LL, "1000 kB"},
                                      {1'000'000LL, "1 MB"},
                                      {12'345'678LL, "12.3 MB"},
                                      {999'999'999LL, "1000 MB"},
                                      {1'000'000'000LL, "1 GB"},
                                      {999'999'999'999LL, "1000 GB"}}) {
        CHECK(format_bytes(static_cast<std::uint64_t>(bytes)) == text);
    }
    for (auto const& [milliseconds, text] : {std::pair{0.0123, "12.3 us"},
                                             {0.0999, "99.9 us"},
                                             {0.1, "0.1 ms"},
                                             {12.34, "12.3 ms"},
                                             {999., "999 ms"},
                                             {1000., "1 s"},
                                             {12340., "12.3 s"}}) {
        CHECK(format_milliseconds(milliseconds) == text);
    }
    CHECK(format_count(0, "entry") == "0 entries");
    CHECK(format_count(1, "entry") == "1 entry");
    CHECK(format_count(2, "byte") == "2 bytes");
    std::string_view const words[] = {"a", "b", "c"};
    CHECK(format_list(words, " and ") == "a, b and c");
    CHECK(format_list(std::span(words, 2), " or ") == "a or b");
    CHECK(format_list(std::span(words, 1), " or ") == "a");
    CHECK(format_list({}, " or ").empty());
    CHECK(padded("ab", 3) == "ab ");
    CHECK(padded("abc", 3) == "abc ");
    CHECK(padded("abcd", 3) == "abcd ");
    CHECK(padded("", 3) == "   ");
    CHECK(parse_number("4294967295", "it") == 4294967295u);
    for (auto const* wrong : {"", "-1", "4294967296", "1x", " 1", "0x1"}) {
        CHECK_THROWS_AS(parse_number(wrong, "it"), failure);
    }
}

// The least number of insertions, removals, changes and swaps of neighbours between two words, by
// trying all of them.
static std::size_t edits(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.size() + b.size();
    auto const rest = [](std::string_view word) { return word.substr(1); };
    auto least = edits(rest(a), rest(b)) + (a[0] != b[0]);
    least = std::min({least, edits(rest(a), b) + 1, edits(a, rest(b)) + 1});
    bool const is_swapped = a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0];
    return is_swapped ? std::min(least, edits(a.substr(2), b.substr(2)) + 1) : least;
}

TEST_CASE("the nearest word is the first with the fewest edits, if these are few") {
    // All words of at most four letters a and b.
    std::vector<std::string> words = {""};
    for (std::size_t i = 0; words.size() < 30; ++i) {
        words.push_back(words[i] + "a");
        words.push_back(words[i] + "b");
    }
    for (auto const& word : words) {
        for (auto const& known : words) {
            bool const is_near = !word.empty() && edits(word, known) < word.size() / 3 + 2;
            bool const is_longer = !word.empty() && known.starts_with(word);
            std::string_view const list[] = {known};
            CHECK(nearest(word, list) == (is_near || is_longer ? known : ""));
        }
    }
    std::string_view const list[] = {"aaa", "aab", "abb", "bbbbbbb"};
    CHECK(nearest("aaa", list) == "aaa");
    CHECK(nearest("aba", list) == "aaa");
    CHECK(nearest("abbb", list) == "abb");
    CHECK(nearest("bbb", list) == "abb");
    CHECK(nearest("bbbb", list) == "abb");
    CHECK(nearest("c", list) == "");
    // Words of more than 64 letters are not compared.
    std::string const longest(64, 'x'), longer(65, 'x');
    std::string_view const long_words[] = {longer};
    CHECK(nearest(longest, long_words) == longer);
    CHECK(nearest(longer, long_words) == "");
}

// compare() takes an array's name, an index, a result, what it should be, and how far off it may
// be.
TEST_CASE("a verdict knows how many results are wrong, and the first of them") {
    verdict v;
    v.compare("y", 5, 1, 1, 0);
    v.compare("y", 6, 2, 2, 1);
    CHECK(v.is_exact);
    v.compare("y", 0, 1.5, 1, 1);
    CHECK(!v.is_exact);
    CHECK(v.worst == 0.5);
    v.compare("y", 1, 0, 0, 0);
    CHECK(v.wrong == 0);
    v.compare("y", 2, 3, 1, 1);
    v.compare("y", 3, 0.0 / 0.0, 1, 1);     // not a number
    v.compare("y", 4, 1e300 * 1e300, 1, 1); // infinity
    CHECK(v.compared == 7);
    CHECK(v.wrong == 3);
    CHECK(v.first_wrong == "y[2] is 3, should be 1, and may be 1 off");
}
