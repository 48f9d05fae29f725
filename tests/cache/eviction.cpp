// The cache's folder stays as small as it may be: what was used least recently is removed.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

import spio.cache;
import rig;

namespace cache = spio::cache;

// All sample entries with numbers of three digits have files of the same size.
static std::uint64_t const file_bytes =
    cache::file_of(rig::sample_key(100), rig::sample_entry(100)).size();

// Opens a cache folder that may hold so many bytes.
static std::unique_ptr<cache::disk> open_disk(cache::system_calls& system, std::string const& path,
                                              std::uint64_t bytes) {
    constexpr auto mine = cache::folder::use::owned;
    return std::make_unique<cache::disk>(system, cache::folder(system, path, mine), mine,
                                         cache::limits{.bytes = bytes}, /*log=*/nullptr);
}

static std::uint64_t bytes_in(std::string const& folder) {
    std::uint64_t sum = 0;
    for (auto const& each : std::filesystem::directory_iterator(folder)) sum += each.file_size();
    return sum;
}

// Makes it look as if the file was last used so long ago.
static void set_age(std::string const& path, int seconds) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() -
                                               std::chrono::seconds(seconds));
}

TEST_CASE("those used least recently go first") {
    rig::scratch const place;
    rig::troubled system;
    auto const path = place / "cache";
    auto const disk = open_disk(system, path, 10 * file_bytes);
    auto const publish = [&](int number, int age) {
        REQUIRE(disk->publish(rig::sample_key(number), rig::sample_entry(number)));
        set_age(path + "/" + rig::file_name(rig::sample_key(number)), age);
    };
    auto const is_there = [&](int number) {
        return std::filesystem::exists(path + "/" + rig::file_name(rig::sample_key(number)));
    };
    for (int i = 100; i < 110; i++) publish(i, 1000 - i); // 100 is the oldest
    CHECK(disk->evicted() == 0);
    CHECK(disk->find(rig::sample_key(101))); // this makes it the youngest
    publish(110, 0);
    CHECK(disk->evicted() == 3); // so that there is room for the next entries, too
    CHECK(!is_there(100));
    CHECK(is_there(101));
    CHECK(!is_there(102));
    CHECK(!is_there(103));
    for (int i = 104; i <= 110; i++) CHECK(is_there(i));
    publish(111, 0);
    publish(112, 0);
    CHECK(disk->evicted() == 3);
    CHECK(bytes_in(path) <= 10 * file_bytes);
}

TEST_CASE("what is larger than the whole cache is not published") {
    rig::scratch const place;
    rig::troubled system;
    auto const disk = open_disk(system, place / "cache", 2 * file_bytes);
    REQUIRE(disk->publish(rig::sample_key(100), rig::sample_entry(100)));
    CHECK(!disk->publish(rig::sample_key(101), rig::sample_entry(101, 2000)));
    CHECK(disk->publish_failures() == 1);
    CHECK(disk->find(rig::sample_key(100)));
    // What fills it is published, though a call writes a byte alone.
    system.most_written = 1;
    auto const full = open_disk(system, place / "full", file_bytes);
    CHECK(full->publish(rig::sample_key(100), rig::sample_entry(100)));
    CHECK(rig::bytes_of(place / "full/" + rig::file_name(rig::sample_key(100))) ==
          cache::file_of(rig::sample_key(100), rig::sample_entry(100)));
    auto const small = open_disk(system, place / "small", file_bytes - 1);
    CHECK(!small->publish(rig::sample_key(100), rig::sample_entry(100)));
}

TEST_CASE("unfinished files are removed when they are old, and foreign files stay") {
    rig::scratch const place;
    rig::troubled system;
    auto const path = place / "cache";
    auto const disk = open_disk(system, path, 10 * file_bytes);
    auto const digits = std::string(64, 'a');
    struct file {
        std::string name;
        int age;
        bool stays;
    };
    // A name is a key in hexadecimal digits and what the file is; ages are in seconds. Unfinished
    // files are old after an hour.
    std::vector<file> const files = {
        {digits + ".temporary-1-2-3-4", 10, true},
        {digits + ".temporary-2-2-3-4", 3700, false},
        {digits + ".temporary-3-2-3-4", -60, true},
        {digits + ".temporary-4-2-3-4", -9000, false},
        {digits + ".aside-1-2-3-4", 10, true},
        {digits + ".aside-2-2-3-4", 3700, false},
        {"notes.txt", 100000, true},
        {digits + ".text", 100000, true},
        {"A" + digits.substr(1) + ".image", 9, true},
        {".temporary-1-2-3-4", 100000, true},
    };
    for (auto const& each : files) {
        rig::write_file(path + "/" + each.name, std::vector<unsigned char>(5));
        set_age(path + "/" + each.name, each.age);
    }
    auto const folder = path + "/" + digits + ".aside-5-2-3-4";
    std::filesystem::create_directory(folder);
    set_age(folder, 5000);
    disk->tidy();
    CHECK(!std::filesystem::exists(folder));
    for (auto const& each : files) {
        CAPTURE(each.name);
        CHECK(std::filesystem::exists(path + "/" + each.name) == each.stays);
    }
}

TEST_CASE("readers and writers are right while entries are removed") {
    constexpr int published = 400, readers = 4, writers = 2;
    rig::scratch const place;
    auto const path = place / "cache";
    rig::troubled system;
    open_disk(system, path, 1); // makes the folder
    std::atomic<int> writing = writers;
    std::atomic<int> wrong = 0, found = 0, missed = 0;
    std::atomic<std::uint64_t> evicted = 0, moved_aside = 0;
    std::vector<std::thread> threads;
    for (int caller = 0; caller < writers; caller++) {
        threads.emplace_back([&, caller] {
            auto const disk = open_disk(system, path, 20 * file_bytes);
            for (int i = 100 + caller; i < 100 + published; i += writers) {
                wrong += !disk->publish(rig::sample_key(i), rig::sample_entry(i));
            }
            evicted += disk->evicted();
            writing--;
        });
    }
    for (int caller = 0; caller < readers; caller++) {
        threads.emplace_back([&, caller] {
            auto const disk = open_disk(system, path, 20 * file_bytes);
            std::minstd_rand random(static_cast<unsigned>(caller + 1));
            while (writing > 0) {
                int const number = 100 + static_cast<int>(random() % published);
                auto const got = disk->find(rig::sample_key(number));
                if (got) wrong += *got != rig::sample_entry(number);
                (got ? found : missed)++;
            }
            moved_aside += disk->moved_aside();
        });
    }
    for (auto& each : threads) each.join();
    CHECK(wrong == 0);
    CHECK(moved_aside == 0);
    auto const left = rig::names_in(path).size();
    CHECK(evicted + left == published);
    CHECK(left <= 25); // each writer counts again after every second entry, and does not see those
                       // of the other meanwhile
    CHECK(rig::stale_file_count(path) == 0);
    std::printf("summary: cache.eviction: %d found and %d missed while %d of %d were evicted\n",
                found.load(), missed.load(), static_cast<int>(evicted), published);
}
