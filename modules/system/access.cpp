// The rule of trust: who can write to a file, by its mode, its group and its access-control list.
// SPDX-License-Identifier: Apache-2.0
//
// A private group has its owner as its only member, and has the owner's name. other_writer() is
// asked for an open file or folder, and answers who besides the user and root could change it.
module;

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

#include <sys/stat.h>

module spio.system;

namespace spio {

namespace {

// As in linux/posix_acl.h and linux/posix_acl_xattr.h.
enum class tag : std::uint16_t { user = 0x02, owning_group = 0x04, group = 0x08, mask = 0x10 };
constexpr std::uint16_t write_permission = 2;
constexpr std::size_t header_bytes = 4, entry_bytes = 8;

// An entry of an access-control list as the kernel of Linux writes it.
struct access_entry {
    tag kind;
    std::uint16_t permissions;
    std::uint32_t id;
};
static_assert(sizeof(access_entry) == entry_bytes);

std::string group_name(gid_t group) { return "group " + std::to_string(group); }

// Who may write by an access-control list, besides root, the owner and the owner's private group;
// empty if nobody. `status` is that of the file.
std::string writer_in_list(system_calls& system, std::span<unsigned char const> list,
                           struct stat const& status) {
    std::uint16_t mask = 7;
    auto const for_each = [&](auto const& f) {
        for (auto rest = list; rest.size() >= entry_bytes; rest = rest.subspan(entry_bytes)) {
            access_entry entry;
            std::memcpy(&entry, rest.data(), sizeof entry);
            f(entry);
        }
    };
    for_each([&](access_entry const& entry) {
        if (entry.kind == tag::mask) mask = entry.permissions;
    });
    std::string writer;
    for_each([&](access_entry const& entry) {
        if ((entry.permissions & mask & write_permission) == 0) return;
        if (entry.kind == tag::user && entry.id != 0 && entry.id != system.user()) {
            writer = "user " + std::to_string(entry.id) + " of its access-control list";
        }
        bool const is_group = entry.kind == tag::group || entry.kind == tag::owning_group;
        auto const group = entry.kind == tag::owning_group ? status.st_gid : gid_t{entry.id};
        if (is_group && !system.is_private(group, status.st_uid)) writer = group_name(group);
    });
    return writer;
}

} // namespace

std::string other_writer(system_calls& system, int file, struct stat const& status) {
    if ((status.st_mode & S_IWOTH) != 0) return "everyone";
    // The mask of an access-control list shows as the group's bits: without this one, no entry of a
    // list lets anybody write.
    if ((status.st_mode & S_IWGRP) == 0) return "";
    std::array<unsigned char, 4096> bytes;
    auto const size = system.access_list(file, bytes.data(), bytes.size());
    if (size < 0 && (errno == ENODATA || errno == ENOTSUP)) {
        return system.is_private(status.st_gid, status.st_uid) ? "" : group_name(status.st_gid);
    }
    if (size < static_cast<ssize_t>(header_bytes)) {
        return "an access-control list that cannot be read: " +
               std::generic_category().message(errno);
    }
    return writer_in_list(
        system, std::span(bytes).first(static_cast<std::size_t>(size)).subspan(header_bytes),
        status);
}

std::string distrust(std::filesystem::path const& file) {
    return trusted_file(file, trusted_file::use::code).refusal();
}

} // namespace spio
