// Diagnoses the folder that keeps compiled kernels: who owns it, and whether it can be used.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is a file of the folder with one compiled kernel, its image.
module;

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

module spio.command;

import spio.cache;
import spio.system;

namespace spio::command {

namespace {

// The name of a file system, by the number that statfs(2) gives for its type.
std::string file_system_name(long type) {
    constexpr std::pair<unsigned long, char const*> known[] = {
        {0xef53, "ext4"},      {0x58465342, "xfs"},     {0x9123683e, "btrfs"},
        {0x01021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x6969, "nfs"},
        {0x2fc12fc1, "zfs"},   {0x0bd00bd0, "lustre"},  {0xff534d42, "cifs"},
        {0x65735546, "fuse"},  {0x47504653, "gpfs"},    {0x01021997, "9p"},
    };
    auto const magic = static_cast<unsigned long>(type) & 0xffffffff;
    auto const found = std::ranges::find(known, magic, [](auto const& k) { return k.first; });
    return found != std::end(known) ? found->second : "file system " + std::to_string(magic);
}

// The user's name, or "user NUMBER" if that is not known.
std::string user_name(uid_t user) {
    passwd entry = {};
    passwd* found = nullptr;
    char text[1024];
    bool const is_known = ::getpwuid_r(user, &entry, text, sizeof text, &found) == 0 && found;
    return is_known ? entry.pw_name : "user " + std::to_string(user);
}

// The permissions as four octal digits, such as 0700.
std::string mode_text(mode_t mode) {
    std::string digits = "0000";
    for (std::size_t i = 4; i-- > 0; mode >>= 3) digits[i] = static_cast<char>('0' + (mode & 7));
    return digits;
}

// Describes an opened folder in `result`, and what is wrong with it.
void diagnose_folder(cache::folder const& folder, diagnosis& result) {
    struct stat file = {};
    struct statfs disk = {};
    if (::fstat(folder.descriptor(), &file) != 0 || ::fstatfs(folder.descriptor(), &disk) != 0) {
        result.state = condition::wrong;
        result.text = folder.path() + " can be opened, but nothing is told of it";
        return;
    }
    std::uint64_t images = 0, bytes = 0;
    for (auto const& entry : cache::inventory_of(cache::operating_system(), folder).files) {
        if (entry.kind != cache::file_kind::entry) continue;
        ++images;
        bytes += entry.bytes;
    }
    auto const free = std::uint64_t{disk.f_bavail} * static_cast<std::uint64_t>(disk.f_bsize);
    auto const file_system = file_system_name(disk.f_type);
    auto const mode = mode_text(file.st_mode & 07777);
    auto const owner = user_name(file.st_uid);
    result.text = folder.path() + ", " + format_count(images, "image") + ", " + format_bytes(bytes);
    result.lines = {"mode " + mode + ", of " + owner + ", " + file_system + ", " +
                    format_bytes(free) + " free"};
    result.facts = json::object({{"path", folder.path()},
                                 {"mode", mode},
                                 {"owner", owner},
                                 {"file_system", file_system},
                                 {"free_bytes", free},
                                 {"images", images},
                                 {"bytes", bytes}});
    // With fewer free bytes the disk counts as full.
    constexpr std::uint64_t little = 100'000'000;
    if (::faccessat(folder.descriptor(), ".", W_OK, AT_EACCESS) != 0) {
        result.state = condition::wrong;
        result.text += ", where nothing can be written";
        result.advice = "let its owner write there, or set SPIO_CACHE_DIR to another folder";
    } else if (free < little) {
        result.state = condition::wrong;
        result.text += ", on a disk that is full";
        result.advice = "make room, or set SPIO_CACHE_DIR to a folder elsewhere";
    } else if (file_system == "nfs" || file_system == "cifs") {
        result.advice = "where locks do not work over the network, several processes may compile "
                        "the same kernel; a folder on this machine is faster";
    }
}

// Why a folder that does not exist cannot be made, or an empty string. The nearest folder above it
// must let this user write, and must be of a file system that keeps files.
std::string why_not_made(std::string const& path) {
    namespace fs = std::filesystem;
    fs::path parent = fs::path(path).parent_path();
    std::error_code ignored;
    while (!fs::exists(parent, ignored) && parent != parent.parent_path())
        parent = parent.parent_path();
    auto const refuse = [&](std::string const& reason) {
        return path + " is missing, and in " + parent.string() + " " + reason;
    };
    struct statfs disk = {};
    constexpr long kernels_own[] = {0x9fa0, 0x62656572}; // proc, sysfs
    if (::statfs(parent.c_str(), &disk) == 0 &&
        std::ranges::find(kernels_own, disk.f_type) != std::end(kernels_own)) {
        return refuse("no folder can be made");
    }
    if (::faccessat(AT_FDCWD, parent.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        return refuse("this user cannot make it: " + std::generic_category().message(errno));
    }
    return {};
}

} // namespace

std::string why_nothing_is_kept() {
    auto const folder =
        cache::folder_of_environment(cache::operating_system(), cache::folder::use::existing);
    if (folder || folder.refusal() == "SPIO_CACHE is off") return {};
    return folder.is_missing() ? why_not_made(folder.path()) : folder.refusal();
}

void tell_what_is_not_kept(io const& io) {
    auto const reason = why_nothing_is_kept();
    if (reason.empty()) return;
    io.tell("spio: what was compiled is not kept: " + printable(reason) +
            "; 'spio doctor' tells more\n");
}

diagnosis diagnose_cache() {
    diagnosis result = {.name = "cache"};
    auto const folder =
        cache::folder_of_environment(cache::operating_system(), cache::folder::use::existing);
    if (folder) {
        diagnose_folder(folder, result);
    } else if (folder.is_missing()) {
        result.text = why_not_made(folder.path());
        if (result.text.empty()) {
            result.text = folder.path() + " will be made when something is compiled";
        } else {
            result.state = condition::wrong;
            result.advice = "set SPIO_CACHE_DIR to a folder that only you can write to";
        }
        result.facts = json::object({{"path", folder.path()}, {"images", 0}, {"bytes", 0}});
    } else if (folder.refusal() == "SPIO_CACHE is off") {
        result.state = condition::missing;
        result.text = "SPIO_CACHE is off: each process compiles for itself";
        result.advice = "unset SPIO_CACHE to keep what is compiled";
    } else {
        result.state = condition::wrong;
        result.text = folder.refusal();
        result.advice = "set SPIO_CACHE_DIR to a folder that only you can write to";
    }
    return result;
}

} // namespace spio::command
