// Matrices between shared memory and the registers of a warp, by all its lanes together.
// SPDX-License-Identifier: Apache-2.0
#include "machine/matrix.h"

#include "sim/matrix.h"
#include "sim/meeting.h"
#include "sim/memory_access.h"

#include <cstring>

namespace spio::sim {

template <int N> struct matrix_call {
    void const* row;
    unsigned values[N];
};

// The row of each of the first lanes, as an access of that lane.
template <int N, class Row>
static void find_rows(meeting& all, Row (&rows)[8 * N], access_kind const& kind) {
    for (int lane = 0; lane < 8 * N; lane++) {
        auto& thread = all.first[lane];
        auto const* const row = argument_of<matrix_call<N>>(all, lane).row;
        int const offset = shared_place(thread, row, 16, kind.name, 16);
        touch_shared(thread, offset, 16, kind);
        rows[lane] = thread.block->shared.base + offset;
    }
}

template <int N, bool Transposed> static void perform_load(meeting& all) {
    unsigned char const* rows[8 * N];
    find_rows<N>(all, rows, {access::read, all.operation->name, 16});
    unsigned to[32][N];
    load_matrices(to, rows, Transposed);
    for_each_lane(all.lanes, [&](int lane) {
        std::memcpy(argument_of<matrix_call<N>>(all, lane).values, to[lane], sizeof to[lane]);
    });
}
template <int N, bool Transposed>
constexpr warp_operation load_operation = {
    Transposed ? "load_matrices_transposed" : "load_matrices", perform_load<N, Transposed>};

template <int N, bool Transposed> static void perform_store(meeting& all) {
    unsigned char* rows[8 * N];
    find_rows<N>(all, rows, {access::write, all.operation->name, 16});
    unsigned from[32][N];
    for_each_lane(all.lanes, [&](int lane) {
        std::memcpy(from[lane], argument_of<matrix_call<N>>(all, lane).values, sizeof from[lane]);
    });
    store_matrices(rows, from, Transposed);
}
template <int N, bool Transposed>
constexpr warp_operation store_operation = {
    Transposed ? "store_matrices_transposed" : "store_matrices", perform_store<N, Transposed>};

template <bool Transposed, int N> static void load(unsigned (&to)[N], void const* row) {
    matrix_call<N> call = {row, {}};
    meet(load_operation<N, Transposed>, all_lanes, &call);
    std::memcpy(to, call.values, sizeof to);
}
template <bool Transposed, int N> static void store(void* row, unsigned const (&from)[N]) {
    matrix_call<N> call = {row, {}};
    std::memcpy(call.values, from, sizeof from);
    meet(store_operation<N, Transposed>, all_lanes, &call);
}

} // namespace spio::sim

namespace spio::machine {

void load_matrices(unsigned (&to)[1], void const* row) { sim::load<false>(to, row); }
void load_matrices(unsigned (&to)[2], void const* row) { sim::load<false>(to, row); }
void load_matrices(unsigned (&to)[4], void const* row) { sim::load<false>(to, row); }
void load_matrices_transposed(unsigned (&to)[1], void const* row) { sim::load<true>(to, row); }
void load_matrices_transposed(unsigned (&to)[2], void const* row) { sim::load<true>(to, row); }
void load_matrices_transposed(unsigned (&to)[4], void const* row) { sim::load<true>(to, row); }
void store_matrices(void* row, unsigned const (&from)[1]) { sim::store<false>(row, from); }
void store_matrices(void* row, unsigned const (&from)[2]) { sim::store<false>(row, from); }
void store_matrices(void* row, unsigned const (&from)[4]) { sim::store<false>(row, from); }
void store_matrices_transposed(void* row, unsigned const (&from)[1]) {
    sim::store<true>(row, from);
}
void store_matrices_transposed(void* row, unsigned const (&from)[2]) {
    sim::store<true>(row, from);
}
void store_matrices_transposed(void* row, unsigned const (&from)[4]) {
    sim::store<true>(row, from);
}

} // namespace spio::machine
