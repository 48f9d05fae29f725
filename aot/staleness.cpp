// Makes the specializations of a pack once more, and compares.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.aot;

import spio.spec;
import spio.text;

namespace spio::aot {

namespace {

// Empty if it is not stale.
std::string why_stale(packed const& entry, std::span<family const> families) {
    try {
        auto const today = spec_of_line(entry.line, families, entry.arch);
        if (today.config != entry.config) {
            return "its configuration is " + today.config + " now, and was " + entry.config;
        }
        if (today.symbol != entry.symbol)
            return "the kernel of this line is " + today.symbol + " now";
        if (text_digest_of(today) != entry.text_digest) {
            return "its text has changed since " + entry.compiler + " compiled it";
        }
        return {};
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
