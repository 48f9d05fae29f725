// Every system call of the cache fails in turn, with every errno that matters: answers stay right.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig::troubled` makes system calls fail as its `trouble` says: it gets
// the call and the numbers of earlier calls, and returns an errno or 0.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

import spio.cache;
import rig;

namespace cache = spio::cache;
using rig::call;

// A system call, and the errors with which it may fail.
struct failing {
    call asked;
    char const* name;
    std::vector<int> errors;
};

static std::vector<failing> const table = {
    {call::openat,
     "openat",
     {EACCES, EEXIST, EINTR, EIO, ELOOP, EMFILE, ENFILE, ENOENT, ENOMEM, ENOSPC, EROFS, ESTALE}},
    {call::close, "close", {EDQUOT, EINTR, EIO, ENOSPC}},
    {call::read, "read", {EINTR, EIO, EISDIR, ESTALE}},
    {call::write, "write", {EDQUOT, EFBIG, EINTR, EIO, ENOSPC}},
    {call::fsync, "fsync", {EDQUOT, EINTR, EINVAL, EIO, ENOSPC}},
    {call::fstat, "fstat", {EIO, ENOMEM, ESTALE}},
    {call::fstatat, "fstatat", {EACCES, EIO, ELOOP, ENOENT, ENOMEM}},
    {call::mkdirat, "mkdirat", {EACCES, EDQUOT, EEXIST, EIO, ENOSPC, EROFS}},
    {call::linkat, "linkat", {EACCES, EEXIST, EIO, EMLINK, ENOENT, ENOSPC, EPERM, EROFS, EXDEV}},
    {call::renameat, "renameat", {EACCES, EIO, ENOENT, ENOSPC, EPERM, EROFS}},
    {call::unlinkat, "unlinkat", {EACCES, EBUSY, EIO, ENOENT, EPERM, EROFS}},
    {call::futimens, "futimens", {EACCES, EPERM, EROFS}},
    {call::readlinkat, "readlinkat", {EACCES, EINVAL, EIO}},
    {call::list, "list", {EIO, EMFILE, ENOMEM}},
    {call::lock, "lock", {EAGAIN, EBADF, EINTR, EINVAL, EIO, ENOLCK, EOPNOTSUPP}},
    {call::unlock, "unlock", {EIO, ENOLCK}},
};

static auto const key = rig::sample_key(0);
static auto const answer = rig::sample_entry(0);

// A state in which a test begins: `prepare` makes the folder `cache` in a scratch folder.
struct scene {
    char const* name;
    std::function<void(rig::scratch const&)> prepare;
};

// A cache of eight entries behind a link, with a system whose calls can be made to fail.
static cache::options options_for(rig::scratch const& place, rig::troubled& system) {
    cache::options options;
    options.folder = place / "link/deep/cache";
    options.limits.bytes = 4000; // eight entries
    options.limits.lock_wait = std::chrono::milliseconds(4);
    options.system = &system;
    return options;
}

static std::string folder_in(rig::scratch const& place) { return place / "base/deep/cache"; }

// A link to the folder above the cache's, so that the way to the cache may lead through it.
static void link_base(rig::scratch const& place) {
    std::filesystem::create_directory(place / "base");
    std::filesystem::create_symlink("./base", place / "link");
}

// Publishes the entries of the keys from `first` to `end` - 1.
static void publish(rig::scratch const& place, int first, int end) {
    rig::troubled calm;
    cache::folders store(options_for(place, calm));
    for (int i = first; i < end; i++) {
        rig::get_or_compile(store, rig::sample_key(i), [&] { return rig::sample_entry(i); });
    }
}

// Changes a bit in the middle of the entry's file.
static void damage(rig::scratch const& place) {
    auto const path = folder_in(place) + "/" + rig::file_name(key);
    auto bytes = rig::bytes_of(path);
    bytes[bytes.size() / 2] ^= 1;
    rig::write_file(path, bytes);
}

// Leaves a temporary file and one that was moved aside, both two hours old.
static void leave_stale_files(rig::scratch const& place) {
    for (char const* const suffix : {".temporary-1-2-3-4", ".aside-1-2-3-4"}) {
        auto const path = folder_in(place) + "/" + cache::hexadecimal(key.value) + suffix;
        rig::write_file(path, std::vector<unsigned char>(10));
        auto const now = std::filesystem::file_time_type::clock::now();
        std::filesystem::last_write_time(path, now - std::chrono::hours(2));
    }
}

static std::vector<scene> const scenes = {
    {"cold", link_base},
    {"warm", [](auto& place) { link_base(place), publish(place, /*first=*/0, /*end=*/3); }},
    {"damaged",
     [](auto& place) { link_base(place), publish(place, /*first=*/0, /*end=*/2), damage(place); }},
    {"crowded",
     [](auto& place) {
         link_base(place), publish(place, /*first=*/1, /*end=*/9), leave_stale_files(place);
     }},
};

// Asks a new store for the answer twice, checks both, and returns how often it was compiled.
static int ask(rig::scratch const& place, rig::troubled& system) {
    cache::folders store(options_for(place, system));
    int compiled = 0;
    auto const compile = [&] {
        compiled++;
        return answer;
    };
    auto const got = rig::get_or_compile(store, key, compile);
    REQUIRE(*got.entry == answer);
    REQUIRE((got.origin == cache::origin::compiled) == (compiled == 1));
    // The second answer is read, or compiled again if the first could not be published.
    auto const second = rig::get_or_compile(store, key, compile);
    REQUIRE(*second.entry == answer);
    REQUIRE(compiled <= 2);
    return compiled;
}

// Whether the folder has the entry of the tests' key.
static bool is_published(rig::scratch const& place) {
    return std::filesystem::exists(folder_in(place) + "/" + rig::file_name(key));
}

// Whether the cache makes the call again after EINTR.
static bool is_resumed(call asked) {
    return asked == call::read || asked == call::write || asked == call::fsync;
}

// Every file with an entry's name is that entry, a new store finds the answer, and unfinished files
// are removed when they are old.
static void check_sanity(rig::scratch const& place) {
    auto const folder = folder_in(place);
    for (auto const& name : rig::names_in(folder)) {
        if (!name.ends_with(".image")) continue;
        auto const file = rig::bytes_of(folder + "/" + name);
        bool is_right = false;
        for (int i = 0; i < 10; i++) {
            auto const candidate = rig::sample_key(i);
            if (rig::file_name(candidate) != name) continue;
            auto const got = cache::parse_file(file, candidate);
            is_right = got.value && *got.value == rig::sample_entry(i);
        }
        bool const is_planted = name == rig::file_name(key);
        REQUIRE((is_right || is_planted));
    }
    rig::troubled calm;
    ask(place, calm);
    int compiled = 0;
    cache::folders second_store(options_for(place, calm));
    auto const got = rig::get_or_compile(second_store, key, [&] { return compiled++, answer; });
    REQUIRE(compiled == 0);
    REQUIRE(*got.entry == answer);
    REQUIRE(got.origin == cache::origin::disk);
    calm.seconds_ahead = 7200;
    publish(place, /*first=*/9, /*end=*/10);
    cache::folder opened(calm, folder, cache::folder::use::owned);
    cache::disk disk(calm, std::move(opened), cache::folder::use::owned, cache::limits(),
                     /*log=*/nullptr);
    disk.tidy();
    REQUIRE(rig::stale_file_count(folder) == 0);
}

TEST_CASE("any call may fail with any errno") {
    int faults = 0, lasting = 0;
    std::vector<int> of_call(rig::calls);
    int const files = rig::open_files();
    for (auto const& scene : scenes) {
        std::vector<int> calls(rig::calls);
        int compiled = 0;
        {
            rig::scratch const place;
            scene.prepare(place);
            rig::troubled calm;
            compiled = ask(place, calm);
            REQUIRE(is_published(place));
            for (int i = 0; i < rig::calls; i++) {
                calls[static_cast<std::size_t>(i)] = calm.call_counts[static_cast<std::size_t>(i)];
            }
        }
        for (auto const& entry : table) {
            auto const number = static_cast<std::size_t>(entry.asked);
            for (int failing_call = 0; failing_call < calls[number]; failing_call++) {
                for (int const error : entry.errors) {
                    for (bool const lasts : {false, true}) {
                        // A call that always returns EINTR would be repeated forever.
                        if (lasts && error == EINTR) continue;
                        CAPTURE(scene.name);
                        CAPTURE(entry.name);
                        CAPTURE(failing_call);
                        CAPTURE(error);
                        CAPTURE(lasts);
                        rig::scratch const place;
                        scene.prepare(place);
                        rig::troubled system;
                        system.trouble = [&](call asked, int count_before, int) {
                            bool const now =
                                lasts ? count_before >= failing_call : count_before == failing_call;
                            return asked == entry.asked && now ? error : 0;
                        };
                        int const count = ask(place, system);
                        if (error == EINTR && is_resumed(entry.asked)) {
                            REQUIRE(count == compiled);
                            REQUIRE(is_published(place));
                        }
                        check_sanity(place);
                        (lasts ? lasting : faults)++;
                        of_call[number]++;
                    }
                }
            }
        }
    }
    CHECK(rig::open_files() == files);
    for (auto const& entry : table) {
        CAPTURE(entry.name);
        CHECK(of_call[static_cast<std::size_t>(entry.asked)] > 0);
    }
    CHECK(faults >= 90); // else too little was tested
    std::printf("summary: cache.faults: %d single and %d lasting faults of %zu calls\n", faults,
                lasting, table.size());
}

// Because of this order, a file with the entry's name is whole, or there is none.
TEST_CASE("a file is written, synced and closed before it has its name") {
    rig::scratch const place;
    link_base(place);
    std::vector<call> order;
    rig::troubled system;
    cache::folders store(options_for(place, system));
    system.trouble = [&](call asked, int, int) { return order.push_back(asked), 0; };
    rig::get_or_compile(store, key, [&] { return order.clear(), answer; });
    order.resize(6);
    CHECK(order == std::vector{call::openat, call::write, call::fsync, call::close, call::linkat,
                               call::unlinkat});
}

TEST_CASE("a good entry that has replaced a bad one meanwhile stays") {
    rig::scratch const place;
    link_base(place), publish(place, /*first=*/0, /*end=*/1), damage(place);
    auto const path = folder_in(place) + "/" + rig::file_name(key);
    rig::troubled system;
    cache::folders store(options_for(place, system));
    system.trouble = [path](call asked, int, int) {
        // Another process replaces the bad file just before this one looks at it again.
        if (asked == call::fstatat) rig::write_file(path + "new", cache::file_of(key, answer));
        if (asked == call::fstatat) std::filesystem::rename(path + "new", path);
        return 0;
    };
    auto const got = rig::get_or_compile(store, key, [] { return rig::sample_entry(1); });
    CHECK(got.origin == cache::origin::disk);
    CHECK(*got.entry == answer);
    CHECK(store.count().moved_aside == 0);
}

TEST_CASE("a full or read-only disk is counted") {
    rig::scratch const place;
    link_base(place);
    for (int const error : {ENOSPC, EROFS, EDQUOT}) {
        rig::troubled system;
        system.trouble = [&](call asked, int, int) { return asked == call::write ? error : 0; };
        cache::folders store(options_for(place, system));
        for (int i = 0; i < 3; i++) {
            auto const got = rig::get_or_compile(store, rig::sample_key(i),
                                                 [&] { return rig::sample_entry(i); });
            CHECK(*got.entry == rig::sample_entry(i));
            CHECK(got.origin == cache::origin::compiled);
        }
        CHECK(store.count().publish_failures == 3);
        CHECK(rig::stale_file_count(folder_in(place)) == 0);
    }
}
