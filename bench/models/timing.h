// The values that timed launches read, and how many bytes leave the cache between their uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

} // namespace spio::bench
