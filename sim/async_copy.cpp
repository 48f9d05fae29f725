// Copies that a thread starts: what they bring is there after its wait, and not before.
// SPDX-License-Identifier: Apache-2.0
#include "machine/async_copy.h"

#include "machine/mbarrier.h"
#include "sim/engine.h"
#include "sim/mbarrier.h"
#include "sim/memory_access.h"
#include "sim/refusal.h"
#include "sim/schedule.h"
#include "sim/telling.h"

#include <cstring>
#include <utility>

namespace spio::sim {

void copy_asynchronously(void* shared, void const* global, int size, int bytes) {
    auto& thread = *running;
    char const* const name = "an asynchronous copy";
    if (bytes < 0 || bytes > size) {
        refuse(thread, misuse::copy_malformed, "%s of %d bytes cannot read %d", name, size, bytes);
    }
    if (reinterpret_cast<std::uintptr_t>(global) % static_cast<unsigned>(size) != 0) {
        refuse(thread, misuse::copy_malformed,
               "%s of %d bytes from an address that is %d beyond a multiple of it", name, size,
               static_cast<int>(reinterpret_cast<std::uintptr_t>(global) %
                                static_cast<unsigned>(size)));
    }
    int const to = shared_place(thread, shared, size, name, size);
    check_global(thread, global, bytes, name);
    touch_shared(thread, to, size, {access::write, name, size});
    auto& window = thread.block->shared;
    window.mark(to, size, pending, initialised);
    std::memset(window.base + to, 0xff, static_cast<std::size_t>(size));
    if (thread.copies.empty()) thread.copies.push_back(std::make_shared<copy_run>());
    thread.copies.back()->copies.push_back(
        {static_cast<unsigned char const*>(global), to, bytes, size});
}

void bring(gpu_block& block, int to, unsigned char const* from, int bytes) {
    auto const count = static_cast<std::size_t>(bytes);
    if (from == nullptr) {
        std::memset(block.shared.base + to, 0, count);
    } else {
        std::memcpy(block.shared.base + to, from, count);
    }
    block.shared.mark(to, bytes, initialised, pending);
}

static void bring_run(gpu_thread& thread, copy_run const& run, moment when) {
    auto& block = *thread.block;
    for (auto const& copy : run.copies) {
        check_global(thread, copy.from, copy.bytes, "an asynchronous copy");
        if (copy.bytes > 0) bring(block, copy.to, copy.from, copy.bytes);
        if (copy.bytes < copy.size) {
            bring(block, copy.to + copy.bytes, nullptr, copy.size - copy.bytes);
        }
        check_race(thread, {thread.number, when, thread.seen, thread.number}, copy.to, copy.size,
                   {access::write, "an asynchronous copy", copy.size});
        auto const event = write_event_of(thread);
        std::fill_n(block.shared.written.begin() + copy.to, copy.size, event);
    }
}

void bring_copies(gpu_thread& thread, copy_group const& copies, moment when) {
    for (auto const& run : copies) {
        if (run->brought) continue;
        run->brought = true;
        bring_run(thread, *run, when);
    }
}

void wait_for_copy_groups(int under_way) {
    auto& thread = *running;
    auto& groups = thread.copy_groups;
    auto const left = static_cast<std::size_t>(under_way);
    if (groups.size() <= left) return;
    auto const done = groups.end() - under_way;
    for (auto group = groups.begin(); group != done; group++) {
        bring_copies(thread, *group, thread.now);
    }
    groups.erase(groups.begin(), done);
    note_change(thread);
}

} // namespace spio::sim

namespace spio::machine {

void commit_copies() {
    auto& thread = *sim::running;
    thread.copy_groups.push_back(std::move(thread.copies));
    thread.copies.clear();
}

void mbarrier_arrive_after_copies(mbarrier_word* word) {
    auto& thread = *sim::running;
    int const offset = sim::mbarrier_place(thread, word, "mbarrier_arrive_after_copies");
    sim::mbarrier_at(thread, offset, "mbarrier_arrive_after_copies");
    auto& task = thread.block->tasks.emplace_back();
    task.what = sim::engine_task::arrival;
    task.issuer = &thread;
    task.when = thread.now;
    task.seen = thread.seen;
    task.barrier = offset;
    for (auto const& group : thread.copy_groups) {
        task.copies.insert(task.copies.end(), group.begin(), group.end());
    }
    task.copies.insert(task.copies.end(), thread.copies.begin(), thread.copies.end());
    if (!thread.copies.empty()) thread.copies.push_back(std::make_shared<sim::copy_run>());
    sim::tell(thread);
}

} // namespace spio::machine
