// A fuzz target: the reader of the cache's files, whose digest is renewed after each change.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on.
//
// tests/fuzz.cmake has it run 5000 times, in nightly tests a million. For longer:
//     build/ci/tests/cache/fuzz_entry -runs=10000000 -max_len=4096 -print_final_stats=1
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

import spio.cache;

namespace cache = spio::cache;

static cache::key const key = cache::key_of(
    {.source = "fuzz", .headers = {}, .options = {}, .nvrtc_build = "1", .arch = "sm_80"});
static std::size_t read_count = 0, refused_count = 0;

// Called at the end of the program.
static void print_counts() {
    std::printf("summary: cache.fuzz_entry: %zu files read and %zu refused\n", read_count,
                refused_count);
}

extern "C" int LLVMFuzzerInitialize(int*, char***) { return std::atexit(print_counts); }

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    auto const file = cache::byte_view(data, size);
    auto const got = cache::parse_file(file, key);
    (got.value ? read_count : refused_count)++;
    // Each entry has one form as a file: what was read is written as the same bytes.
    if (got.value && !std::ranges::equal(cache::file_of(key, *got.value), file)) std::abort();
    return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t most);

// Seven of eight mutations get the right first fields, length and digest: otherwise the reader
// would refuse nearly all of them for these alone.
extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    // A file begins with magic, schema and key; then come its length and the fields, and last the
    // digest of all that.
    constexpr std::size_t head_bytes = 8 + 4 + sizeof(cache::digest), length_at = head_bytes;
    if (size < cache::least_file_bytes) {
        cache::entry const small = {
            .symbol = "f", .arch = "sm_80", .parameters = {{0, seed}}, .cubin = {1, 2, 3, 4}};
        auto const file = cache::file_of(key, small);
        if (file.size() > most) return LLVMFuzzerMutate(data, size, most);
        std::ranges::copy(file, data);
        size = file.size();
    }
    auto const smallest = cache::file_of(key, {});
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 8 == 0 || size < smallest.size()) return size;
    std::copy_n(smallest.begin(), head_bytes, data);
    for (std::size_t i = 0; i < 8; i++) {
        data[length_at + i] = static_cast<unsigned char>(std::uint64_t{size} >> (8 * i));
    }
    auto const sum = cache::sha256_of(cache::byte_view(data, size - sizeof(cache::digest)));
    std::ranges::copy(sum, data + size - sum.size());
    return size;
}
