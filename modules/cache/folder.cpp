// Walks to a folder step by step, and trusts no step that somebody else could have put there.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

module spio.cache;

namespace spio::cache {

static std::string words_of(int error) { return std::generic_category().message(error); }

// Puts the names of a path before those that are there.
static void put_first(std::deque<std::string>& names, std::string_view path) {
    std::deque<std::string> first;
    while (!path.empty()) {
        auto const end = std::min(path.find('/'), path.size());
        auto const name = path.substr(0, end);
        if (!name.empty() && name != ".") first.emplace_back(name);
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    names.insert(names.begin(), first.begin(), first.end());
}

// Holds one open folder at a time.
class walk {
  public:
    walk(system_calls& system, folder::use how) : system_(system), how_(how) {}
    walk(walk const&) = delete;
    walk& operator=(walk const&) = delete;
    ~walk() { leave(); }

    // A descriptor of the folder, for listing too; or -1 and what is wrong.
    int to(std::string const& path) {
        if (path.empty() || path[0] != '/') return refuse("it is not an absolute path");
        if (path.find('\0') != path.npos) return refuse("it has a zero byte in it");
        put_first(names_, path);
        if (names_.empty()) return refuse("it is the root");
        if (!enter_root()) return -1;
        while (!names_.empty()) {
            auto const name = std::move(names_.front());
            names_.pop_front();
            if (!step(name, names_.empty())) return -1;
        }
        int const readable =
            system_.openat(here_, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        return readable >= 0 ? readable : refuse("it cannot be opened: " + words_of(errno));
    }

    std::string const& complaint() const { return complaint_; }
    bool is_missing() const { return is_missing_; }

  private:
    int refuse(std::string why) {
        complaint_ = std::move(why);
        return -1;
    }

    bool complain(std::string why) {
        complaint_ = std::move(why);
        return false;
    }

    void leave() {
        if (here_ >= 0) system_.close(here_);
        here_ = -1;
    }

    bool trusts(uid_t owner) const { return owner == 0 || owner == system_.user(); }

    bool enter_root() {
        leave();
        return enter(AT_FDCWD, "/", false);
    }

    bool enter(int from, std::string const& name, bool last) {
        int const next =
            system_.openat(from, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        if (next < 0) return complain(name + " cannot be entered: " + words_of(errno));
        leave();
        here_ = next;
        struct stat what = {};
        if (system_.fstat(next, what) != 0) return complain(name + ": " + words_of(errno));
        bool const own = last && how_ != folder::use::shared;
        if (own && what.st_uid != system_.user()) return complain(name + " is somebody else's");
        if (!trusts(what.st_uid)) return complain(name + " is neither the user's nor root's");
        open_to_all_ =
            (what.st_mode & S_IWOTH) != 0 ||
            ((what.st_mode & S_IWGRP) != 0 && !system_.is_private(what.st_gid, what.st_uid));
        if (open_to_all_ && (last || (what.st_mode & S_ISVTX) == 0)) {
            return complain(name + " can be written to by others");
        }
        return true;
    }

    bool step(std::string const& name, bool last) {
        struct stat what = {};
        if (system_.fstatat(here_, name.c_str(), what) != 0) {
            if (errno != ENOENT || how_ == folder::use::shared) {
                return complain(name + ": " + words_of(errno));
            }
            // Whoever comes first owns it: a name that can be foretold is no place for images.
            if (open_to_all_) return complain(name + " is missing, where everybody may put it");
            if (how_ == folder::use::existing) {
                is_missing_ = system_.may_write(here_);
                return complain(is_missing_ ? name + " does not exist"
                                            : name + " cannot be made: " + words_of(errno));
            }
            if (system_.mkdirat(here_, name.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
                return complain(name + " cannot be made: " + words_of(errno));
            }
            return enter(here_, name, last);
        }
        if (!S_ISLNK(what.st_mode)) return enter(here_, name, last);
        if (last) return complain(name + " is a symbolic link");
        return trusts(what.st_uid) ? follow(name)
                                   : complain(name + " is a symbolic link of somebody else's");
    }

    bool follow(std::string const& name) {
        constexpr int most_links = 40;
        if (++links_ > most_links) return complain(name + " leads through too many links");
        std::array<char, 4096> target;
        auto const size = system_.readlinkat(here_, name.c_str(), target.data(), target.size());
        if (size < 0) return complain(name + " cannot be followed: " + words_of(errno));
        auto const path = std::string_view(target.data(), static_cast<std::size_t>(size));
        if (path.size() == target.size()) return complain(name + " leads too far");
        put_first(names_, path);
        return path.starts_with('/') ? enter_root() : true;
    }

    system_calls& system_;
    folder::use how_;
    int here_ = -1;
    bool open_to_all_ = false;
    bool is_missing_ = false;
    int links_ = 0;
    std::deque<std::string> names_; // that are left to go
    std::string complaint_;
};

folder::folder(system_calls& system, std::string path, use how)
    : system_(&system), path_(std::move(path)) {
    walk way(system, how);
    descriptor_ = way.to(path_);
    is_missing_ = way.is_missing();
    if (descriptor_ < 0) refusal_ = "tried " + path_ + ": " + way.complaint();
}

folder folder::of_environment(system_calls& system, use how) {
    auto const value = [&](char const* name) {
        char const* const got = system.environment(name);
        return std::string(got == nullptr ? "" : got);
    };
    folder none;
    if (value("SPIO_CACHE") == "off") {
        none.refusal_ = "SPIO_CACHE is off";
        return none;
    }
    if (auto const own = value("SPIO_CACHE_DIR"); !own.empty()) return {system, own, how};
    auto const refuse = [&](std::string const& why) {
        none.refusal_ += (none.refusal_.empty() ? "" : "; ") + why;
    };
    if (auto const caches = value("XDG_CACHE_HOME"); caches.starts_with('/')) {
        auto got = folder(system, caches + "/spio", how);
        if (got || got.is_missing()) return got;
        refuse(got.refusal());
    }
    if (auto const home = value("HOME"); home.starts_with('/')) {
        // Services are given homes that do not exist, and should not.
        struct stat what = {};
        bool const exists = system.fstatat(AT_FDCWD, home.c_str(), what) == 0;
        auto got = exists ? folder(system, home + "/.cache/spio", how) : folder();
        if (got || got.is_missing()) return got;
        refuse(exists ? got.refusal() : "tried " + home + ": " + words_of(errno));
    }
    if (none.refusal_.empty()) {
        none.refusal_ = "no absolute path in SPIO_CACHE_DIR, XDG_CACHE_HOME or HOME";
    }
    return none;
}

folder::folder(folder&& from) noexcept
    : system_(from.system_),
      descriptor_(std::exchange(from.descriptor_, -1)),
      is_missing_(from.is_missing_),
      path_(std::move(from.path_)),
      refusal_(std::move(from.refusal_)) {}

folder& folder::operator=(folder&& from) noexcept {
    std::swap(system_, from.system_);
    std::swap(descriptor_, from.descriptor_);
    std::swap(is_missing_, from.is_missing_);
    std::swap(path_, from.path_);
    std::swap(refusal_, from.refusal_);
    return *this;
}

folder::~folder() {
    if (descriptor_ >= 0) system_->close(descriptor_);
}

} // namespace spio::cache
