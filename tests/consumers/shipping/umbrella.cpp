// Imports every module of Spio by one name.
// SPDX-License-Identifier: Apache-2.0
import spio;

struct I : spio::dim {
    using dim::dim;
};
static_assert(spio::fold<I, 8>(3) == I(24));

int main() {}
