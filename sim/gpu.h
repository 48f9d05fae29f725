// The state of the machine that runs kernels: threads, warps, blocks, clusters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/fiber.h"
#include "sim/history.h"
#include "sim/launch.h"
#include "sim/shared_window.h"
#include "sim/vision.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

namespace spio::sim {

struct gpu_block;
struct gpu_cluster;
struct mbarrier;
struct warp_operation;

// Why a thread waits; the numbers are the reason's own.
enum class waiting_for { nothing, collective, barrier, cluster, mbarrier_phase, poll };
struct wait_reason {
    waiting_for what = waiting_for::nothing;
    int number = 0;
    int other = 0;
    char const* name = "";
};

// A copy from global to shared memory, by cp.async.
struct thread_copy {
    unsigned char const* from;
    int to, bytes, size;
};
// Some that are waited for together: a group has one, or more if an mbarrier was told in between.
struct copy_run {
    std::vector<thread_copy> copies;
    bool brought = false;
};
using copy_group = std::vector<std::shared_ptr<copy_run>>;

// A copy from shared to global memory, by the copy engine: its pieces, and what it has read.
struct bulk_piece {
    int from;
    unsigned char* to;
    int bytes;
};
struct bulk_store {
    int from = 0;
    int bytes = 0;
    std::vector<bulk_piece> pieces;
    std::vector<unsigned char> read;
};
struct bulk_group {
    std::vector<bulk_store> stores;
    bool is_read = false;
};

enum class progress { ready, waiting, polling, ended };

struct gpu_thread {
    gpu_block* block = nullptr;
    int number = 0; // in the block
    int fiber = 0;
    extent at = {};
    progress state = progress::ready;
    wait_reason waits = {};
    bool timed_out = false;

    moment now = 1;
    vision seen;
    vision at_fence;            // what it had seen at its last fence
    vision acquired;            // what its next fence makes it see
    unsigned write_event = 0;   // of its writes from now on; 0: none yet
    unsigned fences = 0;        // for the copy engine, so far
    unsigned fence_meeting = 0; // the block's meetings at the last of them
    vision at_bulk_fence;

    std::vector<copy_group> copy_groups;
    copy_group copies; // not committed yet
    std::vector<bulk_group> store_groups;
    std::vector<bulk_store> stores;

    int lane() const { return number % 32; }
    int warp() const { return number / 32; }
};

// A collective that some lanes of a warp have come to.
struct meeting {
    warp_operation const* operation = nullptr;
    unsigned lanes = 0;
    unsigned here = 0;
    gpu_thread* first = nullptr; // lane 0 of the warp
    void* arguments[32] = {};
};
struct gpu_warp {
    unsigned lanes = 0; // that exist
    unsigned ended = 0;
    std::vector<meeting> meetings;
};

struct named_barrier {
    int threads = 0; // that it waits for; 0: nobody has come
    int here = 0;
    std::vector<gpu_thread*> waiting;
    std::vector<bool> came;
    gathering told;
};

// What the copy engine has still to do for a block.
struct engine_task {
    enum { load, arrival } what = load;
    gpu_thread* issuer = nullptr;
    moment when = 0;
    vision seen;
    int barrier = 0; // its offset in shared memory
    copy_group copies;
    struct piece {
        int to;
        unsigned char const* from;
        int bytes;
    };
    std::vector<piece> pieces;
    int bytes = 0;
};

// A write to shared memory, as the copy engine must see it before a store.
struct write_event {
    int thread;
    moment when;
    unsigned meetings;
    unsigned fences;
};

struct gpu_block {
    gpu_cluster* cluster = nullptr;
    int rank = 0; // in the cluster
    extent at = {};
    std::vector<gpu_thread> threads;
    std::vector<gpu_warp> warps;
    named_barrier barriers[16];
    std::unordered_map<int, std::unique_ptr<mbarrier>> mbarriers;
    int mbarriers_made = 0;
    std::deque<engine_task> tasks;
    std::unordered_map<void const*, vision> released; // by atomics
    std::vector<write_event> write_events;
    std::vector<bulk_piece> being_read; // by bulk stores
    unsigned meetings = 0;              // of the whole block
    shared_window shared;
    history past;

    // Of the vectors in visions: its threads, and what the copy engine counts for.
    static constexpr int engine_threads = 32;
    int observers() const { return static_cast<int>(threads.size()) + engine_threads; }
    ~gpu_block();
};

// The blocks that one OS thread runs together, and in which order.
struct gpu_worker;
struct gpu_cluster {
    gpu_worker* worker = nullptr;
    std::vector<std::unique_ptr<gpu_block>> blocks;
    int live = 0; // threads that have not ended
    int arrived = 0;
    std::vector<gpu_thread*> waiting;
    unsigned phase = 0;
    std::vector<unsigned> arrivals; // by thread: to how many phases it came
    std::vector<gathering> told;    // by block
    std::vector<vision> known;
};

// One launch, shared by its OS threads.
struct gpu_launch {
    launch_shape shape;
    launch_options options;
    void (*run)(void const*) = nullptr;
    void const* body = nullptr;
    std::atomic<int> next_cluster = 0;
    std::atomic<bool> stopped = false;
    std::atomic<int> active = 0;
    std::atomic<int> stuck = 0;
    std::atomic<unsigned long long> changes = 0;
    std::mutex reporting;
    report found;
};

struct run_queue {
    std::vector<gpu_thread*> threads;
    std::size_t first = 0;

    std::size_t size() const { return threads.size() - first; }
    gpu_thread* take() {
        if (first == threads.size()) {
            threads.clear();
            first = 0;
            return nullptr;
        }
        auto* const next = threads[first++];
        // Not to grow where it never runs empty.
        if (first >= 4096 && 2 * first >= threads.size()) {
            threads.erase(threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(first));
            first = 0;
        }
        return next;
    }
};
struct gpu_worker {
    gpu_launch* launch = nullptr;
    std::unique_ptr<fibers> flows;
    gpu_cluster cluster;
    run_queue near; // those whose warp has met, and goes on before others
    run_queue ready;
    std::vector<gpu_thread*> pollers;
    std::mt19937_64 random;
    std::vector<unsigned> priority; // of warps, where the order is shuffled
};

// The thread that this OS thread runs now, if any.
extern thread_local constinit gpu_thread* running __attribute__((tls_model("initial-exec")));

inline gpu_worker& worker_of(gpu_thread const& thread) { return *thread.block->cluster->worker; }
inline gpu_launch& launch_of(gpu_thread const& thread) { return *worker_of(thread).launch; }

} // namespace spio::sim
