// Atomics and fences, and what they tell others.
// SPDX-License-Identifier: Apache-2.0
#include "machine/atomic.h"

#include "machine/fence.h"
#include "sim/memory_access.h"
#include "sim/schedule.h"
#include "sim/telling.h"

#include <atomic>

namespace spio::sim {

// What was released by earlier fences goes with the word, and comes to who fences later.
static void pass_on(gpu_thread& thread, void const* word, bool reads, bool writes) {
    auto& released = thread.block->released;
    if (reads) {
        if (auto const found = released.find(word); found != released.end()) {
            thread.acquired.join(found->second);
        }
    }
    if (writes) released[word].join(thread.at_fence);
}

template <class T, class F> static T change(T* word, char const* name, F f) {
    auto& thread = *running;
    check_access(thread, word, sizeof(T), {access::atomic, name, sizeof(T)});
    pass_on(thread, word, true, true);
    std::atomic_ref<T> shared(*word);
    T before = shared.load();
    while (!shared.compare_exchange_weak(before, f(before))) {
    }
    if (T const after = shared.load(); after != before) note_change(thread);
    return before;
}

static void fence() {
    auto& thread = *running;
    learn(thread, thread.acquired);
    thread.at_fence = thread.seen;
    thread.at_fence.see(thread.number, thread.now, thread.block->observers());
    tell(thread);
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

unsigned atomic_add(unsigned* word, unsigned value) {
    return change(word, "atomic_add", [&](unsigned before) { return before + value; });
}
float atomic_add(float* word, float value) {
    return change(word, "atomic_add", [&](float before) { return before + value; });
}
unsigned atomic_exchange(unsigned* word, unsigned value) {
    return change(word, "atomic_exchange", [&](unsigned) { return value; });
}
unsigned atomic_compare_exchange(unsigned* word, unsigned expected, unsigned value) {
    auto const before = change(word, "atomic_compare_exchange",
                               [&](unsigned was) { return was == expected ? value : was; });
    // Who fails may ask again.
    if (before != expected) poll("atomic_compare_exchange");
    return before;
}
unsigned load_acquire(unsigned const* word) {
    poll("load_acquire");
    auto& thread = *running;
    check_access(thread, word, sizeof *word, {access::atomic_read, "load_acquire", sizeof *word});
    pass_on(thread, word, true, false);
    learn(thread, thread.acquired);
    return std::atomic_ref<unsigned>(*const_cast<unsigned*>(word)).load();
}
void store_release(unsigned* word, unsigned value) {
    auto& thread = *running;
    check_access(thread, word, sizeof *word, {access::atomic, "store_release", sizeof *word});
    auto told = thread.seen;
    told.see(thread.number, thread.now, thread.block->observers());
    tell(thread);
    thread.block->released[word].join(told);
    std::atomic_ref<unsigned>(*word).store(value);
    note_change(thread);
}

void fence_block() { fence(); }
void fence_device() { fence(); }

} // namespace spio::machine
