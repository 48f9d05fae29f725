// Reads files of the cache's folder, and refuses what by its kind, rights or size is no entry.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file of its own. A complaint is the reason why a
// file must not be used as an entry.
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

import spio.system;

namespace spio::cache {

// Whether an errno is about the process or the moment, and says nothing about the file.
static bool is_passing(int error) {
    return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == EINTR || error == EAGAIN || error == ESTALE;
}

// What is wrong with a file by its errno; empty if the error says nothing about it.
static std::string complaint_about(int error) {
    return is_passing(error) ? "" : std::generic_category().message(error);
}

// Why a file cannot be a valid entry, by its status alone; null if it can.
static char const* defect_of(system_calls& system, int file, struct stat const& status) {
    if (!S_ISREG(status.st_mode)) return "it is no regular file";
    if (status.st_uid != 0 && status.st_uid != system.user()) {
        return "it is neither the user's nor root's";
    }
    // Entries are written for the user alone, and no group is given the right to write.
    if ((status.st_mode & S_IWGRP) != 0 || !other_writer(system, file, status).empty()) {
        return "it can be written to by others";
    }
    // While an entry is being published, its file has two names: the temporary one and the final
    // one.
    if (status.st_nlink > 2) return "it has several names";
    auto const size = static_cast<std::uint64_t>(status.st_size);
    if (size < least_file_bytes || size > most_file_bytes) return "it has an impossible size";
    return nullptr;
}

// Reads until `bytes` is full or the file ends, and shortens `bytes` to what was read. Returns an
// errno, or 0.
static int read_all(system_calls& system, int file, std::vector<unsigned char>& bytes) {
    std::size_t count = 0;
    while (count < bytes.size()) {
        auto const got = system.read(file, bytes.data() + count, bytes.size() - count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        count += static_cast<std::size_t>(got);
    }
    bytes.resize(count);
    return 0;
}

static int open_to_read(system_calls& system, folder const& folder, std::string const& name) {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    return system.openat(folder.descriptor(), name.c_str(), flags, 0);
}

entry_file::entry_file(system_calls& system, folder const& folder, std::string const& name)
    : file_(system, open_to_read(system, folder, name)) {
    if (!file_) {
        complaint_ = complaint_about(errno);
        return;
    }
    if (system.fstat(file_.number(), status_) != 0) return;
    has_status_ = true;
    if (char const* const defect = defect_of(system, file_.number(), status_)) {
        complaint_ = defect;
        return;
    }
    bytes_.resize(static_cast<std::size_t>(status_.st_size));
    int const error = read_all(system, file_.number(), bytes_);
    is_readable_ = error == 0;
    if (!is_readable_) complaint_ = complaint_about(error);
}

} // namespace spio::cache
