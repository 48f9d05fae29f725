// The index of a pack (a file of compiled kernels) finds each of many kernels, and copies none.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from. plain_bytes is the size of an image before compression.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.image;
import spio.spec;
import spio.text;

using namespace spio;

// Requests for memory by this thread, counted.
static thread_local std::size_t allocation_count = 0;
void* operator new(std::size_t bytes) {
    ++allocation_count;
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

// The kernel with this number, by a name of its own.
spec kernel_of(int number, arch arch) {
    spec kernel = axpby::specialize({.n = 1000}, arch);
    kernel.symbol += "_" + std::to_string(number);
    return kernel;
}

// So many kernels, each for two architectures.
std::vector<aot::image_to_pack> kernels(int count) {
    std::vector<aot::image_to_pack> packed;
    for (int number = 0; number < count; ++number) {
        for (auto const arch : {sm_80, sm_90a}) {
            auto const kernel = kernel_of(number, arch);
            auto const size = static_cast<std::size_t>(1 + number % 100 + arch.number);
            packed.push_back({.kernel = kernel,
                              .kind = image_kind::cubin,
                              .bytes = std::vector<std::byte>(size),
                              .compiler = "c 1",
                              .text_digest = text_digest_of(kernel),
                              .plain_bytes = size});
        }
    }
    return packed;
}

// How often memory is asked for, to read a pack of so many kernels.
std::size_t allocations_of(int count) {
    auto const bytes = aot::write_pack(kernels(count));
    auto const first = allocation_count;
    aot::pack const pack(bytes, "p", /*keeper=*/{});
    return allocation_count - first;
}

} // namespace

TEST_CASE("each of many kernels is found, and no other") {
    constexpr int count = 150;
    auto const images = kernels(count);
    auto const bytes = aot::write_pack(images);
    aot::pack const pack(bytes, "p", /*keeper=*/{});
    auto const entries = pack.list();
    REQUIRE(entries.size() == images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        CHECK(entries[i].symbol == images[i].kernel.symbol);
        CHECK(entries[i].arch == text_of(images[i].kernel.arch));
        auto const found = pack.find(images[i].kernel);
        REQUIRE(found);
        CHECK(found->arch == images[i].kernel.arch);
        CHECK(found->bytes.size() == images[i].bytes.size());
    }
    CHECK(!pack.find(kernel_of(count, sm_80)));
    CHECK(pack.why_not(kernel_of(count, sm_80)).empty());
}

TEST_CASE("an image is current if the digest of its text or that of the library is today's") {
    auto const kernel = kernel_of(0, sm_80);
    auto const text = text_digest_of(kernel), library = library_digest_of(kernel);
    REQUIRE(library != 0);
    auto const is_current = [&](std::uint64_t text_digest, std::uint64_t library_digest) {
        auto image = kernels(1).front();
        image.text_digest = text_digest;
        image.library_digest = library_digest;
        auto const bytes = aot::write_pack(std::span(&image, 1));
        aot::pack const pack(bytes, "p", /*keeper=*/{});
        CHECK(pack.list().front().library_digest == library_digest);
        bool const is_found = pack.find(kernel).has_value();
        CHECK(pack.why_not(kernel).empty() == is_found);
        return is_found;
    };
    CHECK(is_current(text, library));
    CHECK(is_current(text, library + 1)); // another header has changed
    CHECK(is_current(text, 0));
    CHECK(is_current(text + 1, library)); // the headers are not read
    CHECK(!is_current(text + 1, library + 1));
    CHECK(!is_current(text + 1, 0));
}

TEST_CASE("the memory that reading a pack asks for hardly grows with its kernels") {
    auto const few = allocations_of(20), many = allocations_of(320);
    // A vector that grows 16 times as large is moved four times.
    CHECK(many >= few);
    CHECK(many <= few + 5);
}

TEST_CASE("a digest changes with each byte of a text, and with its size") {
    std::string const text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,;.:-_";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        auto const part = text.substr(0, size);
        auto const digest = fast_digest_of(part);
        CHECK(digest == fast_digest_of(part));
        CHECK(digest != fast_digest_of(part, 1));
        CHECK(digest != fast_digest_of(part + '\0'));
        for (std::size_t i = 0; i < size; ++i) {
            for (int bit = 0; bit < 8; ++bit) {
                auto changed = part;
                changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
                REQUIRE(fast_digest_of(changed) != digest);
            }
        }
    }
}
