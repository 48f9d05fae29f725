// Follows the includes of a specialization's text.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from: a short text, which includes headers.
// text_digest_of() is a number for all text that a kernel is compiled from: an image that was
// compiled from other text is not used.
module;

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

std::uint64_t fast_digest_of(std::string_view text, std::uint64_t start) {
    auto const add = [](std::uint64_t& digest, std::uint64_t word) {
        constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15; // of 2^64, an odd number
        digest = (digest ^ word) * golden_ratio;
        digest ^= digest >> 32;
    };
    // The sizes of the copies are constants, so that each is one load.
    auto const take = [&](auto& words) {
        std::memcpy(&words, text.data(), sizeof words);
        text.remove_prefix(sizeof words);
    };
    std::uint64_t digest = start;
    add(digest, text.size());
    // Four lanes, because a product takes several cycles, and the next of its lane waits for it.
    std::array<std::uint64_t, 4> lanes = {0, 1, 2, 3}, words = {};
    while (text.size() >= sizeof words) {
        take(words);
        for (std::size_t i = 0; i < lanes.size(); ++i) add(lanes[i], words[i]);
    }
    for (auto const lane : lanes) add(digest, lane);
    std::uint64_t word = 0;
    while (text.size() >= sizeof word) {
        take(word);
        add(digest, word);
    }
    word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    add(digest, word);
    return digest;
}

namespace {

header const* find(std::span<header const> headers, std::string_view name) {
    auto const found = std::ranges::find(headers, name, &header::name);
    return found == headers.end() ? nullptr : &*found;
}

// The name in `include "NAME"` or `include <NAME>`, the rest of a line after its #; empty if it is
// another directive.
std::string_view included_in(std::string_view line) {
    auto const skip = [&](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        bool const starts = line.starts_with(word);
        if (starts) line.remove_prefix(word.size());
        return starts;
    };
    if (!skip("include")) return {};
    bool const is_quoted = skip("\"");
    if (!is_quoted && !skip("<")) return {};
    auto const end = line.find(is_quoted ? '"' : '>');
    return end == line.npos ? std::string_view() : line.substr(0, end);
}

// The names that a text includes, in order. Kernel text has no #if, so every include counts. Only
// lines with a # are looked at: the first call of a program waits for it.
std::vector<std::string_view> includes_of(std::string_view text) {
    std::vector<std::string_view> names;
    for (auto place = text.find('#'); place != text.npos; place = text.find('#', place + 1)) {
        auto const head = text.substr(0, place);
        auto const blank = head.substr(head.find_last_not_of(" \t") + 1);
        if (blank.size() < place && head[place - blank.size() - 1] != '\n') continue;
        auto const end = std::min(text.find('\n', place), text.size());
        auto const name = included_in(text.substr(place + 1, end - place - 1));
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

// What is known of the text of a header, which is read once.
struct known_text {
    std::vector<std::string_view> includes;
    std::uint64_t digest;
};
// By the place of the text and its size. A family's headers are constants, so a text at the same
// place with the same size is the same text.
class known_texts {
  public:
    known_text const& find(std::string_view text) {
        std::lock_guard const lock(mutex);
        std::pair const key(text.data(), text.size());
        auto found = texts.find(key);
        if (found == texts.end()) {
            found = texts.emplace(key, known_text{includes_of(text), fast_digest_of(text)}).first;
        }
        return found->second; // which stays where it is
    }

  private:
    fork_safe_mutex mutex;
    std::map<std::pair<char const*, std::size_t>, known_text> texts;
};
known_texts& all_known_texts() {
    static auto& texts = *new known_texts; // never destroyed: static objects may ask for it
    return texts;
}

// Adds the headers with these names, and those that they include in turn.
void follow(std::span<std::string_view const> names, spec const& spec,
            std::vector<header>& headers) {
    for (auto const name : names) {
        if (find(headers, name)) continue;
        auto const* found = find(spec.headers, name);
        if (!found) found = find(kernel_text(), name);
        if (!found) continue;
        headers.push_back(*found);
        follow(all_known_texts().find(found->text).includes, spec, headers);
    }
}

} // namespace

std::vector<header> headers_of(spec const& spec) {
    std::vector<header> headers;
    follow(includes_of(spec.source), spec, headers);
    return headers;
}

namespace {

// The digest of all headers that a specialization includes.
std::uint64_t header_digest_of(spec const& spec) {
    auto digest = fnv("");
    for (auto const& header : headers_of(spec)) {
        digest = fnv(header.name, digest);
        digest = fnv(std::to_string(all_known_texts().find(header.text).digest), digest);
    }
    return digest;
}

// A number for where the texts of headers lie and how long each is. A family's headers are
// constants, so texts at the same places with the same lengths are the same texts.
std::uint64_t places_of(std::span<header const> headers) {
    auto const bytes = std::as_bytes(headers); // addresses and lengths, of names too
    return fast_digest_of({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
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
    std::string names;
    for (auto const name : includes_of(spec.source)) (names += name) += '\n';
    known_digests::key const key(places_of(spec.headers), names);
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

std::uint64_t library_digest_of(spec const& spec) {
    auto digest = fast_digest_of(spec.source, fast_digest_of(kernel_text_digest()));
    for (auto const& header : spec.headers) {
        if (header.digest == 0) return 0;
        digest = fast_digest_of(header.name, digest ^ header.digest);
    }
    return digest;
}

} // namespace spio
