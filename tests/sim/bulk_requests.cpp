// Requests to the TMA engine: sizes, addresses, fences; and writes to what a store still reads.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. A planted kernel has a misuse on purpose. The
// engine copies between global and shared memory while threads go on. word(i) is float i of the
// block's shared memory, barrier() an mbarrier behind them, which make_barrier() initialises;
// `shape` launches two blocks of 64 threads. nap() sleeps for so many nanoseconds.
#include "bulk_fixture.h"

TEST_CASE("the engine refuses sizes and addresses that it cannot take") {
    fixture const global;
    auto const by_thread_0 = [&](auto request) {
        return [=] {
            make_barrier();
            if (thread() == 0) request();
        };
    };
    expect_misuse(
        misuse::copy_malformed, "bulk_load of 500 bytes, which is not a multiple of 16", shape,
        by_thread_0([&] { machine::bulk_load(&word(0), global.input.data(), 500, barrier()); }));
    expect_misuse(misuse::copy_malformed, "4 beyond a multiple of 16", shape, by_thread_0([&] {
                      machine::bulk_load(&word(0), global.input.data() + 1, 512, barrier());
                  }));
    expect_misuse(
        misuse::shared_misaligned, "shared offset 8, which is not a multiple of 16", shape,
        by_thread_0([&] { machine::bulk_load(&word(2), global.input.data(), 512, barrier()); }));
    expect_misuse(misuse::global_out_of_bounds, "of `from`, which has 4096 bytes", shape,
                  by_thread_0([&] {
                      machine::bulk_load(&word(0), global.input.data() + 1020, 32, barrier());
                  }));
    auto const map = map_of(global.input.data(), spio::sim::swizzle_span::none);
    expect_misuse(misuse::shared_misaligned, "box_load of 128 bytes at shared offset 16", shape,
                  by_thread_0([&] { machine::box_load(&word(4), &map, {0, 0}, barrier()); }));
    expect_misuse(misuse::copy_malformed, "at 1 coordinates, by a map of a tensor that has 2",
                  shape, by_thread_0([&] { machine::box_load(&word(0), &map, {0}, barrier()); }));
    expect_misuse(misuse::copy_malformed, "box_store from coordinate -8 of dimension 0 on", shape,
                  by_thread_0([&] { machine::box_store(&map, {-8, 0}, &word(0)); }));
    expect_misuse(misuse::copy_malformed,
                  "box_prefetch at 3 coordinates, by a map of a tensor that has 2", shape,
                  by_thread_0([&] { machine::box_prefetch(&map, {0, 0, 0}); }));
    auto const* const shifted = reinterpret_cast<spio::tensor_map_words const*>(
        reinterpret_cast<unsigned char const*>(&map) + 16);
    expect_misuse(misuse::copy_malformed, "prefetch_map .* 16 beyond a multiple of 64", shape,
                  by_thread_0([&] { machine::prefetch_map(shifted); }));
    expect_misuse(misuse::mbarrier_not_made, "not fenced for the copy engine", shape, [&] {
        if (thread() > 0) return;
        machine::mbarrier_init(barrier(), 1);
        machine::bulk_load(&word(0), global.input.data(), 512, barrier());
    });
}

TEST_CASE("a store needs a fence before it, and no writes until it has read") {
    fixture const global;
    // The steps from which the kernels below are made: threads write, one stores, and waits for it.
    auto const write = [] {
        for (int i = thread(); i < 128; i += 64) word(i) = static_cast<float>(i);
    };
    auto const store = [&] {
        if (thread() > 0) return;
        machine::bulk_store(global.target(machine::block_index().x), &word(0), 512);
        machine::commit_bulk_stores();
    };
    auto const wait_for_read = [] {
        if (thread() == 0) machine::wait_for_bulk_reads<0>();
    };
    expect_misuse(misuse::store_without_fence,
                  "of which thread \\(0, 0, 0\\) wrote byte 0 with no fence", shape, [&] {
                      write();
                      machine::sync_block();
                      store();
                  });
    expect_misuse(misuse::store_without_fence, "with no fence_for_bulk_copies after it", shape,
                  [&] {
                      if (thread() == 0) machine::fence_for_bulk_copies();
                      write();
                      if (thread() > 0) machine::fence_for_bulk_copies();
                      machine::sync_block();
                      store();
                  });
    // Each thread fences its writes, or one fences all that it has seen at a barrier.
    expect_no_misuse(shape, [&] {
        write();
        machine::fence_for_bulk_copies();
        machine::sync_block();
        store();
        wait_for_read();
    });
    expect_no_misuse(shape, [&] {
        write();
        machine::sync_block();
        if (thread() == 0) machine::fence_for_bulk_copies();
        store();
        wait_for_read();
    });
    // Another thread writes: while the store reads, after it with no barrier, and after a barrier.
    expect_misuse(misuse::overwritten_while_stored, "a bulk store still reads it", shape, [&] {
        write();
        machine::fence_for_bulk_copies();
        machine::sync_block();
        store();
        machine::sync_block();
        if (thread() == 1) word(1) = 5;
    });
    expect_misuse(misuse::race, "where thread \\(0, 0, 0\\) read", shape, [&] {
        write();
        machine::fence_for_bulk_copies();
        machine::sync_block();
        store();
        wait_for_read();
        for (int i = 0; thread() == 1 && i < 100; i++) machine::nap(1);
        if (thread() == 1) word(1) = 5;
    });
    expect_no_misuse(shape, [&] {
        write();
        machine::fence_for_bulk_copies();
        machine::sync_block();
        store();
        wait_for_read();
        machine::sync_block();
        write();
    });
    // A block must not end before its bulk stores have read its shared memory.
    expect_misuse(misuse::copy_abandoned,
                  "the thread has not waited until its bulk store of 512 bytes at shared offset 0",
                  shape, [&] {
                      write();
                      machine::fence_for_bulk_copies();
                      machine::sync_block();
                      store();
                  });
    expect_misuse(misuse::copy_abandoned, "its bulk store of 256 bytes at shared offset 256", shape,
                  [&] {
                      write();
                      machine::fence_for_bulk_copies();
                      machine::sync_block();
                      store();
                      if (thread() > 0) return;
                      machine::wait_for_bulk_reads<0>();
                      machine::bulk_store(global.target(machine::block_index().x), &word(64), 256);
                  });
    // Nothing was written before.
    expect_misuse(misuse::shared_uninitialised, "bulk_store of 512 bytes at shared offset 0", shape,
                  store);
}
