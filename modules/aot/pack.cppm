// Packs: images of many kernels for many architectures in one file, with an index before them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.aot:pack;

import spio.image;
import spio.spec;

export namespace spio::aot {

constexpr std::uint32_t pack_schema = 2;
constexpr std::uint64_t most_pack_bytes = std::uint64_t{1} << 30;

// An entry of a pack's index.
struct packed_image {
    std::string symbol, arch, line, config;
    image_kind kind = image_kind::cubin;
    block_shape shape = {};
    std::uint32_t params_bytes = 0;
    std::uint64_t offset = 0, size = 0, checksum = 0; // of the image in the pack
    std::string compiler;                             // "nvcc 13.0.88"
    std::uint64_t text_digest = 0;                    // of the kernel's text: see spio.text
    std::uint64_t plain_bytes = 0;                    // before compression
};

// An image to be packed.
struct image_to_pack {
    spec kernel;
    image_kind kind;
    std::vector<std::byte> bytes;
    std::string compiler;
    std::uint64_t text_digest = 0;
    std::uint64_t plain_bytes = 0;
};

// Makes the bytes of a pack. Numbers are little-endian, texts come after their 32-bit length:
//     magic (8 bytes), schema, entries (32 bits each), bytes of the pack, of the index (64 bits
//     each), checksum of what precedes it and of the index (64 bits); the index: of each entry
//     symbol, arch, line, config, compiler, kind, block, cluster, shared memory, parameters (32
//     bits each number), offset, size, checksum, digest of the text, plain bytes (64 bits each);
//     the images, each at the next multiple of 64, with zeros between them.
// A second image of the same symbol and architecture is left out.
std::vector<std::byte> write_pack(std::span<image_to_pack const>);

// An image source over one pack. Thread-safe.
class pack {
  public:
    // Accepts exactly the bytes that write_pack() makes; for anything else it throws what is wrong,
    // before any of it is used. The name is for messages.
    pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper);
    // Reads a file that nobody else could have written: see trusted_file. Anything else is refused
    // by name.
    static pack read(std::filesystem::path const&);
    // Reads a file whoever has written it, to list and verify it; find() throws.
    static pack inspect(std::filesystem::path const&);

    std::string const& name() const { return name_; }
    std::span<packed_image const> list() const { return index_; }
    // Throws for the first image whose bytes have changed since it was packed.
    void verify() const;

    // The image that suits the architecture best, among those of the kernel text that this program
    // has. Its checksum is compared.
    std::optional<image> find(spec const&) const;
    // "pack p has it of another text, by nvcc 13.0.88"; empty if it has none of another text.
    std::string why_not(spec const&) const;

  private:
    std::span<std::byte const> bytes_;
    std::string name_;
    std::shared_ptr<void const> keeper_;
    std::vector<packed_image> index_;
    bool is_for_inspection_ = false;
    // Whether the text of an entry is this program's: compared when it is first asked for.
    enum class text_state : unsigned char { unknown, same, other };
    std::shared_ptr<std::atomic<text_state>[]> texts_;

    packed_image const* best_entry(text_state, spec const&) const;
    text_state state_of(packed_image const&, spec const&) const;
    std::span<std::byte const> bytes_of(packed_image const&) const;
    void verify(packed_image const&) const;
    [[noreturn]] void fail(std::string reason) const;
};

} // namespace spio::aot

// What writing a pack and reading it agree on.
namespace spio::aot {

constexpr std::string_view pack_magic = "SPIOPACK";
constexpr std::size_t header_bytes = 40;
constexpr std::size_t checksum_offset = 32;

constexpr std::size_t aligned(std::size_t offset) {
    constexpr std::size_t alignment = 64;
    return (offset + alignment - 1) / alignment * alignment;
}

inline std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// The members of an entry, constant or not, in the order of the index.
auto texts_of(auto& entry) {
    return std::array{&entry.symbol, &entry.arch, &entry.line, &entry.config, &entry.compiler};
}
auto numbers_of(auto& entry) {
    return std::array{&entry.offset, &entry.size, &entry.checksum, &entry.text_digest,
                      &entry.plain_bytes};
}

// The reason why write_pack() cannot have written an entry, as the end of a sentence about it:
// "has no name". Empty if it can.
std::string defect_of(packed_image const&);

} // namespace spio::aot
