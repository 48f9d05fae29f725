// What an SM and a chip hold at once: threads, blocks, registers and clusters.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string_view>

import spio.spec;

TEST_CASE("each quarter of an SM runs whole warps") {
    auto const& hopper = spio::chip_of(spio::sm_90a);
    auto const blocks = [&](int threads, int registers) {
        return spio::concurrent_blocks(
            hopper, {.threads = threads, .registers = registers, .shared_bytes = 1024});
    };
    // A quarter has 16384 registers: room for 2.7 warps whose threads have 192, and for 10.7 of 48.
    CHECK(blocks(32, 192) == 2 * spio::sm_quarters);
    CHECK(blocks(64, 48) == 20);
    CHECK(blocks(128, 168) == 3);
    CHECK(blocks(288, 255) == 0);
}

TEST_CASE("an SM has the limits of CUDA's table of compute capabilities") {
    // Bytes of shared memory, threads and blocks of an SM. All have 65536 registers.
    struct {
        spio::arch arch;
        int kilobytes, threads, blocks;
    } const table[] = {{spio::sm_80, 164, 2048, 32},
                       {spio::sm_86, 100, 1536, 16},
                       {spio::sm_89, 100, 1536, 24},
                       {spio::sm_90a, 228, 2048, 32},
                       {spio::compute_80, 100, 1536, 16}}; // the least of those above
    for (auto const& [arch, kilobytes, threads, blocks] : table) {
        auto const& chip = spio::chip_of(arch);
        CAPTURE(chip.name);
        CHECK(chip.shared_bytes == kilobytes * 1024);
        CHECK(chip.sm_threads == threads);
        CHECK(chip.sm_blocks == blocks);
        CHECK(chip.sm_registers == 65536);
        auto const held = [&](int threads_of_block) {
            return spio::concurrent_blocks(
                chip, {.threads = threads_of_block, .registers = 16, .shared_bytes = 0});
        };
        CHECK(held(32) == blocks);
        CHECK(held(512) == threads / 512);
    }
}

TEST_CASE("a chip runs as many clusters as its SMs have room for") {
    auto const& hopper = spio::chip_of(spio::sm_90a);
    CHECK(spio::concurrent_clusters(hopper, 1) == hopper.sm_count);
    for (int blocks = 2; blocks <= spio::most_portable_cluster; ++blocks) {
        int const clusters = spio::concurrent_clusters(hopper, blocks);
        CHECK(clusters * blocks <= hopper.sm_count);
        CHECK(clusters <= spio::concurrent_clusters(hopper, blocks - 1));
        CHECK(clusters >= spio::concurrent_clusters(hopper, spio::most_cluster));
    }
    CHECK(spio::concurrent_clusters(hopper, spio::most_cluster) == 7);
    auto small = hopper;
    small.sm_count = hopper.sm_count / 2;
    CHECK(spio::concurrent_clusters(small, 2) == 33);
    small.sm_count = 1;
    CHECK(spio::concurrent_clusters(small, spio::most_cluster) == 1);
    for (int const blocks : {-1, 0, 9, 15, 17}) {
        CHECK_THROWS_WITH_AS(spio::concurrent_clusters(hopper, blocks),
                             doctest::Contains("1 to 8 or 16"), spio::error);
    }
}
