// The file of measured configurations: its format, its place, who may write it, and who is found.
// SPDX-License-Identifier: Apache-2.0
//
// A table has, for a GPU, an architecture and a problem, the fastest configuration that was
// measured, its microseconds, and a digest of the kernels' text: those of another text are stale.
// SPIO_TUNED names the file, or is "off". A finder answers for one GPU, or for all. A config_source
// asks finders for measured configurations.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/stat.h>

import spio.error;
import spio.model;
import spio.spec;
import spio.system;
import spio.tuned;

using namespace spio;

namespace {

// Three choices, one of them for another GPU: a GPU, an architecture and a problem, with the
// configuration, its microseconds and the digest of the kernels that took them.
tuned::table const three = {
    {{"NVIDIA A100", "sm_80", "axpby n=1000"},
     {"threads=128 vectors=2", 3.5, tuned::digest_of_kernels()}},
    {{"NVIDIA H200", "sm_90a", "axpby n=1000"},
     {"threads=256 vectors=1", 2.25, tuned::digest_of_kernels()}},
    {{"NVIDIA H200", "sm_90a", "axpby n=2000"},
     {"threads=512 vectors=4", 2.5, tuned::digest_of_kernels()}},
};

// The error of a file of measured choices, or "".
std::string message_of(std::string_view text) {
    try {
        tuned::parse(text, "tuned.txt");
    } catch (error const& e) {
        return e.what();
    }
    return "";
}

// The configuration that a finder has for a problem of axpby.
std::optional<std::string> found(config_source::finder const& find, std::string const& problem,
                                 arch arch) {
    return find({"axpby", problem, arch});
}

// Sets SPIO_TUNED for as long as this lives.
struct variable_guard {
    explicit variable_guard(char const* value) { setenv("SPIO_TUNED", value, 1); }
    ~variable_guard() { unsetenv("SPIO_TUNED"); }
};

} // namespace

TEST_CASE("what is written is read") {
    auto const text = tuned::text_of(three);
    auto const reread = tuned::parse(text, "tuned.txt");
    CHECK(tuned::text_of(reread) == text);
    REQUIRE(reread.size() == three.size());
    for (auto const& [key, choice] : three) {
        REQUIRE(reread.contains(key));
        CHECK(reread.at(key).config == choice.config);
        CHECK(reread.at(key).microseconds == choice.microseconds);
    }
    CHECK(tuned::parse("", "tuned.txt").empty());
    CHECK(tuned::parse("# a comment\n\n", "tuned.txt").empty());
}

TEST_CASE("the last of two lines for one problem counts") {
    auto const table = tuned::parse(
        "g | sm_80 | axpby n=1 | a=1 | 2 | 0\ng | sm_80 | axpby n=1 | a=2 | 3 | 0", "tuned.txt");
    REQUIRE(table.size() == 1);
    CHECK(table.begin()->second.config == "a=2");
}

TEST_CASE("every line that is cut, or has a wrong part, is refused with its number") {
    std::string const good =
        "NVIDIA H200 | sm_90a | axpby n=1000 | threads=256 vectors=1 | 2.25 | 0f";
    CHECK(message_of(good).empty());
    for (std::size_t length = 1; length <= good.size() - 2; ++length) {
        CAPTURE(length);
        CHECK(message_of("# one\n" + good.substr(0, length)).find("tuned.txt:2: it is no line") !=
              std::string::npos);
    }
    for (auto const* wrong : {"0", "-1", "nan", "inf", "1e999", "2.5us", " 2", "2 | 3", "0x10"}) {
        CAPTURE(wrong);
        CHECK(!message_of("g | sm_80 | axpby n=1 | a=1 | " + std::string(wrong) + " | 0").empty());
    }
    CHECK(!message_of("g\x1b[2J | sm_80 | axpby n=1 | a=1 | 2 | 0").empty());
    CHECK(!message_of("g |  sm_80 | axpby n=1 | a=1 | 2 | 0").empty());
    CHECK_THROWS_AS(tuned::text_of({{{"a|b", "sm_80", "axpby n=1"}, {"a=1", 1, "0"}}}), error);
    CHECK_THROWS_AS(tuned::text_of({{{"#a", "sm_80", "axpby n=1"}, {"a=1", 1, "0"}}}), error);
    CHECK_THROWS_AS(tuned::text_of({{{"a", "sm_80", "axpby\nn=1"}, {"a=1", 1, "0"}}}), error);
    CHECK_THROWS_AS(tuned::text_of({{{"a", "", "axpby n=1"}, {"a=1", 1, "0"}}}), error);
}

TEST_CASE("every time that is read can be written, and others are refused") {
    for (double const microseconds : {1e-300, 0.0004, 0.1, 1.0 / 3, 2.25, 1e40, 1e300}) {
        tuned::table const table = {{{"g", "sm_80", "axpby n=1"}, {"a=1", microseconds, "0"}}};
        auto const reread = tuned::parse(tuned::text_of(table), "tuned.txt");
        CHECK(reread.begin()->second.microseconds == microseconds);
    }
    auto const infinity = std::numeric_limits<double>::infinity();
    for (double const microseconds : {0.0, -1.0, infinity, infinity - infinity}) {
        tuned::table const table = {{{"g", "sm_80", "axpby n=1"}, {"a=1", microseconds, "0"}}};
        CHECK_THROWS_AS(tuned::text_of(table), error);
    }
}

// The alphabet has what separates parts, comments and lines, so that some texts are tables.
TEST_CASE("random bytes are refused, or make a table that is written and read again") {
    std::mt19937 random(11);
    std::string const alphabet = "ab |.#\n1 ";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (unsigned length = random() % 60; text.size() < length;) {
            text += alphabet[random() % alphabet.size()];
        }
        try {
            auto const table = tuned::parse(text, "tuned.txt");
            auto const reread = tuned::parse(tuned::text_of(table), "tuned.txt");
            CHECK(reread.size() == table.size());
        } catch (error const& e) {
            CHECK(e.kind() == error_kind::invalid);
        }
    }
}

TEST_CASE("a finder knows one GPU, or all") {
    auto const h200 = tuned::finder_of(three, "NVIDIA H200");
    CHECK(found(h200, "n=1000", sm_90a) == "threads=256 vectors=1");
    CHECK(found(h200, "n=2000", sm_90a) == "threads=512 vectors=4");
    CHECK(found(h200, "n=1000", sm_80) == std::nullopt);
    CHECK(found(h200, "n=3000", sm_90a) == std::nullopt);
    CHECK(found(tuned::finder_of(three, "NVIDIA H20"), "n=1000", sm_90a) == std::nullopt);
    auto stale = three;
    for (auto& [key, choice] : stale) choice.kernel_text = "0123456789abcdef";
    CHECK(found(tuned::finder_of(stale, "NVIDIA H200"), "n=1000", sm_90a) == std::nullopt);
    auto const any = tuned::finder_of(three, "");
    CHECK(found(any, "n=1000", sm_80) == "threads=128 vectors=2");
    CHECK(found(any, "n=1000", sm_90a) == "threads=256 vectors=1");
}

TEST_CASE("choices are added to a file and replace those of the same problem") {
    test::folder const folder;
    auto const file = folder / "below/tuned.txt";
    CHECK(tuned::read(file).empty());
    tuned::add(file, three);
    tuned::add(file,
               {{{"NVIDIA H200", "sm_90a", "axpby n=2000"}, {"threads=128 vectors=1", 2, "0"}}});
    auto const table = tuned::read(file);
    CHECK(table.size() == 3);
    CHECK(table.at({"NVIDIA H200", "sm_90a", "axpby n=2000"}).config == "threads=128 vectors=1");
}

TEST_CASE("threads that add at the same time lose nothing") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    constexpr int threads = 8, rounds = 5;
    {
        std::vector<std::jthread> writers;
        for (int i = 0; i < threads; ++i) {
            writers.emplace_back([&, i] {
                for (int round = 0; round < rounds; ++round) {
                    auto const line = "axpby n=" + std::to_string(i) + std::to_string(round);
                    tuned::add(file, {{{"g", "sm_80", line}, {"a=1", 1, "0"}}});
                }
            });
        }
    }
    CHECK(tuned::read(file).size() == threads * rounds);
}

TEST_CASE("a damaged file is neither read nor overwritten") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    std::ofstream(file) << "half a li";
    CHECK_THROWS_AS(tuned::read(file), error);
    CHECK_THROWS_AS(tuned::add(file, three), error);
    CHECK(read_file(file) == "half a li");
}

TEST_CASE("a file that others could have written is not read") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    tuned::add(file, three);
    REQUIRE(chmod(file.c_str(), 0666) == 0);
    CHECK_THROWS_WITH_AS(tuned::read(file), doctest::Contains("everyone"), error);
    REQUIRE(chmod(file.c_str(), 0644) == 0);
    CHECK(tuned::read(file).size() == 3);
}

TEST_CASE("the environment says where the file is") {
    test::folder const folder;
    setenv("SPIO_CACHE_DIR", folder.path.c_str(), 1);
    CHECK(tuned::place_of_environment().file == folder / "tuned.txt");
    CHECK(!tuned::place_of_environment().is_named);
    {
        variable_guard const named("/somewhere/tuned.txt");
        CHECK(tuned::place_of_environment().file == "/somewhere/tuned.txt");
        CHECK(tuned::place_of_environment().is_named);
    }
    for (auto const* word : {"off", "OFF", "0", "no"}) {
        variable_guard const switched(word);
        CHECK(tuned::model_folder_of_environment().refusal == "SPIO_TUNED is off");
        CHECK(tuned::place_of_environment().file.empty());
        CHECK(tuned::place_of_environment().refusal == "SPIO_TUNED is off");
    }
    for (std::string const word : {"", "on", "ON", "1", "true", "yes"}) {
        variable_guard const switched(word.c_str());
        CAPTURE(word);
        CHECK(tuned::place_of_environment().file == folder / "tuned.txt");
        CHECK(!tuned::place_of_environment().is_named);
        CHECK(tuned::model_folder_of_environment().path == folder / "models");
    }
    {
        variable_guard const relative("tuned.txt");
        CHECK(tuned::place_of_environment().file.empty());
        CHECK(tuned::place_of_environment().refusal.find("neither off nor an absolute path") !=
              std::string::npos);
    }
    unsetenv("SPIO_CACHE_DIR");
}

TEST_CASE("models of this GPU are read from files that others cannot write, and no others") {
    test::folder const folder;
    auto const write = [&](std::string const& name, std::string const& origin, mode_t mode) {
        auto const file = folder / name;
        std::ofstream(file) << "spio-model 3\nname " << name << "\nchip c\nsource " << origin
                            << "\nfeature f 00000000 00000000\ntree u00\n";
        REQUIRE(chmod(file.c_str(), mode) == 0);
    };
    auto const source = "device 0, A GPU | sm_90a | driver 1";
    write("own_model.txt", source, 0600);
    write("open_model.txt", source, 0666);
    write("other_gpu.txt", "device 0, A GPU 2 | sm_90a | driver 1", 0600);
    write("other_arch.txt", "device 0, A GPU | sm_90 | driver 1", 0600);
    write("note.text", source, 0600);
    std::ofstream(folder / "damaged.txt") << "spio-model 1\n";
    std::ofstream(folder / "older.txt")
        << "spio-model 2\nname older\nchip c\nsource " << source << "\nbase 00000000\n";
    auto const count = model::local_count();
    auto const refusals = tuned::add_models(folder.path, "A GPU", "sm_90a");
    CHECK(model::local_count() == count + 1);
    CHECK(model::find_local("own_model.txt", "sm_90a") != nullptr);
    REQUIRE(refusals.size() == 5); // in the order of names
    CHECK(refusals[0].find("damaged.txt:1: the first line must be") != std::string::npos);
    CHECK(refusals[1].find("older.txt:1: a table of format 2 was trained for an older version") !=
          std::string::npos);
    CHECK(refusals[2].find("open_model.txt can be written to by others") != std::string::npos);
    CHECK(refusals[3].find("other_arch.txt was trained on another GPU") != std::string::npos);
    CHECK(refusals[4].find("other_gpu.txt was trained on another GPU") != std::string::npos);
    CHECK(tuned::add_models(folder / "missing", "A GPU", "sm_90a").empty());
}
