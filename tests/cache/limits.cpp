// When files of the cache's folder are removed, how long a lock is waited for, and what is counted.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. A wrong one is moved aside (renamed), and one that is being written
// has a temporary name. A `watched` folder is one on whose log and calls a test looks. heard() is
// what was told since its last call. system.fail(call, error, n) makes the first n such calls fail,
// or all of them, and counts calls anew.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

import spio.cache;
import rig;
import watched;

namespace cache = spio::cache;

namespace {

using bytes = std::vector<unsigned char>;
using cache::folder;
using rig::lines;
using rig::moment;
using rig::watched;

} // namespace

TEST_CASE("what is old is removed at its age, and entries from the limit on") {
    watched cached;
    // Files of 1000 bytes, by name and by seconds since they were used. 'b' and 'c' are keys.
    std::string const b(64, 'b'), c(64, 'c');
    auto const put = [&](std::string const& name, int age) {
        rig::write_file(cached.path_of(name), bytes(1000));
        cached.set_time(name, moment - age);
    };
    auto const put_all = [&] {
        put(b + ".image", 50), put(c + ".image", 40), put(b + ".aside-1", 3600);
        put(b + ".temporary-1", 3600), put(b + ".temporary-2", -3600);
        put(c + ".aside-1", 3601), put(c + ".temporary-1", 3601), put(c + ".temporary-2", -3601);
    };
    auto const names = [&] {
        auto found = rig::names_in(cached.path);
        std::ranges::sort(found);
        return found;
    };
    lines const fresh = {b + ".aside-1", b + ".image", b + ".temporary-1", b + ".temporary-2",
                         c + ".image"};
    put_all();
    cached.disk({.bytes = 5000}).tidy();
    CHECK(names() == fresh);
    CHECK(cached.heard().empty());
    // A byte less: as many go as leave seven eighths of the limit. What was moved aside counts as
    // no entry, and what is unfinished may still be wanted.
    auto disk = cached.disk({.bytes = 4999});
    disk.tidy();
    CHECK(names() == lines{b + ".image", b + ".temporary-1", b + ".temporary-2", c + ".image"});
    CHECK(disk.evicted() == 0);
    CHECK(cached.heard() == lines{"cache: evicted down to 4000 bytes in " + cached.path});
    put_all();
    auto smaller = cached.disk({.bytes = 4568}); // of which 7/8 are 3997
    smaller.tidy();
    CHECK(names() == lines{b + ".temporary-1", b + ".temporary-2", c + ".image"});
    CHECK(smaller.evicted() == 1);
    CHECK(cached.heard() == lines{"cache: evicted down to 3000 bytes in " + cached.path});
    put_all();
    cached.system.fail(rig::call::unlinkat, EACCES);
    auto stuck = cached.disk({.bytes = 4568});
    stuck.tidy();
    CHECK(names().size() == 8);
    CHECK(stuck.evicted() == 0);
    CHECK(cached.heard() == lines{"cache: evicted down to 8000 bytes in " + cached.path});
    cached.system.thrown_by = rig::call::list;
    stuck.tidy();
    CHECK(cached.heard() == lines{"cache: not tidied: no memory"});
    cached.disk({.bytes = 0}, folder::use::shared).tidy();
    CHECK(cached.heard().empty());
    CHECK(names().size() == 8);
}

TEST_CASE("the folder is listed when a sixteenth of its limit was written since the last time") {
    watched cached;
    auto const size = cache::file_of(rig::sample_key(100), rig::sample_entry(100)).size();
    auto disk = cached.disk({.bytes = 16 * 2 * size});
    auto const listed = static_cast<std::size_t>(rig::call::list);
    std::vector<int> counts;
    for (int i = 100; i < 108; ++i) {
        CHECK(disk.publish(rig::sample_key(i), rig::sample_entry(i)));
        CHECK(disk.publish(rig::sample_key(i), rig::sample_entry(i))); // which is there already
        counts.push_back(cached.system.call_counts[listed]);
    }
    CHECK(counts == std::vector{1, 1, 1, 2, 2, 2, 3, 3});
}

TEST_CASE("a lock that another holds is waited for in longer and longer pauses") {
    watched cached;
    auto disk = cached.disk({.lock_wait = std::chrono::milliseconds(100)});
    for (int const error : {EAGAIN, EACCES, EINTR, ENOLCK}) {
        CAPTURE(error);
        cached.system.pauses.clear();
        cached.system.fail(rig::call::lock, error);
        {
            auto const lock = disk.lock(rig::sample_key(1));
        }
        CHECK(cached.system.pauses ==
              (error == ENOLCK ? std::vector<int>() : std::vector{1, 2, 4, 8, 16, 16, 16, 16, 16}));
        auto const unlocked = static_cast<std::size_t>(rig::call::unlock);
        CHECK(cached.system.call_counts[unlocked] == 0);
        cached.system.fail(rig::call::lock, error, error == ENOLCK ? 0 : 3);
        cached.system.pauses.clear();
        {
            auto const lock = disk.lock(rig::sample_key(1));
            CHECK(cached.system.call_counts[unlocked] == 0);
        }
        CHECK(cached.system.call_counts[unlocked] == 1);
        CHECK(cached.system.pauses.size() == (error == ENOLCK ? 0 : 3));
    }
}

TEST_CASE("a key is not locked where a call throws, and nobody is told by an exception") {
    watched cached;
    auto disk = cached.disk();
    cached.system.thrown_by = rig::call::openat;
    {
        auto const lock = disk.lock(rig::sample_key(1));
        CHECK(!lock);
    }
    CHECK(cached.heard() == std::vector<std::string>{"cache: nothing locked: no memory"});
}

TEST_CASE("clearing counts what it removes, and names what it cannot") {
    watched cached;
    folder const listed(cached.system, cached.path, folder::use::existing);
    std::string const b(64, 'b'), c(64, 'c');
    auto const put_all = [&] {
        for (auto const& [name, size, age] : {std::tuple(b + ".image", 100, 0),
                                              {b + ".temporary-1", 20, 60},
                                              {b + ".temporary-2", 20, -60},
                                              {c + ".aside-1", 3, 0},
                                              {c + ".temporary-1", 1000, 61},
                                              {c + ".temporary-2", 1000, -61},
                                              {"notes.txt", 7, 1000},
                                              {"locks", 9, 1000}}) {
            rig::write_file(cached.path_of(name), bytes(static_cast<std::size_t>(size)));
            cached.set_time(name, moment - age);
        }
    };
    auto const minute = std::chrono::seconds(60);
    put_all();
    auto const done = cache::clear(cached.system, listed, minute);
    CHECK(done.removed == 4);
    CHECK(done.bytes == 2103);
    CHECK(done.remaining == 3);
    CHECK(done.complaint == "");
    put_all();
    cached.system.fail(rig::call::unlinkat, EPERM, 1);
    auto const partly = cache::clear(cached.system, listed, minute);
    CHECK(partly.removed == 3);
    CHECK(partly.bytes == 2003);
    CHECK(partly.complaint == b + ".image cannot be removed: Operation not permitted");
    put_all();
    cached.system.fail(rig::call::unlinkat, ENOENT); // others have removed them already
    auto const late = cache::clear(cached.system, listed, minute);
    CHECK(late.removed == 0);
    CHECK(late.complaint == "");
    cached.system.fail(rig::call::fstatat, EIO, 1);
    CHECK(cache::inventory_of(cached.system, listed).complaint == b + ".image: Input/output error");
    cached.system.fail(rig::call::fstatat, ENOENT, 1);
    auto const rest = cache::inventory_of(cached.system, listed);
    CHECK(rest.complaint == "");
    REQUIRE(rest.files.size() == 7);
    CHECK(rest.files.back().name == "notes.txt");
    CHECK(rest.files.back().kind == cache::file_kind::foreign);
    CHECK(rest.files.back().bytes == 7);
    CHECK(rest.files.back().used.tv_sec == moment - 1000);
    cached.system.fail(rig::call::list, EIO);
    CHECK(cache::inventory_of(cached.system, listed).complaint ==
          cached.path + " cannot be listed: Input/output error");
}

TEST_CASE("the kind of a file is told by its name") {
    using enum cache::file_kind;
    std::string const name = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for (auto const& [text, kind] : {std::pair(name + ".image", entry),
                                     {name + ".image2", foreign},
                                     {name + ".temporary-", temporary},
                                     {name + ".temporary", foreign},
                                     {name + ".aside-1", aside},
                                     {name + ".aside", foreign},
                                     {name, foreign},
                                     {name.substr(1) + ".image", foreign},
                                     {"0" + name + ".image", foreign},
                                     {"locks", lock},
                                     {"locks2", foreign},
                                     {"", foreign}}) {
        CAPTURE(text);
        CHECK(cache::kind_of(text) == kind);
    }
    for (char const other : {'/', ':', '`', 'g', 'A', 'F'}) {
        CHECK(cache::kind_of(std::string(63, 'a') + other + ".image") == foreign);
    }
}
