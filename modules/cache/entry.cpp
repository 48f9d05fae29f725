// Writes the bytes of entries, and parses them as if their author were hostile.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file named by its key: a digest of all that the
// image depends on.
module;

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

module spio.cache;

namespace spio::cache {

// The first bytes of an entry. No text begins with them, and a transfer in text mode, which
// converts line ends, damages them.
static constexpr std::array<unsigned char, 8> magic = {0x89, 'S', 'P', 'I', 'O', '\r', '\n', 0x1a};

static constexpr std::size_t fixed_bytes = magic.size() + 4 + sizeof(digest) + 8 // before the texts
                                           + 4 + 4 + 4 + 4                       // lengths
                                           + sizeof(digest);
static_assert(fixed_bytes + 2 == least_file_bytes); // a symbol and an image of one byte

class file_writer {
  public:
    // Appends a number in `size` bytes, the low ones first.
    void number(std::uint64_t value, int size) {
        for (int i = 0; i < size; i++)
            bytes.push_back(static_cast<unsigned char>(value >> (8 * i)));
    }
    template <class Range> void raw(Range const& range) {
        bytes.insert(bytes.end(), range.begin(), range.end());
    }
    // A length and then the bytes.
    template <class Range> void sized(Range const& range) {
        number(range.size(), 4);
        raw(range);
    }

    std::vector<unsigned char> bytes;
};

// Reads fields one after the other. After the first field that is missing, all others are missing
// too.
class file_reader {
  public:
    explicit file_reader(byte_view bytes) : rest_(bytes) {}

    byte_view raw(std::size_t size) {
        if (size > rest_.size()) {
            failed_ = true;
            rest_ = {};
            return {};
        }
        auto const taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        auto const bytes = raw(size);
        for (std::size_t i = 0; i < bytes.size(); i++) value |= std::uint64_t{bytes[i]} << (8 * i);
        return value;
    }
    std::uint32_t word() { return static_cast<std::uint32_t>(number(4)); }
    byte_view sized() { return raw(word()); }

    bool is_at_end() const { return !failed_ && rest_.empty(); }
    std::size_t remaining() const { return rest_.size(); }

  private:
    byte_view rest_;
    bool failed_ = false;
};

std::vector<unsigned char> file_of(key const& key, entry const& entry) {
    auto const total = fixed_bytes + entry.symbol.size() + entry.arch.size() +
                       8 * entry.parameters.size() + entry.cubin.size();
    file_writer file;
    file.bytes.reserve(total);
    file.raw(magic);
    file.number(schema, 4);
    file.raw(key.value);
    file.number(total, 8);
    file.sized(entry.symbol);
    file.sized(entry.arch);
    file.number(entry.parameters.size(), 4);
    for (auto const& parameter : entry.parameters) {
        file.number(parameter.offset, 4);
        file.number(parameter.size, 4);
    }
    file.sized(entry.cubin);
    file.raw(sha256_of(file.bytes));
    return file.bytes;
}

static std::string text_of(byte_view bytes) { return {bytes.begin(), bytes.end()}; }

// Accepts the fields that file_of() writes and nothing else; the digest is right already.
static parsed_entry parse_fields(file_reader file) {
    entry entry;
    entry.symbol = text_of(file.sized());
    entry.arch = text_of(file.sized());
    auto const count = file.word();
    if (count > file.remaining() / 8) return {{}, "it has more parameters than bytes"};
    for (std::uint32_t i = 0; i < count; i++) {
        auto const offset = file.word();
        entry.parameters.push_back({offset, file.word()});
    }
    auto const cubin = file.sized();
    entry.cubin.assign(cubin.begin(), cubin.end());
    if (!file.is_at_end()) return {{}, "its fields do not fill it"};
    if (entry.symbol.empty() || entry.cubin.empty()) return {{}, "it has no symbol or no image"};
    return {std::move(entry), ""};
}

parsed_entry parse_file(byte_view bytes, key const& expected) {
    if (bytes.size() < least_file_bytes) return {{}, "it is too short"};
    if (bytes.size() > most_file_bytes) return {{}, "it is too long"};
    auto const covered = bytes.first(bytes.size() - sizeof(digest));
    auto file = file_reader(covered);
    if (!std::ranges::equal(file.raw(magic.size()), magic)) return {{}, "it is no image of ours"};
    if (file.word() != schema) return {{}, "it has another schema"};
    if (!std::ranges::equal(file.raw(sizeof(digest)), expected.value)) {
        return {{}, "it belongs to another key"};
    }
    if (file.number(8) != bytes.size()) return {{}, "it is not as long as it says"};
    if (!std::ranges::equal(sha256_of(covered), bytes.last(sizeof(digest)))) {
        return {{}, "its digest is another"};
    }
    return parse_fields(file);
}

} // namespace spio::cache
