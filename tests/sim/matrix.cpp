// Matrices between memory and registers, compared with the documentation of PTX.
// SPDX-License-Identifier: Apache-2.0
//
// ldmatrix and stmatrix are instructions by which a warp moves 8 x 8 matrices; the simulated GPU
// performs them here without a kernel. The fragment layout says which lane holds which element.
#include <doctest/doctest.h>

#include "sim/matrix.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "random.h"

using namespace spio::sim;

namespace {

// Rows of 16 bytes in any order, with gaps of a known value between them.
template <int N> struct scattered_rows {
    std::vector<unsigned char> memory = std::vector<unsigned char>(32 * 8 * N, 0xcd);
    std::array<int, 8 * N> place{};

    explicit scattered_rows(test::random& random) {
        for (int i = 0; i < 8 * N; ++i) place[i] = i;
        for (int i = 8 * N - 1; i > 0; --i) std::swap(place[i], place[random.between(0, i)]);
    }
    unsigned char* row(int i) { return memory.data() + 32 * place[i] + 16 * (place[i] % 2); }
    unsigned short element(int matrix, int r, int c) {
        unsigned short value = 0;
        std::memcpy(&value, row(8 * matrix + r) + 2 * c, 2);
        return value;
    }
    void set(int matrix, int r, int c, unsigned short value) {
        std::memcpy(row(8 * matrix + r) + 2 * c, &value, 2);
    }
};

// PTX ISA, ldmatrix: "each row is loaded by a group of four consecutive threads, each thread
// loading two adjacent elements": the fragment layout of m8n8, a row's threads listed.
int thread_of(int row, int column) {
    static constexpr int first_of_row[8] = {0, 4, 8, 12, 16, 20, 24, 28};
    static constexpr int thread_of_column[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    return first_of_row[row] + thread_of_column[column];
}
// A register holds two elements: that of the even column in its lower half.
unsigned half_of(unsigned reg, int column) { return column % 2 == 0 ? reg & 0xffffU : reg >> 16; }

// Loads N random matrices and stores them, and checks where each element is; `transposed` as the
// instruction's option.
template <int N> void loads_and_stores(bool transposed) {
    test::random random{N + 100U * transposed};
    for (int round = 0; round < 200; ++round) {
        scattered_rows<N> input(random);
        scattered_rows<N> output(random);
        for (int m = 0; m < N; ++m) {
            for (int element_index = 0; element_index < 64; ++element_index) {
                input.set(m, element_index / 8, element_index % 8,
                          static_cast<unsigned short>(random.bits(16)));
            }
        }
        unsigned char const* sources[8 * N];
        unsigned char* targets[8 * N];
        for (int i = 0; i < 8 * N; ++i) {
            sources[i] = input.row(i);
            targets[i] = output.row(i);
        }
        unsigned registers[32][N];
        load_matrices(registers, sources, transposed);
        int errors = 0;
        for (int m = 0; m < N; ++m) {
            for (int element_index = 0; element_index < 64; ++element_index) {
                int const row = element_index / 8;
                int const column = element_index % 8;
                unsigned const element =
                    transposed ? input.element(m, column, row) : input.element(m, row, column);
                errors += half_of(registers[thread_of(row, column)][m], column) != element;
            }
        }
        CHECK(errors == 0);

        store_matrices(targets, registers, transposed);
        for (int m = 0; m < N; ++m) {
            for (int element_index = 0; element_index < 64; ++element_index) {
                errors += output.element(m, element_index / 8, element_index % 8) !=
                          input.element(m, element_index / 8, element_index % 8);
            }
        }
        CHECK(errors == 0);
        // The gaps between the rows, which are half of the memory, were not written.
        CHECK(std::count(output.memory.begin(), output.memory.end(), 0xcd) >= 16 * 8 * N);
        for (int i = 0; i < 8 * N; ++i) std::memset(output.row(i), 0xcd, 16);
        CHECK(std::count(output.memory.begin(), output.memory.end(), 0xcd) == 32 * 8 * N);
    }
}

} // namespace

TEST_CASE("matrices go to the lanes that the instruction set says, and back") {
    for (bool transposed : {false, true}) {
        loads_and_stores<1>(transposed);
        loads_and_stores<2>(transposed);
        loads_and_stores<4>(transposed);
    }
}

TEST_CASE("what is stored untransposed and loaded transposed is the transpose") {
    alignas(16) unsigned char memory[8][16];
    unsigned char* rows[8];
    unsigned char const* sources[8];
    for (int r = 0; r < 8; ++r) sources[r] = rows[r] = memory[r];
    unsigned registers[32][1];
    for (int lane = 0; lane < 32; ++lane) {
        unsigned const first = static_cast<unsigned>(10 * (lane / 4) + lane % 4 * 2);
        registers[lane][0] = first | (first + 1) << 16;
    }
    store_matrices(rows, registers, /*transposed=*/false);
    load_matrices(registers, sources, /*transposed=*/true);
    for (int lane = 0; lane < 32; ++lane) {
        unsigned const first = static_cast<unsigned>(lane / 4 + 10 * (lane % 4 * 2));
        CHECK(registers[lane][0] == (first | (first + 10) << 16));
    }
}

TEST_CASE("each element of a matrix belongs to one lane") {
    for (bool transposed : {false, true}) {
        std::set<std::pair<int, int>> places;
        for (int i = 0; i < 64; ++i) {
            auto const [row, column] = place_in_matrix(i / 2, i % 2, transposed);
            places.emplace(row, column);
        }
        CHECK(places.size() == 64);
    }
}
