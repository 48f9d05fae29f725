// A folder of entries, a file each: found, published, listed, evicted, and never an exception.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel; its key is a digest of all that the image depends on.
// An inventory lists the files of the cache's folder.
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
#include <time.h>

export module spio.cache:disk;

import :entry;
import spio.system;

export namespace spio::cache {

using spio::folder;
using spio::operating_system;
using spio::system_calls;

// The folder of the cache: $SPIO_CACHE_DIR if it is set; else the folder spio in $XDG_CACHE_HOME,
// if that is an absolute path; else spio in $HOME/.cache. There is no folder if $SPIO_CACHE is off,
// 0, false or no, in upper or lower case. Its other values are on, 1, true, yes and empty; anything
// else is refused by name.
folder folder_of_environment(system_calls&, folder::use = folder::use::owned);

struct limits {
    std::uint64_t bytes = 1 << 30; // of all files; those used least recently are evicted
    // Files that were left unfinished or were moved aside are removed at this age.
    std::chrono::seconds stale_age = std::chrono::hours(1);
    // The longest wait for another process that compiles the same key.
    std::chrono::milliseconds lock_wait = std::chrono::minutes(2);
};

// A folder of entries: an `owned` one is the user's, a `shared` one is only read.
class disk {
  public:
    using logger = std::function<void(std::string_view)>;

    disk(system_calls&, folder, folder::use, limits, logger);
    disk(disk const&) = delete;
    disk& operator=(disk const&) = delete;

    // The entry of a key; null unless its file is right in every way. A wrong file is moved aside.
    std::shared_ptr<entry const> find(key const&) noexcept;

    // Writes an entry. Returns whether the folder has an entry of the key afterwards, written by
    // this process or another.
    bool publish(key const&, entry const&) noexcept;

    // Locks a key while this process compiles it, so that other processes wait for the result. That
    // only saves time: where a file cannot be locked, each process compiles.
    file_lock lock(key const&) noexcept;

    // Removes old unfinished files, and entries beyond the limit. publish() calls tidy() when
    // enough bytes were published since the last call.
    void tidy() noexcept;

    std::string const& path() const { return folder_.path(); }
    std::uint64_t moved_aside() const { return moved_aside_; }
    std::uint64_t publish_failures() const { return publish_failures_; }
    std::uint64_t evicted() const { return evicted_; }

  private:
    struct listed_file {
        std::string name;
        struct stat status;
    };

    std::string unique_name(key const&, char const* kind);
    // Renames the wrong file of a key, unless another has taken its place since `seen` was its
    // status (null: not known). Of a shared folder it only writes the reason to the log.
    void move_aside(key const&, struct stat const* seen, std::string const& reason);
    // Writes a temporary file and gives it the key's name. Returns why that failed, or nothing;
    // `is_new` tells whether there was no such file.
    std::string write_and_link(key const&, std::vector<unsigned char> const& bytes, bool& is_new);
    void remove_stale_and_excess();
    bool remove(listed_file const&);
    void log(std::string const& line) const noexcept;

    system_calls& system_;
    folder folder_;
    folder::use use_;
    limits limits_;
    logger log_;
    std::atomic<std::uint64_t> moved_aside_ = 0, publish_failures_ = 0, evicted_ = 0;
    std::atomic<std::uint64_t> name_count_ = 0;
    // Bytes published since tidy() last listed the folder. The first value is so large that the
    // first publish() calls tidy().
    std::atomic<std::uint64_t> unseen_bytes_ = std::uint64_t{1} << 62;
};

// The kind of a file in the folder, told by its name alone: an entry, an unfinished one, one that
// was wrong and moved aside, the file for locking, or a file that is not the cache's.
enum class file_kind { entry, temporary, aside, lock, foreign };
file_kind kind_of(std::string_view name);

// A file of a cache folder.
struct cached_file {
    std::string name;
    file_kind kind;
    std::uint64_t bytes;
    timespec used; // the last time, if it is an entry
};

// The files of a folder in the order of their names. Nothing is used or changed.
struct inventory {
    std::vector<cached_file> files;
    std::string complaint; // the reason why there may be more files than these
};
inventory inventory_of(system_calls&, folder const&);

// Reads an entry by its file's name. It is neither moved aside nor marked as used.
struct examination {
    std::optional<entry> value;
    std::string complaint; // the reason why there is no entry
};
examination examine(system_calls&, folder const&, std::string const& name);

// Removes the cache's files, except those that another process may be writing now. Symbolic links
// are removed, not followed. The lock file stays, since another process may be waiting for it.
struct clearance {
    std::uint64_t removed = 0, bytes = 0;
    std::uint64_t remaining = 0;
    std::string complaint; // the last reason why a file could not be removed
};
clearance clear(system_calls&, folder const&, std::chrono::seconds stale_age);

} // namespace spio::cache

// For the sources of this module alone.
namespace spio::cache {

// Logs a line. A log that throws is ignored.
void log_safely(disk::logger const&, std::string const& line) noexcept;

// A file descriptor that the destructor closes.
class open_file {
  public:
    open_file(system_calls& system, int file) : system_(system), file_(file) {}
    open_file(open_file const&) = delete;
    open_file& operator=(open_file const&) = delete;
    ~open_file() { close(); }

    explicit operator bool() const { return file_ >= 0; }
    int number() const { return file_; }
    bool close() { return file_ < 0 || system_.close(std::exchange(file_, -1)) == 0; }

  private:
    system_calls& system_;
    int file_;
};

// A file that may be an entry, opened and read as if its author were hostile: no link is followed,
// and nothing is waited for.
class entry_file {
  public:
    entry_file(system_calls&, folder const&, std::string const& name);

    bool is_readable() const { return is_readable_; }
    byte_view bytes() const { return bytes_; }
    int number() const { return file_.number(); }
    struct stat const* status() const { return has_status_ ? &status_ : nullptr; }
    // Why the file must not be used. Empty if it may be used, if there is no file, or if the
    // failure (out of memory, for example) says nothing about the file.
    std::string const& complaint() const { return complaint_; }

  private:
    open_file file_;
    struct stat status_ = {};
    bool has_status_ = false, is_readable_ = false;
    std::vector<unsigned char> bytes_;
    std::string complaint_;
};

} // namespace spio::cache
