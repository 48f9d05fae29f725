// Takes up the threads of a cluster in turn until all have ended.
// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule.h"

#include "sim/engine.h"
#include "sim/impasse.h"
#include "sim/meeting.h"
#include "sim/refusal.h"

#include <thread>
#include <utility>

namespace spio::sim {

thread_local constinit gpu_thread* running = nullptr;

void note_change(gpu_thread const& thread) {
    launch_of(thread).changes.fetch_add(1, std::memory_order_relaxed);
}

static void suspend(gpu_thread& thread) {
    worker_of(thread).flows->suspend();
    thread.state = progress::ready;
}

bool wait(wait_reason reason) {
    auto& thread = *running;
    thread.waits = reason;
    thread.state = progress::waiting;
    thread.timed_out = false;
    suspend(thread);
    return !thread.timed_out;
}

void poll(char const* name) {
    auto& thread = *running;
    thread.waits = {waiting_for::poll, 0, 0, name};
    thread.state = progress::polling;
    worker_of(thread).pollers.push_back(&thread);
    suspend(thread);
}

void wake(gpu_thread& thread) {
    thread.state = progress::ready;
    worker_of(thread).ready.threads.push_back(&thread);
}
void wake_near(gpu_thread& thread) {
    auto& worker = worker_of(thread);
    thread.state = progress::ready;
    auto& queue = worker.launch->options.seed == 0 ? worker.near : worker.ready;
    queue.threads.push_back(&thread);
}

// Those who come in order go in order; with a seed, any lane, or the warps by a changing priority.
static gpu_thread* pick(gpu_worker& worker) {
    auto const seed = worker.launch->options.seed;
    auto& ready = worker.ready;
    if (seed == 0) {
        auto* const next = worker.near.take();
        return next ? next : ready.take();
    }
    if (ready.size() == 0) return ready.take();
    auto const some = [&] { return ready.first + worker.random() % ready.size(); };
    auto const priority = [&](std::size_t i) -> unsigned& {
        return worker.priority[static_cast<std::size_t>(ready.threads[i]->fiber) / 32];
    };
    auto best = some();
    if (seed % 2 == 0) {
        for (int tries = 0; tries < 8; tries++) {
            if (auto const other = some(); priority(other) > priority(best)) best = other;
        }
        if (worker.random() % 64 == 0) priority(best) = static_cast<unsigned>(worker.random());
    }
    std::swap(ready.threads[ready.first], ready.threads[best]);
    return ready.take();
}

static void resume(gpu_worker& worker, gpu_thread& thread) {
    running = &thread;
    worker.flows->resume(thread.fiber);
    running = nullptr;
}

void run_cluster(gpu_worker& worker) {
    auto& launch = *worker.launch;
    bool const shuffled = launch.options.seed != 0;
    impasse stuck(worker);
    while (worker.cluster.live > 0) {
        if (launch.stopped.load(std::memory_order_relaxed)) throw launch_stopped{};
        // The engine comes as late as it can, or at any time.
        if (shuffled && worker.random() % 16 == 0) engine_step(worker);
        if (auto* const next = pick(worker)) {
            resume(worker, *next);
        } else if (!engine_step(worker)) {
            stuck.resolve();
        }
    }
}

void end_thread(gpu_thread& thread) {
    auto& warp = thread.block->warps[static_cast<std::size_t>(thread.warp())];
    auto const bit = 1U << thread.lane();
    for (auto const& meeting : warp.meetings) {
        if (meeting.lanes & bit) refuse_missing(thread, meeting);
    }
    warp.ended |= bit;
    thread.state = progress::ended;
    thread.block->cluster->live--;
    note_change(thread);
}

} // namespace spio::sim
