// What the cache tells of each event, in whole lines, and what it counts and keeps then.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. A wrong one is moved aside (renamed). A `watched` folder is one on
// whose log and calls a test looks. heard() is what was told since its last call. sealed() gives a
// changed file the digest of its new bytes. system.fail(call, error, n) makes the first n such
// calls fail, or all of them, and counts calls anew.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

import spio.cache;
import rig;
import watched;

namespace cache = spio::cache;

namespace {

using bytes = std::vector<unsigned char>;
using cache::folder;
using rig::lines;
using rig::watched;

auto const key = rig::sample_key(1);
auto const answer = rig::sample_entry(1);

// The good file with a number of so many bytes changed at a place, and its digest.
bytes changed(std::size_t place, std::uint64_t number, int size) {
    auto file = cache::file_of(key, answer);
    for (int i = 0; i < size; ++i, number >>= 8) {
        file[place + static_cast<std::size_t>(i)] = static_cast<unsigned char>(number);
    }
    return rig::sealed(file);
}

} // namespace

TEST_CASE("each reason for which a file is no entry is told in words of its own") {
    watched cached;
    auto shared = cached.disk(/*limits=*/{}, folder::use::shared);
    auto const good = cache::file_of(key, answer);
    // A file has 8 bytes of its own, its schema, its key, its size, then texts behind their sizes.
    std::size_t const schema_place = 8, key_place = 12, size_place = 44, symbol_place = 52;
    auto const count_place = symbol_place + 4 + answer.symbol.size() + 4 + answer.arch.size();
    auto damaged = good;
    damaged.back() ^= 1;
    auto tail = good;
    tail.insert(tail.end() - sizeof(cache::digest), 0);
    tail[size_place] = static_cast<unsigned char>(tail.size());
    tail[size_place + 1] = static_cast<unsigned char>(tail.size() >> 8);
    cache::entry empty = answer;
    empty.symbol.clear();
    bytes const short_file(cache::least_file_bytes - 1), least_file(cache::least_file_bytes);
    struct wrong {
        bytes file;
        std::string reason;
    };
    std::vector<wrong> const files = {
        {short_file, "it has an impossible size"},
        {least_file, "it is no image of ours"},
        {changed(0, 0x88, 1), "it is no image of ours"},
        {changed(7, 0x1b, 1), "it is no image of ours"},
        {changed(schema_place, cache::schema + 1, 4), "it has another schema"},
        {changed(key_place + 31, key.value[31] ^ 1u, 1), "it belongs to another key"},
        {changed(size_place, good.size() + 1, 8), "it is not as long as it says"},
        {damaged, "its digest is another"},
        {changed(symbol_place, 1 << 20, 4), "its fields do not fill it"},
        {changed(symbol_place, 0xffffffff, 4), "its fields do not fill it"},
        {changed(count_place, 1000, 4), "it has more parameters than bytes"},
        {changed(count_place, 2, 4), "its fields do not fill it"},
        {rig::sealed(tail), "its fields do not fill it"},
        {cache::file_of(key, empty), "it has no symbol or no image"}};
    for (auto const& [file, reason] : files) {
        rig::write_file(cached.entry_path(), file);
        CHECK(!shared.find(key));
        CHECK(cached.heard() == lines{"cache: not used: " + cached.entry_path() + ": " + reason});
    }
    CHECK(std::string(cache::parse_file(short_file, key).complaint) == "it is too short");
    CHECK(shared.moved_aside() == 0);
    // A file of the user's own is moved aside with the same words.
    auto owned = cached.disk();
    rig::write_file(cached.entry_path(), damaged);
    CHECK(!owned.find(key));
    auto const aside = cached.other_path("aside", 1);
    CHECK(cached.heard() == lines{"cache: moved aside to " + aside + ": its digest is another"});
    CHECK(rig::bytes_of(aside) == damaged);
    CHECK(!owned.find(key)); // nothing is there, of which nothing is told
    rig::write_file(cached.entry_path(), damaged);
    cached.system.fail(rig::call::renameat, EIO);
    CHECK(!owned.find(key));
    CHECK(cached.heard() ==
          lines{"cache: could not move aside " + cached.entry_path() + ": Input/output error"});
    CHECK(owned.moved_aside() == 1);
    rig::write_file(cached.entry_path(), good);
    CHECK(owned.find(key));
    CHECK(cached.heard().empty());
}

TEST_CASE("errors of the moment say nothing about a file, and others move it aside") {
    watched cached;
    auto disk = cached.disk();
    folder const listed(cached.system, cached.path, folder::use::existing);
    auto const good = cache::file_of(key, answer);
    for (auto const failing : {rig::call::openat, rig::call::read, rig::call::fstat}) {
        for (int const error : {ENOENT, EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, ESTALE, EIO}) {
            CAPTURE(static_cast<int>(failing));
            CAPTURE(error);
            rig::write_file(cached.entry_path(), good);
            cached.system.fail(failing, error, 1);
            auto const moved = disk.moved_aside();
            // A read that a signal interrupts is begun again.
            bool const is_read = failing == rig::call::read && error == EINTR;
            CHECK((disk.find(key) != nullptr) == is_read);
            bool const is_told = error == EIO && failing != rig::call::fstat;
            CHECK(cached.heard().size() == (is_told ? 1 : 0));
            CHECK(disk.moved_aside() == moved + is_told);
            rig::write_file(cached.entry_path(), good);
            cached.system.fail(failing, error, 1);
            auto const examined = cache::examine(cached.system, listed, cached.digits + ".image");
            CHECK(examined.value.has_value() == is_read);
            CHECK(examined.complaint == (is_read   ? ""
                                         : is_told ? "Input/output error"
                                                   : "it cannot be read now"));
        }
    }
}

TEST_CASE("an entry that cannot be written is told with the call that failed, and leaves nothing") {
    watched cached;
    struct failure {
        rig::call call;
        int error;
        std::string told; // behind "not published: "
    };
    auto const file = [&](int number) { return cached.other_path("temporary", number); };
    std::vector<failure> const failures = {
        {rig::call::openat, EACCES, "create " + file(1) + ": Permission denied"},
        {rig::call::openat, EEXIST, "create " + file(9) + ": File exists"}, // after 8 names
        {rig::call::openat, EINTR, "create " + file(17) + ": Interrupted system call"},
        {rig::call::write, EIO, "write " + file(18) + ": Input/output error"},
        {rig::call::fsync, ENOSPC, "sync " + file(19) + ": No space left on device"},
        {rig::call::close, EIO, "close " + file(20) + ": Input/output error"},
        {rig::call::linkat, EPERM, "link " + file(21) + ": Operation not permitted"}};
    auto disk = cached.disk();
    std::uint64_t count = 0;
    for (auto const& [call, error, told] : failures) {
        CAPTURE(told);
        cached.system.fail(call, error);
        CHECK(!disk.publish(key, answer));
        CHECK(cached.heard() == lines{"cache: not published: " + told});
        CHECK(disk.publish_failures() == ++count);
        CHECK(rig::names_in(cached.path).empty());
    }
    cached.system.fail(rig::call::write, EINTR, 1);
    cached.system.most_written = 0; // the disk takes no byte
    CHECK(!disk.publish(key, answer));
    CHECK(cached.heard() ==
          lines{"cache: not published: write " + file(22) + ": No space left on device"});
    cached.system.most_written = 1 << 30;
    auto small = cached.disk({.bytes = cache::file_of(key, answer).size() - 1});
    CHECK(!small.publish(key, answer));
    CHECK(cached.heard() == lines{"cache: not published: it is larger than entries may be"});
    CHECK(small.publish_failures() == 1);
    cached.system.thrown_by = rig::call::openat;
    CHECK(!disk.publish(key, answer));
    CHECK(!disk.find(key));
    CHECK(cached.heard() ==
          lines{"cache: not published: no memory", "cache: nothing read: no memory"});
    CHECK(disk.publish_failures() == count + 2);
    // What another has written meanwhile is as good, and a signal is no failure.
    cached.system.thrown_by = rig::call::unlock;
    for (auto const& [call, error] :
         {std::pair(rig::call::write, EINTR), {rig::call::fsync, EINTR}, {rig::call::linkat, 0}}) {
        cached.system.fail(call, error, 2);
        CHECK(disk.publish(key, answer));
        CHECK(rig::names_in(cached.path) == lines{cached.digits + ".image"});
    }
    CHECK(cached.heard().empty());
    auto shared = cached.disk(/*limits=*/{}, folder::use::shared);
    CHECK(!shared.publish(rig::sample_key(2), answer));
    CHECK(rig::names_in(cached.path) == lines{cached.digits + ".image"});
}
