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
    double product;   // cycles of a quarter of a processor for 16 x 8 x 16
    double row;       // from one row to the next, for each product and eight besides
    double latency;   // of a read from memory
    double launch;    // of a kernel, and of its first and last blocks
    int shared_bytes; // of a processor
    bool has_copy_engine = false;
};

// Fitted to the times of 94 configurations of seven layers on an H200, which they tell to 6 %. What
// an A100, an RTX 3090 and an RTX 4090 have is taken from their data sheets, and not fitted.
constexpr chip chip_of(std::string_view arch) {
    auto const number = arch.substr(arch.find('_') + 1);
    if (number.starts_with("86")) return {82, 1700, 0.85e6, 32, 0.008, 1.3, 4, 100 * 1024};
    if (number.starts_with("89")) return {128, 2500, 0.92e6, 32, 0.006, 1.3, 4, 100 * 1024};
    if (number.starts_with("90"))
        return {132, 1750, 4.46e6, 6.2, 0.0077, 1.38, 3.6, 228 * 1024, true};
    return {108, 1400, 1.4e6, 8.5, 0.009, 1.3, 4, 164 * 1024};
}

} // namespace spio::conv2d
