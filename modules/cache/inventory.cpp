// Lists, examines and clears folders of entries.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file whose name begins with its key in
// hexadecimal digits. An inventory lists the files of the cache's folder. An unfinished entry has a
// temporary name, a wrong one was moved aside (renamed), and a file that the cache did not make is
// foreign.
module;

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

import spio.system;

namespace spio::cache {

static constexpr std::size_t digits_of_key = 2 * sizeof(digest);

file_kind kind_of(std::string_view name) {
    if (name == "locks") return file_kind::lock;
    auto const is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (name.size() < digits_of_key ||
        !std::ranges::all_of(name.substr(0, digits_of_key), is_digit)) {
        return file_kind::foreign;
    }
    auto const suffix = name.substr(digits_of_key);
    if (suffix == ".image") return file_kind::entry;
    if (suffix.starts_with(".temporary-")) return file_kind::temporary;
    if (suffix.starts_with(".aside-")) return file_kind::aside;
    return file_kind::foreign;
}

// The key that a file's name begins with.
static key key_named(std::string_view name) {
    auto const value_of = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    key key = {};
    for (std::size_t i = 0; i < key.value.size(); i++) {
        key.value[i] =
            static_cast<unsigned char>(16 * value_of(name[2 * i]) + value_of(name[2 * i + 1]));
    }
    return key;
}

static std::string error_message() { return std::generic_category().message(errno); }

inventory inventory_of(system_calls& system, folder const& folder) {
    inventory found;
    std::vector<std::string> names;
    if (system.list(folder.descriptor(), names) != 0) {
        found.complaint = folder.path() + " cannot be listed: " + error_message();
    }
    std::ranges::sort(names);
    for (auto& name : names) {
        struct stat status = {};
        if (system.fstatat(folder.descriptor(), name.c_str(), status) != 0) {
            // Another process may have removed the file: that is no complaint.
            if (errno != ENOENT) found.complaint = name + ": " + error_message();
            continue;
        }
        auto const kind = kind_of(name);
        found.files.push_back(
            {std::move(name), kind, static_cast<std::uint64_t>(status.st_size), status.st_mtim});
    }
    return found;
}

examination examine(system_calls& system, folder const& folder, std::string const& name) {
    if (kind_of(name) != file_kind::entry) return {{}, "it has not the name of an entry"};
    entry_file const file(system, folder, name);
    if (!file.is_readable()) {
        return {{}, file.complaint().empty() ? "it cannot be read now" : file.complaint()};
    }
    auto parsed = parse_file(file.bytes(), key_named(name));
    return {std::move(parsed.value), parsed.complaint};
}

clearance clear(system_calls& system, folder const& folder, std::chrono::seconds stale_age) {
    clearance result;
    auto const listed = inventory_of(system, folder);
    result.complaint = listed.complaint;
    auto const now = system.now();
    for (auto const& file : listed.files) {
        if (file.kind == file_kind::lock) continue;
        auto const age = now.tv_sec - file.used.tv_sec;
        bool const is_fresh = age <= stale_age.count() && -age <= stale_age.count();
        if (file.kind == file_kind::foreign || (file.kind == file_kind::temporary && is_fresh)) {
            result.remaining++;
            continue;
        }
        auto const name = file.name.c_str();
        // What was moved aside may be a folder. It is removed only if it is empty.
        if (system.unlinkat(folder.descriptor(), name, 0) == 0 ||
            (errno == EISDIR && system.unlinkat(folder.descriptor(), name, AT_REMOVEDIR) == 0)) {
            result.removed++;
            result.bytes += file.bytes;
        } else if (errno != ENOENT) {
            result.complaint = file.name + " cannot be removed: " + error_message();
        }
    }
    return result;
}

} // namespace spio::cache
