// Makes the specializations of a pack once more, and compares.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.aot;

import spio.spec;
import spio.text;

namespace spio::aot {

namespace {

std::string joined(std::vector<spec> const& all, std::string spec::* word) {
    std::string text;
    for (auto const& each : all) text += (text.empty() ? "" : " and ") + each.*word;
    return text;
}

// Empty if it is not stale.
std::string why_stale(packed const& entry, std::span<family const> families) {
    try {
        auto const today = specs_of_line(entry.line, families, parse_arch(entry.arch));
        for (auto const& each : today) {
            if (each.symbol != entry.symbol || each.config != entry.config) continue;
            if (text_digest_of(each) == entry.text_digest) return {};
            return "its text has changed since " + entry.compiler + " compiled it";
        }
        if (std::ranges::find(today, entry.config, &spec::config) == today.end()) {
            return "its configuration is " + joined(today, &spec::config) + " now, and was " +
                   entry.config;
        }
        return "the kernel of this line is " + joined(today, &spec::symbol) + " now";
    } catch (error const& e) {
        return e.what();
    }
}

} // namespace

std::vector<stale_image> stale_images(pack const& in, std::span<family const> families) {
    std::vector<stale_image> all;
    for (auto const& entry : in.list()) {
        auto why = why_stale(entry, families);
        if (!why.empty()) all.push_back({entry, std::move(why)});
    }
    return all;
}

} // namespace spio::aot
