// Collectives of a warp: their results, and the lanes that they need.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report.
#include "machine/thread.h"
#include "machine/warp.h"
#include "misuse.h"
#include "sim/arena.h"

#include <bit>

namespace machine = spio::machine;
using namespace planted;

constexpr unsigned all_lanes = 0xffffffff;

TEST_CASE("shuffles read the lane that they name") {
    spio::sim::memory<unsigned> results(5 * 64, "got");
    for (unsigned distance = 0; distance < 32; distance++) {
        expect_no_misuse({.shape = {.block = {64}}}, [&] {
            int const thread = machine::thread_index().x;
            auto const lane = static_cast<unsigned>(machine::lane_index());
            auto* const result = results.data() + 5 * thread;
            result[0] = machine::shuffle(100 + lane, static_cast<int>(distance), all_lanes);
            result[1] = machine::shuffle_up(100 + lane, static_cast<int>(distance), all_lanes);
            result[2] = machine::shuffle_down(100 + lane, static_cast<int>(distance), all_lanes);
            result[3] = machine::shuffle_xor(100 + lane, static_cast<int>(distance), all_lanes);
            result[4] = machine::ballot(lane % 3 == distance % 3, all_lanes);
        });
        unsigned votes = 0;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (lane % 3 == distance % 3) votes |= 1U << lane;
        }
        for (unsigned thread = 0; thread < 64; thread++) {
            unsigned const lane = thread % 32;
            CHECK(results[5 * thread] == 100 + distance);
            CHECK(results[5 * thread + 1] == 100 + (lane < distance ? lane : lane - distance));
            CHECK(results[5 * thread + 2] == 100 + (lane + distance > 31 ? lane : lane + distance));
            CHECK(results[5 * thread + 3] == 100 + (lane ^ distance));
            CHECK(results[5 * thread + 4] == votes);
        }
    }
}

TEST_CASE("sums, least and greatest values over some lanes") {
    spio::sim::memory<int> results(4 * 32, "got");
    for (unsigned const lanes : {all_lanes, 0x0000ffffU, 0x80000001U, 0x55555555U}) {
        expect_no_misuse({.shape = {.block = {32}}}, [&] {
            int const lane = machine::lane_index();
            if ((lanes >> lane & 1) == 0) return;
            int const value = 7 * lane % 32 - 10;
            results[4 * lane] = machine::sum_over(value, lanes);
            results[4 * lane + 1] = machine::least_over(value, lanes);
            results[4 * lane + 2] = machine::greatest_over(value, lanes);
            results[4 * lane + 3] = machine::elect_lane(lanes);
        });
        int sum = 0, least = 100, greatest = -100;
        for (int lane = 0; lane < 32; lane++) {
            if ((lanes >> lane & 1) == 0) continue;
            int const value = 7 * lane % 32 - 10;
            sum += value;
            least = value < least ? value : least;
            greatest = value > greatest ? value : greatest;
        }
        for (int lane = 0; lane < 32; lane++) {
            if ((lanes >> lane & 1) == 0) continue;
            CHECK(results[4 * lane] == sum);
            CHECK(results[4 * lane + 1] == least);
            CHECK(results[4 * lane + 2] == greatest);
            CHECK(results[4 * lane + 3] == (lane == std::countr_zero(lanes)));
        }
    }
}

TEST_CASE("a lane that does not arrive is reported") {
    launch_shape const shape = {.grid = {3}, .shape = {.block = {64}}};
    expect_misuse(misuse::lane_missing, "lane 5 .*shuffle|lanes 0-31, of which 5 have ended", shape,
                  [] {
                      if (machine::lane_index() == 5) return;
                      machine::shuffle(1, 0, all_lanes);
                  });
    expect_no_misuse(shape, [] {
        if (machine::lane_index() == 5) return;
        machine::shuffle(1, 0, all_lanes & ~(1U << 5));
    });
    expect_misuse(misuse::lane_missing, "needs lanes 0-31, of which warp 0 has no 16-31",
                  {.shape = {.block = {16}}}, [] { machine::sync_warp(all_lanes); });
    expect_no_misuse({.shape = {.block = {16}}}, [] { machine::sync_warp(0xffff); });
}

TEST_CASE("lanes that call different collectives are reported") {
    launch_shape const shape = {.shape = {.block = {32}}};
    expect_misuse(misuse::collective_mismatch,
                  "asks for (ballot|shuffle_xor) of lanes 0-31, while lanes", shape, [] {
                      if (machine::lane_index() < 16) {
                          machine::shuffle_xor(1, 1, all_lanes);
                      } else {
                          machine::ballot(true, all_lanes);
                      }
                  });
    expect_misuse(misuse::collective_mismatch,
                  "lane 0 of warp 0 asks for sync_warp of lanes 1-3,8,16-17,31, and is not one",
                  {.shape = {.block = {32}}}, [] {
                      if (machine::thread_index().x == 0) machine::sync_warp(0x8003010e);
                  });
    expect_misuse(misuse::collective_mismatch, "and is not one of them", shape,
                  [] { machine::ballot(true, 0xffff); });
    expect_misuse(misuse::collective_mismatch, "while lanes .* wait in sync_warp", shape, [] {
        bool const low = machine::lane_index() < 20;
        machine::sync_warp(low ? 0x001fffff : 0xfff80000);
    });
    expect_misuse(misuse::collective_mismatch, "lane .* reads lane 20", shape, [] {
        if (machine::lane_index() < 16) machine::shuffle(1, 20, 0xffff);
    });
    // Some lanes may synchronize among themselves while the others wait for all lanes.
    expect_no_misuse(shape, [] {
        if (machine::lane_index() < 8) machine::sync_warp(0xff);
        machine::sync_warp(all_lanes);
        if (machine::lane_index() < 16) {
            machine::shuffle_xor(1, 1, 0xffff);
        } else {
            machine::ballot(true, 0xffff0000);
        }
    });
}
