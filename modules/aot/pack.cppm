// Packs: images of many kernels for many architectures in one file, with an index before them.
// SPDX-License-Identifier: Apache-2.0
//
// An image is the compiled code of a kernel, and a spec is what a kernel is compiled from. A line
// is that of a manifest (a list of kernels) which asks for the kernel, such as axpby n=1000. A
// trusted file is one that no other user could have written. A keeper owns the memory that
// something refers to.
module;

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.aot:pack;

import spio.image;
import spio.spec;
import spio.system;

export namespace spio::aot {

// The number of the format that is described below.
constexpr std::uint32_t pack_schema = 4;
constexpr std::uint64_t most_pack_bytes = std::uint64_t{1} << 30;

// An entry of a pack's index.
struct packed_image {
    std::string symbol, arch, line, config;
    image_kind kind = image_kind::cubin;
    block_shape shape = {};
    std::uint32_t params_bytes = 0;                   // size of the kernel's parameter
    std::uint64_t offset = 0, size = 0, checksum = 0; // the image's place in the pack
    std::string compiler;                             // "nvcc 13.0.88"
    std::uint64_t text_digest = 0;                    // of the kernel's text: see spio.text
    std::uint64_t library_digest = 0;                 // the same; 0 if there is none
    std::uint64_t plain_bytes = 0;                    // size of the image before compression
};

// An image to be packed.
struct image_to_pack {
    spec kernel;
    image_kind kind;
    std::vector<std::byte> bytes;
    std::string compiler;
    std::uint64_t text_digest = 0;
    std::uint64_t library_digest = 0;
    std::uint64_t plain_bytes = 0;
};

// Makes the bytes of a pack. Numbers are little-endian, texts come after their 32-bit length:
//     magic (8 bytes), schema, entries (32 bits each), bytes of the pack, of the index (64 bits
//     each), checksum of what precedes it and of the index (64 bits); the index: of each entry
//     symbol, arch, line, config, compiler, kind, block, cluster, shared memory, parameters (32
//     bits each number), offset, size, checksum, digest of the text and of the library, plain bytes
//     (64 bits each), and then, for each entry, the digest of its symbol and its offset (64 bits
//     each), ordered by digest, symbol and arch; the images, each at the next multiple of 64, with
//     zeros between them.
// Checksums are those of fast_digest_of().
// A second image of the same symbol and architecture is left out.
std::vector<std::byte> write_pack(std::span<image_to_pack const>);

// An image source over one pack. Thread-safe.
class pack {
  public:
    // Takes the bytes of a pack. Throws unless write_pack() could have made exactly these bytes;
    // nothing is used before that check. It keeps a copy of none of the entries. The name is for
    // messages, and the keeper owns the bytes.
    pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper);
    // Takes a pack that was linked into the program, and stays: nobody can have written it but who
    // wrote the program. The first launch waits for this, so that only the header is checked here,
    // and each entry when it is read.
    static pack linked(std::span<std::byte const> bytes, std::string name);
    // Reads a file that no other user could have written: see trusted_file. Refuses any other file,
    // and names it.
    static pack read(std::filesystem::path const&);
    // Reads a file with this SHA-256, whoever could have written it; refuses any other. A program
    // that has the digest of its pack in it takes no other pack: see PIN of spio_add_pack().
    static pack read(std::filesystem::path const&, std::span<unsigned char const, 32> digest);
    // Reads a file even if other users could have written it, to list and verify it: find() of the
    // result throws.
    static pack inspect(std::filesystem::path const&);

    std::string const& name() const { return name_; }
    // All entries, in the order of the pack.
    std::vector<packed_image> list() const;
    // Compares all checksums. Throws for the first image that has changed since it was packed.
    void verify() const;

    // The image that suits the spec's architecture best, among the images that were compiled from
    // the kernel text of this program. Its checksum is compared.
    std::optional<image> find(spec const&) const;
    // Why find() returns no image although the pack has one for the spec: "pack p has it of another
    // text, by nvcc 13.0.88". Empty if the pack has no such image.
    std::string why_not(spec const&) const;

  private:
    std::span<std::byte const> bytes_;
    std::string name_;
    std::shared_ptr<void const> keeper_;
    bool is_for_inspection_ = false;
    // How many entries there are, and the offset at which they end and the rows begin that say
    // where they are.
    std::size_t count_ = 0, entries_end_ = 0;

    // An entry: the digest of its symbol, and its offset in the pack.
    struct place {
        std::uint64_t symbol_digest;
        std::size_t offset;

        friend bool operator==(place const&, place const&) = default;
    };

    pack() = default;
    void check_header();
    // What this row, one of those behind the entries, says.
    place place_at(std::size_t row) const;
    void check_index() const;
    void check_places(std::vector<place>) const;
    std::pair<std::string_view, std::string_view> name_at(std::size_t offset) const;
    std::string_view entries_from(std::size_t offset) const; // empty beyond their end
    bool is_inside(packed_image const&) const; // whether the entry's image lies in the pack
    // The entry at the front of some, which then begin behind it. Throws unless the entry is whole,
    // its members are possible, and its image lies in the pack.
    packed_image next_entry(std::string_view& entries) const;
    [[noreturn]] void fail_entry(packed_image const&, std::string const& reason) const;
    // The entry that suits a spec best, of those that were compiled from its text (is_current) or
    // from another.
    std::optional<packed_image> best_entry(spec const&, bool is_current) const;
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
constexpr std::size_t place_bytes = 16;
// An entry has at least the lengths of five texts, nine short numbers and six long ones.
constexpr std::size_t least_entry_bytes = 4 * 5 + 4 * 9 + 8 * 6;

// The offset at which the next section of a pack begins: a multiple of 64.
constexpr std::size_t aligned(std::size_t offset) {
    constexpr std::size_t alignment = 64;
    return (offset + alignment - 1) / alignment * alignment;
}

inline std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// The text members of an entry, in the order of the index. The entry may be constant or not.
auto texts_of(auto& entry) {
    return std::array{&entry.symbol, &entry.arch, &entry.line, &entry.config, &entry.compiler};
}
// The numbers of an entry, in the order of the file.
auto numbers_of(auto& entry) {
    return std::array{&entry.offset,      &entry.size,           &entry.checksum,
                      &entry.text_digest, &entry.library_digest, &entry.plain_bytes};
}

// Why write_pack() cannot have written an entry, as the end of a sentence whose subject is the
// entry: "has no name". Empty if it can have.
std::string defect_of(packed_image const&);

} // namespace spio::aot
