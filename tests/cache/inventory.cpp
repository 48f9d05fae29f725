// What lies in the cache's folder can be listed, examined and cleared, without being used.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says. An inventory lists the
// files of the cache's folder.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

import spio.cache;
import rig;

namespace cache = spio::cache;
namespace fs = std::filesystem;

namespace {

constexpr auto existing = cache::folder::use::existing;
constexpr auto hour = std::chrono::hours(1);

std::string name_of(int number) { return rig::file_name(rig::sample_key(number)); }

// A cache folder with two entries (files of compiled kernels), a new and an old temporary file, a
// folder that was moved aside, a link to a file outside, a file of somebody else, and the folder of
// locks.
struct filled {
    rig::scratch place;
    rig::troubled system;
    std::string path = place / "cache";
    std::string outside = place / "outside";
    std::string temporary = name_of(1).substr(0, 64) + ".temporary-1-1-1-1";
    std::string old_temporary = name_of(1).substr(0, 64) + ".temporary-1-2-1-1";
    std::string aside = name_of(2).substr(0, 64) + ".aside-1-1-1-1";
    std::string link = name_of(3);

    filled() {
        cache::disk disk(system, cache::folder(system, path, cache::folder::use::owned),
                         cache::folder::use::owned, cache::limits(), /*log=*/nullptr);
        for (int i = 1; i <= 2; i++) {
            REQUIRE(disk.publish(rig::sample_key(i), rig::sample_entry(i)));
        }
        for (auto const& name : {temporary, old_temporary, std::string("notes.txt")}) {
            std::ofstream(path + "/" + name) << "text";
        }
        fs::last_write_time(path + "/" + old_temporary,
                            fs::file_time_type::clock::now() - 2 * hour);
        fs::create_directory(path + "/" + aside);
        std::ofstream(outside) << "precious";
        fs::create_symlink(outside, path + "/" + link);
        {
            auto const opened = disk.lock(rig::sample_key(1));
        }
    }

    cache::folder folder() { return cache::folder(system, path, existing); }
};

} // namespace

TEST_CASE("a folder is listed by the names of what lies there") {
    filled cached;
    auto const listed = cache::inventory_of(cached.system, cached.folder());
    CHECK(listed.complaint.empty());
    auto const count = [&](cache::file_kind kind) {
        return std::ranges::count(listed.files, kind, &cache::cached_file::kind);
    };
    CHECK(count(cache::file_kind::entry) == 3); // one is a link
    CHECK(count(cache::file_kind::temporary) == 2);
    CHECK(count(cache::file_kind::aside) == 1);
    CHECK(count(cache::file_kind::lock) == 1);
    CHECK(count(cache::file_kind::foreign) == 1);
    CHECK(std::ranges::is_sorted(listed.files, {}, &cache::cached_file::name));
}

TEST_CASE("entries are examined, and left as they were") {
    filled cached;
    auto const path = cached.path + "/" + name_of(1);
    auto const time_before = fs::last_write_time(path);
    auto const good = cache::examine(cached.system, cached.folder(), name_of(1));
    REQUIRE(good.value);
    CHECK(*good.value == rig::sample_entry(1));
    CHECK(fs::last_write_time(path) == time_before);

    CHECK(cache::examine(cached.system, cached.folder(), "notes.txt").complaint ==
          "it has not the name of an entry");
    CHECK(!cache::examine(cached.system, cached.folder(), cached.link).complaint.empty());
    fs::copy_file(path, cached.path + "/" + name_of(4));
    CHECK(cache::examine(cached.system, cached.folder(), name_of(4)).complaint ==
          "it belongs to another key");
    std::fstream(path, std::ios::in | std::ios::out).seekp(100).put('\xff').flush();
    auto const bad = cache::examine(cached.system, cached.folder(), name_of(1));
    CHECK(!bad.value);
    CHECK(bad.complaint == "its digest is another");
    CHECK(fs::exists(path));
}

TEST_CASE("clearing removes what is ours, and links instead of what they lead to") {
    filled cached;
    auto const done = cache::clear(cached.system, cached.folder(), hour);
    CHECK(done.complaint.empty());
    CHECK(done.removed == 5);   // two entries, a link, something old and something moved aside
    CHECK(done.remaining == 2); // somebody's notes, and what may be about to be finished
    auto names = rig::names_in(cached.path);
    std::ranges::sort(names);
    std::vector<std::string> expected = {cached.temporary, "locks", "notes.txt"};
    std::ranges::sort(expected);
    CHECK(names == expected);
    CHECK(fs::exists(cached.outside));
}

TEST_CASE("a call that fails while clearing is reported, and the rest is cleared") {
    for (auto const failing : {rig::call::unlinkat, rig::call::fstatat, rig::call::list}) {
        filled cached;
        auto const folder = cached.folder();
        int failed = 0;
        cached.system.trouble = [&](rig::call asked, int, int) {
            return asked == failing && failed++ == 0 ? EIO : 0;
        };
        auto const done = cache::clear(cached.system, folder, hour);
        CHECK(failed > 0);
        CHECK(!done.complaint.empty());
        CHECK(done.removed >= (failing == rig::call::list ? 0u : 4u));
    }
}

TEST_CASE("a folder that is looked for is not made") {
    rig::scratch const place;
    rig::troubled system;
    auto const path = place / "home/.cache/spio";
    cache::folder const none(system, path, existing);
    CHECK(!none);
    CHECK(none.is_missing());
    CHECK(!fs::exists(place / "home"));
    fs::create_directory(place / "home");
    system.variables = {{"HOME", place / "home"}};
    auto const by_home = cache::folder_of_environment(system, existing);
    CHECK(by_home.is_missing());
    CHECK(by_home.path() == path);
    cache::folder const opened(system, path, cache::folder::use::owned);
    CHECK(opened);
    CHECK(cache::folder(system, path, existing));
    chmod(path.c_str(), 0777);
    cache::folder const refused(system, path, existing);
    CHECK(!refused);
    CHECK(!refused.is_missing());
}
