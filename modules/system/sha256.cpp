// SHA-256: blocks of 64 bytes, each folded into eight words of state by 64 rounds.
// SPDX-License-Identifier: Apache-2.0
//
// update() takes bytes in any portions and passes on whole blocks; finish() appends a one, zeros
// and the number of bits, as FIPS 180-4 says, whose names for the words are used here.
module;

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

module spio.system;

namespace spio {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Folds a block into the state.
void sha256::compress(unsigned char const* block) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; i++) {
        w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
               std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
    }
    for (std::size_t i = 16; i < 64; i++) {
        auto const s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        auto const s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; i++) {
        auto const s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        auto const chosen = (e & f) ^ (~e & g);
        auto const t1 = h + s1 + chosen + round_constants[i] + w[i];
        auto const s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        auto const majority = (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + s0 + majority;
    }
    std::array<std::uint32_t, 8> const worked = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; i++) state_[i] += worked[i];
}

void sha256::update(byte_view bytes) {
    total_ += bytes.size();
    while (!bytes.empty()) {
        if (block_bytes_ == 0 && bytes.size() >= block_.size()) {
            compress(bytes.data());
            bytes = bytes.subspan(block_.size());
            continue;
        }
        auto const part = std::min(block_.size() - block_bytes_, bytes.size());
        std::memcpy(block_.data() + block_bytes_, bytes.data(), part);
        bytes = bytes.subspan(part);
        block_bytes_ = (block_bytes_ + part) % block_.size();
        if (block_bytes_ == 0) compress(block_.data());
    }
}

void sha256::update(std::string_view text) {
    update(byte_view(reinterpret_cast<unsigned char const*>(text.data()), text.size()));
}

sha256_digest sha256::finish() {
    auto const bits = total_ * 8;
    std::array<unsigned char, 72> tail = {0x80};
    auto const zeros = (119 - block_bytes_) % 64; // so that the length ends the last block
    for (std::size_t i = 0; i < 8; i++) {
        tail[1 + zeros + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    }
    update(byte_view(tail.data(), 1 + zeros + 8));
    sha256_digest result;
    for (std::size_t i = 0; i < result.size(); i++) {
        result[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
    }
    return result;
}

sha256_digest sha256_of(byte_view bytes) {
    sha256 sum;
    sum.update(bytes);
    return sum.finish();
}

std::string hexadecimal(byte_view bytes) {
    std::string text;
    for (unsigned const byte : bytes) {
        text += "0123456789abcdef"[byte / 16];
        text += "0123456789abcdef"[byte % 16];
    }
    return text;
}

} // namespace spio
