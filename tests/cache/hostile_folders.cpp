// Folders of the cache that somebody else could write to, and paths that are none, are refused.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

import spio.cache;
import rig;

namespace cache = spio::cache;
namespace fs = std::filesystem;

using variables = std::map<std::string, std::string>;

// Makes a folder that others may open as the mode says.
static void make(std::string const& path, mode_t mode) {
    fs::create_directories(path);
    chmod(path.c_str(), mode);
}

// Makes all folders belong to somebody else: the process says that it has another user's number.
static void give_away(rig::troubled& system) { system.posed_user = geteuid() + 1; }

// A path that must be refused as a cache folder, with words of the reason.
struct refused_folder {
    char const* name;
    std::function<std::string(rig::scratch const&, rig::troubled&)> prepare; // the path to try
    char const* refusal;
};

static std::vector<refused_folder> const refused_folders = {
    {"a world-writable folder",
     [](auto& place, auto&) { return make(place / "cache", 0777), place / "cache"; },
     "can be written to by others"},
    {"a group-writable folder",
     [](auto& place, auto&) { return make(place / "cache", 0770), place / "cache"; },
     "can be written to by others"},
    {"a folder like /tmp",
     [](auto& place, auto&) { return make(place / "cache", 01777), place / "cache"; },
     "can be written to by others"},
    {"a missing folder below one like /tmp",
     [](auto& place, auto&) { return make(place / "tmp", 01777), place / "tmp/spio-cache"; },
     "missing, where everybody may put it"},
    {"below a group-writable parent",
     [](auto& place, auto&) { return make(place / "base", 0775), place / "base/cache"; },
     "base can be written to by others"},
    {"below a world-writable grandparent",
     [](auto& place, auto&) {
         make(place / "base", 0777), make(place / "base/deep", 0700);
         make(place / "base/deep/cache", 0700);
         return place / "base/deep/cache";
     },
     "base can be written to by others"},
    {"a symbolic link",
     [](auto& place, auto&) {
         make(place / "real", 0700);
         fs::create_symlink(place / "real", place / "cache");
         return place / "cache";
     },
     "is a symbolic link"},
    {"a symbolic link that dangles",
     [](auto& place, auto&) {
         fs::create_symlink(place / "missing", place / "cache");
         return place / "cache";
     },
     "is a symbolic link"},
    {"links that go round",
     [](auto& place, auto&) {
         fs::create_symlink(place / "two", place / "one");
         fs::create_symlink(place / "one", place / "two");
         return place / "one/cache";
     },
     "too many links"},
    {"through a link into a folder that others write to",
     [](auto& place, auto&) {
         make(place / "real", 0777);
         fs::create_symlink("real", place / "link");
         return place / "link/cache";
     },
     "real can be written to by others"},
    {"a file",
     [](auto& place, auto&) { return rig::write_file(place / "cache", {}), place / "cache"; },
     "cannot be entered"},
    {"a fifo",
     [](auto& place, auto&) { return mkfifo((place / "cache").c_str(), 0700), place / "cache"; },
     "cannot be entered"},
    {"below a file",
     [](auto& place, auto&) { return rig::write_file(place / "base", {}), place / "base/cache"; },
     "cannot be entered"},
    {"somebody else's",
     [](auto& place, auto& system) {
         make(place / "cache", 0700), give_away(system);
         return place / "cache";
     },
     geteuid() == 0 ? "belongs to user" : "neither this user nor root"},
    {"root's, who lets others read it",
     [](auto&, auto& system) { return give_away(system), "/usr/share"; }, "belongs to user 0"},
    {"a relative path", [](auto&, auto&) { return "cache"; }, "not an absolute path"},
    {"an empty path", [](auto&, auto&) { return ""; }, "not an absolute path"},
    {"the root", [](auto&, auto&) { return "//./"; }, "it is the root"},
    {"a path with a zero byte",
     [](auto& place, auto&) { return place / std::string_view("ca\0che", 6); }, "a zero byte"},
    {"a name that is too long", [](auto& place, auto&) { return place / std::string(300, 'a'); },
     "File name too long"},
};

TEST_CASE("hostile folders are refused, and nothing is written there") {
    int const files = rig::open_files();
    for (auto const& each : refused_folders) {
        CAPTURE(each.name);
        rig::scratch const place;
        rig::troubled system;
        auto const path = each.prepare(place, system);
        auto const names_before = rig::names_in(place / "");
        cache::folder const folder(system, path, cache::folder::use::owned);
        CHECK(!folder);
        CAPTURE(folder.refusal());
        CHECK(folder.refusal().find(each.refusal) != std::string::npos);
        CHECK(folder.refusal().starts_with("tried " + path + ": "));
        CHECK(rig::names_in(place / "") == names_before);

        // A store without a folder compiles each time, and works.
        cache::folders store(
            {.folder = {}, .shared_folder = {}, .limits = {}, .log = {}, .system = &system});
        auto const ask = [&] {
            return rig::get_or_compile(store, rig::sample_key(1),
                                       [] { return rig::sample_entry(1); });
        };
        CHECK(ask().origin == cache::origin::compiled);
        CHECK(ask().origin == cache::origin::compiled);
        CHECK(store.path().empty());
        CHECK(!store.refusal().empty());
        CHECK(store.count().publish_failures == 0);
    }
    CHECK(rig::open_files() == files);
    std::printf("summary: cache.hostile: %zu folders refused\n", refused_folders.size());
}

// The same with real owners, which only root can set.
TEST_CASE("other people's folders and links are refused to root" *
          doctest::description("needs root") * doctest::skip(geteuid() != 0)) {
    constexpr uid_t other = 12345;
    rig::scratch const place;
    rig::troubled system;
    auto const refusal_of = [&](std::string const& path) {
        return cache::folder(system, path, cache::folder::use::owned).refusal();
    };
    make(place / "cache", 0700);
    REQUIRE(chown((place / "cache").c_str(), other, other) == 0);
    CHECK(refusal_of(place / "cache").ends_with("cache belongs to user 12345"));
    CHECK(refusal_of(place / "cache/deeper")
              .ends_with("cache belongs to user 12345, who is neither this user nor root"));

    make(place / "tmp", 01777);
    make(place / "safe", 0700);
    fs::create_symlink(place / "safe", place / "tmp/link");
    REQUIRE(lchown((place / "tmp/link").c_str(), other, other) == 0);
    CHECK(refusal_of(place / "tmp/link/cache").ends_with("link is a symbolic link of user 12345"));
    // If root runs with the HOME of another user, nothing is left there.
    system.variables = {{"HOME", place / "cache"}};
    CHECK(!cache::folder_of_environment(system));
    CHECK(rig::names_in(place / "cache").empty());
}

TEST_CASE("folders that only the user can write to are taken, and made where they are missing") {
    rig::scratch const place;
    rig::troubled system;
    make(place / "tmp", 01777);
    make(place / "tmp/own", 0700);
    make(place / "real/deep", 0755);
    fs::create_symlink("real/./deep/", place / "link");
    fs::create_symlink(place / "link/../deep", place / "again");
    for (auto const& path :
         {place / "new", place / "new/below//it", place / "tmp/own/cache", place / "tmp/own",
          place / "link/cache", place / "again/another", place / "real/deep/"}) {
        CAPTURE(path);
        cache::folder const folder(system, path, cache::folder::use::owned);
        CAPTURE(folder.refusal());
        CHECK(folder);
        CHECK(folder.path() == path);
    }
    for (char const* const path : {"new", "new/below/it", "real/deep/cache", "real/deep/another"}) {
        struct stat status = {};
        REQUIRE(stat((place / path).c_str(), &status) == 0);
        CHECK((status.st_mode & 07777) == 0700);
    }
}

TEST_CASE(
    "the cache's folder is the first that the environment names, unless it is off or refused") {
    rig::scratch const place;
    make(place / "home", 0700);
    make(place / "open", 0777);
    auto const home = place / "home", open = place / "open", own = place / "own";
    struct row {
        variables environment;
        std::string path; // or none
    };
    std::vector<row> const rows = {
        {{{"SPIO_CACHE_DIR", own}, {"XDG_CACHE_HOME", place / "xdg"}, {"HOME", home}}, own},
        {{{"XDG_CACHE_HOME", place / "xdg"}, {"HOME", home}}, place / "xdg/spio"},
        {{{"HOME", home}}, home + "/.cache/spio"},
        {{{"SPIO_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", home}}, home + "/.cache/spio"},
        {{{"XDG_CACHE_HOME", "relative"}, {"HOME", home}}, home + "/.cache/spio"},
        {{{"XDG_CACHE_HOME", open}, {"HOME", home}}, home + "/.cache/spio"},
        // If the user names a folder and it is refused, no other one is tried.
        {{{"SPIO_CACHE_DIR", open + "/a"}, {"XDG_CACHE_HOME", place / "xdg"}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE_DIR", "relative"}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "off"}, {"SPIO_CACHE_DIR", own}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "OFF"}, {"SPIO_CACHE_DIR", own}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "0"}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "No"}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "disabled"}, {"HOME", home}}, ""},
        {{{"SPIO_CACHE", "On"}, {"HOME", home}}, home + "/.cache/spio"},
        {{{"HOME", ""}}, ""},
        {{{"HOME", "relative"}}, ""},
        {{{"HOME", place / "missing"}}, ""},
        {{{"HOME", open}}, ""},
        {{}, ""},
    };
    rig::troubled nowhere;
    nowhere.variables = {{"XDG_CACHE_HOME", "relative"}};
    CHECK(cache::folder_of_environment(nowhere).refusal() ==
          "SPIO_CACHE_DIR is empty, and neither XDG_CACHE_HOME nor HOME is an absolute path");
    for (auto const& each : rows) {
        rig::troubled system;
        system.variables = each.environment;
        auto const folder = cache::folder_of_environment(system);
        CAPTURE(folder.refusal());
        CHECK(static_cast<bool>(folder) == !each.path.empty());
        CHECK(folder.refusal().empty() == !each.path.empty());
        if (folder) CHECK(folder.path() == each.path);
    }
    CHECK(!fs::exists(place / "missing"));
    CHECK(rig::names_in(open).empty());
}

TEST_CASE("a folder that is only looked for is the one that would be made to keep entries") {
    rig::scratch const place;
    make(place / "closed", 0700);
    make(place / "home", 0700);
    rig::troubled system;
    system.variables = {{"XDG_CACHE_HOME", place / "closed"}, {"HOME", place / "home"}};
    auto const looked = [&] {
        return cache::folder_of_environment(system, cache::folder::use::existing);
    };
    CHECK(looked().is_missing());
    CHECK(looked().path() == place / "closed/spio");
    // If the first folder can be neither found nor made, the next place is tried.
    system.closed_folder = place / "closed";
    CHECK(looked().is_missing());
    CHECK(looked().path() == place / "home/.cache/spio");
    auto const opened = cache::folder_of_environment(system);
    CAPTURE(opened.refusal());
    CHECK(opened.path() == place / "home/.cache/spio");
    CHECK(looked().path() == opened.path());
    CHECK(looked());
}

TEST_CASE("a folder may be writable for a group that has the user as its only member") {
    rig::scratch const place;
    rig::troubled system;
    system.groups_are_private = true;
    make(place / "base", 0775);
    cache::folder const nested(system, place / "base/cache", cache::folder::use::owned);
    CAPTURE(nested.refusal());
    CHECK(nested);
    make(place / "open", 0777);
    CHECK(!cache::folder(system, place / "open/cache", cache::folder::use::owned));

    auto& real = cache::operating_system();
    passwd const* const known = getpwnam("daemon");
    REQUIRE(known != nullptr);
    uid_t const daemon = known->pw_uid;
    gid_t const group = known->pw_gid;
    CHECK(real.is_private(group, daemon));
    CHECK(!real.is_private(group + 1, daemon));
    CHECK(!real.is_private(group, daemon + 1));
    CHECK(!real.is_private(0, 0)); // others may be members of root's group
}
