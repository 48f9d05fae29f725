// What lies where a file of the cache should be is not believed, followed or written to.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

import spio.cache;
import rig;

namespace cache = spio::cache;
namespace fs = std::filesystem;

static auto const key = rig::sample_key(1);
static auto const answer = rig::sample_entry(1);
static auto const good_file = cache::file_of(key, answer);

// Something that lies where the file of an entry belongs, and must not be taken for it.
struct refused_entry {
    char const* name;
    std::function<void(rig::scratch const&, std::string const&)> plant; // at that path
};

static std::vector<refused_entry> const refused_entries = {
    {"a symbolic link to a good entry",
     [](auto& place, auto& path) {
         rig::write_file(place / "good", good_file);
         fs::create_symlink(place / "good", path);
     }},
    {"a symbolic link to itself", [](auto&, auto& path) { fs::create_symlink(path, path); }},
    {"a fifo", [](auto&, auto& path) { mkfifo(path.c_str(), 0600); }},
    {"a socket", [](auto&, auto& path) { mknod(path.c_str(), S_IFSOCK | 0600, 0); }},
    {"a folder", [](auto&, auto& path) { fs::create_directory(path); }},
    {"a folder with a file in it",
     [](auto&, auto& path) {
         fs::create_directory(path);
         rig::write_file(path + "/file", good_file);
     }},
    {"a good entry that the world may write to",
     [](auto&, auto& path) { rig::write_file(path, good_file, 0602); }},
    {"a good entry that a group may write to",
     [](auto&, auto& path) { rig::write_file(path, good_file, 0660); }},
    {"a hard link to the entry of another key",
     [](auto& place, auto& path) {
         auto const other = place / "cache/" + rig::file_name(rig::sample_key(2));
         rig::write_file(other, cache::file_of(rig::sample_key(2), rig::sample_entry(2)));
         fs::create_hard_link(other, path);
     }},
    {"a good entry with two names elsewhere",
     [](auto& place, auto& path) {
         rig::write_file(path, good_file);
         fs::create_hard_link(path, place / "first");
         fs::create_hard_link(path, place / "second");
     }},
    {"nothing in a file", [](auto&, auto& path) { rig::write_file(path, {}); }},
    {"a file of a terabyte",
     [](auto&, auto& path) {
         rig::write_file(path, good_file);
         fs::resize_file(path, std::uintmax_t{1} << 40);
     }},
    {"the entry of another key",
     [](auto&, auto& path) {
         rig::write_file(path, cache::file_of(rig::sample_key(2), rig::sample_entry(2)));
     }},
};

static cache::options options_for(std::string const& folder, cache::system_calls& system) {
    cache::options options;
    options.folder = folder;
    options.system = &system;
    return options;
}

// Asks a fresh cache for the entry, which it compiles if its file is not to be trusted.
static cache::found ask(cache::options const& options) {
    cache::folders store(options);
    return rig::get_or_compile(store, key, [] { return answer; });
}

TEST_CASE("what is no entry is moved aside") {
    for (auto const& each : refused_entries) {
        CAPTURE(each.name);
        rig::scratch const place;
        rig::troubled system;
        auto options = options_for(place / "cache", system);
        std::string said;
        options.log = [&](std::string_view line) {
            said += std::string(line) + "\n";
            throw std::runtime_error("the log is full"); // which is no matter of the cache
        };
        cache::folders store(options);
        auto const path = place / "cache/" + rig::file_name(key);
        each.plant(place, path);
        auto const got = rig::get_or_compile(store, key, [] { return answer; });
        CHECK(got.origin == cache::origin::compiled);
        CHECK(*got.entry == answer);
        CHECK(store.count().moved_aside == 1);
        CHECK(store.count().publish_failures == 0);
        CHECK(said.find("cache: moved aside to " + place / "cache/") == 0);
        CHECK(rig::bytes_of(path) == good_file);
        if (fs::exists(place / "good")) CHECK(rig::bytes_of(place / "good") == good_file);
        CHECK(ask(options).origin == cache::origin::disk);
    }
    std::printf("summary: cache.hostile: %zu entries refused\n", refused_entries.size());
}

TEST_CASE("other people's entries are not believed") {
    rig::scratch const place;
    rig::troubled system;
    auto const options = options_for(place / "cache", system);
    CHECK(ask(options).origin == cache::origin::compiled);
    CHECK(ask(options).origin == cache::origin::disk);
    if (geteuid() != 0) {
        std::printf("skipped: entries of real other people: needs root\n");
        return;
    }
    auto const path = place / "cache/" + rig::file_name(key);
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(ask(options).origin == cache::origin::compiled);
    CHECK(ask(options).origin == cache::origin::disk);
    // A user who is not root believes root and themselves, and nobody else.
    system.posed_user = 12346;
    REQUIRE(chown((place / "cache").c_str(), 12346, 12346) == 0);
    for (uid_t const owner : {0U, 12346U}) {
        REQUIRE(chown(path.c_str(), owner, owner) == 0);
        CHECK(ask(options).origin == cache::origin::disk);
    }
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
    CHECK(ask(options).origin == cache::origin::compiled);
}

// A system whose clock stands still, so that the test knows the name of the next temporary file.
class foreseen : public rig::troubled {
  public:
    timespec now() override { return {start, 0}; }
    pid_t process() override { return 1; }

    time_t const start = time(nullptr);
};

TEST_CASE("links in the way of temporary files and locks are not followed") {
    rig::scratch const place;
    foreseen system;
    auto const options = options_for(place / "cache", system);
    rig::write_file(place / "precious", good_file);
    cache::folder(system, place / "cache", cache::folder::use::owned);
    auto const base = place / "cache/" + cache::hexadecimal(key.value) + ".temporary-1-";
    auto const suffix = "-" + std::to_string(system.start) + "-0";
    fs::create_symlink(place / "precious", base + "1" + suffix);
    fs::create_symlink(place / "missing", base + "2" + suffix);
    fs::create_symlink(place / "precious", place / "cache/locks");
    CHECK(ask(options).origin == cache::origin::compiled);
    CHECK(ask(options).origin == cache::origin::disk);
    CHECK(rig::bytes_of(place / "precious") == good_file);
    CHECK(!fs::exists(place / "missing"));
    CHECK(fs::is_symlink(base + "1" + suffix));
    for (char const* const kind : {"fifo", "folder"}) {
        fs::remove(place / "cache/locks");
        fs::remove(place / "cache/" + rig::file_name(key));
        kind == std::string("fifo") ? mkfifo((place / "cache/locks").c_str(), 0600)
                                    : mkdir((place / "cache/locks").c_str(), 0700);
        CHECK(ask(options).origin == cache::origin::compiled);
    }
}

TEST_CASE("a shared folder is read, if it can be trusted, and never written to") {
    rig::scratch const place;
    rig::troubled system;
    ask(options_for(place / "shared", system));
    fs::remove(place / "shared/locks");
    auto options = options_for(place / "cache", system);
    options.shared_folder = place / "shared";
    CHECK(ask(options).origin == cache::origin::disk);
    CHECK(rig::names_in(place / "cache").empty());

    // A damaged entry of the shared folder is left as it is; the kernel is compiled.
    auto const path = place / "shared/" + rig::file_name(key);
    auto bad = good_file;
    bad[60] ^= 1;
    rig::write_file(path, bad);
    CHECK(ask(options).origin == cache::origin::compiled);
    CHECK(rig::names_in(place / "shared").size() == 1);
    CHECK(rig::bytes_of(path) == bad);
    fs::remove(place / "cache/" + rig::file_name(key));
    rig::write_file(path, good_file);
    CHECK(ask(options).origin == cache::origin::disk);

    // A shared folder that others can write to is not read. One that is missing is not made.
    chmod((place / "shared").c_str(), 0777);
    CHECK(ask(options).origin == cache::origin::compiled);
    CHECK(cache::folders(options).refusal().find("shared can be written to") != std::string::npos);
    CHECK(cache::folders(options).path() == place / "cache");
    options.shared_folder = place / "missing";
    CHECK(cache::folders(options).refusal().find("No such file") != std::string::npos);
    CHECK(!fs::exists(place / "missing"));
}

TEST_CASE("when the cache's folder is removed, kernels are compiled and failures counted") {
    rig::scratch const place;
    cache::folders store(options_for(place / "cache", cache::operating_system()));
    fs::remove_all(place / "cache");
    CHECK(rig::get_or_compile(store, key, [] { return answer; }).origin == cache::origin::compiled);
    CHECK(rig::get_or_compile(store, key, [] { return answer; }).origin == cache::origin::compiled);
    CHECK(store.count().publish_failures == 2);
}
