// Where NVRTC is found, and whose files are not opened.
// SPDX-License-Identifier: Apache-2.0
//
// A file counts as trusted if nobody but root and the user can write to it and to the folders above
// it. A private group has its owner as its only member, and has the owner's name. SPIO_NVRTC names
// the file to open; SPIO_NVRTC_LIBRARY is the NVRTC that the build found.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

import spio.error;
import spio.jit;
import spio.system;

namespace fs = std::filesystem;

namespace {

// The variables that decide where NVRTC is looked for.
constexpr char const* variables[] = {"CUDA_HOME",    "CUDA_PATH",       "VIRTUAL_ENV",
                                     "CONDA_PREFIX", "LD_LIBRARY_PATH", "SPIO_NVRTC"};

// A temporary folder for one test. The variables above are unset while it lives, and have their old
// values again after it.
struct playground {
    spio::test::folder folder;
    fs::path root = folder.path;
    std::vector<std::pair<std::string, std::string>> previous;

    playground() {
        for (auto variable : variables) {
            char const* const value = std::getenv(variable);
            if (value) previous.emplace_back(variable, value);
            unsetenv(variable);
        }
    }
    ~playground() {
        for (auto variable : variables) unsetenv(variable);
        for (auto const& [variable, value] : previous) setenv(variable.c_str(), value.c_str(), 1);
    }
    // Writes a file that is no library.
    fs::path file(fs::path const& name) const {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << "no library";
        return root / name;
    }
};

// What comes of opening a file as NVRTC: "opened", or the error.
std::string said_of(fs::path const& path) {
    try {
        spio::jit::nvrtc const opened(path);
        return "opened";
    } catch (spio::error const& e) {
        return e.tried() + ": " + e.reason();
    }
}

// Whether the file is among the places where NVRTC is looked for.
bool lists(fs::path const& path) {
    auto const found = spio::jit::nvrtc_places();
    return std::ranges::find(found, path) != found.end();
}

} // namespace

TEST_CASE("NVRTC is found in toolkits, in pip's wheels and on the library path") {
    playground const ground;
    auto const toolkit = ground.file("toolkit/lib64/libnvrtc.so.13.0.88");
    ground.file("toolkit/lib64/libnvrtc.so.12.4");
    ground.file("toolkit/lib64/libnvrtc.alt.so.14");
    ground.file("toolkit/lib64/libnvrtc-builtins.so.13.0");
    auto const wheel =
        ground.file("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    auto const listed = ground.file("listed/libnvrtc.so.13");
    setenv("CUDA_HOME", (ground.root / "toolkit").c_str(), 1);
    setenv("VIRTUAL_ENV", (ground.root / "venv").c_str(), 1);
    setenv("LD_LIBRARY_PATH", ("relative::" + (ground.root / "listed").string()).c_str(), 1);
    CHECK(spio::jit::nvrtc_places().front() == toolkit);
    CHECK(lists(wheel));
    CHECK(lists(listed));
    for (auto const& path : spio::jit::nvrtc_places()) CHECK(path.is_absolute());
    setenv("CUDA_HOME", "toolkit", 1);
    CHECK(!lists(toolkit));
}

TEST_CASE("of two versions the newer is taken, number by number") {
    playground const ground;
    auto const in_order = {"libnvrtc.so",      "libnvrtc.so.9.9",    "libnvrtc.so.13",
                           "libnvrtc.so.13.2", "libnvrtc.so.13.2.7", "libnvrtc.so.13.10"};
    setenv("LD_LIBRARY_PATH", ground.root.c_str(), 1);
    for (auto const* name : in_order) {
        auto const newest = ground.file(name);
        CHECK(lists(newest));
    }
}

TEST_CASE("the error of a machine without an NVRTC has a reason for each file") {
    playground const ground;
    auto const said = []() -> std::string {
        try {
            spio::jit::nvrtc const opened;
            return "opened";
        } catch (spio::error const& e) {
            CHECK(e.kind() == spio::error_kind::no_compiler);
            return e.what();
        }
    };
    setenv("SPIO_NVRTC", "anywhere/nvrtc", 1);
    CHECK(said() == "open for anywhere/nvrtc: SPIO_NVRTC is not an absolute path");
    auto const named = ground.file("nvrtc"); // no library
    setenv("SPIO_NVRTC", named.c_str(), 1);
    CHECK(said().starts_with("dlopen for libnvrtc.so: SPIO_NVRTC names one file, and it cannot be "
                             "used:\ndlopen for " +
                             named.string() + ": "));
    auto const absent = ground.root / "absent";
    setenv("SPIO_NVRTC", absent.c_str(), 1);
    CHECK(said().starts_with("dlopen for libnvrtc.so: none that may be opened:\nopen for " +
                             absent.string() + ": "));
    // Where the only file is left out, nothing follows.
    setenv("SPIO_NVRTC", named.c_str(), 1);
    std::vector const excluded = {fs::canonical(named)};
    CHECK_THROWS_WITH_AS(spio::jit::first_nvrtc_file(excluded),
                         "dlopen for libnvrtc.so: SPIO_NVRTC names one file, and it cannot be used",
                         spio::error);
}

TEST_CASE("the file that is named is used and no other, and is named from the root") {
    playground const ground;
    auto const named = ground.file("anywhere/nvrtc");
    setenv("SPIO_NVRTC", named.c_str(), 1);
    CHECK(spio::jit::nvrtc_places() == std::vector{named});
    setenv("SPIO_NVRTC", "anywhere/nvrtc", 1);
    CHECK_THROWS_WITH_AS(spio::jit::nvrtc_places(),
                         "open for anywhere/nvrtc: SPIO_NVRTC is not an absolute path",
                         spio::error);
}

TEST_CASE("a library is known by its build id, and a file without one by its content") {
    playground const ground;
    std::string known;
    for (std::string const content : {"no library", "no library either"}) {
        auto const path = ground.root / "nvrtc";
        std::ofstream(path) << content;
        setenv("SPIO_NVRTC", path.c_str(), 1);
        auto const id = spio::jit::first_nvrtc_file().build_id;
        CHECK(id.size() == 64);
        CHECK(id != known);
        known = id;
    }
    setenv("SPIO_NVRTC", SPIO_NVRTC_LIBRARY, 1);
    std::ifstream file(SPIO_NVRTC_LIBRARY, std::ios::binary);
    std::string content(fs::file_size(SPIO_NVRTC_LIBRARY), '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    REQUIRE(file.good());
    auto const own = spio::jit::build_id_in(
        {reinterpret_cast<unsigned char const*>(content.data()), content.size()});
    auto const id = spio::jit::first_nvrtc_file().build_id;
    CHECK((own.empty() ? id.size() == 64 : id == own));
}

// The test, as root, poses as another user, who is alone in their group.
TEST_CASE("what a user's own group can write to is theirs" * doctest::description("needs root") *
          doctest::skip(geteuid() != 0)) {
    playground const ground;
    auto const path = ground.file("a/libnvrtc.so.13");
    passwd const* const known = getpwnam("daemon");
    REQUIRE(known != nullptr);
    uid_t const user = known->pw_uid;
    gid_t const own = known->pw_gid;
    for (auto const& each : {ground.root, ground.root / "a", path}) {
        fs::permissions(each, fs::perms::group_write, fs::perm_options::add);
        REQUIRE(chown(each.c_str(), user, own) == 0);
    }
    auto const said_to = [&](gid_t group) {
        REQUIRE(chown((ground.root / "a").c_str(), user, group) == 0);
        REQUIRE(seteuid(user) == 0);
        auto const said = said_of(path);
        REQUIRE(seteuid(0) == 0);
        return said;
    };
    CHECK(said_to(own).starts_with("dlopen: "));
    CHECK(said_to(own + 1).starts_with("open: " + (ground.root / "a").string() +
                                       " can be written to by others: group "));
}

TEST_CASE("what others could have written is not opened") {
    playground const ground;
    auto const path = ground.file("a/lib/libnvrtc.so.13");
    CHECK(said_of(path).starts_with("dlopen: ")); // trusted, but no library
    struct {
        char const* name;
        fs::perms also;
    } const hostile[] = {{"a/lib/libnvrtc.so.13", fs::perms::others_write},
                         {"a/lib/libnvrtc.so.13", fs::perms::group_write},
                         {"a/lib", fs::perms::others_write},
                         {"a/lib", fs::perms::group_write},
                         {"a/lib", fs::perms::others_write | fs::perms::sticky_bit},
                         {"a", fs::perms::others_write},
                         {"", fs::perms::group_write}};
    int refused = 0;
    bool const has_group_alone = spio::operating_system().is_private(getegid(), geteuid());
    for (auto const& [name, also] : hostile) {
        if (also == fs::perms::group_write && has_group_alone) continue;
        fs::path const hostile_path = name[0] ? ground.root / name : ground.root;
        fs::permissions(hostile_path, also, fs::perm_options::add);
        auto const sentence = "open: " + hostile_path.string() + " can be written to by others: ";
        CHECK(said_of(path).starts_with(sentence));
        refused += said_of(path).starts_with(sentence);
        fs::permissions(hostile_path, also, fs::perm_options::remove);
        CHECK(said_of(path).starts_with("dlopen: "));
    }
    // A link is judged by the place of the file that it leads to, not by its own.
    fs::create_directory(ground.root / "linked");
    fs::create_symlink(path, ground.root / "linked/libnvrtc.so.13");
    fs::permissions(ground.root / "a", fs::perms::others_write, fs::perm_options::add);
    CHECK(said_of(ground.root / "linked/libnvrtc.so.13").find("a can be written to") !=
          std::string::npos);
    // The same holds for libnvrtc-builtins, which libnvrtc opens.
    fs::permissions(ground.root / "a", fs::perms::others_write, fs::perm_options::remove);
    auto const builtins = ground.file("a/lib/libnvrtc-builtins.so.13.0");
    fs::permissions(builtins, fs::perms::others_write, fs::perm_options::add);
    CHECK(said_of(path) == "open: " + builtins.string() + " can be written to by others: everyone");
    CHECK(said_of(ground.root / "absent.so").ends_with("No such file or directory"));
    // A pipe is refused at once; nothing waits for its other end.
    REQUIRE(mkfifo((ground.root / "pipe").c_str(), 0600) == 0);
    setenv("SPIO_NVRTC", (ground.root / "pipe").c_str(), 1);
    CHECK_THROWS_WITH_AS(spio::jit::first_nvrtc_file(),
                         doctest::Contains("pipe is no regular file"), spio::error);
    std::cout << "summary: jit.places: " << refused + 2 << " files of doubtful origin refused\n";
}
