// Writes packs: files of images (compiled kernels), with an index before them.
// SPDX-License-Identifier: Apache-2.0
//
// An entry of the index says what its image was compiled from: the line of a manifest (a list of
// kernels), the configuration, the compiler, and a digest of the kernel's text. texts_of and
// numbers_of list its members in the order of the file, defect_of tells what is wrong with it.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.text;

namespace spio::aot {

namespace {

// Appends numbers, little-endian, and texts after their length.
struct writer {
    std::string output;

    // Appends a number in `bytes` bytes, the low ones first.
    void number(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) output += static_cast<char>(value >> (8 * i));
    }
    void text(std::string_view text) {
        number(text.size(), 4);
        output += text;
    }
    void numbers(extent const& extent) {
        for (int const size : {extent.x, extent.y, extent.z}) {
            number(static_cast<std::uint32_t>(size), 4);
        }
    }
};

void write(writer& index, packed_image const& entry) {
    for (auto const* text : texts_of(entry)) index.text(*text);
    index.number(static_cast<unsigned>(entry.kind), 4);
    index.numbers(entry.shape.block);
    index.numbers(entry.shape.cluster);
    index.number(static_cast<std::uint32_t>(entry.shape.shared_bytes), 4);
    index.number(entry.params_bytes, 4);
    for (auto const* number : numbers_of(entry)) index.number(*number, 8);
}

// The header and the index of a pack. The offsets of its entries must be known.
std::string header_and_index(std::span<packed_image const> entries, std::uint64_t pack_bytes) {
    writer index;
    std::vector<std::tuple<std::uint64_t, std::string_view, std::string_view, std::size_t>> places;
    for (auto const& entry : entries) {
        places.emplace_back(fast_digest_of(entry.symbol), entry.symbol, entry.arch,
                            header_bytes + index.output.size());
        write(index, entry);
    }
    std::ranges::sort(places);
    for (auto const& [digest, symbol, arch, offset] : places) {
        index.number(digest, 8);
        index.number(offset, 8);
    }
    writer header;
    header.output = pack_magic;
    header.number(pack_schema, 4);
    header.number(entries.size(), 4);
    header.number(pack_bytes, 8);
    header.number(index.output.size(), 8);
    header.number(fast_digest_of(index.output, fast_digest_of(header.output)), 8);
    return header.output + index.output;
}

} // namespace

std::vector<std::byte> write_pack(std::span<image_to_pack const> images) {
    std::vector<packed_image> entries;
    std::vector<std::string_view> contents;
    std::set<std::pair<std::string_view, std::string>> names;
    for (auto const& image : images) {
        auto const& kernel = image.kernel;
        if (!names.emplace(kernel.symbol, text_of(kernel.arch)).second) continue;
        contents.push_back(text_of(image.bytes));
        entries.push_back({.symbol = kernel.symbol,
                           .arch = text_of(kernel.arch),
                           .line = kernel.line(),
                           .config = kernel.config,
                           .kind = image.kind,
                           .shape = kernel.shape,
                           .params_bytes = static_cast<std::uint32_t>(kernel.params_bytes),
                           .size = image.bytes.size(),
                           .checksum = fast_digest_of(contents.back()),
                           .compiler = image.compiler,
                           .text_digest = image.text_digest,
                           .library_digest = image.library_digest,
                           .plain_bytes = image.plain_bytes});
        if (auto const defect = defect_of(entries.back()); !defect.empty()) {
            throw error(error_kind::invalid, "pack", kernel.spelled(), "it " + defect);
        }
    }
    // The index has the same size whatever the offsets are, so its size is known before they are.
    std::size_t end = header_and_index(entries, /*pack_bytes=*/0).size();
    for (auto& entry : entries) {
        entry.offset = aligned(end);
        end = entry.offset + entry.size;
    }
    std::string text = header_and_index(entries, end);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        text.resize(entries[i].offset);
        text += contents[i];
    }
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

} // namespace spio::aot
