// Boxes of tensors, compared with loops over coordinates; swizzles, compared with a table.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor. This one is read by the
// host device, a GPU that is simulated on the CPU.
#include <doctest/doctest.h>

#include "sim/tensor_map.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>
#include <vector>

#include "random.h"

using namespace spio::sim;
using std::uint32_t;
using std::uint64_t;

static_assert(std::is_trivially_copyable_v<tensor_map>);
static_assert(sizeof(tensor_map) <= 128);

namespace {

// From the documentation of CUDA: places_128[y][x] is the place of chunk x of 16 bytes in row y.
constexpr int places_128[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                  {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                  {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                  {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
constexpr int places_64[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                 {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                 {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                 {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}};
constexpr int places_32[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                 {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                 {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                 {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
constexpr int places_none[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};

// Where the engine puts the byte with this address in a box.
int place_of(swizzle_span swizzle, int address) {
    int const row = address / 128 % 8;
    int const chunk = address / 16 % 8;
    int place = 0;
    switch (swizzle) {
    case swizzle_span::none:
        place = places_none[row][chunk];
        break;
    case swizzle_span::bytes_32:
        place = places_32[row][chunk];
        break;
    case swizzle_span::bytes_64:
        place = places_64[row][chunk];
        break;
    case swizzle_span::bytes_128:
        place = places_128[row][chunk];
        break;
    }
    return address / 128 * 128 + 16 * place + address % 16;
}

constexpr swizzle_span all_swizzles[] = {swizzle_span::none, swizzle_span::bytes_32,
                                         swizzle_span::bytes_64, swizzle_span::bytes_128};

// Bytes whose first address is a multiple of 16.
struct aligned_memory {
    std::vector<unsigned char> bytes;
    unsigned char* begin;

    explicit aligned_memory(std::size_t size) : bytes(size + 16) {
        void* p = bytes.data();
        std::size_t space = bytes.size();
        begin = static_cast<unsigned char*>(std::align(16, size, p, space));
    }
};

// A tensor, and a box that may begin or end outside of it.
struct box_case {
    std::vector<uint64_t> sizes, strides;
    std::vector<uint32_t> box;
    int element_bytes = 1;
    swizzle_span swizzle = swizzle_span::none;
    int start[5] = {};
    uint64_t memory_bytes = 0;

    box_case(test::random& random, int rank) {
        element_bytes = 1 << random.between(0, 3);
        swizzle = all_swizzles[random.between(0, 3)];
        bool const is_swizzled = swizzle != swizzle_span::none;
        int const chunk = 16 / element_bytes;
        int const chunks = is_swizzled ? static_cast<int>(swizzle) / 16 : random.between(1, 16);
        uint64_t stride = 0;
        memory_bytes = static_cast<uint64_t>(element_bytes);
        for (int d = 0; d < rank; ++d) {
            auto const size = static_cast<uint64_t>(random.between(1, d == 0 ? 80 : 6));
            auto const width = d == 0 ? chunk * chunks : random.between(1, 7 - rank + d % 2);
            if (d > 0) {
                stride = (stride + 15) / 16 * 16 + 16 * static_cast<uint64_t>(random.between(0, 2));
                strides.push_back(stride);
            }
            memory_bytes += (size - 1) * (d == 0 ? static_cast<uint64_t>(element_bytes) : stride);
            stride = d == 0 ? size * static_cast<uint64_t>(element_bytes) : size * stride;
            sizes.push_back(size);
            box.push_back(static_cast<uint32_t>(width));
            start[d] = random.between(-width - 1, static_cast<int>(size) + 1);
            if (random.one_in(3)) start[d] = 0;
        }
    }

    // The offset in the tensor's memory of an element of the box, or -1 if it is outside the
    // tensor.
    long long global_address(int const (&step)[5]) const {
        long long address = 0;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            long long const place = static_cast<long long>(start[d]) + step[d];
            if (place < 0 || place >= static_cast<long long>(sizes[d])) return -1;
            address += place * (d == 0 ? element_bytes : static_cast<long long>(strides[d - 1]));
        }
        return address;
    }
};

// Calls f(address in the box, address in memory or -1) for each element of a box.
template <class F> void for_each_element(box_case const& drawn, F f) {
    int size[5] = {1, 1, 1, 1, 1};
    for (std::size_t d = 0; d < drawn.box.size(); ++d) size[d] = static_cast<int>(drawn.box[d]);
    int n = 0;
    int step[5];
    for (step[4] = 0; step[4] < size[4]; ++step[4])
        for (step[3] = 0; step[3] < size[3]; ++step[3])
            for (step[2] = 0; step[2] < size[2]; ++step[2])
                for (step[1] = 0; step[1] < size[1]; ++step[1])
                    for (step[0] = 0; step[0] < size[0]; ++step[0])
                        f(n++ * drawn.element_bytes, drawn.global_address(step));
}

// What was compared, and what was wrong; `outside` are elements of boxes outside of the tensor.
struct tally {
    long long boxes = 0, elements = 0, outside = 0, errors = 0;
};

// Loads a box and stores it, and compares both with loops over the elements.
void check_box(box_case const& drawn, test::random& random, tally& count) {
    aligned_memory tensor(drawn.memory_bytes);
    for (uint64_t i = 0; i < drawn.memory_bytes; ++i) {
        tensor.begin[i] = static_cast<unsigned char>(random.bits(8));
    }
    std::vector<unsigned char> const original(tensor.begin, tensor.begin + drawn.memory_bytes);
    tensor_map map;
    REQUIRE(map.encode(tensor.begin, drawn.element_bytes, drawn.sizes, drawn.strides, drawn.box,
                       drawn.swizzle) == "");

    // The address in shared memory: random, but a multiple of 128, as a copy needs it.
    int const address = 128 * random.between(0, 8);
    int const bytes = map.box_bytes();
    std::vector<unsigned char> shared(static_cast<std::size_t>(bytes) + 128, 0xcd);
    int covered = 0;
    map.for_each_chunk(
        drawn.start,
        [&](int offset, unsigned char const* global, int size) {
            covered += size;
            count.errors += size < 1 || offset < 0 || offset % 16 + size > 16;
            auto* const destination = shared.data() + offset;
            global ? std::memcpy(destination, global, static_cast<std::size_t>(size))
                   : std::memset(destination, 0, static_cast<std::size_t>(size));
        },
        static_cast<unsigned>(address));
    count.errors += covered != bytes;

    int box_bytes = 0;
    for_each_element(drawn, [&](int linear, long long global) {
        box_bytes += drawn.element_bytes;
        ++count.elements;
        count.outside += global < 0;
        for (int byte = 0; byte < drawn.element_bytes; ++byte) {
            int const place = place_of(drawn.swizzle, address + linear + byte) - address;
            int const expected = global < 0 ? 0 : original[static_cast<std::size_t>(global + byte)];
            count.errors += shared.at(static_cast<std::size_t>(place)) != expected;
        }
    });
    count.errors += box_bytes != bytes;

    // The box is stored with other bytes: only elements inside the tensor may change.
    for (auto& byte : shared) byte = static_cast<unsigned char>(random.bits(8));
    map.for_each_chunk(
        drawn.start,
        [&](int offset, unsigned char* global, int size) {
            if (global) std::memcpy(global, shared.data() + offset, static_cast<std::size_t>(size));
        },
        static_cast<unsigned>(address));
    auto expected = original;
    for_each_element(drawn, [&](int linear, long long global) {
        for (int byte = 0; global >= 0 && byte < drawn.element_bytes; ++byte) {
            int const place = place_of(drawn.swizzle, address + linear + byte) - address;
            expected[static_cast<std::size_t>(global + byte)] =
                shared[static_cast<std::size_t>(place)];
        }
    });
    count.errors += std::memcmp(expected.data(), tensor.begin, drawn.memory_bytes) != 0;
    ++count.boxes;
}

} // namespace

TEST_CASE("a box of rank 1 to 5 is loaded and stored element by element, zeros outside") {
    for (int rank = 1; rank <= 5; ++rank) {
        test::random random{static_cast<uint64_t>(rank)};
        tally count;
        for (int i = 0; i < 600; ++i) check_box(box_case(random, rank), random, count);
        CHECK(count.errors == 0);
        CHECK(count.boxes == 600);
        CHECK(count.outside > count.elements / 10);
        CHECK(count.outside < count.elements);
    }
}

TEST_CASE("chunks change places as in the documentation, in each row of the pattern") {
    for (auto swizzle : all_swizzles) {
        tensor_map map{};
        map.swizzle = swizzle;
        std::set<unsigned> places;
        for (int address = 0; address < 4096; ++address) {
            unsigned const place = map.swizzled(static_cast<unsigned>(address));
            places.insert(place);
            CHECK(static_cast<int>(place) == place_of(swizzle, address));
        }
        CHECK(places.size() == 4096);
    }
}

TEST_CASE("coordinates at the ends of int, sizes of 2^32, strides beyond 2^31") {
    alignas(16) unsigned char byte[16];
    tensor_map map;
    uint64_t const sizes[] = {uint64_t(1) << 32, uint64_t(1) << 32};
    uint64_t const strides[] = {(uint64_t(1) << 40) - 16};
    uint32_t const box[] = {16, 2};
    REQUIRE(map.encode(byte, 1, sizes, strides, box, swizzle_span::none) == "");
    constexpr int last = 2147483647;
    for (int x : {-last - 1, -16, -1, 0, last - 3, last}) {
        for (int y : {-last - 1, -1, 0, last}) {
            int const start[] = {x, y};
            int inside = 0;
            int outside = 0;
            // Only addresses are computed: most of them are not mapped.
            map.for_each_chunk(
                start, [&](int, unsigned char const* p, int n) { (p ? inside : outside) += n; });
            int const columns = x >= 0 ? 16 : x <= -16 ? 0 : 16 + x;
            int const rows = y >= 0 ? 2 : y == -1 ? 1 : 0;
            CHECK(inside == rows * columns);
            CHECK(inside + outside == 32);
        }
    }
}
