// Sets up clusters, blocks and threads, and runs them.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that takes clusters of a launch, one after the other, and runs their
// threads as fibers, flows of control with stacks of their own.
#include "sim/scheduler/worker.h"

#include "sim/checker/diagnostic.h"
#include "sim/instructions/async_engine.h"
#include "sim/scheduler/crash_report.h"
#include "sim/scheduler/scheduler.h"

#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace spio::sim {

// The reserved addresses for the shared memory of a cluster's blocks. Only the middle of each
// block's region can be accessed.
class shared_regions {
  public:
    explicit shared_regions(int blocks)
        : bytes_(static_cast<std::size_t>(blocks) * shared_memory::region_bytes),
          base_(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                     0)) {
        if (base_ == MAP_FAILED) throw std::bad_alloc();
    }
    shared_regions(shared_regions const&) = delete;
    shared_regions& operator=(shared_regions const&) = delete;
    ~shared_regions() { munmap(base_, bytes_); }

    // Makes the shared memory of the block with this rank in its cluster accessible.
    void open(shared_memory& shared, int rank, int bytes) const {
        auto* const address = static_cast<unsigned char*>(base_) +
                              static_cast<std::size_t>(rank) * shared_memory::region_bytes +
                              shared_memory::offset_in_region;
        mprotect(address, max_shared_bytes, PROT_READ | PROT_WRITE);
        shared.cluster_base = reinterpret_cast<std::uintptr_t>(base_);
        shared.cluster_bytes = bytes_;
        shared.open(address, bytes);
    }

  private:
    std::size_t bytes_;
    void* base_;
};

// Keeps the fibers of launches that have ended, for later launches: mapping new stacks takes longer
// than a small launch.
class idle_fibers {
  public:
    static idle_fibers& instance() {
        static idle_fibers fibers;
        return fibers;
    }
    std::unique_ptr<fiber_pool> take() {
        std::lock_guard const lock(mutex_);
        if (pools_.empty()) return std::make_unique<fiber_pool>();
        auto pool = std::move(pools_.back());
        pools_.pop_back();
        return pool;
    }
    void give_back(std::unique_ptr<fiber_pool> pool) {
        std::lock_guard const lock(mutex_);
        pools_.push_back(std::move(pool));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<fiber_pool>> pools_;
};

static void run_thread(void* argument) {
    auto& thread = *static_cast<gpu_thread*>(argument);
    auto const& launch = launch_of(thread);
    launch.run(launch.body);
    end_thread(thread);
}

// Makes the threads of a block ready to run.
static void start_block(gpu_worker& worker, gpu_block& block, extent index) {
    extent const grid = worker.launch->grid;
    block_shape const& shape = worker.launch->shape;
    auto const threads = static_cast<int>(shape.block.count());
    block.cluster = &worker.cluster;
    block.index = index;
    block.number = index.x + grid.x * (index.y + 1LL * grid.y * index.z);
    auto const& options = worker.launch->options;
    block.global_checks = {.races = !worker.launch->writers.is_empty(),
                           .thread_races = options.races,
                           .previous_kernel = shape.overlaps_previous,
                           .unwritten_reads = options.unwritten_reads};
    if (options.races) block.races.open(shape.shared_bytes);
    block.threads = std::vector<gpu_thread>(static_cast<std::size_t>(threads));
    block.warps = std::vector<gpu_warp>(static_cast<std::size_t>((threads + 31) / 32));
    for (int i = 0; i < threads; i++) {
        auto& thread = block.threads[static_cast<std::size_t>(i)];
        thread.block = &block;
        thread.number = i;
        thread.fiber = block.rank * threads + i;
        thread.index = shape.block.index_of(i);
        block.warps[static_cast<std::size_t>(thread.warp())].lanes |= 1U << thread.lane();
        worker.fibers->start(thread.fiber, run_thread, &thread);
        wake(thread);
    }
}

// Runs the blocks of a cluster, which begins at block `first`, until all have ended.
static void run_cluster(gpu_worker& worker, extent first, shared_regions const& regions) {
    auto const& shape = worker.launch->shape;
    auto& cluster = worker.cluster;
    auto const blocks = static_cast<int>(shape.cluster.count());
    auto const threads = blocks * static_cast<int>(shape.block.count());
    cluster = {};
    cluster.worker = &worker;
    cluster.live_threads = threads;
    cluster.barrier.open(blocks, threads);
    worker.warp_priority.resize(static_cast<std::size_t>((threads + 31) / 32));
    for (auto& priority : worker.warp_priority) priority = static_cast<unsigned>(worker.random());
    for (int rank = 0; rank < blocks; rank++) {
        auto& block = *cluster.blocks.emplace_back(std::make_unique<gpu_block>());
        auto const offset = shape.cluster.index_of(rank);
        block.rank = rank;
        regions.open(block.shared, rank, shape.shared_bytes);
        start_block(worker, block, {first.x + offset.x, first.y + offset.y, first.z + offset.z});
    }
    run_threads(worker);
    for (auto& block : cluster.blocks) end_async_operations(*block);
}

void run_clusters(gpu_launch& launch) {
    auto const& [block, cluster, shared_bytes, overlaps] = launch.shape;
    extent const grid = launch.grid;
    extent const clusters = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
    gpu_worker worker;
    worker.launch = &launch;
    worker.fibers = idle_fibers::instance().take();
    worker.fibers->reserve(static_cast<int>(cluster.count() * block.count()));
    shared_regions const regions(static_cast<int>(cluster.count()));
    crash_handler const handler;
    try {
        while (!launch.is_stopped) {
            auto const number = launch.next_cluster++;
            if (number >= clusters.count()) break;
            worker.random.seed(launch.options.seed + static_cast<unsigned>(number));
            auto const index = clusters.index_of(number);
            run_cluster(worker, {index.x * cluster.x, index.y * cluster.y, index.z * cluster.z},
                        regions);
        }
        // Fibers of a launch that was stopped may be suspended for good: they are not used again.
        if (!launch.is_stopped) idle_fibers::instance().give_back(std::move(worker.fibers));
    } catch (launch_stopped const&) {
        launch.is_stopped = true;
    }
    launch.active_workers--;
}

} // namespace spio::sim
