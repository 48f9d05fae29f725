// What a launch and a tensor map are made of: plain values that the host and a kernel share.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map describes to the hardware's bulk copies (TMA) which boxes of a tensor they copy; the
// driver encodes it.
#pragma once

namespace spio {

// Numbers of threads or blocks along x, y and z, or the index of one of them.
struct extent {
    int x = 1, y = 1, z = 1;

    constexpr long long count() const { return 1LL * x * y * z; }
    // The index of an element by its number, x running fastest.
    constexpr extent index_of(long long number) const {
        return {static_cast<int>(number % x), static_cast<int>(number / x % y),
                static_cast<int>(number / x / y)};
    }

    friend constexpr bool operator==(extent const&, extent const&) = default;
};

// Bytes of shared memory: the most that a block may have on any GPU (sm_90), and those that CUDA
// reserves on an SM for each block.
inline constexpr int max_shared_bytes = 227 * 1024;
inline constexpr int reserved_shared_bytes = 1024;

// The properties of a block of a kernel that do not depend on the sizes of a launch.
struct block_shape {
    extent block = {}; // threads
    extent cluster = {};
    int shared_bytes = 0; // dynamic
    // Whether a launch may begin while the previous kernel of the stream still runs: programmatic
    // dependent launch. Each block then waits by itself for what that kernel writes.
    bool overlaps_previous = false;

    friend constexpr bool operator==(block_shape const&, block_shape const&) = default;
};

// All that a launch needs but the parameters.
struct launch_shape {
    extent grid = {}; // blocks
    block_shape shape = {};

    friend constexpr bool operator==(launch_shape const&, launch_shape const&) = default;
};

// A tensor and a TMA box in it, innermost dimension first: what the driver encodes as a tensor map.
// Sizes and boxes are in elements, strides in bytes, and the first stride is that of an element.
struct tensor_map_plan {
    int rank = 0;
    int element_bytes = 0;
    long long sizes[5] = {};
    long long strides[5] = {};
    int box[5] = {};
    int swizzle = 0; // bytes that a swizzle spans: 32, 64, 128, or 0 for none
    // Bytes that the L2 cache fetches at a time: 64, 128, 256, or 0 for the default.
    int fetched = 0;

    friend constexpr bool operator==(tensor_map_plan const&, tensor_map_plan const&) = default;
};

// An encoded tensor map. A kernel takes it by value among its parameters.
struct alignas(64) tensor_map_words {
    unsigned long long words[16];
};

} // namespace spio
