// Keeps a folder small: no litter older than it may be, no entries beyond the limit.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

namespace spio::cache {

void disk::tidy() noexcept {
    if (how_ == folder::use::shared) return;
    unseen_bytes_ = 0;
    try {
        remove_litter_and_excess();
    } catch (std::exception const& failure) {
        say(std::string("not tidied: ") + failure.what());
    }
}

bool disk::remove(listed const& each) {
    int const flags = S_ISDIR(each.what.st_mode) ? AT_REMOVEDIR : 0;
    return system_.unlinkat(folder_.descriptor(), each.name.c_str(), flags) == 0;
}

void disk::remove_litter_and_excess() {
    std::vector<std::string> names;
    if (system_.list(folder_.descriptor(), names) != 0) return;
    auto const now = system_.now();
    auto const age = limits_.litter_age.count();
    std::vector<listed> candidates;
    std::uint64_t total = 0;
    for (auto& name : names) {
        auto const what_kind = kind_of(name);
        if (what_kind == file_kind::foreign || what_kind == file_kind::lock) continue;
        listed each{std::move(name), {}};
        if (system_.fstatat(folder_.descriptor(), each.name.c_str(), each.what) != 0) continue;
        // A time far ahead is as wrong as one long past.
        auto const since = now.tv_sec - each.what.st_mtim.tv_sec;
        bool const old = since > age || since < -age;
        if (what_kind != file_kind::entry && old && remove(each)) continue;
        total += static_cast<std::uint64_t>(each.what.st_size);
        if (what_kind != file_kind::temporary) candidates.push_back(std::move(each));
    }
    if (total <= limits_.bytes) return;

    auto const used = [](listed const& each) {
        auto const& time = each.what.st_mtim;
        return std::tuple(time.tv_sec, time.tv_nsec, std::string_view(each.name));
    };
    std::ranges::sort(candidates, {}, used);
    // Some room is left, or the next to publish would have to look through the folder again.
    auto const enough = limits_.bytes - limits_.bytes / 8;
    for (auto const& each : candidates) {
        if (total <= enough) break;
        if (!remove(each)) continue;
        total -= static_cast<std::uint64_t>(each.what.st_size);
        if (kind_of(each.name) == file_kind::entry) evicted_++;
    }
    say("evicted down to " + std::to_string(total) + " bytes in " + folder_.path());
}

} // namespace spio::cache
