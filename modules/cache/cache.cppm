// Compiled images on disk: in a folder of the user's, and in a shared one that is only read.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel; its key is a digest of all that the image depends on.
module;

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

export module spio.cache;

export import :entry;
export import :disk;
import spio.error;
import spio.system;

export namespace spio::cache {

struct options {
    std::string folder;        // an absolute path; empty: the folder that the environment names
    std::string shared_folder; // a read-only folder that a trusted user fills; empty: none
    cache::limits limits;
    std::function<void(std::string_view)> log; // called with one line for each event
    system_calls* system = nullptr;            // nullptr: the operating system's calls
};

enum class origin { disk, compiled };

// A compiled kernel, from the disk or compiled on demand.
struct found {
    std::shared_ptr<cache::entry const> entry; // never null
    cache::origin origin;
};

// How often something happened to a file so far: a wrong one was renamed, an entry could not be
// written, an entry was removed because the folder was full.
struct counters {
    std::uint64_t moved_aside, publish_failures, evicted;
};

// The folders of entries. None is kept in memory. Thread-safe. A fault of a folder or a disk is no
// error: the entry is compiled again.
class folders {
  public:
    explicit folders(options options = {});
    folders(folders const&) = delete;
    folders& operator=(folders const&) = delete;
    ~folders();

    // The key's entry, read from disk; null if there is none.
    std::shared_ptr<entry const> find(key const& key);

    // Calls `compile` and publishes its result. Where the folder can be locked, threads and
    // processes that ask for the key at the same time wait for one of them to compile it, and read
    // its entry. An exception of `compile` is passed on; `compile` must not ask for the same key.
    found compile_once(key const& key, std::function<entry()> const& compile);

    counters count() const;

    std::string path() const;    // where entries are kept; empty: nowhere
    std::string refusal() const; // why no folder is used, or why the shared one is not

  private:
    std::optional<disk> owned_, shared_;
    std::string refusal_;
};

} // namespace spio::cache
