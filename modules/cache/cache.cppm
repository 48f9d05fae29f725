// Compiled images on disk: in a folder of the user's, and in a shared one that is only read.
// SPDX-License-Identifier: Apache-2.0
module;

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

export module spio.cache;

export import :entry;
export import :disk;
import spio.system;

export namespace spio::cache {

struct options {
    std::string folder;        // an absolute path; empty: what the environment says
    std::string shared_folder; // one filled by somebody who is trusted, only read; empty: none
    limits within;
    std::function<void(std::string_view)> log; // is given a line for each event
    system_calls* system = nullptr;            // nullptr: the operating system's
};

enum class origin { disk, compiled };

struct found {
    std::shared_ptr<entry const> what; // never null
    origin from;
};

// What has happened to entries so far.
struct counters {
    std::uint64_t disk, compiled;
    std::uint64_t moved_aside, publish_failures, evicted;
};

// Entries on disk; it keeps none in memory. Thread-safe. Nothing that is wrong with a folder or a
// disk is an error: the key is compiled again.
class store {
  public:
    explicit store(options options = {});
    store(store const&) = delete;
    store& operator=(store const&) = delete;
    ~store();

    // Reads the entry, or compiles and publishes it. Where the folder can be locked, others that
    // ask for the key at the same time wait for one of them to compile it. What `compile` throws is
    // thrown.
    found get_or_compile(key const& key, std::function<entry()> const& compile);

    // The entry on disk, or null.
    std::shared_ptr<entry const> find(key const& key);

    counters count() const;

    std::string path() const;    // where entries are kept; empty: nowhere
    std::string refusal() const; // why no folder is used, or why the shared one is not

  private:
    std::function<void(std::string_view)> log_;
    std::optional<disk> owned_, shared_;
    std::string refusal_;
    std::atomic<std::uint64_t> disk_count_ = 0, compiled_count_ = 0;
};

} // namespace spio::cache
