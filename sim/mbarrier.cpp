// Counts, phase by phase, and keeps track of who made, fenced and ended each barrier.
// SPDX-License-Identifier: Apache-2.0
#include "sim/mbarrier.h"

#include "machine/fence.h"
#include "sim/memory_access.h"
#include "sim/refusal.h"
#include "sim/schedule.h"
#include "sim/telling.h"

namespace spio::sim {

constexpr int most_arrivals = (1 << 20) - 1;
constexpr int word_bytes = 8;

int mbarrier_place(gpu_thread& thread, void const* word, char const* name) {
    return shared_place(thread, word, word_bytes, name, word_bytes);
}

mbarrier& mbarrier_at(gpu_thread& thread, int offset, char const* name) {
    auto& block = *thread.block;
    auto const found = block.mbarriers.find(offset);
    if (found == block.mbarriers.end()) {
        refuse(thread, misuse::mbarrier_not_made,
               "%s at shared offset %d, where no mbarrier was made", name, offset);
    }
    auto& barrier = *found->second;
    bool const known = barrier.maker == thread.number || barrier.meetings < block.meetings ||
                       thread.seen.has_seen(barrier.maker, barrier.made);
    if (!known) {
        refuse(thread, misuse::mbarrier_not_made,
               "%s at shared offset %d, where thread %d made an mbarrier, with nothing that orders "
               "the two",
               name, offset, barrier.maker);
    }
    return barrier;
}

static void end_phase(gpu_thread& thread, mbarrier& barrier, int offset) {
    if (barrier.missing > 0 || barrier.bytes != 0) return;
    barrier.phase++;
    barrier.missing = barrier.expected;
    barrier.known = barrier.told.all();
    barrier.told.clear();
    for (auto& other : thread.block->threads) {
        if (other.state == progress::waiting && other.waits.what == waiting_for::mbarrier_phase &&
            other.waits.number == offset) {
            wake(other);
        }
    }
    note_change(thread);
}

void arrive_at(gpu_thread& thread, mbarrier& barrier, int offset, moment when, vision const& seen) {
    if (barrier.missing == 0) {
        refuse(thread, misuse::mbarrier_overrun,
               "an arrival at the mbarrier at shared offset %d, whose phase has all its %d "
               "arrivals and waits for %lld bytes",
               offset, barrier.expected, barrier.bytes);
    }
    barrier.missing--;
    barrier.told.add(thread.number, when, seen, thread.block->observers());
    note_change(thread);
    end_phase(thread, barrier, offset);
}

static void expect_bytes(gpu_thread& thread, mbarrier& barrier, int offset, int bytes) {
    barrier.bytes += bytes;
    if (bytes < 0 || barrier.bytes > most_arrivals) {
        refuse(thread, misuse::mbarrier_overrun,
               "%d more bytes expected at the mbarrier at shared offset %d, which makes %lld: a "
               "phase takes 0 to %d",
               bytes, offset, barrier.bytes, most_arrivals);
    }
}

void bring_bytes(gpu_thread& thread, mbarrier& barrier, int offset, long long bytes) {
    barrier.bytes -= bytes;
    if (barrier.bytes < -most_arrivals) {
        refuse(thread, misuse::mbarrier_overrun,
               "%lld more bytes came to the mbarrier at shared offset %d than were announced",
               -barrier.bytes, offset);
    }
    note_change(thread);
    end_phase(thread, barrier, offset);
}

static bool has_ended(mbarrier const& barrier, int parity) {
    return static_cast<int>(barrier.phase & 1) != (parity & 1);
}

// Whoever sees the phase end has waited for all that came in it.
static void see_phase(gpu_thread& thread, mbarrier& barrier) {
    learn(thread, barrier.known);
    if (barrier.loaded_in != barrier.phase) barrier.loader = nullptr;
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void mbarrier_init(mbarrier_word* word, int arrivals) {
    auto& thread = *running;
    auto& block = *thread.block;
    int const offset = mbarrier_place(thread, word, "mbarrier_init");
    if (arrivals < 1 || arrivals > most_arrivals) {
        refuse(thread, misuse::mbarrier_overrun, "mbarrier_init for %d arrivals: 1 to %d can come",
               arrivals, most_arrivals);
    }
    if (block.shared.find(offset, word_bytes, counting, 0) >= 0) {
        refuse(thread, misuse::mbarrier_made_twice,
               "mbarrier_init at shared offset %d, where there is one that was not ended", offset);
    }
    touch_shared(thread, offset, word_bytes, {access::write, "mbarrier_init", word_bytes});
    block.shared.mark(offset, word_bytes, counting, initialised);
    auto made = std::make_unique<mbarrier>();
    made->expected = made->missing = arrivals;
    made->engine_thread = static_cast<int>(block.threads.size()) + block.mbarriers_made++ % 32;
    made->maker = thread.number;
    made->made = thread.now;
    made->meetings = block.meetings;
    block.mbarriers[offset] = std::move(made);
    note_change(thread);
}
void mbarrier_end(mbarrier_word* word) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_end");
    mbarrier_at(thread, offset, "mbarrier_end");
    thread.block->mbarriers.erase(offset);
    thread.block->shared.mark(offset, word_bytes, 0, counting);
    check_race(thread, as_actor(thread), offset, word_bytes,
               {access::write, "mbarrier_end", word_bytes});
}
void mbarrier_arrive(mbarrier_word* word) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_arrive");
    arrive_at(thread, mbarrier_at(thread, offset, "mbarrier_arrive"), offset, thread.now,
              thread.seen);
    tell(thread);
}
void mbarrier_expect(mbarrier_word* word, int bytes) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_expect");
    expect_bytes(thread, mbarrier_at(thread, offset, "mbarrier_expect"), offset, bytes);
}
void mbarrier_arrive_and_expect(mbarrier_word* word, int bytes) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_arrive_and_expect");
    auto& barrier = mbarrier_at(thread, offset, "mbarrier_arrive_and_expect");
    expect_bytes(thread, barrier, offset, bytes);
    arrive_at(thread, barrier, offset, thread.now, thread.seen);
    tell(thread);
}

bool mbarrier_test(mbarrier_word* word, int parity) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_test");
    mbarrier_at(thread, offset, "mbarrier_test");
    poll("mbarrier_test");
    auto& barrier = mbarrier_at(thread, offset, "mbarrier_test");
    if (!has_ended(barrier, parity)) return false;
    see_phase(thread, barrier);
    return true;
}
bool mbarrier_try_wait(mbarrier_word* word, int parity) {
    auto& thread = *running;
    int const offset = mbarrier_place(thread, word, "mbarrier_try_wait");
    auto* barrier = &mbarrier_at(thread, offset, "mbarrier_try_wait");
    if (!has_ended(*barrier, parity)) {
        bool const in_time = wait({waiting_for::mbarrier_phase, offset, parity & 1});
        barrier = &mbarrier_at(thread, offset, "mbarrier_try_wait");
        if (!in_time || !has_ended(*barrier, parity)) return false;
    }
    see_phase(thread, *barrier);
    return true;
}

void fence_for_bulk_copies() {
    auto& thread = *running;
    thread.fences++;
    thread.fence_meeting = thread.block->meetings;
    thread.at_bulk_fence = thread.seen;
    thread.write_event = 0;
    fence_mbarrier_init();
}
void fence_mbarrier_init() {
    auto& thread = *running;
    for (auto& [offset, barrier] : thread.block->mbarriers) {
        if (barrier->maker == thread.number || barrier->meetings < thread.block->meetings ||
            thread.seen.has_seen(barrier->maker, barrier->made)) {
            barrier->fenced = true;
        }
    }
}

} // namespace spio::machine
