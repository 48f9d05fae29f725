// What tests of the cache share: folders, sample kernels, processes, and system calls that fail.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on.
module;

#include "tests/folder.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

export module rig;

import spio.cache;

namespace cache = spio::cache;

export namespace rig {

// A temporary folder, removed at the end. `place / "name"` is a path in it.
struct scratch : spio::test::folder {
    // In memory if /dev/shm exists: disks take long to remove thousands of folders.
    scratch() : scratch(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") {}
    explicit scratch(std::string_view parent) : folder(parent) {}
};

inline std::vector<std::string> names_in(std::string const& folder) {
    std::vector<std::string> names;
    if (!std::filesystem::exists(folder)) return names;
    for (auto const& each : std::filesystem::directory_iterator(folder)) {
        names.push_back(each.path().filename());
    }
    return names;
}

// The number of files that are neither entries nor the lock file: unfinished or moved aside.
inline int stale_file_count(std::string const& folder) {
    int count = 0;
    for (auto const& name : names_in(folder)) count += name != "locks" && !name.ends_with(".image");
    return count;
}

// A key and an entry that differ for each number, and are the same in every process.
inline cache::key sample_key(int number) {
    return cache::key_of({.source = "kernel " + std::to_string(number),
                          .headers = {},
                          .options = {},
                          .nvrtc_build = "a build",
                          .arch = "sm_90a"});
}

// An entry that is told from others by its number.
inline cache::entry sample_entry(int number, std::size_t cubin_bytes = 300) {
    cache::entry entry = {.symbol = "kernel_" + std::to_string(number),
                          .arch = "sm_90a",
                          .parameters = {{0, 8}, {8, 8}, {16, 4}},
                          .cubin = {}};
    auto random = static_cast<std::uint32_t>(number) * 2654435761U + 1;
    for (std::size_t i = 0; i < cubin_bytes; i++) {
        random = random * 1664525 + 1013904223;
        entry.cubin.push_back(static_cast<unsigned char>(random >> 24));
    }
    return entry;
}

// The entry of a key: from disk if it is there, or by calling `compile`.
inline cache::found get_or_compile(cache::folders& folders, cache::key const& key,
                                   std::function<cache::entry()> const& compile) {
    if (auto ready = folders.find(key)) return {std::move(ready), cache::origin::disk};
    return folders.compile_once(key, compile);
}

inline std::string file_name(cache::key const& key) {
    return cache::hexadecimal(key.value) + ".image";
}

inline std::vector<unsigned char> bytes_of(std::string const& path) {
    std::ifstream source(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(source), {}};
}

// The file of an entry with the digest of its changed bytes.
inline std::vector<unsigned char> sealed(std::vector<unsigned char> file) {
    file.resize(file.size() - sizeof(cache::digest));
    auto const sum = cache::sha256_of(file);
    file.insert(file.end(), sum.begin(), sum.end());
    return file;
}

inline void write_file(std::string const& path, cache::byte_view bytes, mode_t mode = 0600) {
    // A new file: ext4 waits for the disk if a file is truncated and written again.
    std::filesystem::remove(path);
    std::ofstream destination(path, std::ios::binary);
    destination.write(reinterpret_cast<char const*>(bytes.data()), static_cast<long>(bytes.size()));
    destination.close();
    chmod(path.c_str(), mode);
}

// Starts a process that ends with 0 if the task returns true. Returns its number.
inline pid_t start(std::function<bool()> const& task) {
    std::fflush(nullptr);
    pid_t const child = fork();
    if (child < 0) {
        std::perror("fork");
        std::abort();
    }
    if (child != 0) return child;
    int status = 2;
    try {
        status = task() ? 0 : 1;
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "in a child: %s\n", failure.what());
    }
    _exit(status);
}

// Waits for a process to end, and returns its status.
inline int status_of(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

// How many files this process has open.
inline int open_files() { return static_cast<int>(names_in("/proc/self/fd").size()); }

// The system calls that can be made to fail.
enum class call {
    openat,
    close,
    read,
    write,
    fsync,
    fstat,
    fstatat,
    mkdirat,
    linkat,
    renameat,
    unlinkat,
    futimens,
    readlinkat,
    list,
    lock,
    unlock
};
constexpr int calls = 16;

// The system's calls, counted. Before each of them `trouble` decides whether it fails. fsync does
// not wait for the disk.
class troubled : public cache::system_calls {
  public:
    // Returns the errno with which the call fails, or 0. The numbers are those of the earlier calls
    // of this kind, and of all kinds.
    std::function<int(call, int, int)> trouble = [](call, int, int) { return 0; };
    std::size_t most_written = 1 << 30;           // by one call
    uid_t posed_user = geteuid();                 // the user that the process claims to be
    bool groups_are_private = false;              // whether each group has a single member
    std::string closed_folder;                    // where nothing can be written
    std::atomic<long> seconds_ahead = 0;          // of the clock
    std::map<std::string, std::string> variables; // of the environment

    std::array<std::atomic<int>, calls> call_counts = {};
    std::atomic<int> call_count = 0;

    int openat(int folder, char const* name, int flags, mode_t mode) override {
        return fails(call::openat) ? -1 : system_calls::openat(folder, name, flags, mode);
    }
    int close(int file) override {
        int const error = ask(call::close);
        // A close that reports an error has closed the file, too.
        int const result = system_calls::close(file);
        if (error == 0) return result;
        errno = error;
        return -1;
    }
    ssize_t read(int file, void* destination, std::size_t size) override {
        return fails(call::read) ? -1 : system_calls::read(file, destination, size);
    }
    ssize_t write(int file, void const* source, std::size_t size) override {
        if (fails(call::write)) return -1;
        return system_calls::write(file, source, size < most_written ? size : most_written);
    }
    int fsync(int) override { return fails(call::fsync) ? -1 : 0; }
    int fstat(int file, struct stat& status) override {
        return fails(call::fstat) ? -1 : system_calls::fstat(file, status);
    }
    int fstatat(int folder, char const* name, struct stat& status) override {
        return fails(call::fstatat) ? -1 : system_calls::fstatat(folder, name, status);
    }
    bool may_write(int folder) override {
        return !is_closed(folder) && system_calls::may_write(folder);
    }
    int mkdirat(int folder, char const* name, mode_t mode) override {
        return is_closed(folder) || fails(call::mkdirat)
                   ? -1
                   : system_calls::mkdirat(folder, name, mode);
    }
    int linkat(int folder, char const* source, char const* destination) override {
        return fails(call::linkat) ? -1 : system_calls::linkat(folder, source, destination);
    }
    int renameat(int folder, char const* source, char const* destination) override {
        return fails(call::renameat) ? -1 : system_calls::renameat(folder, source, destination);
    }
    int unlinkat(int folder, char const* name, int flags) override {
        return fails(call::unlinkat) ? -1 : system_calls::unlinkat(folder, name, flags);
    }
    int futimens(int file) override {
        return fails(call::futimens) ? -1 : system_calls::futimens(file);
    }
    ssize_t readlinkat(int folder, char const* name, char* destination, std::size_t size) override {
        return fails(call::readlinkat) ? -1
                                       : system_calls::readlinkat(folder, name, destination, size);
    }
    int list(int folder, std::vector<std::string>& names) override {
        return fails(call::list) ? -1 : system_calls::list(folder, names);
    }
    int lock(int file, std::int64_t byte) override {
        return fails(call::lock) ? -1 : system_calls::lock(file, byte);
    }
    int unlock(int file, std::int64_t byte) override {
        return fails(call::unlock) ? -1 : system_calls::unlock(file, byte);
    }
    char const* environment(char const* name) override {
        auto const found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    }
    uid_t user() override { return posed_user; }
    bool is_private(gid_t, uid_t) override { return groups_are_private; }
    timespec now() override {
        auto time = system_calls::now();
        time.tv_sec += seconds_ahead;
        return time;
    }

  private:
    // Whether nothing can be written in this folder, which then sets errno.
    bool is_closed(int folder) const {
        if (closed_folder.empty()) return false;
        auto const position =
            std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(folder));
        if (position != closed_folder) return false;
        errno = EROFS;
        return true;
    }
    // The error that trouble() has for a call, or 0.
    int ask(call asked) {
        int const count_before = call_counts[static_cast<std::size_t>(asked)]++;
        return trouble(asked, count_before, call_count++);
    }
    bool fails(call asked) {
        int const error = ask(asked);
        if (error != 0) errno = error;
        return error != 0;
    }
};

} // namespace rig
