// Reads packs as if somebody had damaged them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.text;
import :entry;

namespace spio::aot {

namespace {

// Takes numbers and texts off the front; what is not there is 0 or empty, and told at the end.
struct reader {
    std::string_view left;
    bool is_short = false;

    std::uint64_t number(int bytes) {
        auto const count = static_cast<std::size_t>(bytes);
        if (left.size() < count) return is_short = true, left = {}, 0;
        std::uint64_t value = 0;
        for (std::size_t i = count; i-- > 0;) {
            value = value << 8 | static_cast<unsigned char>(left[i]);
        }
        left.remove_prefix(count);
        return value;
    }
    int whole() { return static_cast<int>(number(4)); }
    std::string text() {
        auto const size = number(4);
        if (left.size() < size) return is_short = true, left = {}, std::string();
        std::string const found(left.substr(0, size));
        left.remove_prefix(size);
        return found;
    }
    extent numbers() {
        int const x = whole(), y = whole(), z = whole();
        return {x, y, z};
    }
};

packed read_entry(reader& from) {
    packed entry;
    for (auto* text : texts_of(entry)) *text = from.text();
    entry.kind = static_cast<image_kind>(from.number(4));
    entry.shape.block = from.numbers();
    entry.shape.cluster = from.numbers();
    entry.shape.shared_bytes = from.whole();
    entry.params_bytes = static_cast<std::uint32_t>(from.number(4));
    for (auto* number : numbers_of(entry)) *number = from.number(8);
    return entry;
}

} // namespace

std::string complaint_of(packed const& entry) {
    auto const is_possible = [](extent const& e) {
        return e.x >= 1 && e.y >= 1 && e.z >= 1 && e.x <= 1024 && e.y <= 1024 && e.z <= 64 &&
               std::int64_t{e.x} * e.y * e.z <= 1024;
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

pack::pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper)
    : all(bytes), named(std::move(name)), kept(std::move(keeper)) {
    auto const text = text_of(all);
    if (all.size() < header_bytes) fail("its header is cut off");
    if (all.size() > most_pack_bytes) fail("it is larger than any pack");
    if (!text.starts_with(magic)) fail("it does not begin like a pack");
    reader header = {text.substr(magic.size())};
    auto const schema = header.number(4), count = header.number(4);
    auto const pack_bytes = header.number(8), index_bytes = header.number(8);
    auto const checksum = header.number(8);
    if (schema != pack_schema) {
        fail("it is of schema " + std::to_string(schema) + ", and only " +
             std::to_string(pack_schema) + " can be read");
    }
    if (pack_bytes != all.size()) {
        fail("it should have " + std::to_string(pack_bytes) + " bytes, not " +
             std::to_string(all.size()));
    }
    if (index_bytes > all.size() - header_bytes) fail("its index is cut off");
    auto const index_text = text.substr(header_bytes, index_bytes);
    if (fnv(index_text, fnv(text.substr(0, checksum_at))) != checksum) {
        fail("its index is damaged");
    }

    reader entries = {index_text};
    std::set<std::pair<std::string, std::string>> known;
    std::size_t end = header_bytes + index_bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        packed const entry = read_entry(entries);
        if (entries.is_short) fail("its index is too short for its entries");
        auto const about = "entry " + entry.symbol + " for " + entry.arch + " ";
        if (auto const wrong = complaint_of(entry); !wrong.empty()) fail(about + wrong);
        if (!known.emplace(entry.symbol, entry.arch).second) fail(about + "is there twice");
        if (entry.offset != aligned(end) || entry.offset > all.size() ||
            entry.size > all.size() - entry.offset) {
            fail(about + "is not where it should be");
        }
        auto const between = text.substr(end, entry.offset - end);
        if (between.find_first_not_of('\0') != between.npos) fail(about + "is not after zeros");
        end = entry.offset + entry.size;
        index.push_back(entry);
    }
    if (!entries.left.empty()) fail("its index is longer than its entries");
    if (end != all.size()) fail("it goes on after its last image");
    texts = std::make_unique<std::atomic<text_state>[]>(index.size());
}

pack pack::read(std::filesystem::path const& path) {
    auto const fail = [&](std::string why) {
        throw error(error_kind::invalid, "read", "pack " + path.string(), std::move(why));
    };
    // To open a pipe would be to wait for somebody who writes.
    std::error_code unknown;
    auto const status = std::filesystem::status(path, unknown);
    if (!unknown && exists(status) && !is_regular_file(status)) {
        fail("it is no file");
    }
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        throw error(error_kind::not_found, "read", "pack " + path.string(), "it cannot be opened");
    }
    auto const size = static_cast<std::streamoff>(file.tellg());
    if (size < 0 || static_cast<std::uint64_t>(size) > most_pack_bytes) {
        fail("it is no file of a pack's size");
    }
    auto const bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(size));
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(bytes->data()), size)) fail("it cannot be read");
    return pack(*bytes, path.string(), bytes);
}

std::span<std::byte const> pack::bytes_of(packed const& entry) const {
    return all.subspan(entry.offset, entry.size);
}

void pack::verify(packed const& entry) const {
    if (fnv(text_of(bytes_of(entry))) != entry.checksum) {
        fail("the image of " + entry.symbol + " for " + entry.arch + " is damaged");
    }
}

void pack::verify() const {
    for (auto const& each : index) verify(each);
}

pack::text_state pack::text_of_entry(packed const& entry, spec const& of) const {
    auto& known = texts[&entry - index.data()];
    auto state = known.load(std::memory_order_relaxed);
    if (state == text_state::unknown) {
        state = text_digest_of(of) == entry.text_digest ? text_state::same : text_state::other;
        known.store(state, std::memory_order_relaxed);
    }
    return state;
}

packed const* pack::best_of(text_state state, spec const& of) const {
    packed const* best = nullptr;
    int most = 0;
    for (auto const& each : index) {
        if (each.symbol != of.symbol) continue;
        auto const code = find_arch(each.arch);
        int const how = code ? suits(*code, of.arch) : 0;
        if (how <= most || text_of_entry(each, of) != state) continue;
        most = how;
        best = &each;
    }
    return best;
}

std::string pack::why_not(spec const& of) const {
    auto const* const stale = best_of(text_state::other, of);
    return stale == nullptr ? ""
                            : "pack " + named + " has it of another text, by " + stale->compiler;
}

std::optional<image> pack::find(spec const& of) const {
    auto const* const best = best_of(text_state::same, of);
    if (best == nullptr) return {};
    if (best->config != of.config || best->shape != of.shape) {
        fail("the kernel " + of.spelled() + " is another one in it: " + best->line + " by " +
             best->config);
    }
    verify(*best);
    return image{.symbol = best->symbol,
                 .line = best->line,
                 .arch = parse_arch(best->arch),
                 .made_by = "pack " + named,
                 .kind = best->kind,
                 .bytes = bytes_of(*best),
                 .keeper = kept,
                 .shape = best->shape,
                 .params_bytes = best->params_bytes};
}

void pack::fail(std::string why) const {
    throw error(error_kind::invalid, "read", "pack " + named, std::move(why));
}

} // namespace spio::aot
