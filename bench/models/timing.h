// Values for timed launches, and the time of a launch in a graph of many.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

import spio.cuda;

namespace spio::bench {

// Launches that follow each other take other tensors, so many that all have left the L2 cache when
// their turn comes again. This is at least twice its size.
inline constexpr std::size_t cache_bytes = 128 << 20;

// Fills a buffer with 16 MiB of values of fp16 between 1/4 and 1, of both signs, again and again.
inline void fill_with_values(cuda::stream const& stream, cuda::memory const& buffer,
                             std::size_t size) {
    std::vector<std::uint16_t> words(8 << 20);
    std::mt19937 random(2026);
    for (auto& word : words) {
        auto const bits = random();
        word = static_cast<std::uint16_t>((bits & 0x8000) | ((13 + (bits >> 16 & 1)) << 10) |
                                          (bits & 0x3ff));
    }
    auto const bytes = std::as_bytes(std::span(words));
    for (std::size_t i = 0; i + bytes.size() <= size; i += bytes.size()) {
        cuda::copy(stream, cuda::memory_ref(buffer).part(i, bytes.size()), bytes);
    }
    stream.synchronize();
}

// The median over replays of a graph, per launch, in microseconds. The graph has the launches that
// launch(0), launch(1), … add to the stream.
template <class F>
double microseconds_of_launch(cuda::context const& context, cuda::stream const& stream,
                              unsigned launches, unsigned replays, F const& launch) {
    cuda::begin_capture(stream);
    for (unsigned i = 0; i < launches; ++i) launch(i);
    cuda::executable_graph const graph(cuda::end_capture(stream));
    cuda::event const start(context, cuda::timing::on), end(context, cuda::timing::on);
    std::vector<double> times;
    graph.launch(stream);
    for (unsigned i = 0; i < replays; ++i) {
        cuda::event_ref(start).record(stream);
        graph.launch(stream);
        cuda::event_ref(end).record(stream);
        cuda::event_ref(end).synchronize();
        times.push_back(1e3 * cuda::event_ref(end).milliseconds_since(start) / launches);
    }
    std::ranges::sort(times);
    return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

} // namespace spio::bench
