// The rule of trust, over all owners, modes, places and purposes, and all access lists.
// SPDX-License-Identifier: Apache-2.0
//
// A walk opens a path one name after the other, and checks each folder on the way. The system is
// faked: the test chooses the owner and the mode that it reports for each file.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

constexpr uid_t stranger = 12345;                   // no user of this machine
uid_t const me = geteuid() == 0 ? 1000 : geteuid(); // the user that the system is said to have

// Calls of a system whose files have the owners and modes that a test gives them.
struct posed : system_calls {
    std::map<ino_t, std::pair<uid_t, mode_t>> files;
    int list_error = ENODATA; // of access_list()
    std::vector<unsigned char> list;
    bool has_private_groups = false;
    std::string link_text; // where it is not empty, that of every link
    int calls = 0, failing_call = -1;
    std::set<int> open;

    bool fails() {
        errno = EIO;
        return calls++ == failing_call;
    }
    void pose(struct stat& status) const {
        auto const found = files.find(status.st_ino);
        if (found == files.end()) return;
        status.st_uid = found->second.first;
        status.st_mode = (status.st_mode & S_IFMT) | found->second.second;
    }
    int openat(int folder, char const* name, int flags, mode_t mode) override {
        if (fails()) return -1;
        int const file = system_calls::openat(folder, name, flags, mode);
        if (file >= 0) open.insert(file);
        return file;
    }
    int close(int file) override {
        open.erase(file);
        return system_calls::close(file);
    }
    int fstat(int file, struct stat& status) override {
        if (fails()) return -1;
        int const result = system_calls::fstat(file, status);
        pose(status);
        return result;
    }
    int fstatat(int folder, char const* name, struct stat& status) override {
        int const result = system_calls::fstatat(folder, name, status);
        pose(status);
        return result;
    }
    ssize_t readlinkat(int folder, char const* name, char* target, std::size_t size) override {
        if (fails()) return -1;
        if (link_text.empty()) return system_calls::readlinkat(folder, name, target, size);
        auto const count = std::min(size, link_text.size());
        std::memcpy(target, link_text.data(), count);
        return static_cast<ssize_t>(count);
    }
    ssize_t access_list(int, void* bytes, std::size_t) override {
        errno = list_error;
        if (list_error != 0) return -1;
        std::memcpy(bytes, list.data(), list.size());
        return static_cast<ssize_t>(list.size());
    }
    bool is_private(gid_t, uid_t owner) override { return has_private_groups && owner == me; }
    uid_t user() override { return me; }
};

// A path of three folders and a file, all of which seem to be the user's.
struct place : test::folder {
    std::vector<std::string> names = {path, path + "/a", path + "/a/b", path + "/a/b/file"};
    posed system;

    place() {
        fs::create_directories(path + "/a/b");
        std::ofstream(names[3]) << "text";
        for (auto const& name : names) pose(name, me, 0700);
    }
    void pose(std::string const& name, uid_t owner, mode_t mode) {
        struct stat status = {};
        REQUIRE(lstat(name.c_str(), &status) == 0);
        system.files[status.st_ino] = {owner, mode};
    }
};

// An entry of an access-control list, as the kernel stores it.
struct access_entry {
    std::uint16_t tag, permissions;
    std::uint32_t id;
};

} // namespace

TEST_CASE("files and folders are trusted by their owner, their mode and their place") {
    // A folder is kept by the user, looked for, or shared; a file has code or data.
    enum { owned, existing, shared, code, data };
    place ground;
    int count = 0;
    for (int const purpose : {owned, existing, shared, code, data}) {
        bool const is_file = purpose >= code;
        std::size_t const last = is_file ? 3 : 2;
        for (std::size_t level = 0; level <= last; ++level) {
            for (uid_t const owner : {uid_t{0}, me, stranger}) {
                for (mode_t const mode :
                     {0700U, 0755U, 0775U, 0757U, 0777U, 01775U, 01757U, 01777U}) {
                    ground.pose(ground.names[level], owner, mode);
                    std::string const& path = ground.names[last];
                    bool const is_opened =
                        is_file ? static_cast<bool>(trusted_file(path,
                                                                 purpose == code
                                                                     ? trusted_file::use::code
                                                                     : trusted_file::use::data,
                                                                 ground.system))
                                : static_cast<bool>(folder(ground.system, path,
                                                           static_cast<folder::use>(purpose)));
                    ground.pose(ground.names[level], me, 0700);
                    bool const is_last = level == last;
                    bool const is_owned = purpose == owned || purpose == existing;
                    bool const is_open_to_others = (mode & 022) != 0;
                    // With the sticky bit others remove nothing, but put files beside code.
                    bool const is_exempt =
                        (mode & 01000) != 0 && !is_last && !(purpose == code && level == 2);
                    bool const is_trusted =
                        (owner == me || (owner == 0 && !(is_last && is_owned))) &&
                        (!is_open_to_others || is_exempt);
                    CAPTURE(purpose);
                    CAPTURE(level);
                    CAPTURE(owner);
                    CAPTURE(mode);
                    CHECK(is_opened == is_trusted);
                    ++count;
                }
            }
        }
    }
    CHECK(ground.system.open.empty());
    std::cout << "summary: system.walks: " << count << " places judged\n";
}

TEST_CASE("a folder that is missing is made where nobody else can make it first") {
    for (mode_t const mode : {0700U, 0755U, 01777U}) {
        for (auto const use : {folder::use::owned, folder::use::existing, folder::use::shared}) {
            place ground;
            ground.pose(ground.names[2], me, mode);
            folder const fresh(ground.system, ground.names[2] + "/new", use);
            bool const is_safe = mode != 01777U;
            CAPTURE(mode);
            bool const is_made = use == folder::use::owned && is_safe;
            CHECK(fs::exists(ground.names[2] + "/new") == is_made);
            if (!is_made) CHECK(!fresh);
            bool const may_be_made = use == folder::use::existing && is_safe;
            if (use != folder::use::owned)
                CHECK(fresh.is_missing() == (may_be_made || use == folder::use::shared));
        }
    }
}

TEST_CASE("up to forty links are followed, of up to 4095 bytes") {
    place ground;
    for (int links = 1; links <= 44; ++links) {
        auto const number = std::to_string(links);
        fs::create_symlink(links == 1 ? ground.names[3]
                                      : ground / ("link" + std::to_string(links - 1)),
                           ground / ("link" + number));
        ground.pose(ground / ("link" + number), me, 0777);
        trusted_file const file(ground / ("link" + number), trusted_file::use::code, ground.system);
        CAPTURE(links);
        CHECK(static_cast<bool>(file) == (links <= 40));
        if (links > 40) CHECK(file.refusal().ends_with("leads through too many links"));
    }
    for (std::size_t size = 4090; size <= 4096; ++size) {
        ground.system.link_text = std::string(size - ground.names[3].size(), '/') + ground.names[3];
        trusted_file const file(ground / "link1", trusted_file::use::code, ground.system);
        CAPTURE(size);
        CHECK(static_cast<bool>(file) == (size < 4096));
        if (!file) CHECK(file.refusal().ends_with("leads too far"));
    }
    ground.system.link_text.clear();
    // Whoever owns a link decides where it leads.
    for (uid_t const owner : {uid_t{0}, me, stranger}) {
        ground.pose(ground / "link1", owner, 0777);
        CHECK(static_cast<bool>(trusted_file(ground / "link1", trusted_file::use::code,
                                             ground.system)) == (owner != stranger));
    }
}

TEST_CASE("a walk of which any call fails opens nothing, and leaves nothing open") {
    place ground;
    fs::create_symlink("a/b", ground / "link");
    ground.pose(ground / "link", me, 0777);
    auto const& system = ground.system;
    for (int const call_count : {1, 2}) {
        ground.system.failing_call = -1;
        for (bool is_opened = false; !is_opened;) {
            ground.system.calls = 0;
            ++ground.system.failing_call;
            if (call_count == 1) {
                trusted_file const file(ground / "link/file", trusted_file::use::data,
                                        ground.system);
                is_opened = static_cast<bool>(file);
                CHECK(file.refusal().ends_with("Input/output error") == !is_opened);
            } else {
                folder const opened(ground.system, ground / "link/../b", folder::use::existing);
                is_opened = static_cast<bool>(opened);
                CHECK(opened.refusal().ends_with("Input/output error") == !is_opened);
            }
            CHECK(is_opened == (system.failing_call >= system.calls));
            CHECK(system.open.empty());
            REQUIRE(system.failing_call < 100);
        }
        CHECK(system.calls > 10); // else calls were not counted
    }
}

TEST_CASE("who may write by an access-control list: all lists of two entries and a mask") {
    place ground;
    ground.system.list_error = 0;
    constexpr std::uint16_t user = 2, owning_group = 4, group = 8, mask = 16, other = 32;
    struct stat status = {};
    status.st_uid = me;
    status.st_gid = 77;
    status.st_mode = S_IFREG | 0770;
    long count = 0;
    std::vector<access_entry> drawn;
    for (std::uint16_t const tag : {user, owning_group, group, other}) {
        for (std::uint16_t permissions = 0; permissions < 8; ++permissions) {
            for (std::uint32_t const id :
                 {std::uint32_t{0}, std::uint32_t{me}, std::uint32_t{stranger}}) {
                drawn.push_back({tag, permissions, id});
            }
        }
    }
    for (bool const has_private_groups : {false, true}) {
        ground.system.has_private_groups = has_private_groups;
        for (std::uint16_t bits = 0; bits <= 8; ++bits) { // 8: there is no mask
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                std::vector<access_entry> entries = {drawn[i], drawn[i * 7 % drawn.size()]};
                if (bits < 8) entries.insert(entries.begin() + i % 3, {mask, bits, 0});
                bool is_writable = false;
                for (auto const& each : entries) {
                    bool const may_write = (each.permissions & (bits < 8 ? bits : 7) & 2) != 0;
                    bool const is_other_user = each.tag == user && each.id != 0 && each.id != me;
                    bool const is_group = each.tag == group || each.tag == owning_group;
                    is_writable |=
                        may_write && (is_other_user || (is_group && !has_private_groups));
                }
                ground.system.list.assign(4 + sizeof(access_entry) * entries.size(), 0);
                std::memcpy(&ground.system.list[4], entries.data(), ground.system.list.size() - 4);
                CHECK(other_writer(ground.system, 0, status).empty() == !is_writable);
                ++count;
            }
        }
    }
    CHECK(count == 2 * 9 * 96);
    // A list that is shorter than its header cannot be read; one without entries lets nobody write.
    for (std::size_t size = 0; size <= 4; ++size) {
        ground.system.list.assign(size, 0);
        CHECK(other_writer(ground.system, 0, status).empty() == (size == 4));
    }
    for (int const reason : {ENODATA, ENOTSUP, EIO, ERANGE}) {
        for (bool const has_private_groups : {false, true}) {
            ground.system.list_error = reason;
            ground.system.has_private_groups = has_private_groups;
            auto const writer = other_writer(ground.system, 0, status);
            bool const has_none = reason == ENODATA || reason == ENOTSUP;
            CHECK(writer.empty() == (has_none && has_private_groups));
            if (has_none && !has_private_groups) CHECK(writer == "group 77");
            if (!has_none)
                CHECK(writer.starts_with("an access-control list that cannot be read: "));
        }
    }
    // Where all may write, no list is asked for.
    status.st_mode = S_IFREG | 0702;
    CHECK(other_writer(ground.system, 0, status) == "everyone");
}
