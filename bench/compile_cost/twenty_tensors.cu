// Twenty tensors of twenty dimensions, each subscripted once: what many types cost a compiler.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension is an integer type that says what it counts; axis<K>(64) is K with 64 values, which /
// 8 and % 8 divide into blocks. A tensor is a pointer with axes.
#include "spio/dims.h"

struct D0 : spio::dim {
    using dim::dim;
};
struct D1 : spio::dim {
    using dim::dim;
};
struct D2 : spio::dim {
    using dim::dim;
};
struct D3 : spio::dim {
    using dim::dim;
};
struct D4 : spio::dim {
    using dim::dim;
};
struct D5 : spio::dim {
    using dim::dim;
};
struct D6 : spio::dim {
    using dim::dim;
};
struct D7 : spio::dim {
    using dim::dim;
};
struct D8 : spio::dim {
    using dim::dim;
};
struct D9 : spio::dim {
    using dim::dim;
};
struct D10 : spio::dim {
    using dim::dim;
};
struct D11 : spio::dim {
    using dim::dim;
};
struct D12 : spio::dim {
    using dim::dim;
};
struct D13 : spio::dim {
    using dim::dim;
};
struct D14 : spio::dim {
    using dim::dim;
};
struct D15 : spio::dim {
    using dim::dim;
};
struct D16 : spio::dim {
    using dim::dim;
};
struct D17 : spio::dim {
    using dim::dim;
};
struct D18 : spio::dim {
    using dim::dim;
};
struct D19 : spio::dim {
    using dim::dim;
};

// The axes of Block lie around that of Row. The dimensions differ from tensor to tensor, so that no
// two of them share a type. Each tensor begins 100000 elements behind the one before.
template <int N, class Item, class Block, class Row> void set(float* target, float const* source) {
    using tile = spio::tensor<float, spio::axis<Item>(8 + N), spio::axis<Block>(64) / 8,
                              spio::axis<Row>(4), spio::axis<Block>(64) % 8>;
    *tile(target + N * 100000)[Item(threadIdx.x)][Block(threadIdx.y)][Row(blockIdx.x)] = source[N];
}

extern "C" __global__ void kernel(float* target, float const* source) {
    set<0, D0, D1, D7>(target, source);
    set<1, D1, D2, D8>(target, source);
    set<2, D2, D3, D9>(target, source);
    set<3, D3, D4, D10>(target, source);
    set<4, D4, D5, D11>(target, source);
    set<5, D5, D6, D12>(target, source);
    set<6, D6, D7, D13>(target, source);
    set<7, D7, D8, D14>(target, source);
    set<8, D8, D9, D15>(target, source);
    set<9, D9, D10, D16>(target, source);
    set<10, D10, D11, D17>(target, source);
    set<11, D11, D12, D18>(target, source);
    set<12, D12, D13, D19>(target, source);
    set<13, D13, D14, D0>(target, source);
    set<14, D14, D15, D1>(target, source);
    set<15, D15, D16, D2>(target, source);
    set<16, D16, D17, D3>(target, source);
    set<17, D17, D18, D4>(target, source);
    set<18, D18, D19, D5>(target, source);
    set<19, D19, D0, D6>(target, source);
}
