// Holds locks of files, which processes that are forked meanwhile do not hold.
// SPDX-License-Identifier: Apache-2.0
//
// A lock belongs to the open file, which a process that is forked has open too. It would hold the
// lock for as long as it lives, even after its parent has closed the file or died.
module;

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

module spio.system;

namespace spio {

namespace {

// The files that this process has locked, or is waiting for. A process that is forked closes them
// at once. No fork comes between opening a file and listing it, or between closing and delisting.
class locked_files {
  public:
    int open(system_calls& system, int folder, char const* name) {
        constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
        std::lock_guard const lock(mutex_);
        files_.reserve(files_.size() + 1); // so that nothing throws once the file is open
        int const file = system.openat(folder, name, flags, S_IRUSR | S_IWUSR);
        if (file >= 0) files_.push_back(file);
        return file;
    }
    void close(system_calls& system, int file) {
        std::lock_guard const lock(mutex_);
        std::erase(files_, file);
        system.close(file);
    }
    static locked_files& all() {
        static auto& files = *new locked_files; // never destroyed: other threads may hold locks
        return files;
    }

  private:
    std::mutex mutex_;
    std::vector<int> files_;
    fork_hook hook_{this, [](void* files) { static_cast<locked_files*>(files)->mutex_.lock(); },
                    [](void* files) { static_cast<locked_files*>(files)->mutex_.unlock(); },
                    [](void* files) {
                        auto& inherited = *static_cast<locked_files*>(files);
                        for (int const file : inherited.files_) ::close(file);
                        inherited.files_.clear();
                        inherited.mutex_.unlock();
                    }};
};

// all() is called when the program is loaded: its guard, if threads entered it first, might be left
// held in a process that is forked meanwhile.
[[maybe_unused]] locked_files& loaded_files = locked_files::all();

} // namespace

file_lock::file_lock(system_calls& system, int folder, char const* name, std::int64_t byte,
                     std::int64_t most_milliseconds)
    : file_lock() { // from here on the destructor is called, whatever is thrown
    constexpr int longest_pause = 16;
    system_ = &system;
    byte_ = byte;
    forks_ = fork_count();
    file_ = locked_files::all().open(system, folder, name);
    state_ = file_ < 0 ? state::not_opened : state::busy;
    if (file_ < 0) return;
    int pause = 1;
    for (std::int64_t waited = 0; system.lock(file_, byte) != 0; waited += pause) {
        bool const is_busy = errno == EAGAIN || errno == EACCES || errno == EINTR;
        if (!is_busy) state_ = state::no_locks;
        if (!is_busy || waited >= most_milliseconds) {
            close();
            return;
        }
        system.sleep(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    state_ = state::held;
}

file_lock::file_lock(file_lock&& other) noexcept
    : system_(other.system_),
      file_(std::exchange(other.file_, -1)),
      byte_(other.byte_),
      forks_(other.forks_),
      state_(std::exchange(other.state_, state::none)) {}

file_lock::~file_lock() { close(); }

void file_lock::close() {
    // A process that was forked since then has closed the file, and the lock is its parent's.
    if (file_ < 0 || forks_ != fork_count()) return;
    // Closing the file does not release the lock while a forked process has the file open too.
    if (state_ == state::held) system_->unlock(file_, byte_);
    locked_files::all().close(*system_, std::exchange(file_, -1));
}

} // namespace spio
