// `spio tune --train` on a machine with a fake GPU: what it puts where, and what it refuses.
// SPDX-License-Identifier: Apache-2.0
//
// A sweep is a file of measured times; a model is a table of regression trees. A script stands for
// Python with XGBoost: it "trains" a table that it has. fake::the_machine() has the state of the
// fake driver, which stands for CUDA's. The model conv2d_correlation is for fprop and dgrad, the
// forward pass and the gradient of the input; conv2d_gradient is for wgrad, that of the filter. Of
// a table's feature, hexadecimal floats are its bounds and what it is compared with; a tree's
// digits are a split (00), then its children.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

import spio.command;
import spio.conv2d;
import spio.cuda;
import spio.fake_driver;
import spio.system;

#include "tests/command/answer.h" // after the imports

using namespace spio;
using command::exit_status;
using test::contains;

namespace {

// Runs the command with these words.
test::answer ask(std::vector<std::string> const& words) {
    return test::answer_to(std::vector<std::string_view>(words.begin(), words.end()));
}

// What a sweep begins with, and a model that was trained on it.
std::string const source = "device 0, Fake 0 | sm_90a | driver 1 | 2026-11-22 | commit 0";
std::string const model = "spio-model 3\nname conv2d correlation\nchip H200\nsource " + source +
                          "\nfeature width 00000000 41200000\ntree y00\n";

// A folder in the place of Spio's sources, with what trains in it; and a cache.
struct rig {
    test::folder folder;
    std::string sources = folder / "sources", times = folder / "times.txt",
                cache = folder / "cache";

    rig() {
        fake::the_machine().expect({});
        for (auto const* name : {"build/models/bin", "build/release/bench", "bench/models"}) {
            std::filesystem::create_directories(sources + "/" + name);
        }
        write(sources + "/bench/models/train.py", "");
        write(sources + "/bench/models/table.py", "");
        write(sources + "/bench/models/plan.py", "");
        write(sources + "/build/release/bench/models_features", "");
        // The words are SCRIPT TIMES --program PROGRAM --out FOLDER --chip CHIP.
        write_script("cat > \"$6/conv2d_correlation.txt\" <<'END'\n" + model + "END\n");
        write(times, "# " + source + "\nproblem n=1\n");
        std::filesystem::create_directory(cache);
        std::filesystem::permissions(cache, std::filesystem::perms::owner_all);
        setenv("SPIO_CACHE_DIR", cache.c_str(), 1);
    }
    ~rig() { unsetenv("SPIO_CACHE_DIR"); }
    static void write(std::string const& file, std::string const& text) {
        std::ofstream(file, std::ios::binary) << text;
    }
    void write_script(std::string const& lines) const {
        auto const file = sources + "/build/models/bin/python";
        write(file, "#!/bin/sh\n" + lines);
        REQUIRE(chmod(file.c_str(), 0755) == 0);
    }
    // Runs `spio tune --train` on the times, with more options.
    test::answer train(std::vector<std::string> const& more = {}) const {
        std::vector<std::string> words = {"tune", "--train", times};
        if (more.empty() || more.front() != "--sources") {
            words.insert(words.end(), {"--sources", sources});
        }
        words.insert(words.end(), more.begin(), more.end());
        return ask(words);
    }
    // Where the trained model is put.
    std::string file() const { return cache + "/models/conv2d_correlation.txt"; }
};

} // namespace

TEST_CASE("a model is trained on a sweep of the GPU, and put where runtimes read it") {
    rig const rig;
    mode_t const earlier = umask(0); // under which everybody could write what a program writes
    auto const got = rig.train();
    umask(earlier);
    CAPTURE(got.told);
    REQUIRE(got.status == exit_status::success);
    CHECK(contains(got.printed, "trained on times of Fake 0 (sm_90a)\n"));
    CHECK(contains(got.printed, "conv2d correlation: " + rig.file()));
    CHECK(read_file(rig.file()) == model);
    struct stat status = {};
    REQUIRE(stat(rig.file().c_str(), &status) == 0);
    CHECK((status.st_mode & 0022) == 0); // nobody else writes it
    REQUIRE(stat((rig.cache + "/models").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    auto const printed = rig.train({"--json"}).printed;
    CHECK(contains(printed, "\"gpu\":\"Fake 0\""));
    CHECK(contains(printed, "\"models\":[\"" + rig.file() + "\"]"));
}

TEST_CASE("of what training writes, texts of a family and a model are models, in their order") {
    rig const rig;
    std::string script;
    for (auto const* name : {"conv2d_wgrad.txt", "conv2d_correlation.txt", "report.txt",
                             "conv2d_correlation.json", "conv2d_times"}) {
        script += "cat > \"$6/" + std::string(name) + "\" <<'END'\n" + model + "END\n";
    }
    rig.write_script(script);
    auto const folder = rig.cache + "/models/";
    CHECK(contains(rig.train().printed, "(sm_90a)\nconv2d correlation: " + folder +
                                            "conv2d_correlation.txt\nconv2d correlation: " +
                                            folder + "conv2d_wgrad.txt\n"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    rig.write_script("exit 3\n");
    auto const failed = rig.train();
    CHECK(failed.status == exit_status::tool_failed);
    CHECK(failed.printed.empty());
}

TEST_CASE("tune --train says what it misses and what to do, and then writes no model") {
    rig const rig;
    auto const refused = [&](exit_status status, std::string_view words,
                             std::vector<std::string> const& more = {}) {
        auto const got = rig.train(more);
        CAPTURE(got.told);
        CHECK(got.status == status);
        CHECK(contains(got.told, words));
        CHECK(!std::filesystem::exists(rig.file()));
    };
    refused(exit_status::check_failed, "is no sweep of Fake 1 (sm_90a): it begins with",
            {"--device", "gpu:1"});
    refused(exit_status::not_found, "has no bench/models/train.py; name a checkout by --sources",
            {"--sources", rig.cache});
    rig.write_script("echo no module named xgboost; exit 1\n");
    refused(exit_status::tool_failed, "no module named xgboost");
    rig.write_script("echo nonsense > \"$6/conv2d_correlation.txt\"\n");
    refused(exit_status::tool_failed, "the first line must be 'spio-model 3'");
    // A program of each of two builds is none that anybody has chosen.
    auto const program = rig.sources + "/build/release/bench/models_features";
    std::filesystem::create_directories(rig.sources + "/build/ci/bench");
    std::filesystem::create_directories(rig.sources + "/build/dev/bench");
    std::filesystem::rename(program, rig.sources + "/build/ci/bench/models_features");
    rig::write(rig.sources + "/build/dev/bench/models_features", "");
    refused(exit_status::not_found, "that several builds have, release not");
    std::filesystem::remove(rig.sources + "/build/models/bin/python");
    refused(exit_status::not_found, "'./bootstrap models' in");
    rig.write_script("exit 0\n");
    std::filesystem::remove(rig.sources + "/build/ci/bench/models_features");
    std::filesystem::remove(rig.sources + "/build/dev/bench/models_features");
    refused(exit_status::not_found, "--target models_features");
    std::filesystem::remove(rig.times);
    refused(exit_status::not_found, "cannot be read");
}

TEST_CASE("tune --train runs what nobody else can write, and no more") {
    rig const rig;
    for (std::string_view const name :
         {"build/models/bin/python", "build/release/bench/models_features", "bench/models/train.py",
          "bench/models/plan.py", "bench/models/objective.py", "bench/models/numpy.so",
          "bench/models/xgboost/__init__.cpython-312-x86_64-linux-gnu.so",
          "bench/models/__pycache__/plan.cpython-312.pyc", "bench/models/scipy/", "build/models/",
          "build/models/lib/", "build/models/lib/python3.12/site-packages/"}) {
        CAPTURE(name);
        auto file = std::filesystem::path(rig.sources) / name;
        std::filesystem::create_directories(file.parent_path());
        if (name.ends_with('/')) file = file.parent_path();
        if (!std::filesystem::exists(file)) rig::write(file, "");
        auto const mode = std::filesystem::status(file).permissions();
        std::filesystem::permissions(file, mode | std::filesystem::perms::others_write);
        auto const got = rig.train();
        CHECK(got.status == exit_status::not_found);
        CHECK(contains(got.told, file.string()));
        CHECK(contains(got.told, "can be written to by others"));
        CHECK(!std::filesystem::exists(rig.file()));
        std::filesystem::permissions(file, mode);
    }
    CHECK(rig.train().status == exit_status::success);
}

TEST_CASE("tune --train names a folder beside the script that it cannot read") {
    rig const rig;
    auto const closed = std::filesystem::path(rig.sources) / "bench/models/closed";
    std::filesystem::create_directory(closed);
    std::filesystem::permissions(closed, std::filesystem::perms::none);
    // The superuser reads every folder: it tries as another user.
    std::filesystem::permissions(rig.folder.path, std::filesystem::perms{0755});
    bool const is_root = geteuid() == 0;
    if (is_root) REQUIRE(seteuid(65534) == 0);
    auto const got = rig.train();
    if (is_root) REQUIRE(seteuid(0) == 0);
    std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
    CHECK(got.status == exit_status::not_found);
    CAPTURE(got.told);
    CHECK(contains(got.told, closed.string() + "'"));
    CHECK(contains(got.told, "Permission denied"));
}

TEST_CASE("features are computed by the program of the release, or else by the only one") {
    rig const rig;
    std::filesystem::create_directories(rig.sources + "/build/ci/bench");
    std::filesystem::create_directories(rig.sources + "/build/tsan/bench");
    rig::write(rig.sources + "/build/tsan/bench/models_features", "");
    // The script tells the program: its words are SCRIPT TIMES --program PROGRAM …
    rig.write_script("echo $4; exit 1\n");
    auto const released = rig.sources + "/build/release/bench/models_features";
    CHECK(contains(rig.train().told, released));
    std::filesystem::remove(released);
    CHECK(contains(rig.train().told, "/build/tsan/bench/models_features"));
}

namespace {

// A model of the two passes fprop and dgrad with four trees of one split: configurations that copy
// by TMA (the feature is_tma is 1) take e^1.5 times as long as estimated, others as long.
std::string table_against_tma() {
    std::string text = "spio-model 3\nname conv2d correlation\nchip H200\nsource " + source + "\n";
    for (auto const name : conv2d::feature_names()) {
        bool const is_tma = name == "is_tma";
        text += "feature " + std::string(name) + " ff7fffff 7f7fffff" + (is_tma ? " 3f000000" : "");
        text += '\n';
    }
    for (int i = 0; i < 4; ++i) text += "tree 00u00-00\n"; // 0, or 3/8
    return text;
}

} // namespace

TEST_CASE("a trained model chooses, and show and doctor name it") {
    rig const rig;
    auto const against_tma = table_against_tma();
    // By TMA or by cp_async: the estimates are close.
    std::vector<std::string> const show = {"show", "conv2d", "n=192", "c=240", "h=28", "w=28"};
    auto const first_choice = ask(show).printed;
    CHECK(
        contains(first_choice, "configuration chosen by the learned model for H200, trained on "));
    CHECK(contains(first_choice, " us by the estimate: tma "));
    CHECK(contains(ask({"doctor"}).printed,
                   "conv2d fprop, dgrad on sm_90a: the learned model for H200, trained on "));
    rig.write_script("cat > \"$6/conv2d_correlation.txt\" <<'END'\n" + against_tma + "END\n");
    // One that others can write is not used, nor one of another GPU. The doctor says so.
    REQUIRE(rig.train().status == exit_status::success);
    auto const words = "this machine's learned model " + rig.file() + ", trained on " + source;
    auto const is_refused = [&](std::string_view reason) {
        auto const text = ask({"doctor"}).printed;
        CAPTURE(text);
        auto const line = text.substr(std::min(text.find("a model is not used: "), text.size()));
        CHECK(contains(line.substr(0, line.find('\n')), reason));
        CHECK(!contains(text, words));
        CHECK(ask(show).printed == first_choice);
    };
    std::filesystem::permissions(rig.file(), std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    is_refused(rig.file());
    std::filesystem::remove(rig.file());
    auto other = against_tma;
    other.replace(other.find("Fake 0"), 6, "Fake 9");
    rig::write(rig.file(), other);
    is_refused(rig.file() + " was trained on another GPU: device 0, Fake 9");
    rig::write(rig.file(), against_tma.substr(0, against_tma.size() / 2));
    is_refused(rig.file() + ":");
    // Under this setting runtimes read no model, and show does not either.
    rig::write(rig.file(), against_tma);
    setenv("SPIO_TUNED", "off", 1);
    CHECK(ask(show).printed == first_choice);
    unsetenv("SPIO_TUNED");
    // Then it counts.
    auto const second_choice = ask(show).printed;
    CAPTURE(second_choice);
    CHECK(contains(second_choice, "configuration chosen by " + words));
    auto const choice = second_choice.substr(
        std::min(second_choice.find("configuration chosen"), second_choice.size()));
    CHECK(contains(choice.substr(0, choice.find('\n', choice.find(" us by the"))), "cp_async "));
    auto const report = ask({"doctor"}).printed;
    CHECK(contains(report, "conv2d fprop, dgrad on sm_90a: " + words));
    CHECK(contains(report, "conv2d wgrad on sm_90a: the learned model for H200, trained on "));
    CHECK(contains(ask({"doctor", "--json"}).printed,
                   "\"choosers\":[\"conv2d fprop, dgrad on sm_90a: " + words));
}
