// Finds and publishes entries: a file is believed only if all about it is right.
// SPDX-License-Identifier: Apache-2.0
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

namespace spio::cache {

static std::string words_of_error() { return std::generic_category().message(errno); }

static std::string name_of(key const& of) { return hexadecimal(of.value) + ".image"; }

disk::disk(system_calls& system, folder where, folder::use how, limits within, logger log)
    : system_(system),
      folder_(std::move(where)),
      how_(how),
      limits_(within),
      log_(std::move(log)) {}

void disk::say(std::string const& line) const noexcept {
    try {
        if (log_) log_("cache: " + line);
    } catch (std::exception const&) {
        return; // a log that fails is no reason to stop
    }
}

std::string disk::litter_name(key const& of, char const* kind) {
    auto const now = system_.now();
    auto name = hexadecimal(of.value) + kind;
    for (std::uint64_t const part :
         {static_cast<std::uint64_t>(system_.process()), ++names_made_,
          static_cast<std::uint64_t>(now.tv_sec), static_cast<std::uint64_t>(now.tv_nsec)}) {
        name += "-" + std::to_string(part);
    }
    return name;
}

std::shared_ptr<entry const> disk::find(key const& of) noexcept {
    try {
        entry_file const file(system_, folder_, name_of(of));
        std::string complaint = file.complaint();
        if (file.is_read()) {
            auto got = read_file(file.bytes(), of);
            if (got.what) {
                // A failure costs the entry its place among those used lately, no more.
                if (how_ == folder::use::mine) system_.futimens(file.number());
                return std::make_shared<entry const>(std::move(*got.what));
            }
            complaint = got.complaint;
        }
        if (!complaint.empty()) move_aside(of, file.what(), complaint);
    } catch (std::exception const& failure) {
        say(std::string("nothing read: ") + failure.what());
    }
    return nullptr;
}

void disk::move_aside(key const& of, struct stat const* seen, std::string const& why) {
    auto const name = name_of(of);
    if (how_ == folder::use::shared) {
        say("not believed: " + folder_.path() + "/" + name + ": " + why);
        return;
    }
    struct stat now = {};
    if (seen != nullptr) {
        // Somebody else may have moved it, and published a good one since.
        if (system_.fstatat(folder_.descriptor(), name.c_str(), now) != 0) return;
        if (now.st_ino != seen->st_ino || now.st_dev != seen->st_dev) return;
    }
    auto const aside = litter_name(of, ".aside");
    if (system_.renameat(folder_.descriptor(), name.c_str(), aside.c_str()) == 0) {
        moved_aside_++;
        say("moved aside to " + folder_.path() + "/" + aside + ": " + why);
    } else {
        say("could not move aside " + folder_.path() + "/" + name + ": " + words_of_error());
    }
}

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

static bool sync(system_calls& system, int file) {
    int result = system.fsync(file);
    while (result != 0 && errno == EINTR) result = system.fsync(file);
    return result == 0;
}

// Nothing, or what was tried and went wrong.
std::string disk::write_and_link(key const& of, std::vector<unsigned char> const& bytes,
                                 bool& made) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    std::string temporary;
    int opened = -1;
    for (int attempt = 0; attempt < 8 && opened < 0; attempt++) {
        temporary = litter_name(of, ".temporary");
        opened = system_.openat(folder_.descriptor(), temporary.c_str(), flags, S_IRUSR | S_IWUSR);
        if (opened < 0 && errno != EEXIST && errno != EINTR) break;
    }
    auto const failed_to = [&](char const* what) {
        return std::string(what) + " " + folder_.path() + "/" + temporary + ": " + words_of_error();
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
    } else if (system_.linkat(folder_.descriptor(), temporary.c_str(), name_of(of).c_str()) == 0) {
        made = true;
    } else if (errno != EEXIST) {
        complaint = failed_to("link");
    }
    system_.unlinkat(folder_.descriptor(), temporary.c_str(), 0); // or it is litter, for a while
    return complaint;
}

bool disk::publish(key const& of, entry const& what) noexcept {
    if (how_ == folder::use::shared) return false;
    try {
        auto const file = file_of(of, what);
        bool made = false;
        auto const complaint = file.size() > std::min(most_file_bytes, limits_.bytes)
                                   ? "it is larger than entries may be"
                                   : write_and_link(of, file, made);
        if (complaint.empty()) {
            if (made && (unseen_bytes_ += file.size()) > limits_.bytes / 16) tidy();
            return true;
        }
        publish_failures_++;
        say("not published: " + complaint);
    } catch (std::exception const& failure) {
        publish_failures_++;
        say(std::string("not published: ") + failure.what());
    }
    return false;
}

disk::key_lock disk::lock(key const& of) noexcept {
    if (how_ == folder::use::shared) return {};
    constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    constexpr int longest_pause = 16;
    open_file file(system_,
                   system_.openat(folder_.descriptor(), "locks", flags, S_IRUSR | S_IWUSR));
    if (!file) return {};
    auto const byte = static_cast<std::int64_t>(key_hash{}(of) >> 2);
    int pause = 1;
    for (std::int64_t waited = 0; system_.lock(file.number(), byte) != 0; waited += pause) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) return {};
        if (waited >= limits_.lock_wait.count()) return {};
        system_.sleep(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    return {system_, file.release(), byte};
}

disk::key_lock::~key_lock() {
    if (file_ < 0) return;
    // Not only by closing: a process forked meanwhile has the file open too.
    system_->unlock(file_, byte_);
    system_->close(file_);
}

} // namespace spio::cache
