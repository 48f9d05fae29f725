// The number that the last step of an epilogue adds in the tests of convolutions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::test {

// The number that a callable, the last step of fprop's epilogue, adds to the output of image n, row
// p, column q and channel k. Neighbouring positions have different numbers, which differ by so much
// that the rounded outputs differ too.
constexpr float number_at(int n, int p, int q, int k) {
    return static_cast<float>(k % 8 + 8 * (q % 8) + 64 * (p % 4) + 256 * (n % 2)) / 64;
}

} // namespace spio::test
