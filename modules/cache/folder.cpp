// Chooses the folder of the cache by the environment.
// SPDX-License-Identifier: Apache-2.0
//
// The cache keeps compiled images of kernels. A folder is refused if other users could write to it;
// the refusal is a sentence that says why.
module;

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

import spio.system;

namespace spio::cache {

// Why the value of SPIO_CACHE allows no folder; empty if it allows one.
static std::string refusal_of_switch(std::string const& value) {
    if (value.empty()) return {};
    if (auto const is_kept = parse_switch(value)) return *is_kept ? "" : "SPIO_CACHE is off";
    return "SPIO_CACHE is '" + value + "', which is neither on nor off";
}

// Opens SPIO_CACHE_DIR, or else the first of two places that is not refused. With
// folder::use::owned it makes the folder, with folder::use::existing it only looks. A folder that
// is only missing is the right place too, since `owned` would make it; one that is refused is left
// for the next place.
folder folder_of_environment(system_calls& system, folder::use use) {
    auto const value = [&](char const* name) {
        char const* const text = system.environment(name);
        return std::string(text == nullptr ? "" : text);
    };
    if (auto refusal = refusal_of_switch(value("SPIO_CACHE")); !refusal.empty()) {
        return folder::refused(std::move(refusal));
    }
    if (auto const named = value("SPIO_CACHE_DIR"); !named.empty()) return {system, named, use};
    std::string refusals;
    auto const add_refusal = [&](std::string const& reason) {
        refusals += (refusals.empty() ? "" : "; ") + reason;
    };
    if (auto const caches = value("XDG_CACHE_HOME"); caches.starts_with('/')) {
        auto found = folder(system, caches + "/spio", use);
        if (found || found.is_missing()) return found;
        add_refusal(found.refusal());
    }
    if (auto const home = value("HOME"); home.starts_with('/')) {
        // The user of a service may have a home folder that does not exist; it is not created.
        struct stat status = {};
        if (system.fstatat(AT_FDCWD, home.c_str(), status) != 0) {
            add_refusal("tried " + home + ": " + std::generic_category().message(errno));
        } else {
            auto found = folder(system, home + "/.cache/spio", use);
            if (found || found.is_missing()) return found;
            add_refusal(found.refusal());
        }
    }
    if (refusals.empty()) {
        refusals =
            "SPIO_CACHE_DIR is empty, and neither XDG_CACHE_HOME nor HOME is an absolute path";
    }
    return folder::refused(std::move(refusals));
}

} // namespace spio::cache
