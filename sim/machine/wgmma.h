// wgmma: a warpgroup computes c += a b on the tensor cores, from shared memory (sm_90a).
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/wgmma.h.
#pragma once

namespace spio::sim {
// How the elements of both factors lie in shared memory, beside what their descriptors say.
struct product_form {
    bool is_half; // or bfloat16
    bool transposes_a, transposes_b;
};
// Starts a product of the running thread's warp, which has `count` elements of c in each lane.
void start_warpgroup_product(product_form form, float* c, int count, unsigned long long a,
                             unsigned long long b, bool accumulates);
// Completes the groups of products of the warp but the last `pending` ones.
void wait_for_product_groups(int pending);
} // namespace spio::sim

namespace spio::machine {

// Orders the accesses of this warp to its accumulators before the products that follow.
void fence_warpgroup();
// commit_warpgroup_products makes a group of all products since the last commit. The wait returns
// when all but the last `Pending` groups are complete; only then are their sums in the
// accumulators.
void commit_warpgroup_products();
template <int Pending> inline void wait_for_warpgroup_products() {
    sim::wait_for_product_groups(Pending);
}
// Keeps a GPU's compiler from moving a use of an accumulator; here there is nothing to do.
inline void pin_accumulator(float&) {}

// Starts a product of depth 16 whose sum has 64 rows and two columns for each element of c. The
// factors are described by matrix descriptors. A factor is transposed if its elements lie side by
// side along the rows or columns of the sum. The sum starts from zero unless it accumulates.
//     (Warp, Lane, Element) -> (row 16 Warp + Lane / 4 + 8 (Element / 2 % 2),
//                               column 8 (Element / 4) + 2 (Lane % 4) + Element % 2)
template <bool TransposesA, bool TransposesB, int Count>
    requires(Count % 8 == 0 && Count >= 8 && Count <= 128)
void multiply_halves(float (&c)[Count], unsigned long long a, unsigned long long b,
                     bool accumulates) {
    constexpr sim::product_form form = {
        .is_half = true, .transposes_a = TransposesA, .transposes_b = TransposesB};
    sim::start_warpgroup_product(form, c, Count, a, b, accumulates);
}
template <bool TransposesA, bool TransposesB, int Count>
    requires(Count % 8 == 0 && Count >= 8 && Count <= 128)
void multiply_bfloat16s(float (&c)[Count], unsigned long long a, unsigned long long b,
                        bool accumulates) {
    constexpr sim::product_form form = {
        .is_half = false, .transposes_a = TransposesA, .transposes_b = TransposesB};
    sim::start_warpgroup_product(form, c, Count, a, b, accumulates);
}

} // namespace spio::machine
