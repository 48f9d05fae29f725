// Reads packs as if their author were hostile.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file with images, that is the compiled code of kernels, and an index before them. An
// entry of the index tells what its image was compiled from: the `line` of a manifest (a list of
// kernels), the configuration, and a digest of the kernel's text. A spec is what a kernel would be
// compiled from now; an entry whose digest differs is not current. A trusted file is one that no
// other user could have written. A keeper owns the memory that something refers to. The constructor
// checks header and index, byte by byte, before anything is used; find() returns the image for a
// spec.
module;

#include <algorithm>
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

module spio.aot;

import spio.image;
import spio.spec;
import spio.system;
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
// The entry at the front of a text.
packed_image entry_of(std::string_view index) {
    packed_image entry;
    reader source = {index};
    read_entry(source, entry);
    return entry;
}

} // namespace

// The reason why write_pack() cannot have written this entry; empty if it can.
std::string defect_of(packed_image const& entry) {
    auto const is_possible = [](extent const& extent) {
        return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= 1024 &&
               extent.y <= 1024 && extent.z <= 64 &&
               std::int64_t{extent.x} * extent.y * extent.z <= 1024;
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

pack::index_size pack::check_header() const {
    auto const text = text_of(bytes_);
    if (bytes_.size() < header_bytes) fail("its header is cut off");
    if (bytes_.size() > most_pack_bytes) fail("it is larger than any pack");
    if (!text.starts_with(pack_magic)) fail("it does not begin like a pack");
    reader header = {text.substr(pack_magic.size())};
    auto const schema = header.number(4), count = header.number(4);
    auto const pack_bytes = header.number(8), index_bytes = header.number(8);
    auto const checksum = header.number(8);
    if (schema != pack_schema) {
        fail("it is of schema " + std::to_string(schema) + ", and only " +
             std::to_string(pack_schema) + " can be read");
    }
    if (pack_bytes != bytes_.size()) {
        fail("it should have " + std::to_string(pack_bytes) + " bytes, not " +
             std::to_string(bytes_.size()));
    }
    if (index_bytes > bytes_.size() - header_bytes) fail("its index is cut off");
    auto const digest = fast_digest_of(text.substr(0, checksum_offset));
    if (fast_digest_of(text.substr(header_bytes, index_bytes), digest) != checksum) {
        fail("its index is damaged");
    }
    return {count, header_bytes + index_bytes};
}

pack::pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper)
    : bytes_(bytes), name_(std::move(name)), keeper_(std::move(keeper)) {
    auto const text = text_of(bytes_);
    auto [count, end] = check_header();
    auto const index_end = end;
    reader entries = {text.substr(header_bytes, end - header_bytes)};
    packed_image entry; // its texts keep their memory from one entry to the next
    while (count-- > 0) {
        auto const offset = index_end - entries.rest.size();
        read_entry(entries, entry);
        if (entries.is_short) fail("its index is too short for its entries");
        auto const fail_entry = [&](std::string const& reason) {
            fail("entry " + entry.symbol + " for " + entry.arch + " " + reason);
        };
        if (auto const defect = defect_of(entry); !defect.empty()) fail_entry(defect);
        if (entry.offset != aligned(end) || entry.offset > bytes_.size() ||
            entry.size > bytes_.size() - entry.offset) {
            fail_entry("is not where it should be");
        }
        auto const padding = text.substr(end, entry.offset - end);
        if (padding.find_first_not_of('\0') != padding.npos) fail_entry("is not after zeros");
        end = entry.offset + entry.size;
        places_.push_back({fast_digest_of(entry.symbol), offset});
    }
    if (!entries.rest.empty()) fail("its index is longer than its entries");
    if (end != bytes_.size()) fail("it goes on after its last image");
    check_names();
}

// Orders the places of the entries, and refuses two of one name.
void pack::check_names() {
    auto const precedes = [&](place const& a, place const& b) {
        if (a.symbol_digest != b.symbol_digest) return a.symbol_digest < b.symbol_digest;
        return name_at(a.offset) < name_at(b.offset);
    };
    std::ranges::sort(places_, precedes);
    auto const same = std::ranges::adjacent_find(
        places_, [&](place const& a, place const& b) { return !precedes(a, b); });
    if (same == places_.end()) return;
    auto const [symbol, arch] = name_at(same->offset);
    fail("entry " + std::string(symbol) + " for " + std::string(arch) + " is there twice");
}

// The symbol and the architecture of the entry at an offset.
std::pair<std::string_view, std::string_view> pack::name_at(std::size_t offset) const {
    reader entry = {text_of(bytes_).substr(offset)};
    auto const symbol = entry.text();
    return {symbol, entry.text()};
}

std::vector<packed_image> pack::list() const {
    auto places = places_;
    std::ranges::sort(places, {}, &place::offset);
    std::vector<packed_image> entries;
    for (auto const& [digest, offset] : places) {
        entries.push_back(entry_of(text_of(bytes_).substr(offset)));
    }
    return entries;
}

namespace {

pack pack_of(std::filesystem::path const& path, std::string const& text) {
    auto const view = std::as_bytes(std::span(text));
    auto const bytes = std::make_shared<std::vector<std::byte>>(view.begin(), view.end());
    return pack(*bytes, path.string(), bytes);
}

} // namespace

pack pack::read(std::filesystem::path const& path) {
    trusted_file const file(path, trusted_file::use::data);
    auto const fail = [&](std::string reason) {
        throw error(file.is_missing() ? error_kind::not_found : error_kind::io, "read",
                    "pack " + path.string(), std::move(reason));
    };
    if (!file) fail(file.refusal());
    if (file.size() > most_pack_bytes) fail("it is no file of a pack's size");
    // Reads the file that was checked: it is still open, and cannot have been replaced.
    return pack_of(path, file.read());
}

pack pack::read(std::filesystem::path const& path, std::span<unsigned char const, 32> digest) {
    auto const text = read_file(path, most_pack_bytes);
    sha256 sum;
    sum.update(text);
    auto const found = sum.finish();
    if (!std::ranges::equal(found, digest)) {
        throw error(error_kind::invalid, "read", "pack " + path.string(),
                    "its SHA-256 is " + hexadecimal(found) + ", and this program was built for " +
                        hexadecimal(digest));
    }
    return pack_of(path, text);
}

pack pack::inspect(std::filesystem::path const& path) {
    auto result = pack_of(path, read_file(path, most_pack_bytes));
    result.is_for_inspection_ = true;
    return result;
}

std::span<std::byte const> pack::bytes_of(packed_image const& entry) const {
    return bytes_.subspan(entry.offset, entry.size);
}

void pack::verify(packed_image const& entry) const {
    if (fast_digest_of(text_of(bytes_of(entry))) != entry.checksum) {
        fail("the image of " + entry.symbol + " for " + entry.arch + " is damaged");
    }
}

void pack::verify() const {
    for (auto const& entry : list()) verify(entry);
}

std::optional<packed_image> pack::best_entry(spec const& kernel, bool is_current) const {
    std::optional<packed_image> best;
    int most = 0;
    std::optional<std::uint64_t> digest; // of the kernel's text, if an entry has its symbol
    auto const same_digest =
        std::ranges::equal_range(places_, fast_digest_of(kernel.symbol), {}, &place::symbol_digest);
    for (auto const& [symbol_digest, offset] : same_digest) {
        auto const [symbol, arch] = name_at(offset);
        if (symbol != kernel.symbol) continue;
        auto const code = find_arch(arch);
        int const suitability = code ? suits(*code, kernel.arch) : 0; // 0: does not run
        if (suitability <= most) continue;
        if (!digest) digest = text_digest_of(kernel);
        auto entry = entry_of(text_of(bytes_).substr(offset));
        if ((entry.text_digest == *digest) != is_current) continue;
        most = suitability;
        best = std::move(entry);
    }
    return best;
}

std::string pack::why_not(spec const& kernel) const {
    auto const stale = best_entry(kernel, false);
    return stale ? "pack " + name_ + " has it of another text, by " + stale->compiler : "";
}

std::optional<image> pack::find(spec const& kernel) const {
    if (is_for_inspection_) fail("it was opened for inspection, whoever has written it");
    auto const best = best_entry(kernel, true);
    if (!best) return {};
    // Whether launches may overlap is no property of the image: it follows from the kernel's text,
    // and the index does not have it.
    auto shape = best->shape;
    shape.overlaps_previous = kernel.shape.overlaps_previous;
    if (best->config != kernel.config || shape != kernel.shape) {
        fail("the kernel " + kernel.spelled() + " is another one in it: " + best->line + " by " +
             best->config);
    }
    verify(*best);
    return image{.symbol = best->symbol,
                 .line = best->line,
                 .arch = parse_arch(best->arch),
                 .made_by = "pack " + name_,
                 .kind = best->kind,
                 .bytes = bytes_of(*best),
                 .keeper = keeper_,
                 .shape = shape,
                 .params_bytes = best->params_bytes};
}

void pack::fail(std::string reason) const {
    throw error(error_kind::invalid, "read", "pack " + name_, std::move(reason));
}

} // namespace spio::aot
