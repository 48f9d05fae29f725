// Runs the product on the host device, which needs no GPU and checks every thread for races.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU; sim::memory is its global memory, whose name is for
// messages. A misuse is an access or a call that breaks a rule of the GPU.
#include "product.h"
#include "sim/arena.h"
#include "sim/convert.h"
#include "sim/launch.h"

#include <cstdio>

extern "C" void product_64x64(product::params p);

int main() {
    constexpr int rows = 100; // 36 of the second block
    spio::sim::memory<unsigned short> a(rows * 128, "a");
    spio::sim::memory<unsigned short> b(64 * 128, "b");
    spio::sim::memory<float> c(rows * 64, "c");
    auto const value = [](int n) { return static_cast<float>(n % 17 - 8); };
    for (int n = 0; n < rows * 128; ++n) a[n] = spio::sim::float_to_half(value(5 * n));
    for (int n = 0; n < 64 * 128; ++n) b[n] = spio::sim::float_to_half(value(3 * n + 1));

    product::params const p = {.a = reinterpret_cast<product::half8*>(a.data()),
                               .b = reinterpret_cast<product::half8*>(b.data()),
                               .c = reinterpret_cast<spio::vec<float, 2>*>(c.data()),
                               .rows = rows};
    auto const misuse = spio::sim::launch(
        "product_64x64",
        {.grid = {2}, .shape = {.block = {128}, .shared_bytes = product::shared_bytes}},
        [&] { product_64x64(p); },
        {.os_threads = 1}); // block by block, so that a fault is always the same
    int wrong = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < 64; ++j) {
            float sum = 0;
            for (int k = 0; k < 128; ++k)
                sum += value(5 * (i * 128 + k)) * value(3 * (j * 128 + k) + 1);
            wrong += c[i * 64 + j] != sum;
        }
    }
    std::printf("%s; %d of %d sums are wrong\n", misuse.text().c_str(), wrong, rows * 64);
    return misuse || wrong > 0;
}
