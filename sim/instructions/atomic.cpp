// Atomics and fences: what they do, and what they release and acquire.
// SPDX-License-Identifier: Apache-2.0
//
// A vector clock has, for each thread, the last of its epochs that is known to have ended; a thread
// ends an epoch when it releases its accesses at a synchronization object, and others acquire there
// what was released. `running` is the simulated thread that this OS thread runs now. A thread polls
// when it asks for a change again and again; count_change_by() tells the scheduler that something
// has changed.
#include "machine/atomic.h"

#include "machine/fence.h"
#include "sim/checker/happens_before.h"
#include "sim/checker/memory_checker.h"
#include "sim/scheduler/scheduler.h"

#include <atomic>

namespace spio::sim {

// An atomic releases at its word what happened before the thread's last fence. The thread's next
// fence acquires what others have released at that word.
static void collect_clock(gpu_thread& thread, void const* word) {
    auto const& clocks = thread.block->atomic_clocks;
    if (auto const position = clocks.find(word); position != clocks.end()) {
        thread.unfenced_clock.join(position->second);
    }
}

// Atomics on global memory also order blocks, for global memory. A block is released before its
// atomic changes the word, and a block acquires after its atomic has read the word, because another
// OS thread may run the other block at the same time.
static bool orders_blocks(gpu_block const& block, void const* word) {
    return block.global_checks.races && !block.shared.is_shared(word);
}
static void release_block(gpu_thread const& thread, void const* word) {
    auto& block = *thread.block;
    if (!orders_blocks(block, word)) return;
    auto blocks = block.predecessors;
    blocks.insert(block.number);
    launch_of(thread).block_order.release(word, blocks);
}
static void acquire_block(gpu_thread const& thread, void const* word) {
    auto& block = *thread.block;
    if (!orders_blocks(block, word)) return;
    launch_of(thread).block_order.acquire(word, block.predecessors);
}

// Replaces the word's value by new_value_of(value), and returns the old one.
template <class T, class Function>
static T change(T* word, char const* name, Function new_value_of) {
    auto& thread = *running;
    check_access(thread, word, sizeof(T), {access::atomic, name, /*alignment=*/sizeof(T)});
    collect_clock(thread, word);
    thread.block->atomic_clocks[word].join(thread.fence_clock);
    if (thread.has_fenced) release_block(thread, word);
    std::atomic_ref<T> atomic(*word);
    T old_value = atomic.load();
    while (!atomic.compare_exchange_weak(old_value, new_value_of(old_value))) {
    }
    acquire_block(thread, word);
    if (T const new_value = atomic.load(); new_value != old_value) {
        thread.spins.reset();
        count_change_by(thread);
    } else {
        count_read(thread, word);
    }
    return old_value;
}

// The thread acquires what was released at the words that its relaxed atomics have accessed so far.
// Its later relaxed atomics release what it has done so far.
static void fence() {
    auto& thread = *running;
    acquire(thread, thread.unfenced_clock);
    thread.fence_clock = clock_of(thread);
    thread.has_fenced = true;
    begin_epoch(thread);
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

// Each of these returns the old value of the word.
unsigned atomic_add(unsigned* word, unsigned value) {
    return change(word, "atomic_add", [&](unsigned old_value) { return old_value + value; });
}
float atomic_add(float* word, float value) {
    return change(word, "atomic_add", [&](float old_value) { return old_value + value; });
}
unsigned atomic_exchange(unsigned* word, unsigned value) {
    return change(word, "atomic_exchange", [&](unsigned) { return value; });
}
unsigned atomic_compare_exchange(unsigned* word, unsigned expected, unsigned value) {
    auto const old_value = change(word, "atomic_compare_exchange", [&](unsigned current) {
        return current == expected ? value : current;
    });
    // A thread whose exchange fails may try again.
    if (old_value != expected) poll("atomic_compare_exchange");
    return old_value;
}
unsigned load_acquire(unsigned const* word) {
    poll("load_acquire");
    auto& thread = *running;
    check_access(thread, word, sizeof *word,
                 {access::atomic_read, "load_acquire", /*alignment=*/sizeof *word});
    collect_clock(thread, word);
    acquire(thread, thread.unfenced_clock);
    unsigned const value = std::atomic_ref<unsigned>(*const_cast<unsigned*>(word)).load();
    acquire_block(thread, word);
    return value;
}
void store_release(unsigned* word, unsigned value) {
    auto& thread = *running;
    check_access(thread, word, sizeof *word,
                 {access::atomic, "store_release", /*alignment=*/sizeof *word});
    thread.block->atomic_clocks[word].join(clock_of(thread));
    begin_epoch(thread);
    release_block(thread, word);
    std::atomic_ref<unsigned>(*word).store(value);
    count_change_by(thread);
}

void fence_block() { fence(); }
void fence_device() { fence(); }

} // namespace spio::machine
