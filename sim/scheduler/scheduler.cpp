// Resumes the threads of a cluster in turn until all have ended.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that runs the simulated threads of a cluster as fibers, flows of control
// with stacks of their own. A poller asks for a change in a loop. A misuse breaks a rule of the GPU
// and stops the launch. A collective is an operation that lanes of a warp perform together. The
// arena is the simulated global memory.
#include "sim/scheduler/scheduler.h"

#include "sim/arena.h"
#include "sim/checker/diagnostic.h"
#include "sim/instructions/async_engine.h"
#include "sim/scheduler/deadlock.h"

namespace spio::sim {

thread_local constinit gpu_thread* running = nullptr;
thread_local constinit void const* accessing_code = nullptr;

void count_change_by(gpu_thread const& thread) {
    launch_of(thread).changes.fetch_add(1, std::memory_order_relaxed);
}

static void suspend(gpu_thread& thread) {
    worker_of(thread).fibers->suspend();
    thread.state = thread_state::ready;
}

void wait(wait_reason const& reason) {
    auto& thread = *running;
    thread.blocked_by = reason;
    thread.spins.reset();
    thread.state = thread_state::waiting;
    suspend(thread);
}

static void suspend_poller(gpu_thread& thread, wait_reason const& reason) {
    thread.blocked_by = reason;
    thread.state = thread_state::polling;
    worker_of(thread).pollers.push_back(&thread);
    suspend(thread);
}

void poll(char const* name) {
    running->spins.reset();
    suspend_poller(*running, {.kind = wait_kind::poll, .name = name});
}

void suspend_spinning(gpu_thread& thread) {
    // Of the addresses that the loop reads, report one in shared or global memory: the loop may
    // read local variables too.
    auto const* const address = thread.spins.find_address([&](void const* candidate) {
        return thread.block->shared.is_shared(candidate) || arena::contains(candidate);
    });
    suspend_poller(thread, {.kind = wait_kind::spin, .address = address});
}

void let_others_run() {
    // Bounds the rounds, since threads may go on making others ready.
    constexpr int most_rounds = 64;
    auto& thread = *running;
    auto& worker = worker_of(thread);
    auto const* const code = accessing_code;
    for (int round = 0; round < most_rounds; round++) {
        if (worker.ready_queue.size() == 0 && worker.warp_queue.size() == 0) break;
        wake(thread);
        suspend(thread);
    }
    accessing_code = code;
}

void wake(gpu_thread& thread) {
    thread.state = thread_state::ready;
    worker_of(thread).ready_queue.push(thread);
}
void wake_lane(gpu_thread& thread) {
    auto& worker = worker_of(thread);
    thread.state = thread_state::ready;
    auto& queue = worker.launch->options.seed == 0 ? worker.warp_queue : worker.ready_queue;
    queue.push(thread);
}

// Picks a random ready thread. An odd seed takes any thread. An even seed prefers warps of high
// random priority, and changes a priority now and then.
static gpu_thread* pick_shuffled(gpu_worker& worker) {
    auto& queue = worker.ready_queue;
    if (queue.size() == 0) return queue.pop();
    auto const random_position = [&] { return worker.random() % queue.size(); };
    auto const priority = [&](std::size_t position) -> unsigned& {
        return worker.warp_priority[static_cast<std::size_t>(queue.peek(position)->fiber) / 32];
    };
    constexpr int candidates = 8;     // the one of the highest priority is taken
    constexpr unsigned lifetime = 64; // of a priority: how often its warp is picked, on average
    auto best = random_position();
    if (worker.launch->options.seed % 2 == 0) {
        for (int i = 0; i < candidates; i++) {
            auto const other = random_position();
            if (priority(other) > priority(best)) best = other;
        }
        if (worker.random() % lifetime == 0) {
            priority(best) = static_cast<unsigned>(worker.random());
        }
    }
    return queue.pop(best);
}

// Picks the thread that runs next: the first that was woken, or a random one if there is a seed.
static gpu_thread* pick(gpu_worker& worker) {
    if (worker.launch->options.seed != 0) return pick_shuffled(worker);
    auto* const lane = worker.warp_queue.pop();
    return lane ? lane : worker.ready_queue.pop();
}

static void resume(gpu_worker& worker, gpu_thread& thread) {
    running = &thread;
    worker.fibers->resume(thread.fiber);
    running = nullptr;
}

void run_threads(gpu_worker& worker) {
    auto& launch = *worker.launch;
    bool const is_shuffled = launch.options.seed != 0;
    deadlock_detector deadlock(worker);
    while (worker.cluster.live_threads > 0) {
        if (launch.is_stopped.load(std::memory_order_relaxed)) throw launch_stopped{};
        // Without a seed, asynchronous operations are performed only when no thread can run; with a
        // seed, at random times too.
        constexpr unsigned mean_delay = 16; // picks of threads
        if (is_shuffled && worker.random() % mean_delay == 0) perform_async_operation(worker);
        if (auto* const thread = pick(worker)) {
            resume(worker, *thread);
        } else if (!perform_async_operation(worker)) {
            deadlock.resolve();
        }
    }
}

void end_thread(gpu_thread& thread) {
    auto& warp = thread.block->warps[static_cast<std::size_t>(thread.warp())];
    auto const lane = 1U << thread.lane();
    for (auto const& collective : warp.collectives) {
        if (collective.lanes & lane) raise_missing_lane(thread, collective);
    }
    warp.ended_lanes |= lane;
    thread.state = thread_state::ended;
    thread.block->cluster->live_threads--;
    count_change_by(thread);
}

} // namespace spio::sim
