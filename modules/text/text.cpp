// Follows the includes of a specialization's text.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from: a short text, which includes headers.
// text_digest_of() is a number for all text that a kernel is compiled from: an image that was
// compiled from other text is not used.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.text;

import spio.spec;
import spio.system;

namespace spio {

namespace {

header const* find(std::span<header const> headers, std::string_view name) {
    auto const found = std::ranges::find(headers, name, &header::name);
    return found == headers.end() ? nullptr : &*found;
}

// The name in `#include "NAME"` or `#include <NAME>`, empty if the line is no #include.
std::string_view included_in(std::string_view line) {
    auto const skip = [&](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        bool const starts = line.starts_with(word);
        if (starts) line.remove_prefix(word.size());
        return starts;
    };
    if (!skip("#") || !skip("include")) return {};
    bool const is_quoted = skip("\"");
    if (!is_quoted && !skip("<")) return {};
    auto const end = line.find(is_quoted ? '"' : '>');
    return end == line.npos ? std::string_view() : line.substr(0, end);
}

// Adds the headers that a text includes, and those that they include in turn. Kernel text has no
// #if, so every include counts.
void follow(std::string_view text, spec const& spec, std::vector<header>& headers) {
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto const name = included_in(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (name.empty() || find(headers, name)) continue;
        auto const* found = find(spec.headers, name);
        if (!found) found = find(kernel_text(), name);
        if (!found) continue;
        header const next = *found;
        headers.push_back(next);
        follow(next.text, spec, headers);
    }
}

} // namespace

std::vector<header> headers_of(spec const& spec) {
    std::vector<header> headers;
    follow(spec.source, spec, headers);
    return headers;
}

namespace {

// The digest of all headers that a specialization includes.
std::uint64_t header_digest_of(spec const& spec) {
    auto digest = fnv("");
    for (auto const& [name, text] : headers_of(spec)) {
        digest = fnv(std::string(name) + "\n" + std::to_string(text.size()) + "\n", digest);
        digest = fnv(text, digest);
    }
    return digest;
}

// What a text includes itself, one name a line.
std::string includes_of(std::string_view text) {
    std::string names;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        if (auto const name = included_in(text.substr(0, end)); !name.empty()) {
            (names += name) += '\n';
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

// Where the texts of headers lie, and how long each is. A family's headers are constants, so texts
// at the same places with the same lengths are the same texts.
std::uint64_t places_of(std::span<header const> headers) {
    std::uint64_t digest = fnv("");
    for (header const& each : headers) {
        auto const place = reinterpret_cast<std::uintptr_t>(each.text.data());
        for (std::uint64_t const number : {std::uint64_t{place}, std::uint64_t{each.text.size()}}) {
            digest = (digest ^ number) * 0x9e3779b97f4a7c15;
            digest ^= digest >> 32;
        }
    }
    return digest;
}

// The digests of headers, which are read once: by the places of the headers, and by what is
// included of them.
struct known_digests {
    using key = std::pair<std::uint64_t, std::string>;
    fork_safe_mutex mutex;
    std::map<key, std::uint64_t> digests;
};
known_digests& all_known_digests() {
    static auto& digests = *new known_digests; // never destroyed: static objects may ask for it
    return digests;
}

} // namespace

std::uint64_t text_digest_of(spec const& spec) {
    auto& known = all_known_digests();
    known_digests::key const key(places_of(spec.headers), includes_of(spec.source));
    std::optional<std::uint64_t> headers;
    {
        std::lock_guard const lock(known.mutex);
        if (auto const found = known.digests.find(key); found != known.digests.end()) {
            headers = found->second;
        }
    }
    if (!headers) {
        headers = header_digest_of(spec);
        std::lock_guard const lock(known.mutex);
        known.digests.emplace(key, *headers);
    }
    return fnv(std::to_string(*headers), fnv(spec.source));
}

} // namespace spio
