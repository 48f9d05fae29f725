// The index of a pack: read as if its author were hostile, and checked.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file with images, that is the compiled code of kernels, and an index before them. The
// index has two parts: the entries, each of which tells what its image was compiled from and where
// it is, and a row for each entry, which says where the entry is. Rows are ordered by a digest of
// the kernel's symbol, so that find() reads few of them.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.text;

namespace spio::aot {

namespace {

// Reads numbers and texts from the front of `rest`. A number that is missing reads as 0, a text as
// empty, and is_short is set.
struct reader {
    std::string_view rest;
    bool is_short = false;

    std::uint64_t number(int bytes) {
        auto const count = static_cast<std::size_t>(bytes);
        if (rest.size() < count) return is_short = true, rest = {}, 0;
        std::uint64_t value = 0;
        for (std::size_t i = count; i-- > 0;) {
            value = value << 8 | static_cast<unsigned char>(rest[i]);
        }
        rest.remove_prefix(count);
        return value;
    }
    int integer() { return static_cast<int>(number(4)); }
    std::string_view text() {
        auto const size = number(4);
        if (rest.size() < size) return is_short = true, rest = {}, std::string_view();
        auto const text = rest.substr(0, size);
        rest.remove_prefix(size);
        return text;
    }
    // Reads three numbers, such as the extents of a block.
    extent numbers() {
        int const x = integer(), y = integer(), z = integer();
        return {x, y, z};
    }
};

void read_entry(reader& index, packed_image& entry) {
    for (auto* text : texts_of(entry)) *text = index.text();
    entry.kind = static_cast<image_kind>(index.number(4));
    entry.shape.block = index.numbers();
    entry.shape.cluster = index.numbers();
    entry.shape.shared_bytes = index.integer();
    entry.params_bytes = static_cast<std::uint32_t>(index.number(4));
    for (auto* number : numbers_of(entry)) *number = index.number(8);
}

} // namespace

// The reason why write_pack() cannot have written this entry; empty if it can.
std::string defect_of(packed_image const& entry) {
    auto const is_possible = [](extent const& extent) {
        int room = 1024;
        for (int const size : {extent.x, extent.y, extent.z}) {
            if (size < 1 || size > room) return false;
            room /= size;
        }
        return extent.z <= 64;
    };
    if (entry.symbol.empty() || entry.arch.empty() || entry.line.empty()) return "has no name";
    if (entry.kind != image_kind::cubin && entry.kind != image_kind::ptx &&
        entry.kind != image_kind::fatbin) {
        return "is of no kind";
    }
    if (!is_possible(entry.shape.block)) return "has an impossible block";
    if (!is_possible(entry.shape.cluster)) return "has an impossible cluster";
    if (entry.shape.shared_bytes < 0) return "has less than no shared memory";
    if (entry.size == 0) return "has no image";
    return "";
}

void pack::check_header() {
    auto const text = text_of(bytes_);
    if (bytes_.size() < header_bytes) fail("its header is cut off");
    if (bytes_.size() > most_pack_bytes) fail("it is larger than any pack");
    if (!text.starts_with(pack_magic)) fail("it does not begin like a pack");
    reader header = {text.substr(pack_magic.size())};
    auto const schema = header.number(4);
    count_ = header.number(4);
    auto const pack_bytes = header.number(8), index_bytes = header.number(8);
    if (schema != pack_schema) {
        fail("it is of schema " + std::to_string(schema) + ", and only " +
             std::to_string(pack_schema) + " can be read");
    }
    if (pack_bytes != bytes_.size()) {
        fail("it should have " + std::to_string(pack_bytes) + " bytes, not " +
             std::to_string(bytes_.size()));
    }
    if (index_bytes > bytes_.size() - header_bytes) fail("its index is cut off");
    if (index_bytes / (place_bytes + least_entry_bytes) < count_) {
        fail("its index is too short for its entries");
    }
    entries_end_ = header_bytes + index_bytes - count_ * place_bytes;
}

// Throws unless write_pack() could have made this index, and zeros between the images.
void pack::check_index() const {
    auto const text = text_of(bytes_);
    auto end = entries_end_ + count_ * place_bytes;
    reader checksum = {text.substr(checksum_offset)};
    auto const digest = fast_digest_of(text.substr(0, checksum_offset));
    if (fast_digest_of(text.substr(header_bytes, end - header_bytes), digest) !=
        checksum.number(8)) {
        fail("its index is damaged");
    }
    reader entries = {entries_from(header_bytes)};
    packed_image entry; // its texts keep their memory from one entry to the next
    std::vector<place> places;
    while (places.size() < count_) {
        auto const offset = entries_end_ - entries.rest.size();
        read_entry(entries, entry);
        if (entries.is_short) fail("its index is too short for its entries");
        if (auto const defect = defect_of(entry); !defect.empty()) fail_entry(entry, defect);
        if (entry.offset != aligned(end) || !is_inside(entry)) {
            fail_entry(entry, "is not where it should be");
        }
        auto const padding = text.substr(end, entry.offset - end);
        if (padding.find_first_not_of('\0') != padding.npos) {
            fail_entry(entry, "is not after zeros");
        }
        end = entry.offset + entry.size;
        places.push_back({fast_digest_of(entry.symbol), offset});
    }
    if (!entries.rest.empty()) fail("its index is longer than its entries");
    if (end != bytes_.size()) fail("it goes on after its last image");
    check_places(std::move(places));
}

// Refuses two entries of one name, and rows that are not the places of the entries in their order.
void pack::check_places(std::vector<place> places) const {
    auto const precedes = [&](place const& a, place const& b) {
        if (a.symbol_digest != b.symbol_digest) return a.symbol_digest < b.symbol_digest;
        return name_at(a.offset) < name_at(b.offset);
    };
    std::ranges::sort(places, precedes);
    auto const same = std::ranges::adjacent_find(
        places, [&](place const& a, place const& b) { return !precedes(a, b); });
    if (same != places.end()) {
        auto const [symbol, arch] = name_at(same->offset);
        fail("entry " + std::string(symbol) + " for " + std::string(arch) + " is there twice");
    }
    for (std::size_t row = 0; row < places.size(); ++row) {
        if (place_at(row) != places[row]) fail("its index does not say where its entries are");
    }
}

pack::place pack::place_at(std::size_t row) const {
    reader place = {text_of(bytes_).substr(entries_end_ + row * place_bytes, place_bytes)};
    auto const digest = place.number(8);
    return {digest, place.number(8)};
}

// The symbol and the architecture of the entry at an offset; both empty if there is none.
std::pair<std::string_view, std::string_view> pack::name_at(std::size_t offset) const {
    reader entry = {entries_from(offset)};
    auto const symbol = entry.text();
    return {symbol, entry.text()};
}

std::string_view pack::entries_from(std::size_t offset) const {
    return text_of(bytes_).substr(0, entries_end_).substr(std::min(offset, entries_end_));
}

bool pack::is_inside(packed_image const& entry) const {
    return entry.offset <= bytes_.size() && entry.size <= bytes_.size() - entry.offset;
}

packed_image pack::next_entry(std::string_view& entries) const {
    packed_image entry;
    reader source = {entries};
    read_entry(source, entry);
    entries = source.rest;
    if (source.is_short) fail("its index is too short for its entries");
    if (auto const defect = defect_of(entry); !defect.empty()) fail_entry(entry, defect);
    if (!is_inside(entry)) fail_entry(entry, "is not where it should be");
    return entry;
}

std::vector<packed_image> pack::list() const {
    auto rest = entries_from(header_bytes);
    std::vector<packed_image> entries;
    while (entries.size() < count_) entries.push_back(next_entry(rest));
    return entries;
}

} // namespace spio::aot
