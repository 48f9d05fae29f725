// SHA-256, as FIPS 180-4 defines it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

export module spio.cache:sha256;

export namespace spio::cache {

using byte_view = std::span<unsigned char const>;
using digest = std::array<unsigned char, 32>;

class sha256 {
  public:
    void update(byte_view bytes);
    void update(std::string_view text);
    digest finish(); // nothing can be added after it

  private:
    void compress(unsigned char const* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> block_ = {};
    std::size_t held_ = 0; // bytes of the block that are there
    std::uint64_t total_ = 0;
};

digest sha256_of(byte_view bytes);

// Two digits each, in lower case.
std::string hexadecimal(byte_view bytes);

} // namespace spio::cache
