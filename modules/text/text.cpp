// Follows the includes of a specialization's text.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.text;

import spio.spec;

namespace spio {

namespace {

header const* find(std::span<header const> in, std::string_view name) {
    auto const found = std::ranges::find(in, name, &header::name);
    return found == in.end() ? nullptr : &*found;
}

// The name in `#include "NAME"` or `#include <NAME>`, empty if the line is another.
std::string_view included_in(std::string_view line) {
    auto const skip = [&](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        bool const is_there = line.starts_with(word);
        if (is_there) line.remove_prefix(word.size());
        return is_there;
    };
    if (!skip("#") || !skip("include")) return {};
    bool const is_quoted = skip("\"");
    if (!is_quoted && !skip("<")) return {};
    auto const end = line.find(is_quoted ? '"' : '>');
    return end == line.npos ? std::string_view() : line.substr(0, end);
}

// There is no #if in kernels: what is included anywhere is always included.
void follow(std::string_view text, spec const& of, std::vector<header>& met) {
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto const name = included_in(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (name.empty() || find(met, name)) continue;
        auto const* found = find(of.headers, name);
        if (!found) found = find(kernel_text(), name);
        if (!found) continue;
        header const here = *found;
        met.push_back(here);
        follow(here.text, of, met);
    }
}

} // namespace

std::vector<header> headers_of(spec const& of) {
    std::vector<header> met;
    follow(of.source, of, met);
    return met;
}

std::uint64_t text_digest_of(spec const& of) {
    auto digest = fnv(of.source);
    for (auto const& [name, text] : headers_of(of)) {
        digest = fnv(std::string(name) + "\n" + std::to_string(text.size()) + "\n", digest);
        digest = fnv(text, digest);
    }
    return digest;
}

} // namespace spio
