// Files are written whole, under names that nobody can foresee, over regular files alone.
// SPDX-License-Identifier: Apache-2.0
//
// A trusted_file is opened only if nobody but root and the user can write to it or above it.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.error;
import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

std::size_t count_in(std::string const& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// Why f() throws; "none" if it does not.
std::string refusal(auto const& f) {
    try {
        f();
    } catch (error const& failure) {
        CHECK(failure.kind() != error_kind::internal);
        return failure.reason();
    }
    return "none";
}

// Whether a path vanishes within five seconds, as a folder does that another process removes.
bool is_gone_soon(std::string const& path) {
    for (int i = 0; i < 500 && fs::exists(path); ++i) usleep(10'000);
    return !fs::exists(path);
}

} // namespace

TEST_CASE("a file is written over a regular file, or where there is none") {
    test::folder const folder;
    auto const path = folder / "below/file";
    write_file(path, "one");
    CHECK(read_file(path) == "one");
    write_file(path, "two and more");
    CHECK(read_file(path) == "two and more");
    CHECK(count_in(folder / "below") == 1);
    // The same bytes again leave the file as it is.
    auto const time = fs::last_write_time(path);
    auto const number = [&] {
        struct stat status = {};
        REQUIRE(stat(path.c_str(), &status) == 0);
        return status.st_ino;
    };
    auto const first = number();
    write_file(path, "two and more");
    CHECK(number() == first);
    CHECK(fs::last_write_time(path) == time);
}

TEST_CASE("a file that others must not write is theirs to read alone, whatever the umask allows") {
    test::folder const folder;
    auto const path = folder / "file";
    auto const mode_of_file = [&] {
        struct stat status = {};
        REQUIRE(stat(path.c_str(), &status) == 0);
        return status.st_mode & 0777;
    };
    mode_t const earlier = umask(002);
    write_file(path, "one");
    CHECK(mode_of_file() == 0664);
    write_file(path, "one", trusted_mode); // the same bytes
    CHECK(mode_of_file() == 0644);
    write_file(path, "two", trusted_mode);
    CHECK(mode_of_file() == 0644);
    umask(077);
    write_file(path, "three", trusted_mode);
    CHECK(mode_of_file() == 0600);
    umask(earlier);
}

TEST_CASE("no link is followed, and no device or pipe is replaced") {
    test::folder const folder;
    std::ofstream(folder / "precious") << "precious";
    fs::create_symlink(folder / "precious", folder / "link");
    fs::create_symlink(folder / "missing", folder / "dangling");
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    auto const write = [](std::string const& path) {
        return refusal([&] { write_file(path, "text"); });
    };
    CHECK(write(folder / "link") == "it is a symbolic link");
    CHECK(write(folder / "dangling") == "it is a symbolic link");
    CHECK(write(folder / "pipe") == "it is no regular file");
    CHECK(write(folder.path) == "it is no regular file");
    CHECK(write("/dev/null") == "it is no regular file");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(fs::is_fifo(folder / "pipe"));
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(read_file(folder / "precious") == "precious");
    CHECK(!fs::exists(folder / "missing"));
    CHECK(count_in(folder.path) == 4);
    CHECK(write("/proc/nobody_writes").starts_with("it cannot be written: "));
}

TEST_CASE("what is no regular file is not read, and not waited for") {
    test::folder const folder;
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    auto const refusal_to_read = [](std::string const& path) {
        return refusal([&] { read_file(path, 10); });
    };
    CHECK(refusal_to_read(folder / "pipe") == "it is no regular file");
    CHECK(refusal_to_read("/dev/zero") == "it is no regular file");
    CHECK(refusal_to_read(folder / "missing") == "it cannot be opened: No such file or directory");
    std::ofstream(folder / "large") << "eleven bytes";
    CHECK(refusal_to_read(folder / "large") == "it has more than 10 bytes");
}

// System calls that read three bytes at a time, are interrupted each second time, and fail if
// `fails` is set.
struct slow : system_calls {
    int reads = 0;
    bool fails = false;
    ssize_t read(int file, void* destination, std::size_t size) override {
        errno = fails ? EIO : EINTR;
        if (fails || ++reads % 2 == 0) return -1;
        return system_calls::read(file, destination, std::min<std::size_t>(size, 3));
    }
};

TEST_CASE("a file is read whole, however little each call reads, or not at all") {
    test::folder const folder;
    auto const path = folder / "file";
    slow system;
    for (std::size_t size = 0; size < 20; ++size) {
        auto const text = std::string("0123456789abcdefghij").substr(0, size);
        std::ofstream(path) << text;
        trusted_file const file(path, trusted_file::use::data, system);
        REQUIRE(file);
        CHECK(file.size() == size);
        CHECK(file.read() == text);
        for (std::size_t most = 0; most < 20; ++most) {
            CHECK((size <= most ? read_file(path, most) == text
                                : refusal([&] { read_file(path, most); }) ==
                                      "it has more than " + std::to_string(most) + " bytes"));
        }
    }
    // A file that was shortened after it was opened is read to its new end.
    trusted_file const file(path, trusted_file::use::data, system);
    fs::resize_file(path, 5);
    CHECK(file.read() == "01234");
    system.fails = true;
    CHECK(refusal([&] { file.read(); }) == "it cannot be read: Input/output error");
}

TEST_CASE("a temporary folder is the user's alone, and goes with its owner") {
    test::folder const parent;
    std::set<fs::path> paths;
    for (int i = 0; i < 3; ++i) {
        temporary_folder const folder("spio-test", parent.path);
        CHECK(paths.insert(folder.path()).second);
        struct stat status = {};
        REQUIRE(stat(folder.path().c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0700);
        write_file(folder.path() / "nested/file", "text");
    }
    CHECK(count_in(parent.path) == 0);
    // Where others could put another folder in its place, there is none.
    chmod(parent.path.c_str(), 0777);
    CHECK(refusal([&] {
              temporary_folder const folder("spio-test", parent.path);
          }).find("can be written to by others") != std::string::npos);
    chmod(parent.path.c_str(), 0700);
    CHECK(count_in(parent.path) == 0);
}

TEST_CASE("a temporary folder goes, too, when its process is killed") {
    test::folder const parent;
    for (int const number : {SIGKILL, SIGINT, SIGTERM}) {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        pid_t const child = fork();
        if (child == 0) {
            signal(number, SIG_DFL);
            temporary_folder const folder("spio-test", parent.path);
            write_file(folder.path() / "nested/file", "text");
            auto const path = folder.path().string();
            if (write(ends[1], path.data(), path.size()) < 0) _exit(1);
            pause();
            _exit(0);
        }
        char text[4096] = {};
        REQUIRE(read(ends[0], text, sizeof text - 1) > 0);
        CHECK(fs::exists(text));
        kill(child, number);
        waitpid(child, nullptr, 0);
        CHECK(is_gone_soon(text));
        close(ends[0]), close(ends[1]);
    }
}

// The first files that such a program opens have the numbers 0, 1 and 2.
TEST_CASE("a program without standard files reads, writes and trusts as any other does") {
    test::folder const folder;
    pid_t const child = fork();
    if (child == 0) {
        int wrong = 0;
        for (int closed = 0; closed < 3; ++closed) {
            for (int file = 0; file <= closed; ++file) close(file);
            auto const path = folder / "file" + std::to_string(closed);
            write_file(path, "text");
            wrong += read_file(path) != "text";
            {
                trusted_file const file(path, trusted_file::use::code);
                wrong += !file || file.read() != "text";
                spio::folder const nested(operating_system(), folder / "a/b",
                                          spio::folder::use::owned);
                wrong += !nested;
                spio::folder other(operating_system(), folder / "a", spio::folder::use::existing);
                wrong += !other;
                other = spio::folder();
                wrong += temporary_folder("spio-test", folder.path).keep_alive_descriptor() < 0;
                wrong += run({"/bin/echo", "a"}).output != "a\n";
            }
            // All are closed again.
            wrong += open("/dev/null", O_RDONLY | O_CLOEXEC) != 0;
        }
        _exit(wrong);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
