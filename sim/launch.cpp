// Spreads the blocks of a launch over threads of the OS.
// SPDX-License-Identifier: Apache-2.0
#include "sim/launch.h"

#include "sim/engine.h"
#include "sim/fault.h"
#include "sim/mbarrier.h"
#include "sim/refusal.h"
#include "sim/schedule.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace spio::sim {

gpu_block::~gpu_block() = default;

// The addresses of the shared memory of a cluster's blocks, only their windows open.
class shared_region {
  public:
    explicit shared_region(int blocks)
        : size_(static_cast<std::size_t>(blocks) * shared_window::region_bytes),
          base_(
              mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (base_ == MAP_FAILED) throw std::bad_alloc();
    }
    shared_region(shared_region const&) = delete;
    shared_region& operator=(shared_region const&) = delete;
    ~shared_region() { munmap(base_, size_); }

    void open(shared_window& window, int rank, int bytes) const {
        auto* const at = static_cast<unsigned char*>(base_) +
                         static_cast<std::size_t>(rank) * shared_window::region_bytes +
                         shared_window::begins_at;
        mprotect(at, shared_window::most_bytes, PROT_READ | PROT_WRITE);
        window.region = reinterpret_cast<std::uintptr_t>(base_);
        window.region_size = size_;
        window.open(at, bytes);
    }

  private:
    std::size_t size_;
    void* base_;
};

// Those whose launch has come to its end. To map and guard stacks takes longer than a small launch.
class idle_fibers {
  public:
    static idle_fibers& all() {
        static idle_fibers one;
        return one;
    }
    std::unique_ptr<fibers> take() {
        std::lock_guard const lock(mutex_);
        if (idle_.empty()) return std::make_unique<fibers>();
        auto taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
    }
    void give(std::unique_ptr<fibers> ended) {
        std::lock_guard const lock(mutex_);
        idle_.push_back(std::move(ended));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<fibers>> idle_;
};

static void run_thread(void* what) {
    auto& thread = *static_cast<gpu_thread*>(what);
    auto const& launch = launch_of(thread);
    launch.run(launch.body);
    end_thread(thread);
}

static void start_block(gpu_worker& worker, gpu_block& block, int rank, extent at,
                        shared_region const& region) {
    auto const& shape = worker.launch->shape;
    int const threads = shape.block.count();
    block.cluster = &worker.cluster;
    block.rank = rank;
    block.at = at;
    region.open(block.shared, rank, shape.dynamic_shared_bytes);
    if (worker.launch->options.races) block.past.open(shape.dynamic_shared_bytes);
    block.threads = std::vector<gpu_thread>(static_cast<std::size_t>(threads));
    block.warps = std::vector<gpu_warp>(static_cast<std::size_t>((threads + 31) / 32));
    for (int i = 0; i < threads; i++) {
        auto& thread = block.threads[static_cast<std::size_t>(i)];
        thread.block = &block;
        thread.number = i;
        thread.fiber = rank * threads + i;
        thread.at = shape.block.at(i);
        block.warps[static_cast<std::size_t>(thread.warp())].lanes |= 1U << thread.lane();
        worker.flows->start(thread.fiber, run_thread, &thread);
        wake(thread);
    }
}

static void run_one_cluster(gpu_worker& worker, extent first, shared_region const& region) {
    auto const& shape = worker.launch->shape;
    auto& cluster = worker.cluster;
    int const blocks = shape.cluster.count();
    auto const threads = static_cast<std::size_t>(blocks * shape.block.count());
    cluster = {};
    cluster.worker = &worker;
    cluster.live = static_cast<int>(threads);
    cluster.arrivals.assign(threads, 0);
    cluster.told.resize(static_cast<std::size_t>(blocks));
    cluster.known.resize(static_cast<std::size_t>(blocks));
    worker.priority.resize((threads + 31) / 32);
    for (auto& priority : worker.priority) priority = static_cast<unsigned>(worker.random());
    for (int rank = 0; rank < blocks; rank++) {
        auto const in = shape.cluster.at(rank);
        cluster.blocks.push_back(std::make_unique<gpu_block>());
        start_block(worker, *cluster.blocks.back(), rank,
                    {first.x + in.x, first.y + in.y, first.z + in.z}, region);
    }
    run_cluster(worker);
    for (auto& block : cluster.blocks) end_block(*block);
}

static void run_clusters(gpu_launch& launch) {
    auto const& shape = launch.shape;
    extent const clusters = {shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y,
                             shape.grid.z / shape.cluster.z};
    gpu_worker worker;
    worker.launch = &launch;
    worker.flows = idle_fibers::all().take();
    worker.flows->reserve(shape.cluster.count() * shape.block.count());
    shared_region const region(shape.cluster.count());
    fault_watch const watch;
    try {
        while (!launch.stopped) {
            int const number = launch.next_cluster++;
            if (number >= clusters.count()) break;
            worker.random.seed(launch.options.seed + static_cast<unsigned>(number));
            auto const at = clusters.at(number);
            run_one_cluster(
                worker, {at.x * shape.cluster.x, at.y * shape.cluster.y, at.z * shape.cluster.z},
                region);
        }
        // In a launch that was stopped some are in the midst of what they do.
        if (!launch.stopped) idle_fibers::all().give(std::move(worker.flows));
    } catch (launch_stopped const&) {
        launch.stopped = true;
    }
    launch.active--;
}

// Why no machine would take the launch; empty if one does.
static std::string complaint(launch_shape const& shape) {
    auto const is_whole = [](extent of) { return of.x > 0 && of.y > 0 && of.z > 0; };
    char text[200] = "";
    if (!is_whole(shape.grid) || !is_whole(shape.block) || !is_whole(shape.cluster)) {
        return "a size is not positive";
    }
    if (shape.block.count() > 1024) {
        std::snprintf(text, sizeof text, "a block of %d threads: it can have 1024",
                      shape.block.count());
    } else if (shape.dynamic_shared_bytes < 0 ||
               shape.dynamic_shared_bytes > shared_window::most_bytes) {
        std::snprintf(text, sizeof text, "%d bytes of shared memory: a block can have %d",
                      shape.dynamic_shared_bytes, shared_window::most_bytes);
    } else if (shape.cluster.count() > 16 || shape.grid.x % shape.cluster.x != 0 ||
               shape.grid.y % shape.cluster.y != 0 || shape.grid.z % shape.cluster.z != 0) {
        std::snprintf(text, sizeof text,
                      "clusters of %d x %d x %d blocks, which do not divide the grid of %d x %d x "
                      "%d, or are more than 16",
                      shape.cluster.x, shape.cluster.y, shape.cluster.z, shape.grid.x, shape.grid.y,
                      shape.grid.z);
    }
    return text;
}

report run_grid(launch_shape const& shape, void (*run)(void const*), void const* body,
                launch_options const& options) {
    if (auto const wrong = complaint(shape); !wrong.empty()) {
        return {misuse::launch_malformed, shape.name, {0, 0, 0}, {0, 0, 0}, wrong};
    }
    gpu_launch launch;
    launch.shape = shape;
    launch.options = options;
    launch.run = run;
    launch.body = body;
    int const clusters = shape.grid.count() / shape.cluster.count();
    int const wanted = options.os_threads > 0
                           ? options.os_threads
                           : static_cast<int>(std::thread::hardware_concurrency());
    int const workers = std::clamp(wanted, 1, clusters);
    launch.active = workers;
    std::vector<std::thread> others;
    for (int i = 1; i < workers; i++) others.emplace_back([&] { run_clusters(launch); });
    run_clusters(launch);
    for (auto& other : others) other.join();
    return launch.found;
}

} // namespace spio::sim
