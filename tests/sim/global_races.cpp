// Races in global memory: unordered accesses of blocks, or of threads of a block, to one place.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. thread() is the index of a thread, word(i) float
// i of the block's shared memory; `fixture` has arrays in global memory that bulk copies read and
// write, and `shape` is the shape of their launches.
#include "bulk_fixture.h"
#include "machine/atomic.h"

// Called in a kernel: the index of the block.
static int block() { return machine::block_index().x; }
static launch_shape const blocks = {.grid = {4}, .shape = {.block = {32}}};

TEST_CASE("blocks write different places, or are ordered") {
    spio::sim::memory<int> output(128, "output");
    expect_misuse(misuse::race,
                  "a write of 4 bytes at byte [0-9]+ of `output`, where block \\([0-3], 0, 0\\) "
                  "wrote byte [0-9]+, with nothing that orders the two",
                  blocks, [&] { output.data()[thread()] = block(); });
    expect_no_misuse(blocks, [&] { output.data()[32 * block() + thread()] = block(); });
    // Blocks may write to neighbouring 16-bit words: these are no race.
    auto* const halves = reinterpret_cast<short*>(output.data());
    expect_no_misuse(blocks, [&] { halves[4 * thread() + block()] = 1; });
    expect_misuse(misuse::race, "a write of 2 bytes at byte 6 of `output`", blocks, [&] {
        if (thread() == 0) halves[3] = 1;
    });
    // Blocks may write where other blocks of an earlier launch wrote: that launch happened before.
    for (int i = 0; i < 3; i++) {
        expect_no_misuse({.grid = {2}, .shape = {.block = {32}}},
                         [&] { output.data()[32 * (block() ^ (i & 1)) + thread()] = i; });
    }
    // The check can be switched off.
    auto const result = spio::sim::launch("global_races", blocks,
                                          [&] { output.data()[thread()] = 1; }, {.races = false});
    CHECK(result.text() == "no misuse");
}

TEST_CASE("threads of a block race in global memory as they do in shared memory") {
    launch_shape const single = {.grid = {1}, .shape = {.block = {64}}};
    spio::sim::memory<int> data(2048, "data");
    for (int& value : data) value = 1;
    // Lanes that all write one element, and a read of what another thread has yet to write.
    expect_misuse(misuse::race,
                  "a write of 4 bytes at byte 28 of `data`, where thread \\([0-9]+, 0, 0\\) wrote "
                  "byte 28, with nothing that orders the two",
                  single, [&] { data[7] = thread(); });
    auto const shift = [&](bool waits) {
        return [&, waits] {
            data.data()[thread()] = thread();
            if (waits) machine::sync_block();
            int const next = data.data()[(thread() + 1) % 64];
            if (waits) machine::sync_block();
            data.data()[thread()] = next;
        };
    };
    expect_misuse(misuse::race, "of `data`, where thread \\([0-9]+, 0, 0\\) (wrote|read) byte",
                  single, shift(false));
    expect_no_misuse(single, shift(true));
    // A kernel has written to the array, so that a read comes first too.
    expect_misuse(misuse::race, "of `data`, where thread \\([0-9]+, 0, 0\\) (wrote|read) byte",
                  single, [&] {
                      if (thread() == 0 && data[512] == 1) data[513] = 2;
                      if (thread() == 1) data[512] = 3;
                  });
    // Neighbouring bytes are no race, at the ends of pages of the shadow either.
    auto* const bytes = reinterpret_cast<char*>(data.data());
    expect_no_misuse(single, [&] { bytes[1000 + thread()] = 1; });
    expect_misuse(misuse::race, "at byte 102[34] of `data`, where thread .* wrote byte 1024",
                  single, [&] {
                      if (thread() == 0) __builtin_memcpy(bytes + 1023, &data[2000], 2);
                      if (thread() == 1) bytes[1024] = 1;
                  });
    // Atomics do not race among themselves, but with plain accesses.
    auto* const counter = reinterpret_cast<unsigned*>(data.data() + 600);
    expect_no_misuse(single, [&] { machine::atomic_add(counter, 1); });
    expect_misuse(misuse::race, "of `data`, where thread", single, [&] {
        if (thread() == 0) *counter = 0;
        if (thread() > 0) machine::atomic_add(counter, 1);
    });
    // Launches follow one another.
    for (int i = 0; i < 2; i++) {
        expect_no_misuse(single, [&] { data.data()[63 - thread() + i] = i; });
    }
    auto const result =
        spio::sim::launch("global_races", single, [&] { data[7] = 1; }, {.races = false});
    CHECK(result.text() == "no misuse");
}

TEST_CASE("a block reads what another block has written") {
    spio::sim::memory<int> data(128, "data");
    for (int& value : data) value = 1;
    expect_no_misuse(blocks, [&] {
        if (data.data()[thread()] != 1) data.data()[32 * block() + thread()] = 1;
    });
    // One OS thread runs blocks in turn, so that the reader always comes last.
    auto const result = spio::sim::launch("global_races", blocks,
                                          [&] {
                                              if (block() == 0) data.data()[thread()] = 2;
                                              if (block() == 3 && data.data()[31 - thread()] == 0)
                                                  data.data()[96] = 1;
                                          },
                                          {.os_threads = 1});
    CAPTURE(result.text());
    CHECK(result.kind == misuse::race);
    CHECK(result.sentence.find("a read of 4 bytes") == 0);
}

TEST_CASE("a write of one byte leaves what is known of the bytes beside it") {
    // What one block writes, and then a byte before and behind it, another reads without order.
    for (int const neighbor : {1, 4}) {
        CAPTURE(neighbor);
        spio::sim::memory<unsigned char> data(8, "data");
        for (unsigned char& value : data) value = 1;
        auto* const half = reinterpret_cast<short*>(data.data() + 2);
        auto const result = spio::sim::launch("global_races", blocks,
                                              [&] {
                                                  if (thread() > 0) return;
                                                  if (block() == 0) {
                                                      *half = 5;
                                                      data.data()[neighbor] = 6;
                                                  }
                                                  if (block() == 3 && *half == 7) *half = 8;
                                              },
                                              {.os_threads = 1});
        CAPTURE(result.text());
        CHECK(result.kind == misuse::race);
        CHECK(result.sentence.find("a read of 2 bytes at byte 2 of `data`") == 0);
    }
}

TEST_CASE("atomics of blocks do not race among themselves, and order the blocks") {
    spio::sim::memory<unsigned> counter(1, "counter");
    spio::sim::memory<unsigned> output(4, "output");
    spio::sim::memory<float> sum(1, "sum");
    auto const run = [&](bool counts) {
        return [&, counts] {
            if (thread() > 0) return;
            machine::atomic_add(sum.data(), 1.0F);
            output[static_cast<unsigned>(block())] = 1;
            machine::fence_device();
            if (!counts) {
                output[0] = 2;
            } else if (machine::atomic_add(counter.data(), 1) % 4 == 3) {
                // The last block may access what all others have written.
                machine::fence_device();
                output[0] = output[1] + output[2] + output[3];
            }
        };
    };
    counter[0] = 0;
    expect_no_misuse(blocks, run(true));
    expect_misuse(misuse::race, "of `output`, where block", blocks, run(false));
    expect_misuse(misuse::race,
                  "atomic_add of 4 bytes at byte 0 of `counter`, where block|"
                  "block \\([0-3], 0, 0\\) atomically changed byte 0",
                  blocks, [&] {
                      if (thread() > 0) return;
                      if (block() == 1) {
                          counter[0] = 1;
                      } else {
                          machine::atomic_add(counter.data(), 1);
                      }
                  });
}

TEST_CASE("atomics on shared memory order no blocks, although its address is the same in each") {
    spio::sim::memory<int> output(1, "output");
    launch_shape const shared = {.grid = {4}, .shape = {.block = {32}, .shared_bytes = 64}};
    expect_misuse(misuse::race, "of `output`, where block", shared, [&] {
        if (thread() > 0) return;
        auto& count = reinterpret_cast<unsigned&>(word(0));
        count = 0;
        machine::fence_device();
        machine::atomic_add(&count, 1);
        machine::fence_device();
        output[0] = block();
        machine::fence_device();
        machine::atomic_add(&count, 1);
    });
}

TEST_CASE("blocks of a cluster are ordered by its barrier") {
    spio::sim::memory<int> output(32, "output");
    launch_shape const cluster = {.grid = {4}, .shape = {.block = {32}, .cluster = {4}}};
    expect_no_misuse(cluster, [&] {
        if (block() == 1) output.data()[thread()] = 1;
        machine::arrive_cluster();
        machine::wait_cluster();
        if (block() == 2) output.data()[thread()] = 2;
    });
    expect_misuse(misuse::race, "of `output`, where block \\([12], 0, 0\\) wrote", cluster, [&] {
        if (block() == 1 || block() == 2) output.data()[thread()] = 1;
        machine::arrive_cluster();
        machine::wait_cluster();
    });
}

TEST_CASE("bulk stores and asynchronous copies of blocks race too") {
    fixture const global;
    expect_misuse(misuse::race,
                  "(bulk_store|a bulk store) of [0-9]+ bytes at byte 0 of `to`, where block", shape,
                  [&] {
                      word(thread()) = 1;
                      machine::fence_for_bulk_copies();
                      machine::sync_block();
                      if (thread() > 0) return;
                      machine::bulk_store(global.target(0), &word(0), 256);
                      machine::commit_bulk_stores();
                      machine::wait_for_bulk_stores<0>();
                  });
}
