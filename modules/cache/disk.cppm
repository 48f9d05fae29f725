// A folder of entries, a file each: found or not, published or not, and never an exception.
// SPDX-License-Identifier: Apache-2.0
module;

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

export module spio.cache:disk;

import :key;
import :entry;
import :system;
import :folder;

export namespace spio::cache {

struct limits {
    std::uint64_t bytes = 1 << 30; // of all files; those used least recently go
    // How old something unfinished, or moved aside, must be to be nobody's.
    std::chrono::seconds litter_age = std::chrono::hours(1);
    // How long a compilation elsewhere is waited for.
    std::chrono::milliseconds lock_wait = std::chrono::minutes(2);
};

class disk {
  public:
    using logger = std::function<void(std::string_view)>;

    disk(system_calls& system, folder where, folder::use how, limits within, logger log);
    disk(disk const&) = delete;
    disk& operator=(disk const&) = delete;

    // Null unless all about the file is as it should be; what is wrong is moved aside.
    std::shared_ptr<entry const> find(key const& of) noexcept;

    // Whether there is an entry now, this one or another's.
    bool publish(key const& of, entry const& what) noexcept;

    // Held while one process compiles, so that others wait. It protects nothing but their time:
    // where it cannot be had, it is done without.
    class key_lock {
      public:
        key_lock() = default;
        key_lock(system_calls& system, int file, std::int64_t byte)
            : system_(&system), file_(file), byte_(byte) {}
        key_lock(key_lock&& from) noexcept
            : system_(from.system_), file_(std::exchange(from.file_, -1)), byte_(from.byte_) {}
        key_lock& operator=(key_lock&&) = delete;
        ~key_lock();

      private:
        system_calls* system_ = nullptr;
        int file_ = -1;
        std::int64_t byte_ = 0;
    };
    key_lock lock(key const& of) noexcept;

    // Removes what nobody finished, and what is beyond the limit. Publishing does so by itself.
    void tidy() noexcept;

    std::string const& path() const { return folder_.path(); }
    std::uint64_t moved_aside() const { return moved_aside_; }
    std::uint64_t publish_failures() const { return publish_failures_; }
    std::uint64_t evicted() const { return evicted_; }

  private:
    struct listed {
        std::string name;
        struct stat what;
    };

    std::string litter_name(key const& of, char const* kind);
    void move_aside(key const& of, struct stat const* seen, std::string const& why);
    std::string write_and_link(key const& of, std::vector<unsigned char> const& file, bool& made);
    void remove_litter_and_excess();
    bool remove(listed const& each);
    void say(std::string const& line) const noexcept;

    system_calls& system_;
    folder folder_;
    folder::use how_;
    limits limits_;
    logger log_;
    std::atomic<std::uint64_t> moved_aside_ = 0, publish_failures_ = 0, evicted_ = 0;
    std::atomic<std::uint64_t> names_made_ = 0;
    // Published since the folder was last looked through; at first, nobody knows.
    std::atomic<std::uint64_t> unseen_bytes_ = std::uint64_t{1} << 62;
};

} // namespace spio::cache
