// Packs: images of many kernels for many architectures in one file, with an index before them.
// SPDX-License-Identifier: Apache-2.0
module;

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

struct packed {
    std::string symbol, arch, line, config;
    image_kind kind = image_kind::cubin;
    block_shape shape = {};
    std::uint32_t params_bytes = 0;
    std::uint64_t offset = 0, size = 0, checksum = 0; // of the image in the pack
    std::string compiler;                             // "nvcc 13.0.88"
    std::uint64_t text_digest = 0;                    // of what it was shown: see spio.text
    std::uint64_t plain_bytes = 0;                    // of what it made, before that was compressed
};

// An image to be packed, and what it is of.
struct to_pack {
    spec of;
    image_kind kind;
    std::vector<std::byte> bytes;
    std::string compiler;
    std::uint64_t text_digest = 0;
    std::uint64_t plain_bytes = 0;
};

// Numbers are little-endian, texts come after their 32-bit length:
//     magic (8 bytes), schema, entries (32 bits each), bytes of the pack, of the index (64 bits
//     each), checksum of what comes before it and of the index (64 bits); the index: of each entry
//     symbol, arch, line, config, compiler, kind, block, cluster, shared memory, parameters (32
//     bits each number), offset, size, checksum, digest of the text, plain bytes (64 bits each);
//     the images, each at the next multiple of 64, with zeros between.
// An image is packed once: a second one of the same symbol and architecture is left out.
std::vector<std::byte> write_pack(std::span<to_pack const>);

// An image source over one pack. Thread-safe.
class pack {
  public:
    // A pack is of exactly the bytes that write_pack() makes; anything else throws what is wrong
    // with it, before any of it is used. The name is for messages.
    pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper);
    static pack read(std::filesystem::path const&);

    std::string const& name() const { return named; }
    std::span<packed const> list() const { return index; }
    // Throws for the first image that is not as it was packed.
    void verify() const;

    // The image that suits the architecture best, of those that were made of the text that this
    // program has; its checksum is compared when it is found.
    std::optional<image> find(spec const&) const;
    // What it has of another text: "pack p has it of another text, by nvcc 13.0.88"; or nothing.
    std::string why_not(spec const&) const;

  private:
    std::span<std::byte const> all;
    std::string named;
    std::shared_ptr<void const> kept;
    std::vector<packed> index;
    // Of each entry, what its text was found to be when it was first asked for.
    enum class text_state : unsigned char { unknown, same, other };
    std::shared_ptr<std::atomic<text_state>[]> texts;

    packed const* best_of(text_state, spec const&) const;
    text_state text_of_entry(packed const&, spec const&) const;
    std::span<std::byte const> bytes_of(packed const&) const;
    void verify(packed const&) const;
    [[noreturn]] void fail(std::string why) const;
};

} // namespace spio::aot
