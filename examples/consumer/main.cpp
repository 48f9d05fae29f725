// Folds a channel index by 8 and finds its element, knowing the tensor's axes by name.
// SPDX-License-Identifier: Apache-2.0
//
// axis<C>(32) is the dimension C with 32 values; c / 8 and c % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first.
#include <cstdio>

import spio.dims;

struct X : spio::dim {
    using dim::dim;
};
struct C : spio::dim {
    using dim::dim;
};

constexpr auto x = spio::axis<X>(16);
constexpr auto c = spio::axis<C>(32);
using image = spio::tensor<float, c / 8, x, c % 8>; // C/8 x X x C%8

int main() {
    static float data[image::storage_size()];
    auto const pixel = image(data)[X(2)][C(13)];
    std::printf("X(2), C(13) is element %d\n", static_cast<int>(pixel.get() - data));
    return pixel.get() - data == (1 * 16 + 2) * 8 + 5 ? 0 : 1;
}
