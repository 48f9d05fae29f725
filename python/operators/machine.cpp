// Opens devices, each when a kernel is first launched there.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A machine is a device with its streams and kernels; a
// policy says whether kernels may be compiled at run time. A pack is a file of compiled kernels; a
// place is a stream of a GPU, or the host device.
#include "machine.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

import spio.aot;
import spio.host;
import spio.launch;
import spio.runtime;
import spio.system;

// The pack of generic kernels, if the library is linked with one.
extern "C" {
[[gnu::weak]] extern std::byte const spio_generic_images[], spio_generic_images_end[];
}

namespace spio::pytorch {

namespace {

// fork_count() when the first GPU was opened.
constexpr std::uint64_t unopened = ~std::uint64_t{0};
std::atomic<std::uint64_t> opening_forks = unopened;

// The runtime's options for a GPU, or for the host device, which runs only the kernels that are
// built into the library.
runtime_options options_for(place const& place) {
    int const gpu = place.gpu;
    runtime_options options;
    options.gpu = gpu;
    if (place.keeps_kernels) options.tier_up = false;
    if (gpu == host_device) {
        options.gpu = 0;
        options.host = host_machine{.allocate = host::allocate,
                                    .release = host::release,
                                    .encode = host::encode,
                                    .find = host::find};
        options.always_on_host = true;
        options.policy = policy::aot_only;
    }
    return options;
}

// The machines that are opened: one for the host device, whose number is -1, and one for each GPU;
// and as many that keep the kernels that layers begin with.
auto& all_machines() {
    static auto& machines = *new std::array<std::array<std::atomic<machine*>, 1 + most_gpus>, 2>();
    return machines;
}
template <class Function> void for_each_machine(Function function) {
    for (auto& row : all_machines()) {
        for (auto& slot : row) {
            if (auto* const opened = slot.load(std::memory_order_acquire)) function(*opened);
        }
    }
}

} // namespace

// How many generic kernels, which serve any layer, the library has for each architecture.
std::string generic_kernels() {
    if (spio_generic_images == nullptr) return {};
    auto const pack =
        aot::pack::linked({spio_generic_images, spio_generic_images_end}, "of generic kernels");
    std::map<std::string, int> counts;
    for (auto const& image : pack.list()) ++counts[image.arch];
    std::string text;
    for (auto const& [arch, count] : counts) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " for " + arch;
    }
    return text;
}

// Drops the compilations of all runtimes that have not begun, and waits for the one that runs.
void end_compilations() { end_queues(); }

void finish_compilations() {
    for_each_machine([](machine& opened) { opened.runtime.finish_compilations(); });
}

problem_counts count_problems() {
    problem_counts sum;
    for_each_machine([&](machine& opened) {
        auto const counts = opened.runtime.count_tiers();
        sum.begun += static_cast<long long>(counts.begun);
        sum.unchanged += static_cast<long long>(counts.unchanged);
        sum.compiled += static_cast<long long>(counts.compiled);
        sum.taken += static_cast<long long>(counts.taken);
        sum.failed += static_cast<long long>(counts.failed);
    });
    return sum;
}

bool is_without_gpus_of_parent() noexcept {
    auto const forks = opening_forks.load(std::memory_order_relaxed);
    return forks != unopened && forks != fork_count();
}

int architecture(place const& place) { return machine_of(place).runtime.arch().number; }

machine& machine_of(place const& place) {
    static auto& opening = *new std::mutex();
    auto& slot = all_machines()[place.keeps_kernels].at(static_cast<std::size_t>(place.gpu + 1));
    if (auto* const opened = slot.load(std::memory_order_acquire)) return *opened;
    std::lock_guard const lock(opening);
    if (slot.load() == nullptr) {
        slot = new machine(options_for(place));
        bool const is_first_gpu = place.gpu != host_device && opening_forks == unopened;
        if (is_first_gpu) opening_forks = fork_count();
    }
    return *slot.load();
}

} // namespace spio::pytorch
