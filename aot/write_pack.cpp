// Writes packs.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import :entry;

namespace spio::aot {

namespace {

struct writer {
    std::string out;

    void number(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    }
    void text(std::string_view what) {
        number(what.size(), 4);
        out += what;
    }
    void numbers(extent const& e) {
        for (int const each : {e.x, e.y, e.z}) number(static_cast<std::uint32_t>(each), 4);
    }
};

void write(writer& to, packed const& entry) {
    for (auto const* text : texts_of(entry)) to.text(*text);
    to.number(static_cast<unsigned>(entry.kind), 4);
    to.numbers(entry.shape.block);
    to.numbers(entry.shape.cluster);
    to.number(static_cast<std::uint32_t>(entry.shape.shared_bytes), 4);
    to.number(entry.params_bytes, 4);
    for (auto const* number : numbers_of(entry)) to.number(*number, 8);
}

// The header and the index of entries whose places are known.
std::string written(std::span<packed const> entries, std::uint64_t pack_bytes) {
    writer index;
    for (auto const& each : entries) write(index, each);
    writer header;
    header.out = magic;
    header.number(pack_schema, 4);
    header.number(entries.size(), 4);
    header.number(pack_bytes, 8);
    header.number(index.out.size(), 8);
    header.number(fnv(index.out, fnv(header.out)), 8);
    return header.out + index.out;
}

} // namespace

std::vector<std::byte> write_pack(std::span<to_pack const> images) {
    std::vector<packed> entries;
    std::vector<std::string_view> parts;
    std::set<std::pair<std::string_view, std::string_view>> known;
    for (auto const& each : images) {
        auto const& of = each.of;
        if (!known.emplace(of.symbol, text_of(of.arch)).second) continue;
        parts.push_back(text_of(each.bytes));
        entries.push_back({.symbol = of.symbol,
                           .arch = text_of(of.arch),
                           .line = of.line(),
                           .config = of.config,
                           .kind = each.kind,
                           .shape = of.shape,
                           .params_bytes = static_cast<std::uint32_t>(of.params_bytes),
                           .size = each.bytes.size(),
                           .checksum = fnv(parts.back()),
                           .compiler = each.compiler,
                           .text_digest = each.text_digest,
                           .plain_bytes = each.plain_bytes});
        if (auto const wrong = complaint_of(entries.back()); !wrong.empty()) {
            throw error(error_kind::internal, "pack", of.spelled(), "it " + wrong);
        }
    }
    // The index is as long with any places as with the right ones.
    std::size_t end = written(entries, 0).size();
    for (auto& each : entries) {
        each.offset = aligned(end);
        end = each.offset + each.size;
    }
    std::string all = written(entries, end);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        all.resize(entries[i].offset);
        all += parts[i];
    }
    auto const bytes = std::as_bytes(std::span(all));
    return {bytes.begin(), bytes.end()};
}

} // namespace spio::aot
