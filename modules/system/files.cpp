// Reads files, writes them whole or not at all, and makes temporary folders.
// SPDX-License-Identifier: Apache-2.0
//
// A trusted file is one that no other user could have written. Files are written under a random
// name and then renamed, so that a reader finds the old one or the new one.
module;

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

module spio.system;

import spio.error;

namespace spio {

namespace fs = std::filesystem;

namespace {

// The system's words for an error number.
std::string message_of(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(char const* tried, fs::path const& path, std::string reason,
                       error_kind kind = error_kind::io) {
    throw error(kind, tried, path.string(), std::move(reason));
}

// A file descriptor that the destructor closes.
class open_descriptor {
  public:
    explicit open_descriptor(int file) : file_(file) {}
    open_descriptor(open_descriptor const&) = delete;
    ~open_descriptor() {
        if (file_ >= 0) ::close(file_);
    }
    int number() const { return file_; }
    bool close() { return ::close(std::exchange(file_, -1)) == 0; }

  private:
    int file_;
};

// A name for a temporary file that nobody can guess.
std::string random_name() {
    std::array<unsigned char, 12> bytes;
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        fail("getrandom", "a temporary file", message_of(errno));
    }
    std::string name;
    for (unsigned const byte : bytes)
        name += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
    return name;
}

// Writes all bytes to an open file. Returns false, with errno set, if that fails.
bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Whether a regular file has these bytes, and nobody can write it whom the mode does not allow to.
// Throws if anything else has its name.
bool has_bytes(fs::path const& path, std::string_view bytes, mode_t mode) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return false;
    if (!S_ISREG(status.st_mode)) {
        fail("write", path,
             S_ISLNK(status.st_mode) ? "it is a symbolic link" : "it is no regular file");
    }
    constexpr mode_t other_writers = S_IWGRP | S_IWOTH;
    if ((status.st_mode & other_writers & ~mode) != 0) return false;
    if (static_cast<std::uint64_t>(status.st_size) != bytes.size()) return false;
    try {
        return read_file(path) == bytes;
    } catch (error const&) {
        return false; // it cannot be read, but it may be possible to replace it
    }
}

} // namespace

std::string read_file(fs::path const& path, std::uint64_t most_bytes) {
    open_descriptor const file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number() < 0) {
        fail("read", path, "it cannot be opened: " + message_of(errno),
             errno == ENOENT ? error_kind::not_found : error_kind::io);
    }
    struct stat status = {};
    if (::fstat(file.number(), &status) != 0) fail("read", path, message_of(errno));
    if (!S_ISREG(status.st_mode)) fail("read", path, "it is no regular file");
    if (static_cast<std::uint64_t>(status.st_size) > most_bytes) {
        fail("read", path, "it has more than " + std::to_string(most_bytes) + " bytes");
    }
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        auto const count = ::read(file.number(), text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("read", path, "it cannot be read: " + message_of(errno));
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
}

std::string trusted_file::read() const {
    std::string text(static_cast<std::size_t>(size_), '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        auto const count = system_.read(descriptor_, text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            throw error(error_kind::io, "read", path_.string(),
                        "it cannot be read: " + message_of(errno));
        }
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
}

void write_file(fs::path const& path, std::string_view bytes, mode_t mode) {
    if (has_bytes(path, bytes, mode)) return;
    auto const parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::error_code ignored;
    fs::create_directories(parent, ignored);
    auto const cannot = [&] { fail("write", path, "it cannot be written: " + message_of(errno)); };

    auto const temporary = parent / ("." + path.filename().string() + "." + random_name());
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    open_descriptor file(::open(temporary.c_str(), flags, mode));
    if (file.number() < 0) cannot();
    bool const is_written =
        write_all(file.number(), bytes) && ::fsync(file.number()) == 0 && file.close();
    if (!is_written || ::rename(temporary.c_str(), path.c_str()) != 0) {
        int const reason = errno;
        ::unlink(temporary.c_str());
        errno = reason;
        cannot();
    }
    // The folder is synced as well, so that the new name is on disk before this function returns.
    // Not every file system can do that.
    open_descriptor const folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() >= 0) ::fsync(folder.number());
}

temporary_folder::temporary_folder(std::string const& prefix, fs::path parent) {
    bool const is_named = !parent.empty();
    if (!is_named) parent = environment("TMPDIR");
    if (parent.empty()) parent = "/tmp";
    std::string const place = is_named ? parent.string() : "TMPDIR " + parent.string();
    std::error_code failed;
    parent = fs::canonical(parent, failed);
    if (failed) fail("make a temporary folder", place, failed.message());
    auto name = (parent / (prefix + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        fail("make a temporary folder", place, name + ": " + message_of(errno));
    }
    path_ = name;
    // Refuses the folder if another user can write to it or to a folder above it. Otherwise nobody
    // else can have put another one in its place since mkdtemp().
    folder const opened(operating_system(), name, folder::use::existing);
    if (!opened) {
        std::error_code ignored;
        fs::remove(path_, ignored);
        fail("make a temporary folder", place, opened.refusal());
    }
    // A second process removes the folder if this one is killed. It waits until all copies of this
    // descriptor are closed.
    keep_alive_descriptor_ = start_remover(name);
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (keep_alive_descriptor_ >= 0) ::close(keep_alive_descriptor_);
}

} // namespace spio
