// Writes entries, and reads them as if their author were hostile.
// SPDX-License-Identifier: Apache-2.0
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

// No text begins so, and a transfer that takes it for one damages it.
static constexpr std::array<unsigned char, 8> magic = {0x89, 'S', 'P', 'I', 'O', '\r', '\n', 0x1a};

static constexpr std::size_t fixed_bytes = magic.size() + 4 + sizeof(digest) + 8 // up to the texts
                                           + 4 + 4 + 4 + 4                       // lengths
                                           + sizeof(digest);
static_assert(fixed_bytes + 2 == least_file_bytes); // a symbol and an image of one byte

class file_writer {
  public:
    void number(std::uint64_t value, int size) {
        for (int i = 0; i < size; i++)
            bytes.push_back(static_cast<unsigned char>(value >> (8 * i)));
    }
    template <class Range> void raw(Range const& range) {
        bytes.insert(bytes.end(), range.begin(), range.end());
    }
    template <class Range> void sized(Range const& range) {
        number(range.size(), 4);
        raw(range);
    }

    std::vector<unsigned char> bytes;
};

// After the first thing that is not there, nothing is.
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

    bool ended() const { return !failed_ && rest_.empty(); }
    std::size_t left() const { return rest_.size(); }

  private:
    byte_view rest_;
    bool failed_ = false;
};

std::vector<unsigned char> file_of(key const& of, entry const& what) {
    auto const total = fixed_bytes + what.symbol.size() + what.arch.size() +
                       8 * what.parameters.size() + what.cubin.size();
    file_writer to;
    to.bytes.reserve(total);
    to.raw(magic);
    to.number(schema, 4);
    to.raw(of.value);
    to.number(total, 8);
    to.sized(what.symbol);
    to.sized(what.arch);
    to.number(what.parameters.size(), 4);
    for (auto const& each : what.parameters) {
        to.number(each.offset, 4);
        to.number(each.size, 4);
    }
    to.sized(what.cubin);
    to.raw(sha256_of(to.bytes));
    return to.bytes;
}

static std::string text_of(byte_view bytes) { return {bytes.begin(), bytes.end()}; }

// Nothing but what the digest covers and file_of() wrote.
static reading read_fields(file_reader from) {
    entry what;
    what.symbol = text_of(from.sized());
    what.arch = text_of(from.sized());
    auto const count = from.word();
    if (count > from.left() / 8) return {{}, "it has more parameters than bytes"};
    for (std::uint32_t i = 0; i < count; i++) {
        auto const offset = from.word();
        what.parameters.push_back({offset, from.word()});
    }
    auto const cubin = from.sized();
    what.cubin.assign(cubin.begin(), cubin.end());
    if (!from.ended()) return {{}, "its fields do not fill it"};
    if (what.symbol.empty() || what.cubin.empty()) return {{}, "it has no symbol or no image"};
    return {std::move(what), ""};
}

reading read_file(byte_view bytes, key const& expected) {
    if (bytes.size() < least_file_bytes) return {{}, "it is too short"};
    if (bytes.size() > most_file_bytes) return {{}, "it is too long"};
    auto const covered = bytes.first(bytes.size() - sizeof(digest));
    auto from = file_reader(covered);
    if (!std::ranges::equal(from.raw(magic.size()), magic)) return {{}, "it is no image of ours"};
    if (from.word() != schema) return {{}, "it has another schema"};
    if (!std::ranges::equal(from.raw(sizeof(digest)), expected.value)) {
        return {{}, "it belongs to another key"};
    }
    if (from.number(8) != bytes.size()) return {{}, "it is not as long as it says"};
    if (!std::ranges::equal(sha256_of(covered), bytes.last(sizeof(digest)))) {
        return {{}, "its digest is another"};
    }
    return read_fields(from);
}

} // namespace spio::cache
