// Opens folders and files step by step, and trusts no step that others could have put there.
// SPDX-License-Identifier: Apache-2.0
//
// The rule of trust: every folder on the way belongs to the user or to root, and nobody else can
// write to it. A path_walk opens one name of the path after the other, so that nothing can be
// exchanged between a check and its use; links are followed by hand. With the sticky bit, as in
// /tmp, users can remove their own files only.
module;

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

module spio.system;

namespace spio {

namespace {

std::string message_of(int error) { return std::generic_category().message(error); }

// Puts the names of a path before the names in the queue.
void put_first(std::deque<std::string>& names, std::string_view path) {
    std::deque<std::string> first;
    while (!path.empty()) {
        auto const end = std::min(path.find('/'), path.size());
        auto const name = path.substr(0, end);
        if (!name.empty() && name != ".") first.emplace_back(name);
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    names.insert(names.begin(), first.begin(), first.end());
}

enum class target { owned_folder, existing_folder, shared_folder, code, data };

// Opens a path, one name at a time, and holds only one open folder.
class path_walk {
  public:
    path_walk(system_calls& system, target purpose) : system_(system), target_(purpose) {}
    path_walk(path_walk const&) = delete;
    path_walk& operator=(path_walk const&) = delete;
    ~path_walk() { leave(); }

    // A descriptor of the folder or file; or -1, and refusal() says why.
    int open(std::string const& path) {
        if (path.empty() || path[0] != '/') return refuse("it is not an absolute path");
        if (path.find('\0') != path.npos) return refuse("it has a zero byte in it");
        put_first(names_, path);
        if (names_.empty()) return refuse("it is the root");
        if (!enter_root()) return -1;
        while (!names_.empty()) {
            auto const name = std::move(names_.front());
            names_.pop_front();
            bool const is_last = names_.empty();
            if (is_last && is_file() && !is_link(name)) return open_file(name);
            if (!step(name, is_last)) return -1;
        }
        if (is_file()) return refuse(position_ + " is no regular file");
        int const readable =
            system_.openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        return readable >= 0 ? readable : refuse("it cannot be opened: " + message_of(errno));
    }

    std::string const& refusal() const { return refusal_; }
    std::string const& position() const { return position_; } // without symbolic links
    bool is_missing() const { return is_missing_; }
    struct stat const& status() const { return status_; }

  private:
    bool is_file() const { return target_ == target::code || target_ == target::data; }
    bool is_owned() const {
        return target_ == target::owned_folder || target_ == target::existing_folder;
    }
    std::string below(std::string const& name) const {
        return position_ + (position_.ends_with('/') ? "" : "/") + name;
    }

    int refuse(std::string reason) {
        refusal_ = std::move(reason);
        return -1;
    }
    // Keeps the reason why a step failed, and returns false.
    bool fail_step(std::string reason) {
        refusal_ = std::move(reason);
        return false;
    }

    void leave() {
        if (folder_ >= 0) system_.close(folder_);
        folder_ = -1;
    }

    bool trusts(uid_t owner) const { return owner == 0 || owner == system_.user(); }

    // Whether the rule of trust allows this file or folder; `is_last` says whether it is the end of
    // the path.
    bool is_trusted(int file, bool is_last) {
        if (is_last && is_owned() && status_.st_uid != system_.user()) {
            return fail_step(position_ + " belongs to " + owner());
        }
        if (!trusts(status_.st_uid)) {
            return fail_step(position_ + " belongs to " + owner() +
                             ", who is neither this user nor root");
        }
        auto const writer = other_writer(system_, file, status_);
        is_open_to_others_ = !writer.empty();
        bool const is_sticky = S_ISDIR(status_.st_mode) && (status_.st_mode & S_ISVTX) != 0;
        bool const holds_code = target_ == target::code && names_.size() == 1; // only the file left
        if (is_open_to_others_ && (is_last || holds_code || !is_sticky)) {
            return fail_step(position_ + " can be written to by others: " + writer);
        }
        return true;
    }
    std::string owner() const { return "user " + std::to_string(status_.st_uid); }

    bool enter_root() {
        leave();
        position_.clear();
        return enter(AT_FDCWD, "/", /*is_last=*/false);
    }

    // Opens the folder `name` in the folder `start`, and checks it.
    bool enter(int start, std::string const& name, bool is_last) {
        int const next =
            system_.openat(start, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        if (next < 0) {
            return fail_step(below(name) + " cannot be entered: " + message_of(errno));
        }
        leave();
        folder_ = next;
        if (name == "..") {
            position_ = std::filesystem::path(position_).parent_path();
        } else {
            position_ = name == "/" ? name : below(name);
        }
        status_ = {};
        if (system_.fstat(next, status_) != 0) {
            return fail_step(position_ + ": " + message_of(errno));
        }
        return is_trusted(next, is_last);
    }

    int open_file(std::string const& name) {
        constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
        int const file = system_.openat(folder_, name.c_str(), flags, 0);
        position_ = below(name);
        if (file < 0) {
            is_missing_ = errno == ENOENT;
            return refuse(position_ + " cannot be opened: " + message_of(errno));
        }
        status_ = {};
        bool const is_good =
            system_.fstat(file, status_) != 0 ? fail_step(position_ + ": " + message_of(errno))
            : !S_ISREG(status_.st_mode)       ? fail_step(position_ + " is no regular file")
                                              : is_trusted(file, /*is_last=*/true);
        if (is_good) return file;
        system_.close(file);
        return -1;
    }

    bool is_link(std::string const& name) {
        struct stat status = {};
        return system_.fstatat(folder_, name.c_str(), status) == 0 && S_ISLNK(status.st_mode);
    }

    // Opens the next name of the path, follows it if it is a link, or makes a folder that is
    // missing.
    bool step(std::string const& name, bool is_last) {
        struct stat status = {};
        if (system_.fstatat(folder_, name.c_str(), status) != 0) return add(name, is_last);
        if (!S_ISLNK(status.st_mode)) return enter(folder_, name, is_last);
        if (is_last && !is_file()) return fail_step(below(name) + " is a symbolic link");
        return trusts(status.st_uid) ? follow(name)
                                     : fail_step(below(name) + " is a symbolic link of user " +
                                                 std::to_string(status.st_uid));
    }

    // Makes a missing folder if the target may be made. errno says why the folder could not be
    // opened.
    bool add(std::string const& name, bool is_last) {
        if (errno != ENOENT || is_file() || target_ == target::shared_folder) {
            is_missing_ = errno == ENOENT;
            return fail_step(below(name) + ": " + message_of(errno));
        }
        // In a folder where everybody may write, another user could make the folder first and own
        // it.
        if (is_open_to_others_) {
            return fail_step(below(name) + " is missing, where everybody may put it");
        }
        if (target_ == target::existing_folder) {
            is_missing_ = system_.may_write(folder_);
            return fail_step(below(name) + (is_missing_ ? " does not exist"
                                                        : " cannot be made: " + message_of(errno)));
        }
        if (system_.mkdirat(folder_, name.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
            return fail_step(below(name) + " cannot be made: " + message_of(errno));
        }
        return enter(folder_, name, is_last);
    }

    // Puts the target of a symbolic link before the names that are left.
    bool follow(std::string const& name) {
        constexpr int most_links = 40;
        if (++links_ > most_links) return fail_step(below(name) + " leads through too many links");
        std::array<char, 4096> text;
        auto const size = system_.readlinkat(folder_, name.c_str(), text.data(), text.size());
        if (size < 0) return fail_step(below(name) + " cannot be followed: " + message_of(errno));
        auto const path = std::string_view(text.data(), static_cast<std::size_t>(size));
        if (path.size() == text.size()) return fail_step(below(name) + " leads too far");
        put_first(names_, path);
        return path.starts_with('/') ? enter_root() : true;
    }

    system_calls& system_;
    target target_;
    int folder_ = -1;
    struct stat status_ = {};
    bool is_open_to_others_ = false;
    bool is_missing_ = false;
    int links_ = 0;
    std::deque<std::string> names_; // names that are left to open
    std::string position_, refusal_;
};

target target_of(folder::use purpose) {
    switch (purpose) {
    case folder::use::owned:
        return target::owned_folder;
    case folder::use::existing:
        return target::existing_folder;
    case folder::use::shared:
        break;
    }
    return target::shared_folder;
}

} // namespace

folder::folder(system_calls& system, std::string path, use purpose)
    : system_(&system), path_(std::move(path)) {
    path_walk walk(system, target_of(purpose));
    descriptor_ = walk.open(path_);
    is_missing_ = walk.is_missing();
    if (descriptor_ < 0) refusal_ = "tried " + path_ + ": " + walk.refusal();
}

folder folder::refused(std::string reason) {
    folder none;
    none.refusal_ = std::move(reason);
    return none;
}

folder::folder(folder&& other) noexcept
    : system_(other.system_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_missing_(other.is_missing_),
      path_(std::move(other.path_)),
      refusal_(std::move(other.refusal_)) {}

folder& folder::operator=(folder&& other) noexcept {
    std::swap(system_, other.system_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(is_missing_, other.is_missing_);
    std::swap(path_, other.path_);
    std::swap(refusal_, other.refusal_);
    return *this;
}

folder::~folder() {
    if (descriptor_ >= 0) system_->close(descriptor_);
}

trusted_file::trusted_file(std::filesystem::path const& path, use purpose, system_calls& system)
    : system_(system) {
    std::error_code ignored;
    auto const absolute = std::filesystem::absolute(path, ignored);
    path_walk walk(system, purpose == use::code ? target::code : target::data);
    descriptor_ = walk.open(absolute);
    is_missing_ = walk.is_missing();
    path_ = walk.position();
    size_ = static_cast<std::uint64_t>(walk.status().st_size);
    refusal_ = walk.refusal();
}

trusted_file::~trusted_file() {
    if (descriptor_ >= 0) system_.close(descriptor_);
}

} // namespace spio
