// The calls of Linux, and what the files of users and groups say.
// SPDX-License-Identifier: Apache-2.0
//
// Calls that tests must see fail go through the class system_calls, in whose place they put
// another. An access list is what POSIX ACLs give to more users than the mode's bits do. A private
// group is one that has its owner as its only member and has the owner's name.
module;

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

module spio.system;

namespace spio {

int system_calls::openat(int folder, char const* name, int flags, mode_t mode) {
    return ::openat(folder, name, flags, mode);
}

int system_calls::close(int file) { return ::close(file); }

ssize_t system_calls::read(int file, void* destination, std::size_t size) {
    return ::read(file, destination, size);
}

ssize_t system_calls::write(int file, void const* source, std::size_t size) {
    return ::write(file, source, size);
}

int system_calls::fsync(int file) { return ::fsync(file); }

int system_calls::fstat(int file, struct stat& status) { return ::fstat(file, &status); }

int system_calls::fstatat(int folder, char const* name, struct stat& status) {
    return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW);
}

ssize_t system_calls::access_list(int file, void* list, std::size_t size) {
    // The list is read by a path: a file that was opened with O_PATH has no attributes by its
    // descriptor.
    auto const path = "/proc/self/fd/" + std::to_string(file);
    return ::getxattr(path.c_str(), "system.posix_acl_access", list, size);
}

bool system_calls::may_write(int folder) {
    return ::faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

int system_calls::mkdirat(int folder, char const* name, mode_t mode) {
    return ::mkdirat(folder, name, mode);
}

int system_calls::linkat(int folder, char const* source, char const* destination) {
    return ::linkat(folder, source, folder, destination, 0);
}

int system_calls::renameat(int folder, char const* source, char const* destination) {
    return ::renameat(folder, source, folder, destination);
}

int system_calls::unlinkat(int folder, char const* name, int flags) {
    return ::unlinkat(folder, name, flags);
}

int system_calls::futimens(int file) { return ::futimens(file, nullptr); }

ssize_t system_calls::readlinkat(int folder, char const* name, char* target, std::size_t size) {
    return ::readlinkat(folder, name, target, size);
}

int system_calls::list(int folder, std::vector<std::string>& names) {
    // The folder is opened again because copies of a descriptor share its position in the list of
    // files.
    int const opened = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return -1;
    DIR* const stream = ::fdopendir(opened);
    if (stream == nullptr) {
        ::close(opened);
        return -1;
    }
    errno = 0;
    while (auto const* const item = ::readdir(stream)) {
        auto const name = std::string_view(item->d_name);
        if (name != "." && name != "..") names.emplace_back(name);
    }
    int const failure = errno;
    ::closedir(stream);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

// Locks or unlocks one byte of a file, without waiting. Such a lock belongs to the open file, not
// to the process.
static int set_lock(int file, std::int64_t byte, short type) {
    struct flock request = {};
    request.l_type = type;
    request.l_whence = SEEK_SET;
    request.l_start = byte;
    request.l_len = 1;
    return ::fcntl(file, F_OFD_SETLK, &request);
}

int system_calls::lock(int file, std::int64_t byte) { return set_lock(file, byte, F_WRLCK); }

int system_calls::unlock(int file, std::int64_t byte) { return set_lock(file, byte, F_UNLCK); }

char const* system_calls::environment(char const* name) { return ::secure_getenv(name); }

uid_t system_calls::user() { return ::geteuid(); }

bool system_calls::is_private(gid_t group, uid_t owner) { return is_private_group(group, owner); }

pid_t system_calls::process() { return ::getpid(); }

timespec system_calls::now() {
    timespec time = {};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

void system_calls::sleep(int milliseconds) {
    timespec const time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    ::nanosleep(&time, nullptr);
}

// Calls f(record) for each record of a file such as /etc/passwd, until f returns false. Returns
// false if the file cannot be read to its end.
template <class Record, class Reader, class F>
static bool for_each_record(char const* path, Reader reader, F f) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path, "re"),
                                                               &std::fclose);
    if (!file) return false;
    std::vector<char> text(1 << 16);
    for (Record record = {}, *found = nullptr;;) {
        int const failed = reader(file.get(), &record, text.data(), text.size(), &found);
        if (failed != 0 || found == nullptr) return failed == ENOENT;
        if (!f(record)) return true;
    }
}

// `users` and `groups` are the paths of files like /etc/passwd and /etc/group.
bool is_private_group(gid_t group, uid_t owner, char const* users, char const* groups) {
    if (owner == 0) return false;
    std::string name;
    bool is_alone = true;
    bool const has_users = for_each_record<passwd>(users, ::fgetpwent_r, [&](passwd const& user) {
        if (user.pw_uid == owner && name.empty()) name = user.pw_name;
        if (user.pw_gid == group && user.pw_uid != owner) is_alone = false;
        if (user.pw_uid == owner && user.pw_gid != group) is_alone = false;
        return is_alone;
    });
    if (!has_users || !is_alone || name.empty()) return false;
    bool is_named = false;
    bool const has_groups =
        for_each_record<struct group>(groups, ::fgetgrent_r, [&](struct group const& record) {
            if (record.gr_gid != group) return true;
            is_named = is_named || name == record.gr_name;
            for (auto const* member = record.gr_mem; *member != nullptr; ++member) {
                if (name != *member) is_alone = false;
            }
            return is_alone;
        });
    return has_groups && is_named && is_alone;
}

std::string environment(char const* name) {
    char const* const value = ::secure_getenv(name);
    return value == nullptr ? "" : value;
}

system_calls& operating_system() {
    static system_calls calls;
    return calls;
}

} // namespace spio
