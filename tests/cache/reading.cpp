// The cache's file of a compiled kernel: what was written is read, and not what differs by a bit.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says. sealed() gives a
// changed file the digest of its new bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

import spio.cache;
import rig;

namespace cache = spio::cache;

using bytes = std::vector<unsigned char>;

TEST_CASE("what is written is read") {
    for (int i = 0; i < 50; i++) {
        auto entry = rig::sample_entry(i, static_cast<std::size_t>(1 + 97 * i));
        entry.parameters.resize(static_cast<std::size_t>(i % 5));
        if (i % 3 == 0) entry.arch.clear();
        auto const file = cache::file_of(rig::sample_key(i), entry);
        auto const got = cache::parse_file(file, rig::sample_key(i));
        REQUIRE(got.value);
        CHECK(*got.value == entry);
        CHECK(!cache::parse_file(file, rig::sample_key(i + 1)).value);
    }
}

TEST_CASE("every flipped bit and every truncation is a miss") {
    auto const key = rig::sample_key(1);
    auto file = cache::file_of(key, rig::sample_entry(1, /*cubin_bytes=*/300));
    std::size_t flips = 0, truncations = 0;
    for (std::size_t i = 0; i < 8 * file.size(); i++, flips++) {
        file[i / 8] ^= static_cast<unsigned char>(1 << i % 8);
        REQUIRE(!cache::parse_file(file, key).value);
        file[i / 8] ^= static_cast<unsigned char>(1 << i % 8);
    }
    for (std::size_t size = 0; size < file.size(); size++, truncations++) {
        REQUIRE(!cache::parse_file(cache::byte_view(file).first(size), key).value);
    }
    CHECK(cache::parse_file(file, key).value);
    file.push_back(0);
    CHECK(!cache::parse_file(file, key).value);
    std::printf("summary: cache.reading: %zu flipped bits and %zu truncations are misses\n", flips,
                truncations);
}

// The same through a folder: a damaged file is moved aside, and the next request publishes anew.
TEST_CASE("damaged files are moved aside") {
    rig::scratch const place;
    auto const key = rig::sample_key(1);
    auto const entry = rig::sample_entry(1, /*cubin_bytes=*/1);
    auto const intact = cache::file_of(key, entry);
    auto const path = place / "cache/" + rig::file_name(key);
    rig::troubled system;
    auto const folder = place / "cache";
    cache::disk disk(system, {system, folder, cache::folder::use::owned}, cache::folder::use::owned,
                     cache::limits(), /*log=*/nullptr);
    std::size_t damaged = 0;
    auto const try_file = [&](bytes const& file) {
        rig::write_file(path, file);
        REQUIRE(!disk.find(key));
        damaged++;
        REQUIRE(disk.moved_aside() == damaged);
        // Two hours later tidy() removes what was moved aside.
        system.seconds_ahead = 7200;
        if (damaged % 64 == 0) disk.tidy();
        system.seconds_ahead = 0;
    };
    for (std::size_t i = 0; i < 8 * intact.size(); i++) {
        auto file = intact;
        file[i / 8] ^= static_cast<unsigned char>(1 << i % 8);
        try_file(file);
    }
    for (std::size_t size = 0; size < intact.size(); size++) {
        try_file({intact.begin(), intact.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    REQUIRE(disk.publish(key, entry));
    auto const got = disk.find(key);
    REQUIRE(got);
    CHECK(*got == entry);
    system.seconds_ahead = 7200;
    disk.tidy();
    CHECK(rig::stale_file_count(folder) == 0);
    std::printf("summary: cache.reading: %zu damaged files moved aside\n", damaged);
}

TEST_CASE("a right digest over wrong fields is a miss") {
    auto const key = rig::sample_key(1);
    auto const entry = rig::sample_entry(1, /*cubin_bytes=*/40);
    auto const file = cache::file_of(key, entry);
    // Each byte is changed, among them all lengths, to values that are too small and too large.
    std::size_t refused = 0, accepted = 0;
    for (std::size_t i = 0; i < file.size() - sizeof(cache::digest); i++) {
        for (int const value : {0, 1, 0x7f, 0x80, 0xff}) {
            auto changed = file;
            changed[i] = static_cast<unsigned char>(value);
            changed = rig::sealed(changed);
            auto const got = cache::parse_file(changed, key);
            // If the changed file is read, writing the result gives the same bytes again.
            if (got.value) REQUIRE(cache::file_of(key, *got.value) == changed);
            got.value ? accepted++ : refused++;
        }
    }
    // Both happen often: what is changed may be a length, or a byte of the image.
    CHECK(refused > 300);
    CHECK(accepted > 100);

    auto empty = entry;
    empty.cubin.clear();
    CHECK(!cache::parse_file(cache::file_of(key, empty), key).value);
    empty = entry;
    empty.symbol.clear();
    CHECK(!cache::parse_file(cache::file_of(key, empty), key).value);
}
