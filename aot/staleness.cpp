// Finds stale images: specializes the kernels of a pack again, and compares.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of images (compiled kernels); its entries say from which line of a manifest,
// which configuration and which text they were compiled. To specialize a problem is to make the
// text of its kernels, the specs, as this program would compile them now. A config_source finds
// measured configurations; without one the family, the kernels of one operation, chooses.
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

// This member of each kernel as text: "a and b".
std::string list_of(std::vector<spec> const& kernels, std::string spec::* member) {
    std::string text;
    for (auto const& kernel : kernels) text += (text.empty() ? "" : " and ") + kernel.*member;
    return text;
}

// The reason why an entry is stale; empty if it is not.
std::string staleness_of(packed_image const& entry, std::span<family const> families,
                         config_source const& configs) {
    try {
        auto const today = specs_of_line(entry.line, families, parse_arch(entry.arch), configs);
        for (auto const& kernel : today) {
            if (kernel.symbol != entry.symbol || kernel.config != entry.config) continue;
            if (text_digest_of(kernel) == entry.text_digest) return {};
            return "its text has changed since " + entry.compiler + " compiled it";
        }
        if (std::ranges::find(today, entry.config, &spec::config) == today.end()) {
            return "its configuration is " + list_of(today, &spec::config) + " now, and was " +
                   entry.config;
        }
        return "the kernel of this line is " + list_of(today, &spec::symbol) + " now";
    } catch (error const& failure) {
        return failure.what();
    }
}

} // namespace

std::vector<stale_image> stale_images(pack const& pack, std::span<family const> families,
                                      config_source const& configs) {
    std::vector<stale_image> stale;
    for (auto const& entry : pack.list()) {
        auto reason = staleness_of(entry, families, configs);
        if (!reason.empty()) stale.push_back({entry, std::move(reason)});
    }
    return stale;
}

} // namespace spio::aot
