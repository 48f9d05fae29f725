// Finds and publishes entries. A file is used only if it is right in every way.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file named by its key. A `shared` folder is only
// read; an `owned` one is the user's. An entry is published in steps: its bytes are written to a
// temporary file, which is then linked to the final name. A wrong file is moved aside, that is
// renamed. tidy() removes old files and what is beyond the limit of the folder's size.
module;

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

import spio.system;

namespace spio::cache {

static std::string error_message() { return std::generic_category().message(errno); }

static std::string name_of(key const& key) { return hexadecimal(key.value) + ".image"; }

disk::disk(system_calls& system, folder folder, folder::use use, limits limits, logger logger)
    : system_(system),
      folder_(std::move(folder)),
      use_(use),
      limits_(limits),
      log_(std::move(logger)) {}

// Passes a line to the logger, if there is one, whatever it throws.
void log_safely(disk::logger const& log, std::string const& line) noexcept {
    try {
        if (log) log("cache: " + line);
    } catch (...) {
        return; // a failing log must not end the program
    }
}

void disk::log(std::string const& line) const noexcept { log_safely(log_, line); }

// A name that no other process and no earlier call has made; `kind` is its ending.
std::string disk::unique_name(key const& key, char const* kind) {
    auto const now = system_.now();
    auto name = hexadecimal(key.value) + kind;
    for (std::uint64_t const part :
         {static_cast<std::uint64_t>(system_.process()), ++name_count_,
          static_cast<std::uint64_t>(now.tv_sec), static_cast<std::uint64_t>(now.tv_nsec)}) {
        name += "-" + std::to_string(part);
    }
    return name;
}

std::shared_ptr<entry const> disk::find(key const& key) noexcept {
    try {
        entry_file const file(system_, folder_, name_of(key));
        std::string complaint = file.complaint();
        if (file.is_readable()) {
            auto parsed = parse_file(file.bytes(), key);
            if (parsed.value) {
                // If this fails, the entry only looks older than it is.
                if (use_ == folder::use::owned) system_.futimens(file.number());
                return std::make_shared<entry const>(std::move(*parsed.value));
            }
            complaint = parsed.complaint;
        }
        if (!complaint.empty()) move_aside(key, file.status(), complaint);
    } catch (std::exception const& failure) {
        log(std::string("nothing read: ") + failure.what());
    }
    return nullptr;
}

void disk::move_aside(key const& key, struct stat const* seen, std::string const& reason) {
    auto const name = name_of(key);
    if (use_ == folder::use::shared) {
        log("not used: " + folder_.path() + "/" + name + ": " + reason);
        return;
    }
    struct stat now = {};
    if (seen != nullptr) {
        // Another process may have moved the wrong file aside already, and published a good one.
        if (system_.fstatat(folder_.descriptor(), name.c_str(), now) != 0) return;
        if (now.st_ino != seen->st_ino || now.st_dev != seen->st_dev) return;
    }
    auto const aside = unique_name(key, ".aside");
    if (system_.renameat(folder_.descriptor(), name.c_str(), aside.c_str()) == 0) {
        moved_aside_++;
        log("moved aside to " + folder_.path() + "/" + aside + ": " + reason);
    } else {
        log("could not move aside " + folder_.path() + "/" + name + ": " + error_message());
    }
}

// Whether all bytes could be written.
static bool write_all(system_calls& system, int file, byte_view rest) {
    while (!rest.empty()) {
        auto const written = system.write(file, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        if (written == 0) {
            errno = ENOSPC;
            return false;
        }
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

// fsync until no signal interrupts it.
static bool sync(system_calls& system, int file) {
    int result = system.fsync(file);
    while (result != 0 && errno == EINTR) result = system.fsync(file);
    return result == 0;
}

// Writes a temporary file and links it to the name of the entry. Returns what failed, or an empty
// text.
std::string disk::write_and_link(key const& key, std::vector<unsigned char> const& bytes,
                                 bool& is_new) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    std::string temporary;
    int opened = -1;
    for (int attempt = 0; attempt < 8 && opened < 0; attempt++) {
        temporary = unique_name(key, ".temporary");
        opened = system_.openat(folder_.descriptor(), temporary.c_str(), flags, S_IRUSR | S_IWUSR);
        if (opened < 0 && errno != EEXIST && errno != EINTR) break;
    }
    auto const failed_to = [&](char const* verb) {
        return std::string(verb) + " " + folder_.path() + "/" + temporary + ": " + error_message();
    };
    open_file file(system_, opened);
    if (!file) return failed_to("create");

    std::string complaint;
    if (!write_all(system_, file.number(), bytes)) {
        complaint = failed_to("write");
    } else if (!sync(system_, file.number())) {
        complaint = failed_to("sync");
    } else if (!file.close()) {
        complaint = failed_to("close");
    } else if (system_.linkat(folder_.descriptor(), temporary.c_str(), name_of(key).c_str()) == 0) {
        is_new = true;
    } else if (errno != EEXIST) {
        complaint = failed_to("link");
    }
    system_.unlinkat(folder_.descriptor(), temporary.c_str(),
                     0); // if that fails, tidy() removes it later
    return complaint;
}

bool disk::publish(key const& key, entry const& entry) noexcept {
    if (use_ == folder::use::shared) return false;
    try {
        auto const file = file_of(key, entry);
        bool is_new = false;
        auto const complaint = file.size() > std::min(most_file_bytes, limits_.bytes)
                                   ? "it is larger than entries may be"
                                   : write_and_link(key, file, is_new);
        if (complaint.empty()) {
            // The folder is listed again before the limit is passed by more than a sixteenth.
            if (is_new && (unseen_bytes_ += file.size()) > limits_.bytes / 16) tidy();
            return true;
        }
        publish_failures_++;
        log("not published: " + complaint);
    } catch (std::exception const& failure) {
        publish_failures_++;
        log(std::string("not published: ") + failure.what());
    }
    return false;
}

file_lock disk::lock(key const& key) noexcept {
    if (use_ == folder::use::shared) return {};
    // Each key locks a byte of one file; the shift keeps the offset positive.
    auto const byte = static_cast<std::int64_t>(key_hash{}(key) >> 2);
    try {
        return {system_, folder_.descriptor(), "locks", byte, limits_.lock_wait.count()};
    } catch (std::exception const& failure) {
        log(std::string("nothing locked: ") + failure.what());
        return {};
    }
}

} // namespace spio::cache
