// The calls of Linux.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

module spio.cache;

namespace spio::cache {

int system_calls::openat(int folder, char const* name, int flags, mode_t mode) {
    return ::openat(folder, name, flags, mode);
}

int system_calls::close(int file) { return ::close(file); }

ssize_t system_calls::read(int file, void* to, std::size_t size) { return ::read(file, to, size); }

ssize_t system_calls::write(int file, void const* from, std::size_t size) {
    return ::write(file, from, size);
}

int system_calls::fsync(int file) { return ::fsync(file); }

int system_calls::fstat(int file, struct stat& what) { return ::fstat(file, &what); }

int system_calls::fstatat(int folder, char const* name, struct stat& what) {
    return ::fstatat(folder, name, &what, AT_SYMLINK_NOFOLLOW);
}

bool system_calls::may_write(int folder) {
    return ::faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

int system_calls::mkdirat(int folder, char const* name, mode_t mode) {
    return ::mkdirat(folder, name, mode);
}

int system_calls::linkat(int folder, char const* from, char const* to) {
    return ::linkat(folder, from, folder, to, 0);
}

int system_calls::renameat(int folder, char const* from, char const* to) {
    return ::renameat(folder, from, folder, to);
}

int system_calls::unlinkat(int folder, char const* name, int flags) {
    return ::unlinkat(folder, name, flags);
}

int system_calls::futimens(int file) { return ::futimens(file, nullptr); }

ssize_t system_calls::readlinkat(int folder, char const* name, char* to, std::size_t size) {
    return ::readlinkat(folder, name, to, size);
}

int system_calls::list(int folder, std::vector<std::string>& names) {
    // Its own open file: a position in the folder is shared by all who share one.
    int const own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) return -1;
    DIR* const all = ::fdopendir(own);
    if (all == nullptr) {
        ::close(own);
        return -1;
    }
    errno = 0;
    while (auto const* const each = ::readdir(all)) {
        auto const name = std::string_view(each->d_name);
        if (name != "." && name != "..") names.emplace_back(name);
    }
    int const failure = errno;
    ::closedir(all);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

static int set_lock(int file, std::int64_t byte, short how) {
    struct flock what = {};
    what.l_type = how;
    what.l_whence = SEEK_SET;
    what.l_start = byte;
    what.l_len = 1;
    return ::fcntl(file, F_OFD_SETLK, &what);
}

int system_calls::lock(int file, std::int64_t byte) { return set_lock(file, byte, F_WRLCK); }

int system_calls::unlock(int file, std::int64_t byte) { return set_lock(file, byte, F_UNLCK); }

char const* system_calls::environment(char const* name) { return ::secure_getenv(name); }

uid_t system_calls::user() { return ::geteuid(); }

bool system_calls::is_private(gid_t group, uid_t owner) {
    if (owner == 0) return false;
    std::vector<char> words(16384);
    passwd person = {};
    passwd* known = nullptr;
    if (::getpwuid_r(owner, &person, words.data(), words.size(), &known) != 0 || known == nullptr) {
        return false;
    }
    auto const name = std::string(person.pw_name);
    if (person.pw_gid != group) return false;
    struct group members = {};
    struct group* found = nullptr;
    if (::getgrgid_r(group, &members, words.data(), words.size(), &found) != 0 ||
        found == nullptr) {
        return false;
    }
    // A group that all users have first, like `users`, lists none of them: its name tells it apart.
    if (name != members.gr_name) return false;
    for (auto const* each = members.gr_mem; *each != nullptr; ++each) {
        if (name != *each) return false;
    }
    return true;
}

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

system_calls& operating_system() {
    static system_calls calls;
    return calls;
}

} // namespace spio::cache
