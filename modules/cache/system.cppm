// What the cache asks of the operating system, one function each, so that a test can fail any.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

export module spio.cache:system;

export namespace spio::cache {

// Named like the calls, and like them they return -1 and set errno.
class system_calls {
  public:
    virtual ~system_calls() = default;

    virtual int openat(int folder, char const* name, int flags, mode_t mode);
    virtual int close(int file);
    virtual ssize_t read(int file, void* to, std::size_t size);
    virtual ssize_t write(int file, void const* from, std::size_t size);
    virtual int fsync(int file);
    virtual int fstat(int file, struct stat& what);
    virtual int fstatat(int folder, char const* name, struct stat& what); // of a link itself
    virtual bool may_write(int folder);                                   // else errno says why not
    virtual int mkdirat(int folder, char const* name, mode_t mode);
    virtual int linkat(int folder, char const* from, char const* to);
    virtual int renameat(int folder, char const* from, char const* to);
    virtual int unlinkat(int folder, char const* name, int flags);
    virtual int futimens(int file); // to now
    virtual ssize_t readlinkat(int folder, char const* name, char* to, std::size_t size);
    // The names in a folder, in any order.
    virtual int list(int folder, std::vector<std::string>& names);
    // Of one byte of a file, without waiting; the open file holds it, not the process.
    virtual int lock(int file, std::int64_t byte);
    virtual int unlock(int file, std::int64_t byte);

    virtual char const* environment(char const* name); // nullptr if a privileged program is asked
    virtual uid_t user();
    // Whether the group is the one that a user who is not root has alone, named as the user is.
    virtual bool is_private(gid_t group, uid_t owner);
    virtual pid_t process();
    virtual timespec now();
    virtual void sleep(int milliseconds);
};

// The one that is used where no other is given.
system_calls& operating_system();

} // namespace spio::cache
