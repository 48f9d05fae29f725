// Random data for trials, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <random>
#include <vector>

export module spio.command:random;

export namespace spio::command {

inline std::vector<float> random_floats(std::mt19937& random, std::size_t count, float least,
                                        float most) {
    std::uniform_real_distribution<float> between(least, most);
    std::vector<float> values(count);
    for (auto& each : values) each = between(random);
    return values;
}

// The bits of halves from 1 to 2 and from -2 to -1.
inline std::vector<unsigned short> random_halves(std::mt19937& random, std::size_t count) {
    std::vector<unsigned short> values(count);
    for (auto& each : values) each = static_cast<unsigned short>(0x3c00 | (random() & 0x83ff));
    return values;
}

} // namespace spio::command
