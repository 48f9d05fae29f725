// Bulk copies of ranges and boxes, and accesses that must wait for them.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. word(i) is float i of the block's shared memory,
// barrier() an mbarrier behind them, which make_barrier() initialises. `shape` launches two blocks
// of 64 threads; a fixture has floats to copy from and 1024 floats for each block to copy to.
// map_of() is the tensor map of 10 rows of 24 floats in boxes of 4 rows of 8. nap() sleeps for so
// many nanoseconds.
#include "bulk_fixture.h"

TEST_CASE("ranges are loaded and stored") {
    fixture const global;
    expect_no_misuse(shape, [&] {
        make_barrier();
        int const block = machine::block_index().x;
        for (int turn = 0; turn < 4; turn++) {
            if (thread() == 0) {
                machine::mbarrier_arrive_and_expect(barrier(), 1024);
                machine::bulk_load(&word(0), global.input.data() + 256 * turn, 512, barrier());
                machine::bulk_load(&word(128), global.input.data() + 256 * turn + 128, 512,
                                   barrier());
            }
            wait(turn % 2);
            for (int i = thread(); i < 256; i += 64) word(256 + i) = 2 * word(255 - i);
            machine::fence_for_bulk_copies();
            machine::sync_block();
            if (thread() == 0) {
                machine::bulk_store(global.target(block) + 256 * turn, &word(256), 1024);
                machine::commit_bulk_stores();
                machine::wait_for_bulk_reads<0>();
            }
            machine::sync_block();
        }
    });
    for (unsigned i = 0; i < 2048; i++) {
        CHECK(global.output[i] == 2.0F * static_cast<float>(i % 1024 / 256 * 256 + 255 - i % 256));
    }
}

TEST_CASE("boxes are loaded and stored, with zeros outside of the tensor") {
    fixture const global;
    for (auto const swizzle : {spio::sim::swizzle_span::none, spio::sim::swizzle_span::bytes_32}) {
        auto const input = map_of(global.input.data(), swizzle);
        auto const output = map_of(global.output.data(), swizzle);
        for (float& value : global.output) value = -1;
        expect_no_misuse({.shape = {.block = {32}, .shared_bytes = 8192}}, [&] {
            make_barrier();
            if (thread() == 0) {
                machine::prefetch_map(&input);
                machine::mbarrier_arrive_and_expect(barrier(), 256);
                machine::box_load(&word(0), &input, {20, -2}, barrier());
                machine::box_load(&word(32), &input, {8, 7}, barrier());
            }
            wait(0);
            if (thread() == 0) {
                machine::box_store(&output, {4, 0}, &word(0));
                machine::box_store(&output, {20, 8}, &word(32));
                machine::commit_bulk_stores();
                machine::wait_for_bulk_stores<0>();
            }
        });
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < 24; k++) {
                float expected = -1;
                if (i < 4 && k >= 4 && k < 12) {
                    expected = i >= 2 && k < 8 ? static_cast<float>(24 * (i - 2) + k + 16) : 0;
                }
                if (i >= 8 && k >= 20) expected = static_cast<float>(24 * (i - 1) + k - 12);
                CHECK(global.output.data()[24 * i + k] == expected);
            }
        }
    }
}

// Issues a load of 512 bytes. Each thread then calls `early`, waits for the load, and calls `late`.
template <class Early, class Late> static void load(fixture const& global, Early early, Late late) {
    make_barrier();
    if (thread() == 0) {
        machine::mbarrier_arrive_and_expect(barrier(), 512);
        machine::bulk_load(&word(0), global.input.data(), 512, barrier());
    }
    machine::sync_block();
    early();
    wait(0);
    late();
}
static auto const no_work = [] {};

TEST_CASE("a thread must wait for a load before it uses what is loaded") {
    fixture const global;
    auto const copy_word = [&] {
        global.target(machine::block_index().x)[thread()] = word(thread());
    };
    expect_no_misuse(shape, [&] { load(global, no_work, copy_word); });
    // A read, then a write, of what is being loaded.
    expect_misuse(misuse::read_before_wait, "a read of 4 bytes at shared offset",
                  {.shape = {.block = {64}, .shared_bytes = 8192}}, [&] {
                      make_barrier();
                      if (thread() == 0) {
                          machine::mbarrier_arrive_and_expect(barrier(), 512);
                          machine::bulk_load(&word(0), global.input.data(), 512, barrier());
                          copy_word();
                      }
                  });
    expect_misuse(misuse::write_before_wait, "a write of 4 bytes at shared offset 0", shape, [&] {
        make_barrier();
        if (thread() > 0) return;
        machine::mbarrier_arrive_and_expect(barrier(), 512);
        machine::bulk_load(&word(0), global.input.data(), 512, barrier());
        word(0) = 1;
    });
    // Thread 0 waits, and sets a flag without a fence, which orders nothing.
    expect_misuse(misuse::race, "where the copy engine wrote",
                  {.shape = {.block = {64}, .shared_bytes = 8192}}, [&] {
                      auto& flag = reinterpret_cast<unsigned&>(word(2000));
                      if (thread() == 0) flag = 0;
                      make_barrier();
                      if (thread() == 0) {
                          machine::mbarrier_arrive_and_expect(barrier(), 512);
                          machine::bulk_load(&word(0), global.input.data(), 512, barrier());
                          wait(0);
                          machine::atomic_add(&flag, 1);
                      } else {
                          while (machine::atomic_add(&flag, 0) == 0) machine::nap(1);
                          copy_word();
                      }
                  });
    // With fences the flag orders the threads.
    expect_no_misuse({.shape = {.block = {64}, .shared_bytes = 8192}}, [&] {
        auto& flag = reinterpret_cast<unsigned&>(word(2000));
        if (thread() == 0) flag = 0;
        make_barrier();
        if (thread() == 0) {
            machine::mbarrier_arrive_and_expect(barrier(), 512);
            machine::bulk_load(&word(0), global.input.data(), 512, barrier());
            wait(0);
            machine::fence_block();
            machine::atomic_add(&flag, 1);
        } else {
            while (machine::atomic_add(&flag, 0) == 0) machine::nap(1);
            machine::fence_block();
            copy_word();
        }
    });
    // The block ends before the load; and a wait for bytes that no load brings.
    expect_misuse(
        misuse::copy_abandoned,
        "a bulk load of 512 bytes to shared offset 0 is under way|the mbarrier at shared offset "
        "4096",
        {.shape = {.block = {64}, .shared_bytes = 8192}}, [&] {
            make_barrier();
            if (thread() > 0) return;
            machine::mbarrier_arrive_and_expect(barrier(), 512);
            machine::bulk_load(&word(0), global.input.data(), 512, barrier());
        });
    expect_misuse(misuse::deadlock, "and -16 bytes are missing|and 16 bytes are missing", shape,
                  [&] {
                      make_barrier();
                      if (thread() == 0) {
                          machine::mbarrier_arrive_and_expect(barrier(), 528);
                          machine::bulk_load(&word(0), global.input.data(), 512, barrier());
                      }
                      wait(0);
                  });
}

TEST_CASE("a box is checked only where it lies within the tensor") {
    // The memory has 8 rows of 24 floats, the tensor 10.
    spio::sim::memory<float> const short_of_two_rows{192, "from"};
    auto const map = map_of(short_of_two_rows.data(), spio::sim::swizzle_span::none);
    auto const load_from = [&](int column, int row) {
        make_barrier();
        if (thread() == 0) {
            machine::mbarrier_arrive_and_expect(barrier(), 128);
            machine::box_load(&word(0), &map, {column, row}, barrier());
        }
        wait(0);
    };
    auto const store_to = [&](int column, int row) {
        for (int i = thread(); i < 32; i += 32) word(i) = 1;
        machine::fence_for_bulk_copies();
        machine::sync_block();
        if (thread() == 0) {
            machine::box_store(&map, {column, row}, &word(0));
            machine::commit_bulk_stores();
            machine::wait_for_bulk_stores<0>();
        }
    };
    launch_shape const warp = {.shape = {.block = {32}, .shared_bytes = 8192}};
    for (float& value : short_of_two_rows) value = 0;
    for (int const row : {-4, -1, 0, 4, 10}) {
        expect_no_misuse(warp, [&] { load_from(0, row); });
        // Only a load may begin before the tensor.
        if (row >= 0) expect_no_misuse(warp, [&] { store_to(0, row); });
    }
    expect_no_misuse(warp, [&] { load_from(24, 6); });
    expect_no_misuse(warp, [&] { store_to(24, 6); });
    for (int const row : {5, 9}) {
        expect_misuse(misuse::global_out_of_bounds, "box_load", warp, [&] { load_from(0, row); });
        expect_misuse(misuse::global_out_of_bounds, "box_store", warp, [&] { store_to(0, row); });
    }
}

TEST_CASE("a load must be ordered after reads of the memory that it writes") {
    fixture const global;
    for (bool const has_fences : {false, true}) {
        auto const kernel = [&] {
            auto& flag = reinterpret_cast<unsigned&>(word(1000));
            if (thread() == 0) flag = 0;
            if (thread() < 2) word(thread()) = 1;
            make_barrier();
            if (thread() == 32) {
                global.target(0)[0] = word(0);
                if (has_fences) machine::fence_block();
                machine::atomic_add(&flag, 1);
            } else if (thread() == 0) {
                while (machine::atomic_add(&flag, 0) == 0) machine::nap(1);
                if (has_fences) machine::fence_block();
                machine::mbarrier_arrive_and_expect(barrier(), 512);
                machine::bulk_load(&word(0), global.input.data(), 512, barrier());
                wait(0);
            }
        };
        launch_shape const warps = {.shape = {.block = {64}, .shared_bytes = 8192}};
        if (has_fences) {
            expect_no_misuse(warps, kernel);
        } else {
            expect_misuse(misuse::race, "bulk_load", warps, kernel);
        }
    }
}
