// A fuzz target: the reader of packs (files of compiled kernels), whose checksum is always renewed.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. plain_bytes
// is the size of an image before compression.
//
// tests/fuzz.cmake has it run 5000 times, in nightly tests a million. For longer:
//     build/ci/tests/aot/fuzz_pack -runs=10000000 -max_len=4096 -print_final_stats=1
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.aot;
import spio.image;
import spio.spec;
import spio.text;

namespace aot = spio::aot;

static std::size_t read_count = 0, refused_count = 0, found_count = 0;

// Called at the end of the program.
static void print_figure() {
    std::printf("summary: aot.fuzz_pack: %zu packs read and %zu refused, %zu images found\n",
                read_count, refused_count, found_count);
}

extern "C" int LLVMFuzzerInitialize(int*, char***) { return std::atexit(print_figure); }

// The kernel that an entry of a pack claims to be.
static spio::spec spec_of(aot::packed_image const& entry) {
    spio::spec kernel;
    kernel.symbol = entry.symbol;
    kernel.arch = spio::find_arch(entry.arch).value_or(spio::arch());
    kernel.config = entry.config;
    kernel.shape = entry.shape;
    return kernel;
}

// Finds all images of the pack that open() returns.
template <class Open> static void read(Open open) {
    try {
        auto const pack = open();
        ++read_count;
        for (auto const& entry : pack.list()) {
            try {
                if (auto const found = pack.find(spec_of(entry))) {
                    ++found_count;
                    // Reads all bytes of the image.
                    (void)spio::fnv(
                        {reinterpret_cast<char const*>(found->bytes.data()), found->bytes.size()});
                }
            } catch (spio::error const&) {
            }
        }
    } catch (spio::error const&) {
        ++refused_count;
    }
}

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    // A copy, because sanitizers report reads beyond the end of an allocation.
    auto const bytes = std::as_bytes(std::span(data, size));
    std::vector<std::byte> const copy(bytes.begin(), bytes.end());
    // A pack that is read whole is validated when it is opened; one that is linked into the program
    // has each entry validated when it is looked up.
    read([&] { return aot::pack(copy, "p", /*keeper=*/{}); });
    read([&] { return aot::pack::linked(copy, "p"); });
    return 0;
}

// Writes a small valid pack to `data`, which has room for `most` bytes, and returns its size.
static std::size_t put_small_pack(unsigned char* data, std::size_t most, unsigned seed) {
    spio::spec kernel;
    kernel.family = "f";
    kernel.problem = "n=1";
    kernel.symbol = "s";
    kernel.arch = seed % 2 == 0 ? spio::sm_80 : spio::compute_80;
    auto other = kernel;
    other.arch = spio::sm_90a;
    auto const digest = spio::text_digest_of(kernel);
    std::vector<aot::image_to_pack> const images = {{.kernel = kernel,
                                                     .kind = spio::image_kind::fatbin,
                                                     .bytes = std::vector<std::byte>(1 + seed % 70),
                                                     .compiler = "c 1",
                                                     .text_digest = digest,
                                                     .plain_bytes = 100},
                                                    {.kernel = other,
                                                     .kind = spio::image_kind::cubin,
                                                     .bytes = std::vector<std::byte>(9),
                                                     .compiler = "c 1",
                                                     .text_digest = digest,
                                                     .plain_bytes = 9}};
    auto const pack = aot::write_pack(images);
    if (pack.size() > most) return 0;
    std::memcpy(data, pack.data(), pack.size());
    return pack.size();
}

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t most);

// Most mutations get a new checksum; otherwise the reader would refuse all of them by the old one.
extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    // Where the header has the size of the file, that of the index, and the checksum of both.
    constexpr std::size_t bytes_at = 16, index_bytes_at = 24, checksum_at = 32, header_bytes = 40;
    if (size < header_bytes || seed % 64 == 0) size = put_small_pack(data, most, seed);
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 8 == 0 || size < header_bytes) return size;
    std::memcpy(data, "SPIOPACK\4\0\0\0", 12); // the name and the schema
    std::uint64_t const total = size;
    std::memcpy(data + bytes_at, &total, sizeof total);
    std::uint64_t index_bytes = 0;
    std::memcpy(&index_bytes, data + index_bytes_at, sizeof index_bytes);
    index_bytes = std::min<std::uint64_t>(index_bytes, size - header_bytes);
    std::memcpy(data + index_bytes_at, &index_bytes, sizeof index_bytes);
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    auto const sum = spio::fast_digest_of(text.substr(header_bytes, index_bytes),
                                          spio::fast_digest_of(text.substr(0, checksum_at)));
    std::memcpy(data + checksum_at, &sum, sizeof sum);
    return size;
}
