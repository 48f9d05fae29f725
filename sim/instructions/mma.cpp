// mma.sync: all lanes of a warp multiply matrices on the tensor core.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together, once all have arrived
// with their arguments.
#include "machine/mma.h"

#include "sim/instructions/collective.h"
#include "sim/tensor_core.h"

#include <cstring>

namespace spio::sim {

// The registers of one lane: its part of the sum c and of the factors a and b.
template <int A, int B> struct mma_argument {
    float c[4];
    unsigned a[A], b[B];
};

template <class Format, int A, int B> static void perform_mma(collective& collective) {
    float c[32][4];
    unsigned a[32][A], b[32][B];
    for (int lane = 0; lane < 32; lane++) {
        auto const& argument = argument_of<mma_argument<A, B>>(collective, lane);
        std::memcpy(c[lane], argument.c, sizeof argument.c);
        std::memcpy(a[lane], argument.a, sizeof argument.a);
        std::memcpy(b[lane], argument.b, sizeof argument.b);
    }
    multiply<Format>(c, a, b);
    for (int lane = 0; lane < 32; lane++) {
        auto& argument = argument_of<mma_argument<A, B>>(collective, lane);
        std::memcpy(argument.c, c[lane], sizeof argument.c);
    }
}
template <class Format, int A, int B>
constexpr warp_operation mma_operation = {"a multiplication of matrices",
                                          perform_mma<Format, A, B>};

template <class Format, int A, int B>
static void mma(float (&c)[4], unsigned const (&a)[A], unsigned const (&b)[B]) {
    mma_argument<A, B> argument;
    std::memcpy(argument.c, c, sizeof c);
    std::memcpy(argument.a, a, sizeof a);
    std::memcpy(argument.b, b, sizeof b);
    run_collective(mma_operation<Format, A, B>, all_lanes, &argument);
    std::memcpy(c, argument.c, sizeof c);
}

} // namespace spio::sim

namespace spio::machine {

void multiply_halves(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]) {
    sim::mma<sim::half_format>(c, a, b);
}
void multiply_halves(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    sim::mma<sim::half_format>(c, a, b);
}
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]) {
    sim::mma<sim::bfloat16_format>(c, a, b);
}
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    sim::mma<sim::bfloat16_format>(c, a, b);
}

} // namespace spio::machine
