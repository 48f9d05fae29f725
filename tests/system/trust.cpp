// The rule of trust: whoever could write to a file or above it is named, and the file is not used.
// SPDX-License-Identifier: Apache-2.0
//
// The rule of trust: every folder above a file belongs to the user or to root, and nobody else can
// write to it. A private group has its owner as its only member, and has the owner's name.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/folder.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

import spio.system;

using namespace spio;
namespace fs = std::filesystem;

using spio::test::contains;

namespace {

constexpr uid_t stranger = 12345; // no user of this machine

// An entry of an access-control list, as the kernel stores it.
struct access_entry {
    std::uint16_t tag, permissions;
    std::uint32_t id;
};
constexpr std::uint16_t owner = 1, user = 2, owning_group = 4, group = 8, mask = 16, other = 32;
constexpr std::uint32_t no_id = 0xffffffff;

// Gives a file an access-control list, in the form of the file system: version 2, then the entries.
bool set_list(std::string const& path, std::vector<access_entry> const& entries) {
    std::vector<char> bytes = {2, 0, 0, 0};
    bytes.resize(4 + entries.size() * sizeof(access_entry));
    std::memcpy(bytes.data() + 4, entries.data(), entries.size() * sizeof(access_entry));
    return setxattr(path.c_str(), "system.posix_acl_access", bytes.data(), bytes.size(), 0) == 0;
}

// A folder with a/b/file in it, all of which only the user can write to.
struct test_place : test::folder {
    std::string file = path + "/a/b/file";

    test_place() {
        fs::create_directories(path + "/a/b");
        std::ofstream(file) << "text";
        for (auto const* name : {"", "/a", "/a/b", "/a/b/file"}) chmod((path + name).c_str(), 0700);
    }
};

// Calls of the system in which groups are as the test says.
struct grouped : system_calls {
    bool has_private_groups = false;
    bool is_private(gid_t, uid_t) override { return has_private_groups; }
};

// Why the file is refused; empty if it is trusted.
std::string refusal_of(std::string const& path, bool has_private_groups = false,
                       trusted_file::use use = trusted_file::use::code) {
    grouped system;
    system.has_private_groups = has_private_groups;
    return trusted_file(path, use, system).refusal();
}

} // namespace

TEST_CASE("a file is trusted if nobody else can write to it or above it") {
    test_place const ground;
    CHECK(distrust(ground.file).empty());
    trusted_file const file(ground.file, trusted_file::use::code);
    REQUIRE(file);
    CHECK(file.path() == ground.file);
    CHECK(file.size() == 4);
    CHECK(file.read() == "text");
    for (auto const* name : {"", "/a", "/a/b", "/a/b/file"}) {
        auto const path = ground.path + name;
        struct stat status = {};
        REQUIRE(stat(path.c_str(), &status) == 0);
        chmod(path.c_str(), status.st_mode | S_IWOTH);
        CHECK(refusal_of(ground.file) == path + " can be written to by others: everyone");
        chmod(path.c_str(), status.st_mode | S_IWGRP);
        CHECK(contains(refusal_of(ground.file), path + " can be written to by others: group "));
        CHECK(refusal_of(ground.file, /*has_private_groups=*/true).empty());
        chmod(path.c_str(), status.st_mode);
    }
}

TEST_CASE("in a folder with the sticky bit data is trusted, and code is not") {
    test_place const ground;
    chmod((ground / "a/b").c_str(), 01777);
    auto const refusal_of_data = [&] {
        return refusal_of(ground.file, /*has_private_groups=*/false, trusted_file::use::data);
    };
    CHECK(refusal_of_data().empty());
    CHECK(contains(refusal_of(ground.file), "a/b can be written to by others: everyone"));
    chmod((ground / "a/b").c_str(), 0777);
    CHECK(!refusal_of_data().empty());
}

TEST_CASE("links are followed to what they lead to, and no pipe is waited for") {
    test_place const ground;
    fs::create_symlink("../a/b/file", ground / "a/link");
    trusted_file const linked(ground / "a/link", trusted_file::use::code);
    CHECK(linked.refusal() == "");
    CHECK(linked.path() == ground.file);
    fs::create_symlink("round", ground / "round");
    CHECK(contains(distrust(ground / "round"), "too many links"));
    REQUIRE(mkfifo((ground / "pipe").c_str(), 0600) == 0);
    CHECK(distrust(ground / "pipe") == ground.path + "/pipe is no regular file");
    CHECK(distrust(ground / "a") == ground.path + "/a is no regular file");
    trusted_file const missing(ground / "missing", trusted_file::use::code);
    CHECK(missing.is_missing());
    CHECK(contains(missing.refusal(), "No such file"));
}

TEST_CASE("other people's files, folders and links are refused" *
          doctest::description("needs root") * doctest::skip(geteuid() != 0)) {
    test_place const ground;
    for (auto const* name : {"", "/a", "/a/b", "/a/b/file"}) {
        auto const path = ground.path + name;
        REQUIRE(chown(path.c_str(), stranger, stranger) == 0);
        CHECK(refusal_of(ground.file) ==
              path + " belongs to user 12345, who is neither this user nor root");
        REQUIRE(chown(path.c_str(), 0, 0) == 0);
    }
    fs::create_symlink(ground.file, ground / "link");
    REQUIRE(lchown((ground / "link").c_str(), stranger, stranger) == 0);
    CHECK(contains(refusal_of(ground / "link"), "link is a symbolic link of user 12345"));
}

TEST_CASE("an entry of an access-control list that may write is somebody else") {
    test_place const ground;
    struct row {
        std::vector<access_entry> entries;
        std::string writer; // named in the refusal; empty if nobody else may write
    };
    // A list in the kernel's order, with permissions (4 read, 2 write, 1 execute) for the owning
    // group and the mask, which limits all groups and named users.
    auto const list = [](std::uint16_t owning, std::vector<access_entry> more,
                         std::uint16_t mask_bits) {
        std::vector<access_entry> entries = {{owner, 7, no_id}};
        for (auto const& entry : more) {
            if (entry.tag == user) entries.push_back(entry);
        }
        entries.push_back({owning_group, owning, no_id});
        for (auto const& entry : more) {
            if (entry.tag == group) entries.push_back(entry);
        }
        entries.push_back({mask, mask_bits, no_id});
        entries.push_back({other, 0, no_id});
        return entries;
    };
    if (!set_list(ground.file, list(0, {{user, 6, stranger}}, 7))) {
        MESSAGE("this file system has no access-control lists");
        return;
    }
    row const rows[] = {
        {list(0, {{user, 6, stranger}}, 7), "user 12345 of its access-control list"},
        {list(0, {{user, 4, stranger}}, 7), ""},
        {list(0, {{user, 7, stranger}}, 5), ""}, // the mask takes it away
        {list(0, {{user, 7, geteuid()}}, 7), ""},
        {list(0, {{group, 6, stranger}}, 7), "group 12345"},
        {list(5, {{group, 5, stranger}}, 7), ""},
        {list(7, {}, 7), "group "},
    };
    for (auto const& [entries, writer] : rows) {
        for (auto const* name : {"/a", "/a/b", "/a/b/file"}) {
            auto const path = ground.path + name;
            REQUIRE(set_list(path, entries));
            auto const refusal = refusal_of(ground.file);
            CAPTURE(refusal);
            CHECK(refusal.empty() == writer.empty());
            if (!writer.empty())
                CHECK(contains(refusal, path + " can be written to by others: " + writer));
            removexattr(path.c_str(), "system.posix_acl_access");
            chmod(path.c_str(), 0700);
        }
    }
    std::cout << "summary: system.trust: " << std::size(rows) << " access-control lists\n";
}

TEST_CASE(
    "a user's group is private if it is the primary group of its namesake and of nobody else") {
    test::folder const folder;
    auto const users = folder / "passwd", groups = folder / "group";
    auto const write = [](std::string const& path, std::string const& text) {
        std::ofstream(path) << text;
    };
    std::string const alice = "alice:x:1000:1000::/home/alice:/bin/sh\n";
    auto const is_private = [&](std::string const& user_lines, std::string const& group_lines) {
        write(users, "root:x:0:0::/root:/bin/sh\n" + user_lines);
        write(groups, "root:x:0:\n" + group_lines);
        return is_private_group(1000, 1000, users.c_str(), groups.c_str());
    };
    CHECK(is_private(alice, "alice:x:1000:\n"));
    CHECK(is_private(alice, "alice:x:1000:alice\n"));
    CHECK(!is_private(alice, "alice:x:1000:alice,eve\n"));
    CHECK(!is_private(alice, "staff:x:1000:\n"));
    CHECK(!is_private(alice, ""));
    CHECK(!is_private("", "alice:x:1000:\n"));
    // Eve is in no list: the group is her primary one.
    CHECK(!is_private(alice + "eve:x:1001:1000::/home/eve:/bin/sh\n", "alice:x:1000:\n"));
    CHECK(!is_private("eve:x:1001:1000::/home/eve:/bin/sh\n" + alice, "alice:x:1000:\n"));
    CHECK(!is_private("alice:x:1000:50::/home/alice:/bin/sh\n", "alice:x:1000:\n"));
    // Users of one number are one user, who has the name that comes first; so have groups.
    std::string const namesake = "alias:x:1000:1000::/home/alice:/bin/sh\n";
    CHECK(is_private(alice + namesake, "alice:x:1000:\n"));
    CHECK(!is_private(namesake + alice, "alice:x:1000:\n"));
    CHECK(is_private(alice, "alice:x:1000:\nstaff:x:1000:\n"));
    CHECK(is_private(alice, "staff:x:1000:\nalice:x:1000:\n"));
    CHECK(!is_private(alice, "alice:x:1000:\nstaff:x:1000:eve\n"));
    CHECK(!is_private(alice, "staff:x:1000:eve\nalice:x:1000:\n"));
    CHECK(is_private(alice + "eve:x:1001:1001::/home/eve:/bin/sh\n",
                     "eve:x:1001:alice\nalice:x:1000:\n"));
    // What cannot be read to its end may name others.
    std::string const long_text(100'000, 'a');
    CHECK(!is_private(alice + "bob:x:1001:1001::/" + long_text + ":/bin/sh\n", "alice:x:1000:\n"));
    CHECK(!is_private(alice, "alice:x:1000:\nbob:x:1001:" + long_text + "\n"));
    CHECK(!is_private_group(1000, 1000, "/nowhere", groups.c_str()));
    CHECK(!is_private_group(1000, 1000, users.c_str(), "/nowhere"));
    // The user 1 is one as others are.
    write(users, "daemon:x:1:1::/:/bin/sh\n");
    write(groups, "daemon:x:1:\n");
    CHECK(is_private_group(1, 1, users.c_str(), groups.c_str()));
    // No group is private to root, whatever the files say.
    CHECK(!is_private_group(0, 0));
}

TEST_CASE("a folder that is assigned is missing, or refused, as the other was") {
    test::folder const place;
    constexpr auto existing = folder::use::existing;
    folder target(operating_system(), place.path, existing);
    REQUIRE(target);
    CHECK(!target.is_missing());
    folder missing(operating_system(), place / "none", existing);
    auto const refusal = missing.refusal();
    REQUIRE(missing.is_missing());
    target = std::move(missing);
    CHECK(!target);
    CHECK(target.is_missing());
    CHECK(target.path() == place / "none");
    CHECK(target.refusal() == refusal);
    target = folder(operating_system(), place.path, existing);
    CHECK(target);
    CHECK(!target.is_missing());
    CHECK(target.path() == place.path);
    CHECK(target.refusal().empty());
}
