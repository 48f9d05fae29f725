// Reads packs, and finds the images of kernels in them.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file with images, that is the compiled code of kernels, and an index before them. An
// entry of the index tells what its image was compiled from: the `line` of a manifest (a list of
// kernels), the configuration, and a digest of the kernel's text. A spec is what a kernel would be
// compiled from now; an entry whose digest differs is not current. A trusted file is one that no
// other user could have written. A keeper owns the memory that something refers to.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>
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

pack::pack(std::span<std::byte const> bytes, std::string name, std::shared_ptr<void const> keeper)
    : bytes_(bytes), name_(std::move(name)), keeper_(std::move(keeper)) {
    check_header();
    check_index();
}

pack pack::linked(std::span<std::byte const> bytes, std::string name) {
    pack result;
    result.bytes_ = bytes;
    result.name_ = std::move(name);
    result.check_header();
    return result;
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
    // Digests of the kernel's text, computed if an entry has its symbol. If the library's digest is
    // equal, the headers need not be read, which takes 0.14 ms of a program's first launch.
    std::optional<std::uint64_t> library_digest, text_digest;
    auto const is_of_text = [&](packed_image const& entry) {
        if (!library_digest) library_digest = library_digest_of(kernel);
        if (*library_digest != 0 && entry.library_digest == *library_digest) return true;
        if (!text_digest) text_digest = text_digest_of(kernel);
        return entry.text_digest == *text_digest;
    };
    auto const digest_at = [&](std::size_t row) { return place_at(row).symbol_digest; };
    auto const rows = std::ranges::equal_range(std::views::iota(std::size_t{0}, count_),
                                               fast_digest_of(kernel.symbol), {}, digest_at);
    for (auto const row : rows) {
        auto const offset = place_at(row).offset;
        auto const [symbol, arch] = name_at(offset);
        if (symbol != kernel.symbol) continue;
        auto const code = find_arch(arch);
        int const suitability = code ? suits(*code, kernel.arch) : 0; // 0: does not run
        if (suitability <= most) continue;
        auto entries = entries_from(offset);
        auto entry = next_entry(entries);
        if (is_of_text(entry) != is_current) continue;
        most = suitability;
        best = std::move(entry);
    }
    return best;
}

std::string pack::why_not(spec const& kernel) const {
    constexpr bool is_current = false;
    auto const stale = best_entry(kernel, is_current);
    return stale ? "pack " + name_ + " has it of another text, by " + stale->compiler : "";
}

std::optional<image> pack::find(spec const& kernel) const {
    if (is_for_inspection_) fail("it was opened for inspection, whoever has written it");
    constexpr bool is_current = true;
    auto const best = best_entry(kernel, is_current);
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

void pack::fail_entry(packed_image const& entry, std::string const& reason) const {
    fail("entry " + entry.symbol + " for " + entry.arch + " " + reason);
}

void pack::fail(std::string reason) const {
    throw error(error_kind::invalid, "read", "pack " + name_, std::move(reason));
}

} // namespace spio::aot
