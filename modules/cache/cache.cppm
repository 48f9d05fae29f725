// Compiled images that are kept: in memory, in a folder of the user's, compiled once for each key.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

export module spio.cache;

export import :sha256;
export import :key;
export import :entry;
export import :system;
export import :folder;
export import :entry_file;
export import :inventory;
export import :disk;

export namespace spio::cache {

struct options {
    std::string folder;        // an absolute path; empty: what the environment says
    std::string shared_folder; // one filled by somebody who is trusted, only read; empty: none
    limits within;
    std::function<void(std::string_view)> log; // is given a line for each event
    system_calls* system = nullptr;            // nullptr: the operating system's
};

enum class origin { memory, disk, compiled };

struct found {
    std::shared_ptr<entry const> what; // never null
    origin from;
};

// What has happened so far, and how long each way of finding took in all.
struct counters {
    std::uint64_t memory, disk, compiled;
    std::uint64_t moved_aside, publish_failures, evicted;
    double memory_milliseconds, disk_milliseconds, compiled_milliseconds;
};

// Thread-safe. Nothing that is wrong with a folder or a disk is an error: the key is compiled
// again.
class store {
  public:
    explicit store(options how = {});
    store(store const&) = delete;
    store& operator=(store const&) = delete;
    ~store();

    // Threads that ask for one key at the same time wait for one of them to compile it, processes
    // too where the folder can be locked. What `compile` throws is thrown to all who waited, and
    // the next to ask compiles again.
    found get_or_compile(key const& of, std::function<entry()> const& compile);

    // What get_or_compile() would find; null if it would compile.
    std::shared_ptr<entry const> find(key const& of);

    counters count() const;

    std::string path() const;    // where entries are kept; empty: in memory only
    std::string refusal() const; // why no folder is used, or why the shared one is not

  private:
    struct flight {
        std::shared_ptr<entry const> what;
        std::exception_ptr failure;
    };
    using clock = std::chrono::steady_clock;

    found fetch(key const& of, std::function<entry()> const& compile);
    std::shared_ptr<entry const> look(key const& of);
    void add(std::uint64_t& events, double& milliseconds, clock::time_point since);

    std::function<void(std::string_view)> log_;
    std::optional<disk> mine_, shared_;
    std::string refusal_;

    mutable std::mutex state_;
    std::condition_variable landed_;
    std::unordered_map<key, std::shared_ptr<entry const>, key_hash> ready_;
    std::unordered_map<key, std::shared_ptr<flight>, key_hash> flying_;
    counters count_ = {};
};

} // namespace spio::cache
