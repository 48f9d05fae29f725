// ldmatrix and stmatrix: all lanes of a warp move matrices between shared memory and registers.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together, once all have arrived
// with their arguments. `lane_0` is the first thread of the warp. shared_offset() is the offset of
// an address in shared memory, and access_shared() checks an access there.
#include "machine/matrix.h"

#include "sim/checker/memory_checker.h"
#include "sim/matrix.h"

#include <cstring>

namespace spio::sim {

// The registers of one lane, and the address of the row that it names.
template <int N> struct matrix_argument {
    void const* row;
    unsigned values[N];
};

constexpr int row_bytes = 16; // 8 elements; rows are aligned to their size

// Finds the addresses of the 8 rows of each of N matrices. Each row is checked as an access by the
// lane that supplied its address.
template <int N, class Row>
static void find_rows(collective& collective, Row (&rows)[8 * N], access kind) {
    access_info const info = {
        .kind = kind, .name = collective.operation->name, .alignment = row_bytes};
    for (int lane = 0; lane < 8 * N; lane++) {
        auto& thread = collective.lane_0[lane];
        auto const* const row = argument_of<matrix_argument<N>>(collective, lane).row;
        int const offset = shared_offset(thread, row, row_bytes, info.name, info.alignment);
        access_shared(thread, offset, row_bytes, info);
        rows[lane] = thread.block->shared.base + offset;
    }
}

// ldmatrix: loads N matrices into the registers of all lanes.
template <int N, bool Transposed> static void perform_load(collective& collective) {
    unsigned char const* rows[8 * N];
    find_rows<N>(collective, rows, access::read);
    unsigned values[32][N];
    load_matrices(values, rows, Transposed);
    for (int lane = 0; lane < 32; lane++) {
        auto& argument = argument_of<matrix_argument<N>>(collective, lane);
        std::memcpy(argument.values, values[lane], sizeof values[lane]);
    }
}
template <int N, bool Transposed>
constexpr warp_operation load_operation = {
    Transposed ? "load_matrices_transposed" : "load_matrices", perform_load<N, Transposed>};

// stmatrix: stores the registers of all lanes as N matrices.
template <int N, bool Transposed> static void perform_store(collective& collective) {
    unsigned char* rows[8 * N];
    find_rows<N>(collective, rows, access::write);
    unsigned values[32][N];
    for (int lane = 0; lane < 32; lane++) {
        auto const& argument = argument_of<matrix_argument<N>>(collective, lane);
        std::memcpy(values[lane], argument.values, sizeof values[lane]);
    }
    store_matrices(rows, values, Transposed);
}
template <int N, bool Transposed>
constexpr warp_operation store_operation = {
    Transposed ? "store_matrices_transposed" : "store_matrices", perform_store<N, Transposed>};

template <bool Transposed, int N> static void load(unsigned (&values)[N], void const* row) {
    matrix_argument<N> argument = {row, {}};
    run_collective(load_operation<N, Transposed>, all_lanes, &argument);
    std::memcpy(values, argument.values, sizeof values);
}
template <bool Transposed, int N> static void store(void* row, unsigned const (&values)[N]) {
    matrix_argument<N> argument = {row, {}};
    std::memcpy(argument.values, values, sizeof values);
    run_collective(store_operation<N, Transposed>, all_lanes, &argument);
}

} // namespace spio::sim

namespace spio::machine {

void load_matrices(unsigned (&values)[1], void const* row) { sim::load<false>(values, row); }
void load_matrices(unsigned (&values)[2], void const* row) { sim::load<false>(values, row); }
void load_matrices(unsigned (&values)[4], void const* row) { sim::load<false>(values, row); }
void load_matrices_transposed(unsigned (&values)[1], void const* row) {
    sim::load<true>(values, row);
}
void load_matrices_transposed(unsigned (&values)[2], void const* row) {
    sim::load<true>(values, row);
}
void load_matrices_transposed(unsigned (&values)[4], void const* row) {
    sim::load<true>(values, row);
}
void store_matrices(void* row, unsigned const (&values)[1]) { sim::store<false>(row, values); }
void store_matrices(void* row, unsigned const (&values)[2]) { sim::store<false>(row, values); }
void store_matrices(void* row, unsigned const (&values)[4]) { sim::store<false>(row, values); }
void store_matrices_transposed(void* row, unsigned const (&values)[1]) {
    sim::store<true>(row, values);
}
void store_matrices_transposed(void* row, unsigned const (&values)[2]) {
    sim::store<true>(row, values);
}
void store_matrices_transposed(void* row, unsigned const (&values)[4]) {
    sim::store<true>(row, values);
}

} // namespace spio::machine
