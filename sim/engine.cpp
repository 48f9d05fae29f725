// Does what the copy engine was asked for, one task at a time.
// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.h"

#include "sim/mbarrier.h"
#include "sim/memory_access.h"
#include "sim/refusal.h"
#include "sim/schedule.h"

#include <algorithm>
#include <cstddef>

namespace spio::sim {

static void load(engine_task const& task) {
    auto& thread = *task.issuer;
    auto& block = *thread.block;
    auto& barrier = mbarrier_at(thread, task.barrier, "a bulk load");
    moment const when = ++barrier.engine_time;
    for (auto const& piece : task.pieces) {
        if (piece.from) check_global(thread, piece.from, piece.bytes, "a bulk load");
        bring(block, piece.to, piece.from, piece.bytes);
        check_race(thread, {barrier.engine_thread, when, task.seen, thread.number}, piece.to,
                   piece.bytes, {access::write, "a bulk load", 1});
        std::fill_n(block.shared.written.begin() + piece.to, piece.bytes, 0U);
    }
    barrier.loader = &thread;
    barrier.loaded_in = barrier.phase;
    barrier.told.add(barrier.engine_thread, when, task.seen, block.observers());
    bring_bytes(thread, barrier, task.barrier, task.bytes);
}

static void perform(engine_task const& task) {
    if (task.what == engine_task::load) {
        load(task);
        return;
    }
    auto& thread = *task.issuer;
    bring_copies(thread, task.copies, task.when);
    arrive_at(thread, mbarrier_at(thread, task.barrier, "mbarrier_arrive_after_copies"),
              task.barrier, task.when, task.seen);
}

bool engine_step(gpu_worker& worker) {
    bool const shuffled = worker.launch->options.seed != 0;
    auto& blocks = worker.cluster.blocks;
    auto const first = shuffled ? worker.random() % blocks.size() : 0;
    for (std::size_t i = 0; i < blocks.size(); i++) {
        auto& tasks = blocks[(first + i) % blocks.size()]->tasks;
        if (tasks.empty()) continue;
        auto const at = shuffled ? worker.random() % tasks.size() : 0;
        auto const task = std::move(tasks[at]);
        tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(at));
        perform(task);
        return true;
    }
    return false;
}

void end_block(gpu_block& block) {
    for (auto const& [offset, barrier] : block.mbarriers) {
        if (barrier->loader == nullptr) continue;
        refuse(*barrier->loader, misuse::copy_abandoned,
               "the block has ended, and nobody has waited for what bulk loads brought to the "
               "mbarrier at shared offset %d",
               offset);
    }
    for (auto const& task : block.tasks) {
        if (task.what == engine_task::arrival) continue;
        refuse(
            *task.issuer, misuse::copy_abandoned,
            "the block has ended, while a bulk load of %d bytes to shared offset %d is under way",
            task.bytes, task.pieces.empty() ? 0 : task.pieces.front().to);
    }
    for (auto& thread : block.threads) finish_stores(thread);
}

} // namespace spio::sim
