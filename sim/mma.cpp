// The tensor core's products, by all lanes of a warp together.
// SPDX-License-Identifier: Apache-2.0
#include "machine/mma.h"

#include "sim/meeting.h"
#include "sim/tensor_core.h"

#include <cstring>

namespace spio::sim {

template <int A, int B> struct multiply_call {
    float c[4];
    unsigned a[A], b[B];
};

template <class Format, int A, int B> static void perform_multiply(meeting& all) {
    float c[32][4];
    unsigned a[32][A], b[32][B];
    for (int lane = 0; lane < 32; lane++) {
        auto const& call = argument_of<multiply_call<A, B>>(all, lane);
        std::memcpy(c[lane], call.c, sizeof call.c);
        std::memcpy(a[lane], call.a, sizeof call.a);
        std::memcpy(b[lane], call.b, sizeof call.b);
    }
    multiply<Format>(c, a, b);
    for (int lane = 0; lane < 32; lane++) {
        auto& call = argument_of<multiply_call<A, B>>(all, lane);
        std::memcpy(call.c, c[lane], sizeof call.c);
    }
}
template <class Format, int A, int B>
constexpr warp_operation multiply_operation = {"a multiplication of matrices",
                                               perform_multiply<Format, A, B>};

template <class Format, int A, int B>
static void multiply_lane(float (&c)[4], unsigned const (&a)[A], unsigned const (&b)[B]) {
    multiply_call<A, B> call;
    std::memcpy(call.c, c, sizeof c);
    std::memcpy(call.a, a, sizeof a);
    std::memcpy(call.b, b, sizeof b);
    meet(multiply_operation<Format, A, B>, all_lanes, &call);
    std::memcpy(c, call.c, sizeof c);
}

} // namespace spio::sim

namespace spio::machine {

void multiply_halves(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]) {
    sim::multiply_lane<sim::half_format>(c, a, b);
}
void multiply_halves(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    sim::multiply_lane<sim::half_format>(c, a, b);
}
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[2], unsigned const (&b)[1]) {
    sim::multiply_lane<sim::bfloat16_format>(c, a, b);
}
void multiply_bfloat16s(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    sim::multiply_lane<sim::bfloat16_format>(c, a, b);
}

} // namespace spio::machine
