// A cache's folder whose clock stands still and whose calls fail, and what was told of it.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. A wrong one is moved aside (renamed). A scratch folder is removed at
// the end, and the calls of `troubled` fail as a test says.
module;

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

export module watched;

import spio.cache;
import rig;

namespace cache = spio::cache;

export namespace rig {

using lines = std::vector<std::string>;
inline constexpr time_t moment = 1'700'000'000;

// Calls that fail as a test says, in process 4711, on a clock that stands still. It notes how long
// its callers slept.
struct foreseen : troubled {
    std::vector<int> pauses; // milliseconds
    call thrown_by = call::unlock;

    timespec now() override { return {moment, 7}; }
    pid_t process() override { return 4711; }
    void sleep(int milliseconds) override { pauses.push_back(milliseconds); }
    int openat(int directory, char const* name, int flags, mode_t mode) override {
        if (thrown_by == call::openat) throw std::runtime_error("no memory");
        return troubled::openat(directory, name, flags, mode);
    }
    int list(int directory, std::vector<std::string>& names) override {
        if (thrown_by == call::list) throw std::runtime_error("no memory");
        return troubled::list(directory, names);
    }
    // From now on the first `count` calls of a kind fail with an errno.
    void fail(call failing, int error, int count = 1 << 30) {
        for (auto& count : call_counts) count = 0;
        trouble = [=](call asked, int earlier, int) {
            return asked == failing && earlier < count ? error : 0;
        };
    }
};

// A folder, and what was told of it.
struct watched {
    std::string digits = cache::hexadecimal(sample_key(1).value); // in the name of an entry's file
    scratch place;
    foreseen system;
    lines told;
    std::string path = place / "cache";

    watched() { cache::folder(system, path, cache::folder::use::owned); }

    cache::disk disk(cache::limits limits = {},
                     cache::folder::use use = cache::folder::use::owned) {
        return {system, cache::folder(system, path, use), use, limits,
                [this](std::string_view line) { told.emplace_back(line); }};
    }
    std::string path_of(std::string const& name) const { return path + "/" + name; }
    std::string entry_path() const { return path_of(digits + ".image"); }
    // The name that a file has before it is an entry, or when it was moved aside.
    std::string other_path(char const* kind, int number) const {
        return path_of(digits + "." + kind + "-4711-" + std::to_string(number) + "-1700000000-7");
    }
    // What was told since the last call.
    lines heard() {
        lines result;
        result.swap(told);
        return result;
    }
    void set_time(std::string const& name, time_t seconds) const {
        timespec const times[2] = {{seconds, 0}, {seconds, 0}};
        REQUIRE(utimensat(AT_FDCWD, path_of(name).c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
    }
};

} // namespace rig
