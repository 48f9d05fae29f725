// A file that may be an entry: opened and read as if somebody else had put it there.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

export module spio.cache:entry_file;

import :system;
import :folder;
import :sha256;

export namespace spio::cache {

class open_file {
  public:
    open_file(system_calls& system, int file) : system_(system), file_(file) {}
    open_file(open_file const&) = delete;
    open_file& operator=(open_file const&) = delete;
    ~open_file() { close(); }

    explicit operator bool() const { return file_ >= 0; }
    int number() const { return file_; }
    int release() { return std::exchange(file_, -1); }
    bool close() { return file_ < 0 || system_.close(std::exchange(file_, -1)) == 0; }

  private:
    system_calls& system_;
    int file_;
};

class entry_file {
  public:
    // No link is followed, and nothing is waited for.
    entry_file(system_calls& system, folder const& in, std::string const& name);

    bool is_read() const { return is_read_; }
    byte_view bytes() const { return bytes_; }
    int number() const { return file_.number(); }
    // What it is, null if nobody knows.
    struct stat const* what() const { return is_seen_ ? &what_ : nullptr; }
    // Why it must not be used; empty if it may be, or if there is none, or for a reason that says
    // nothing about the file.
    std::string const& complaint() const { return complaint_; }

  private:
    open_file file_;
    struct stat what_ = {};
    bool is_seen_ = false, is_read_ = false;
    std::vector<unsigned char> bytes_;
    std::string complaint_;
};

} // namespace spio::cache
