// Holds locks of files, which processes that are forked meanwhile do not hold.
// SPDX-License-Identifier: Apache-2.0
//
// A lock belongs to the open file, which a process that is forked has open too. It would hold the
// lock for as long as it lives, even after its parent has closed the file or died.
module;

#include <cstdint>
#include <mutex>
#include <vector>

#include <unistd.h>

module spio.system;

namespace spio {

namespace {

// The files whose locks this process holds. A process that is forked closes them at once.
class locked_files {
  public:
    void add(int file) {
        std::lock_guard const lock(mutex_);
        files_.push_back(file);
    }
    void remove(int file) {
        std::lock_guard const lock(mutex_);
        std::erase(files_, file);
    }
    static locked_files& all() {
        static auto& files = *new locked_files;
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

} // namespace

file_lock::file_lock(system_calls& system, int file, std::int64_t byte)
    : system_(&system), file_(file), byte_(byte), forks_(fork_count()) {
    locked_files::all().add(file);
}

file_lock::~file_lock() {
    // A process that was forked since then has closed the file, and the lock is its parent's.
    if (file_ < 0 || forks_ != fork_count()) return;
    locked_files::all().remove(file_);
    // Closing the file does not release the lock while a forked process has the file open too.
    system_->unlock(file_, byte_);
    system_->close(file_);
}

} // namespace spio
