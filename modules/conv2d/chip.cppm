// What estimates must know of the chips that an architecture's code runs on.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string_view>

export module spio.conv2d:chip;

namespace spio::conv2d {

// Of a GPU of that architecture; times in microseconds.
struct chip {
    int processors;
    double clock;     // cycles a microsecond
    double memory;    // bytes a microsecond, of a copy
    double cache;     // bytes a microsecond, of the cache before it
    double products;  // multiplications a microsecond, by the tensor cores, by pairs of taps
    int shared_bytes; // of a processor
    double latency;   // of a read from memory
    double launch;    // of a kernel that does nothing
};

// A code for several chips is judged by one of them: an A100, an RTX 3090, an RTX 4090, an H200.
constexpr chip chip_of(std::string_view arch) {
    auto const number = arch.substr(arch.find('_') + 1);
    if (number.starts_with("86")) return {82, 1700, 0.85e6, 2.0e6, 35e6, 100 * 1024, 0.7, 3};
    if (number.starts_with("89")) return {128, 2500, 0.92e6, 4.5e6, 80e6, 100 * 1024, 0.7, 2.5};
    if (number.starts_with("90")) return {132, 1750, 4.2e6, 6.5e6, 320e6, 228 * 1024, 0.8, 2.5};
    return {108, 1400, 1.4e6, 4.0e6, 140e6, 164 * 1024, 0.7, 3};
}

} // namespace spio::conv2d
