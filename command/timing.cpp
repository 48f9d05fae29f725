// Measures launches by replaying them from CUDA graphs.
// SPDX-License-Identifier: Apache-2.0
//
// A trial is a problem with random data, and a workbench a device with the kernels that were loaded
// there.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

module spio.command;

import spio.cuda;
import spio.launch;

namespace spio::command {

// The text of copy.ptx, which ends with a zero.
std::string_view copy_text();

namespace {

constexpr unsigned replays = 21;         // of a graph; their median is the result
constexpr std::uint64_t most_sets = 256; // of arrays that launches use in turn
constexpr unsigned least_launches = 20;  // in a graph

// The least multiple of `unit` that is not less than the number.
std::uint64_t rounded_up(std::uint64_t number, std::uint64_t unit) {
    return (number + unit - 1) / unit * unit;
}

// The kernel of copy.ptx. A copy by the driver does not show what the memory can do: on an H200 a
// copy of some hundred megabytes takes the driver 1.54 times as long as this kernel.
class copy_kernel {
  public:
    static constexpr std::uint64_t vector_bytes = 16;

    explicit copy_kernel(cuda::context_ref const& context)
        : image(context.driver(),
                std::as_bytes(std::span(copy_text().data(), copy_text().size() + 1)), "copy"),
          function(image.kernel("copy_vectors").load(context)) {}

    // Copies whole vectors between two ranges of one size.
    void launch(cuda::stream_ref const& stream, cuda::memory_ref destination,
                cuda::memory_ref source) const {
        parameters words = {destination.address(), source.address(), source.size() / vector_bytes};
        constexpr int threads = 256;
        auto const blocks = static_cast<int>(rounded_up(words.vectors, threads) / threads);
        void* pointers[] = {&words};
        cuda::launch(function, {.grid = {blocks}, .shape = {.block = {threads}}}, stream, pointers);
    }

  private:
    struct parameters {
        std::uint64_t destination, source, vectors;
    };

    cuda::library image;
    cuda::function_ref function;
};

// The microseconds of a copy that moves `bytes` bytes, or some more to be whole vectors: it reads
// one half and writes the other. Each of the `sets` pairs of arrays begins at a multiple of 2 MiB,
// as a large allocation would.
double copy_microseconds(cuda::stream_ref const& stream, std::uint64_t bytes, std::uint64_t sets,
                         unsigned launches) {
    constexpr std::uint64_t alignment = 2 << 20;
    auto const half = rounded_up((bytes + 1) / 2, copy_kernel::vector_bytes);
    auto const pitch = rounded_up(half, alignment);
    cuda::memory const source(stream.context(), sets * pitch);
    cuda::memory const destination(stream.context(), sets * pitch);
    cuda::fill(stream, source, std::byte{1});
    copy_kernel const kernel(stream.context());
    return cuda::microseconds_of_launch(stream, launches, replays, [&](unsigned i) {
        auto const offset = i % sets * pitch;
        kernel.launch(stream, cuda::memory_ref(destination).part(offset, half),
                      cuda::memory_ref(source).part(offset, half));
    });
}

// Pairs of arrays that leave the L2 cache between their uses, and the launches that use them.
struct rotation {
    std::uint64_t bytes, sets;
    unsigned launches;
    bool is_cold;
};
// Of a trial by the bytes that it moves.
rotation rotation_of(opened_runtime const& opened, trial const& trial) {
    auto const bytes =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(trial.bytes_moved.value), 1);
    auto const cache_bytes = static_cast<std::uint64_t>(
        opened.gpu->attribute(cuda::abi::device_attribute::l2_cache_bytes));
    // Sets enough to fill the cache twice, so that a set has left it before it is used again.
    auto const wanted = 2 * cache_bytes / bytes + 2;
    auto const sets = std::min(wanted, most_sets);
    return {.bytes = bytes,
            .sets = sets,
            .launches = std::max(least_launches, static_cast<unsigned>(sets)),
            .is_cold = sets == wanted};
}

} // namespace

double launch_microseconds(opened_runtime const& opened, workbench& bench, trial const& trial) {
    auto const rotation = rotation_of(opened, trial);
    cuda::context const context(*opened.gpu);
    cuda::stream const own(context);
    std::vector<prepared_trial> prepared;
    for (std::uint64_t i = 0; i < rotation.sets; ++i) prepared.push_back(trial.prepare(bench));
    stream const stream(bench.target_device(), cuda::stream_ref(own).handle());
    return cuda::microseconds_of_launch(own, rotation.launches, replays, [&](unsigned i) {
        prepared[i % rotation.sets].launch(stream);
    });
}

timing measure(opened_runtime const& opened, workbench& bench, trial const& trial) {
    auto const rotation = rotation_of(opened, trial);
    auto const microseconds = launch_microseconds(opened, bench, trial);
    cuda::context const context(*opened.gpu);
    cuda::stream const own(context);
    return {.microseconds = microseconds,
            .copy_microseconds =
                copy_microseconds(own, rotation.bytes, rotation.sets, rotation.launches),
            .replays = replays,
            .launches = rotation.launches,
            .is_cold = rotation.is_cold};
}

} // namespace spio::command
