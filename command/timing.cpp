// Measures launches by replaying them from graphs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

module spio.command;

import spio.cuda;
import spio.launch;

namespace spio::command {

namespace {

constexpr unsigned replays = 21;
constexpr std::uint64_t most_sets = 256;
constexpr unsigned least_launches = 20;

// The median of replays of what f puts into a stream so many times, in microseconds of each.
template <class F> double microseconds_of(cuda::stream_ref const& in, unsigned launches, F put) {
    cuda::begin_capture(in);
    for (unsigned i = 0; i < launches; ++i) put(i);
    cuda::executable_graph const graph(cuda::end_capture(in));
    cuda::event const before(in.context(), cuda::timing::on), after(in.context(), cuda::timing::on);
    std::vector<double> all;
    graph.launch(in);
    for (unsigned i = 0; i < replays; ++i) {
        cuda::event_ref(before).record(in);
        graph.launch(in);
        cuda::event_ref(after).record(in);
        cuda::event_ref(after).synchronize();
        all.push_back(1e3 * cuda::event_ref(after).milliseconds_since(before) / launches);
    }
    std::ranges::nth_element(all, all.begin() + replays / 2);
    return all[replays / 2];
}

} // namespace

timing time_on_gpu(chosen_device const& on, stage& at, trial& what) {
    auto const bytes = std::max<std::uint64_t>(what.bytes_moved(), 1);
    auto const cache_bytes =
        static_cast<std::uint64_t>(on.gpu->attribute(cuda::abi::device_attribute::l2_cache_bytes));
    auto const wanted = 2 * cache_bytes / bytes + 2;
    auto const sets = std::min(wanted, most_sets);
    auto const launches = std::max(least_launches, static_cast<unsigned>(sets));

    std::vector<std::unique_ptr<rehearsal>> all;
    for (std::uint64_t i = 0; i < sets; ++i) all.push_back(what.on(at));
    cuda::context const context(*on.gpu);
    cuda::stream const own(context);
    stream const in(at.on(), cuda::stream_ref(own).handle());
    timing result = {.microseconds = microseconds_of(
                         own, launches, [&](unsigned i) { all[i % sets]->launch(in); }),
                     .copy_microseconds = 0,
                     .replays = replays,
                     .launches = launches,
                     .is_cold = sets == wanted};
    all.clear();

    // A copy reads half of the bytes and writes the other half. Each begins as large arrays do, and
    // is of whole pages.
    constexpr std::uint64_t alignment = 2 << 20, page = 64 << 10;
    auto const rounded_up = [](std::uint64_t to, std::uint64_t n) {
        return (n + to - 1) / to * to;
    };
    auto const half = rounded_up(bytes < 64 * page ? 256 : page, (bytes + 1) / 2);
    auto const apart = rounded_up(alignment, half);
    cuda::memory const from(context, sets * apart), to(context, sets * apart);
    cuda::fill(own, from, std::byte{1});
    result.copy_microseconds = microseconds_of(own, launches, [&](unsigned i) {
        auto const begin = i % sets * apart;
        cuda::copy(own, cuda::memory_ref(to).part(begin, half),
                   cuda::memory_ref(from).part(begin, half));
    });
    return result;
}

} // namespace spio::command
