// Keeps a folder small: removes unfinished files that are old, and entries beyond the limit.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file of its own.
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

import spio.system;

namespace spio::cache {

void disk::tidy() noexcept {
    if (use_ == folder::use::shared) return;
    unseen_bytes_ = 0;
    try {
        remove_stale_and_excess();
    } catch (std::exception const& failure) {
        log(std::string("not tidied: ") + failure.what());
    }
}

bool disk::remove(listed_file const& file) {
    int const flags = S_ISDIR(file.status.st_mode) ? AT_REMOVEDIR : 0;
    return system_.unlinkat(folder_.descriptor(), file.name.c_str(), flags) == 0;
}

void disk::remove_stale_and_excess() {
    std::vector<std::string> names;
    if (system_.list(folder_.descriptor(), names) != 0) return;
    auto const now = system_.now();
    auto const age = limits_.stale_age.count();
    std::vector<listed_file> candidates;
    std::uint64_t total = 0;
    for (auto& name : names) {
        auto const kind = kind_of(name);
        if (kind == file_kind::foreign || kind == file_kind::lock) continue;
        listed_file file{std::move(name), {}};
        if (system_.fstatat(folder_.descriptor(), file.name.c_str(), file.status) != 0) continue;
        // A time far in the future is treated like one long past: both are old.
        auto const elapsed = now.tv_sec - file.status.st_mtim.tv_sec;
        bool const is_old = elapsed > age || elapsed < -age;
        if (kind != file_kind::entry && is_old && remove(file)) continue;
        total += static_cast<std::uint64_t>(file.status.st_size);
        if (kind != file_kind::temporary) candidates.push_back(std::move(file));
    }
    if (total <= limits_.bytes) return;

    auto const used = [](listed_file const& file) {
        auto const& time = file.status.st_mtim;
        return std::tuple(time.tv_sec, time.tv_nsec, std::string_view(file.name));
    };
    std::ranges::sort(candidates, {}, used);
    // Evicts down to seven eighths of the limit, so that the next publish() need not list the
    // folder again.
    auto const enough = limits_.bytes - limits_.bytes / 8;
    for (auto const& file : candidates) {
        if (total <= enough) break;
        if (!remove(file)) continue;
        total -= static_cast<std::uint64_t>(file.status.st_size);
        if (kind_of(file.name) == file_kind::entry) evicted_++;
    }
    log("evicted down to " + std::to_string(total) + " bytes in " + folder_.path());
}

} // namespace spio::cache
