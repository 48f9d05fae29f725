// Where NVRTC is found, and whose files are not opened.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <pwd.h>
#include <unistd.h>

import spio.cache;
import spio.error;
import spio.jit;

namespace fs = std::filesystem;

namespace {

// A folder of our own, and the environment as it was.
constexpr char const* variables[] = {"CUDA_HOME",    "CUDA_PATH",       "VIRTUAL_ENV",
                                     "CONDA_PREFIX", "LD_LIBRARY_PATH", "SPIO_NVRTC"};

struct playground {
    spio::test::folder folder;
    fs::path root = folder.path;
    std::vector<std::pair<std::string, std::string>> before;

    playground() {
        for (auto variable : variables) {
            char const* const value = std::getenv(variable);
            if (value) before.emplace_back(variable, value);
            unsetenv(variable);
        }
    }
    ~playground() {
        for (auto variable : variables) unsetenv(variable);
        for (auto const& [variable, value] : before) setenv(variable.c_str(), value.c_str(), 1);
    }
    // A file that is no library.
    fs::path file(fs::path const& name) const {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << "no library";
        return root / name;
    }
};

std::string said_of(fs::path const& path) {
    try {
        spio::jit::nvrtc const opened(path);
        return "opened";
    } catch (spio::error const& e) {
        return e.tried() + ": " + e.reason();
    }
}

bool lists(fs::path const& path) {
    auto const all = spio::jit::nvrtc_places();
    return std::ranges::find(all, path) != all.end();
}

} // namespace

TEST_CASE("NVRTC is found in toolkits, in pip's wheels and on the library path") {
    playground const here;
    auto const toolkit = here.file("toolkit/lib64/libnvrtc.so.13.0.88");
    here.file("toolkit/lib64/libnvrtc.so.12.4");
    here.file("toolkit/lib64/libnvrtc.alt.so.14");
    here.file("toolkit/lib64/libnvrtc-builtins.so.13.0");
    auto const wheel =
        here.file("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    auto const listed = here.file("listed/libnvrtc.so.13");
    setenv("CUDA_HOME", (here.root / "toolkit").c_str(), 1);
    setenv("VIRTUAL_ENV", (here.root / "venv").c_str(), 1);
    setenv("LD_LIBRARY_PATH", ("relative::" + (here.root / "listed").string()).c_str(), 1);
    CHECK(spio::jit::nvrtc_places().front() == toolkit);
    CHECK(lists(wheel));
    CHECK(lists(listed));
    for (auto const& path : spio::jit::nvrtc_places()) CHECK(path.is_absolute());
    setenv("CUDA_HOME", "toolkit", 1);
    CHECK(!lists(toolkit));
}

TEST_CASE("the file that is named is used and no other, and is named from the root") {
    playground const here;
    auto const named = here.file("anywhere/nvrtc");
    setenv("SPIO_NVRTC", named.c_str(), 1);
    CHECK(spio::jit::nvrtc_places() == std::vector{named});
    setenv("SPIO_NVRTC", "anywhere/nvrtc", 1);
    CHECK_THROWS_WITH_AS(spio::jit::nvrtc_places(),
                         "open for anywhere/nvrtc: SPIO_NVRTC is not an absolute path",
                         spio::error);
}

// Another user, who has a group alone, where the test may pose as one.
TEST_CASE("what a user's own group can write to is theirs" * doctest::skip(geteuid() != 0)) {
    playground const here;
    auto const path = here.file("a/libnvrtc.so.13");
    passwd const* const known = getpwnam("daemon");
    REQUIRE(known != nullptr);
    uid_t const user = known->pw_uid;
    gid_t const own = known->pw_gid;
    for (auto const& each : {here.root, here.root / "a", path}) {
        fs::permissions(each, fs::perms::group_write, fs::perm_options::add);
        REQUIRE(chown(each.c_str(), user, own) == 0);
    }
    auto const said_to = [&](gid_t group) {
        REQUIRE(chown((here.root / "a").c_str(), user, group) == 0);
        REQUIRE(seteuid(user) == 0);
        auto const said = said_of(path);
        REQUIRE(seteuid(0) == 0);
        return said;
    };
    CHECK(said_to(own).starts_with("dlopen: "));
    CHECK(said_to(own + 1) == "open: others can write to " + (here.root / "a").string());
}

TEST_CASE("what others could have written is not opened") {
    playground const here;
    auto const path = here.file("a/lib/libnvrtc.so.13");
    CHECK(said_of(path).starts_with("dlopen: ")); // trusted, but no library
    struct {
        char const* where;
        fs::perms also;
    } const hostile[] = {{"a/lib/libnvrtc.so.13", fs::perms::others_write},
                         {"a/lib/libnvrtc.so.13", fs::perms::group_write},
                         {"a/lib", fs::perms::others_write},
                         {"a/lib", fs::perms::group_write},
                         {"a/lib", fs::perms::others_write | fs::perms::sticky_bit},
                         {"a", fs::perms::others_write},
                         {"", fs::perms::group_write}};
    int refused = 0;
    bool const has_group_alone = spio::cache::operating_system().is_private(getegid(), geteuid());
    for (auto const& [where, also] : hostile) {
        if (also == fs::perms::group_write && has_group_alone) continue;
        fs::path const at = where[0] ? here.root / where : here.root;
        fs::permissions(at, also, fs::perm_options::add);
        CHECK(said_of(path) == "open: others can write to " + at.string());
        refused += said_of(path).starts_with("open: others can write");
        fs::permissions(at, also, fs::perm_options::remove);
        CHECK(said_of(path).starts_with("dlopen: "));
    }
    // A link from a trusted place leads to what it leads to.
    fs::create_directory(here.root / "linked");
    fs::create_symlink(path, here.root / "linked/libnvrtc.so.13");
    fs::permissions(here.root / "a", fs::perms::others_write, fs::perm_options::add);
    CHECK(said_of(here.root / "linked/libnvrtc.so.13").starts_with("open: others can write"));
    // Builtins are opened too.
    fs::permissions(here.root / "a", fs::perms::others_write, fs::perm_options::remove);
    auto const builtins = here.file("a/lib/libnvrtc-builtins.so.13.0");
    fs::permissions(builtins, fs::perms::others_write, fs::perm_options::add);
    CHECK(said_of(path) == "open: others can write to " + builtins.string());
    CHECK(said_of(here.root / "absent.so") == "open: No such file or directory");
    std::cout << "figure: jit.places: " << refused + 2 << " files of doubtful origin refused\n";
}
