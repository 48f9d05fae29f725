// What lies in a folder of entries: listed, examined and cleared, without any of it being used.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

export module spio.cache:inventory;

import :entry;
import :folder;
import :system;

export namespace spio::cache {

// Entries, what nobody has finished yet, what was wrong and moved aside, the file for locking, and
// what is not ours: told by their names alone.
enum class file_kind { entry, temporary, aside, lock, foreign };
file_kind kind_of(std::string_view name);

struct kept_file {
    std::string name;
    file_kind kind;
    std::uint64_t bytes;
    timespec used; // last, if it is an entry
};

// In the order of their names.
struct inventory {
    std::vector<kept_file> files;
    std::string complaint; // why there may be more than these
};
inventory inventory_of(system_calls&, folder const&);

// An entry by its file's name; it is neither moved aside nor marked as used.
struct examination {
    std::optional<entry> what;
    std::string complaint; // why it is none
};
examination examine(system_calls&, folder const&, std::string const& name);

struct clearance {
    std::uint64_t removed = 0, bytes = 0;
    std::uint64_t left = 0; // that are not ours, or that somebody may be about to finish
    std::string complaint;  // why something else was left
};
// Removes what is ours. Links are removed, not followed; the file for locking stays, since somebody
// may be waiting for it.
clearance clear(system_calls&, folder const&, std::chrono::seconds litter_age);

} // namespace spio::cache
