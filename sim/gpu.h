// The state of the simulated GPU: threads, warps, blocks, clusters, and the launch they belong to.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that runs clusters; it runs their threads as fibers, one at a time. A
// vector clock has the last epoch of each thread that is known to have ended: a thread ends an
// epoch when it releases its accesses. A proxy fence shows writes of threads to the TMA engine. A
// misuse breaks a rule of the GPU. A collective is an operation that lanes of a warp perform
// together.
#pragma once

#include "sim/checker/block_order.h"
#include "sim/checker/global_races.h"
#include "sim/checker/global_shadow.h"
#include "sim/checker/race_shadow.h"
#include "sim/checker/shared_memory.h"
#include "sim/checker/vector_clock.h"
#include "sim/instructions/async_operation.h"
#include "sim/instructions/barrier.h"
#include "sim/instructions/collective.h"
#include "sim/instructions/mbarrier.h"
#include "sim/instructions/warpgroup_product.h"
#include "sim/launch.h"
#include "sim/scheduler/fiber_pool.h"
#include "sim/scheduler/run_queue.h"
#include "sim/scheduler/spin_monitor.h"
#include "sim/scheduler/wait_reason.h"

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
struct gpu_worker;

// A simulated thread: what it waits for, what it has released and acquired, and its copies that are
// not complete.
struct gpu_thread {
    gpu_block* block = nullptr;
    int number = 0; // its linear index in the block
    int fiber = 0;  // in the worker's pool
    extent index = {};
    thread_state state = thread_state::ready;
    wait_reason blocked_by = {};

    epoch_number epoch = 1;
    vector_clock clock;
    vector_clock fence_clock;    // at the last fence: atomics after it release this
    bool has_fenced = false;     // since the launch began
    vector_clock unfenced_clock; // what atomics read: the next fence acquires this
    unsigned current_write = 0;  // in the block's writes; 0: no write in this epoch yet
    proxy_fence last_proxy_fence = {};
    bool has_waited_for_previous = false; // by itself, or by a thread with which it synchronized
    int opponent = -1;  // the thread of the block with which an access of this one races
    spin_monitor spins; // finds loops that only read, which wait for another thread

    std::vector<copy_group> copy_groups; // groups that the thread has committed
    copy_group copies;                   // copies since the last commit
    std::vector<bulk_store_group> store_groups;
    std::vector<bulk_store> stores;

    int lane() const { return number % 32; }
    int warp() const { return number / 32; }
};

// A warp, whose lanes meet in collectives.
struct gpu_warp {
    unsigned lanes = 0; // mask of the lanes that have a thread
    unsigned ended_lanes = 0;
    std::vector<collective> collectives; // those that some lanes wait in
};

// A call of wait_for_kernels_before: the thread, and its epoch at the call.
struct previous_wait {
    int thread;
    epoch_number epoch;
    unsigned barriers_passed; // by the block, until then
};

// Which checks are made at each access to global memory.
struct global_checks {
    bool races = false; // of blocks
    bool thread_races = false;
    bool previous_kernel = false;
    bool unwritten_reads = false;
};

// A block: its threads, its shared memory with the history of each byte, its barriers, and what the
// TMA engine has yet to do for it.
struct gpu_block {
    gpu_cluster* cluster = nullptr;
    int rank = 0; // of the block in its cluster
    extent index = {};
    long long number = 0; // linear index in the grid
    std::vector<gpu_thread> threads;
    std::vector<gpu_warp> warps;
    unsigned barriers_passed = 0; // barriers that all its threads have completed
    named_barrier barriers[16];
    std::unordered_map<int, mbarrier> mbarriers;                 // by offset in shared memory
    int mbarrier_count = 0;                                      // that were ever initialised
    std::unordered_map<void const*, vector_clock> atomic_clocks; // by address

    shared_memory shared;
    race_shadow races;                 // in shared memory
    sim::global_races global_races;    // of its threads
    std::vector<generic_write> writes; // when and by whom bytes of shared memory were written
    std::vector<shared_range> pending_stores; // that bulk stores have yet to read
    std::deque<async_operation> async_operations;
    std::unordered_map<int, warpgroup_products> products; // by the number of the warpgroup

    sim::global_checks global_checks;
    block_set predecessors; // blocks ordered before this one, for global memory
    std::vector<previous_wait> previous_waits;

    // Vector clocks have a component for each thread and `tma_observers` more, which stand for
    // loads of the TMA engine. The n-th mbarrier that a block initialises counts its loads in
    // number n % tma_observers of these, so that many mbarriers share components.
    static constexpr int tma_observers = 32;
    int clock_size() const { return static_cast<int>(threads.size()) + tma_observers; }
};

// A cluster: the blocks whose threads one OS thread runs in turn.
struct gpu_cluster {
    gpu_worker* worker = nullptr;
    std::vector<std::unique_ptr<gpu_block>> blocks;
    int live_threads = 0;
    cluster_barrier barrier;
};

// One launch, shared by the OS threads that run it.
struct gpu_launch {
    char const* kernel = nullptr;
    extent grid = {};
    block_shape shape = {};
    launch_options options;
    // Each simulated thread calls run(body); body holds the kernel's call with its arguments.
    void (*run)(void const*) = nullptr;
    void const* body = nullptr;
    std::atomic<long long> next_cluster = 0;
    std::atomic<bool> is_stopped = false;
    std::atomic<int> active_workers = 0;
    std::atomic<int> stuck_workers = 0;
    std::atomic<unsigned long long> changes = 0; // counts changes that a thread may poll for
    global_shadow::writer_range writers;
    sim::block_order block_order;
    std::mutex report_mutex;
    report first_misuse;
    std::string drawing;               // of the threads of the block at that misuse
    void const* faulty_code = nullptr; // behind the load or store of that misuse, if it is one
};

// An OS thread that runs clusters, one after the other.
struct gpu_worker {
    gpu_launch* launch = nullptr;
    std::unique_ptr<fiber_pool> fibers;
    gpu_cluster cluster;
    run_queue warp_queue; // threads whose collective has completed; run first
    run_queue ready_queue;
    std::vector<gpu_thread*> pollers; // threads that ask for a change again and again
    std::mt19937_64 random;
    std::vector<unsigned> warp_priority; // random; used if the seed is even
};

// The simulated thread that this OS thread runs now, or null.
extern thread_local constinit gpu_thread* running __attribute__((tls_model("initial-exec")));

// The code behind the load or store that this OS thread checks now, or null.
extern thread_local constinit void const* accessing_code __attribute__((tls_model("initial-exec")));
// Keeps the place of a misuse's code for last_fault_place(), and what its block did.
void note_fault_place(void const* code, std::string drawing);

inline gpu_worker& worker_of(gpu_thread const& thread) { return *thread.block->cluster->worker; }
// The block of the thread's cluster that has this rank. It is a misuse if there is none.
gpu_block& block_of_rank(gpu_thread& thread, int rank, char const* name);
inline gpu_launch& launch_of(gpu_thread const& thread) { return *worker_of(thread).launch; }

} // namespace spio::sim
