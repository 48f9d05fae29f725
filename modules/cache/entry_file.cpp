// Reads files of a folder, but no others than an entry can be.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

namespace spio::cache {

// Failures that say nothing about the file.
static bool is_passing(int error) {
    return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == EINTR || error == EAGAIN || error == ESTALE;
}

static std::string complaint_about(int error) {
    return is_passing(error) ? "" : std::generic_category().message(error);
}

static char const* wrong_with(struct stat const& what, uid_t user) {
    if (!S_ISREG(what.st_mode)) return "it is no regular file";
    if (what.st_uid != 0 && what.st_uid != user) return "it is neither the user's nor root's";
    if ((what.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "it can be written to by others";
    // While it is being published it has two names.
    if (what.st_nlink > 2) return "it has several names";
    auto const size = static_cast<std::uint64_t>(what.st_size);
    if (size < least_file_bytes || size > most_file_bytes) return "it has an impossible size";
    return nullptr;
}

// What is there, which may be less than was expected; or an errno.
static int read_all(system_calls& system, int file, std::vector<unsigned char>& bytes) {
    std::size_t there = 0;
    while (there < bytes.size()) {
        auto const got = system.read(file, bytes.data() + there, bytes.size() - there);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        there += static_cast<std::size_t>(got);
    }
    bytes.resize(there);
    return 0;
}

static int open_to_read(system_calls& system, folder const& in, std::string const& name) {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    return system.openat(in.descriptor(), name.c_str(), flags, 0);
}

entry_file::entry_file(system_calls& system, folder const& in, std::string const& name)
    : file_(system, open_to_read(system, in, name)) {
    if (!file_) {
        complaint_ = complaint_about(errno);
        return;
    }
    if (system.fstat(file_.number(), what_) != 0) return;
    is_seen_ = true;
    if (char const* const wrong = wrong_with(what_, system.user())) {
        complaint_ = wrong;
        return;
    }
    bytes_.resize(static_cast<std::size_t>(what_.st_size));
    int const error = read_all(system, file_.number(), bytes_);
    is_read_ = error == 0;
    if (!is_read_) complaint_ = complaint_about(error);
}

} // namespace spio::cache
