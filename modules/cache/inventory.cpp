// Looks through folders of entries.
// SPDX-License-Identifier: Apache-2.0
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

namespace spio::cache {

static constexpr std::size_t digits_of_key = 2 * sizeof(digest);

file_kind kind_of(std::string_view name) {
    if (name == "locks") return file_kind::lock;
    auto const is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (name.size() < digits_of_key ||
        !std::ranges::all_of(name.substr(0, digits_of_key), is_digit)) {
        return file_kind::foreign;
    }
    auto const rest = name.substr(digits_of_key);
    if (rest == ".image") return file_kind::entry;
    if (rest.starts_with(".temporary-")) return file_kind::temporary;
    if (rest.starts_with(".aside-")) return file_kind::aside;
    return file_kind::foreign;
}

static key key_named(std::string_view name) {
    auto const value_of = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    key of = {};
    for (std::size_t i = 0; i < of.value.size(); i++) {
        of.value[i] =
            static_cast<unsigned char>(16 * value_of(name[2 * i]) + value_of(name[2 * i + 1]));
    }
    return of;
}

static std::string words_of_error() { return std::generic_category().message(errno); }

inventory inventory_of(system_calls& system, folder const& in) {
    inventory found;
    std::vector<std::string> names;
    if (system.list(in.descriptor(), names) != 0) {
        found.complaint = in.path() + " cannot be listed: " + words_of_error();
    }
    std::ranges::sort(names);
    for (auto& name : names) {
        struct stat what = {};
        if (system.fstatat(in.descriptor(), name.c_str(), what) != 0) {
            // Somebody else may have removed it meanwhile.
            if (errno != ENOENT) found.complaint = name + ": " + words_of_error();
            continue;
        }
        auto const kind = kind_of(name);
        found.files.push_back(
            {std::move(name), kind, static_cast<std::uint64_t>(what.st_size), what.st_mtim});
    }
    return found;
}

examination examine(system_calls& system, folder const& in, std::string const& name) {
    if (kind_of(name) != file_kind::entry) return {{}, "it has not the name of an entry"};
    entry_file const file(system, in, name);
    if (!file.is_read()) {
        return {{}, file.complaint().empty() ? "it cannot be read now" : file.complaint()};
    }
    auto got = read_file(file.bytes(), key_named(name));
    return {std::move(got.what), got.complaint};
}

clearance clear(system_calls& system, folder const& in, std::chrono::seconds litter_age) {
    clearance done;
    auto const all = inventory_of(system, in);
    done.complaint = all.complaint;
    auto const now = system.now();
    for (auto const& each : all.files) {
        if (each.kind == file_kind::lock) continue;
        auto const age = now.tv_sec - each.used.tv_sec;
        bool const fresh = age <= litter_age.count() && -age <= litter_age.count();
        if (each.kind == file_kind::foreign || (each.kind == file_kind::temporary && fresh)) {
            done.left++;
            continue;
        }
        auto const name = each.name.c_str();
        // Something moved aside may be a folder; if it is not empty it stays.
        if (system.unlinkat(in.descriptor(), name, 0) == 0 ||
            (errno == EISDIR && system.unlinkat(in.descriptor(), name, AT_REMOVEDIR) == 0)) {
            done.removed++;
            done.bytes += each.bytes;
        } else if (errno != ENOENT) {
            done.complaint = each.name + " cannot be removed: " + words_of_error();
        }
    }
    return done;
}

} // namespace spio::cache
