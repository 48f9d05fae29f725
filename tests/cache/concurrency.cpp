// Many threads and processes want the same kernels at once: one of them compiles, all get them.
// SPDX-License-Identifier: Apache-2.0
//
// `rig` is what these tests share: a scratch folder, processes that are forked, keys and entries by
// number, and `troubled`, a file system whose calls fail as a test says. The origin of an entry is
// where it came from: compiled now or found on disk.
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.cache;
import spio.error;
import rig;

namespace cache = spio::cache;

// Keys stand for kernels, entries for what they are compiled to.
constexpr int keys = 8;

// Starts `count` threads that begin the task at the same time, and waits for all.
template <class Function> static void run_threads(int count, Function const& task) {
    std::latch start(count);
    std::vector<std::thread> members;
    for (int i = 0; i < count; i++) {
        members.emplace_back([&, i] {
            start.arrive_and_wait();
            task(i);
        });
    }
    for (auto& each : members) each.join();
}

// Asks for all keys, beginning with key `caller`, and returns the number of wrong answers.
template <class Compile>
static int wrong_answers(cache::folders& store, int caller, Compile const& compile,
                         std::atomic<int>* found_on_disk = nullptr) {
    int wrong = 0;
    for (int i = 0; i < keys; i++) {
        int const number = (caller + i) % keys;
        auto const got = rig::get_or_compile(store, rig::sample_key(number), [&] {
            compile(number);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            return rig::sample_entry(number);
        });
        wrong += *got.entry != rig::sample_entry(number);
        if (found_on_disk != nullptr) *found_on_disk += got.origin == cache::origin::disk;
    }
    return wrong;
}

TEST_CASE("64 threads of one store, and of eight stores in one folder, compile each key once") {
    for (int const stores : {1, 8}) {
        rig::scratch const place;
        rig::troubled system;
        std::vector<std::unique_ptr<cache::folders>> members;
        for (int i = 0; i < stores; i++) {
            cache::options options;
            options.folder = place / "cache";
            options.system = &system;
            members.push_back(std::make_unique<cache::folders>(options));
        }
        std::array<std::atomic<int>, keys> compiled = {};
        std::atomic<int> wrong = 0, found_on_disk = 0;
        run_threads(64, [&](int caller) {
            wrong += wrong_answers(
                *members[static_cast<std::size_t>(caller % stores)], caller,
                [&](int number) { compiled[static_cast<std::size_t>(number)]++; }, &found_on_disk);
        });
        CHECK(wrong == 0);
        for (auto const& times : compiled) CHECK(times == 1);
        // Whoever did not compile read the file that the one who did has written.
        CHECK(found_on_disk == 63 * keys);
        std::printf(
            "summary: cache.concurrency: 64 threads of %d stores compiled %d keys once each\n",
            stores, keys);
    }
}

// Lets several processes of two threads each ask for all keys. Returns the number of compilations
// in all, or -1 if an answer was wrong. Locks fail with `lock_error`, if it is not 0, or because
// there is a folder where the lock file belongs.
static int compilations_by(int processes, int lock_error, bool lock_file_is_a_folder) {
    rig::scratch const place;
    auto const notes = place / "compilations";
    int gate[2];
    if (pipe(gate) != 0) return -1;
    if (lock_file_is_a_folder) {
        mkdir((place / "cache").c_str(), 0700);
        mkdir((place / "cache/locks").c_str(), 0700);
    }
    std::vector<pid_t> members;
    for (int caller = 0; caller < processes; caller++) {
        members.push_back(rig::start([&] {
            close(gate[1]);
            char end;
            // This read returns when the parent closes the other end.
            if (read(gate[0], &end, 1) != 0) return false;
            rig::troubled system;
            system.trouble = [&](rig::call asked, int, int) {
                return asked == rig::call::lock ? lock_error : 0;
            };
            cache::options options;
            options.folder = place / "cache";
            options.system = &system;
            options.limits.lock_wait = std::chrono::milliseconds(lock_error == 0 ? 120000 : 2);
            cache::folders store(options);
            std::atomic<int> wrong = 0;
            run_threads(2, [&](int thread) {
                wrong += wrong_answers(store, caller + thread, [&](int number) {
                    int const file = open(notes.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
                    auto const note = static_cast<char>('0' + number);
                    wrong += write(file, &note, 1) != 1;
                    close(file);
                });
            });
            return wrong == 0 && store.count().publish_failures == 0;
        }));
    }
    close(gate[0]);
    close(gate[1]);
    bool right = true;
    for (pid_t const each : members) right = rig::status_of(each) == 0 && right;
    return right ? static_cast<int>(rig::bytes_of(notes).size()) : -1;
}

TEST_CASE("32 processes compile each key once") {
    constexpr int rounds = 3;
    for (int round = 0; round < rounds; round++) {
        CHECK(compilations_by(32, /*lock_error=*/0, /*lock_file_is_a_folder=*/false) == keys);
    }
    std::printf(
        "summary: cache.concurrency: 32 processes compiled %d keys once each, %d times over\n",
        keys, rounds);
}

// The errors are those of systems that have no locks, or that lock files over a network.
TEST_CASE("where locks fail, every answer is right, and kernels are compiled more than once") {
    for (int const error : {ENOLCK, EOPNOTSUPP, EINVAL, EIO, EAGAIN}) {
        int const compilations = compilations_by(32, error, /*lock_file_is_a_folder=*/false);
        CAPTURE(error);
        CHECK(compilations >= keys);
        CHECK(compilations <= 32 * keys);
        if (error == ENOLCK) {
            std::printf("summary: cache.concurrency: without locks, %d compilations of %d keys\n",
                        compilations, keys);
        }
    }
    CHECK(compilations_by(32, /*lock_error=*/0, /*lock_file_is_a_folder=*/true) >= keys);
}

TEST_CASE("a process that holds a lock and dies, or never ends, delays others for a time only") {
    rig::scratch const place;
    // Starts a process that takes the lock of a key, writes to the pipe, and then dies or waits.
    auto const hold_lock = [&](bool die) {
        int ready[2];
        REQUIRE(pipe(ready) == 0);
        pid_t const holder = rig::start([&] {
            auto& system = cache::operating_system();
            cache::disk disk(system, {system, place / "cache", cache::folder::use::owned},
                             cache::folder::use::owned, cache::limits(), /*log=*/nullptr);
            auto const lock = disk.lock(rig::sample_key(1));
            bool const told = write(ready[1], "!", 1) == 1;
            if (!die) pause();
            return told;
        });
        char told;
        REQUIRE(read(ready[0], &told, 1) == 1);
        close(ready[0]);
        close(ready[1]);
        return holder;
    };
    // The origin of the key's entry for a process that waits so many milliseconds for the lock.
    auto const ask = [&](int lock_wait) {
        cache::options options;
        options.folder = place / "cache";
        options.limits.lock_wait = std::chrono::milliseconds(lock_wait);
        cache::folders store(options);
        return rig::get_or_compile(store, rig::sample_key(1), [] { return rig::sample_entry(1); })
            .origin;
    };
    pid_t const stuck = hold_lock(/*die=*/false);
    CHECK(ask(20) == cache::origin::compiled);
    kill(stuck, SIGKILL);
    CHECK(WIFSIGNALED(rig::status_of(stuck)));
    std::remove((place / "cache/" + rig::file_name(rig::sample_key(1))).c_str());
    CHECK(rig::status_of(hold_lock(/*die=*/true)) == 0);
    CHECK(ask(60000) == cache::origin::compiled);
    CHECK(ask(60000) == cache::origin::disk);
}

TEST_CASE("a compilation that asks for its own key is refused, not waited for") {
    rig::scratch const place;
    cache::options options;
    options.folder = place / "cache";
    cache::folders folders(options), others(options);
    auto const first = rig::sample_key(1), second = rig::sample_key(2);
    bool is_refused = false;
    auto const got = folders.compile_once(first, [&] {
        // Another key may be asked for, and its compilation may not ask for either.
        folders.compile_once(second, [&] {
            try {
                folders.compile_once(first, [] { return rig::sample_entry(3); });
            } catch (spio::error const& failure) {
                is_refused = failure.kind() == spio::error_kind::invalid;
            }
            return rig::sample_entry(2);
        });
        return rig::sample_entry(1);
    });
    CHECK(is_refused);
    CHECK(*got.entry == rig::sample_entry(1));
    CHECK(others.compile_once(second, [] { return rig::sample_entry(4); }).origin ==
          cache::origin::disk);
}

TEST_CASE("a process that is forked during a compilation does not hold the lock of its parent") {
    rig::scratch const place;
    cache::options options;
    options.folder = place / "cache";
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    // The parent compiles, forks a child that lives on, and is killed.
    pid_t const parent = rig::start([&] {
        cache::folders folders(options);
        folders.compile_once(rig::sample_key(1), [&] {
            if (fork() == 0) {
                pid_t const self = getpid();
                bool const is_told = write(ready[1], &self, sizeof self) == sizeof self;
                for (;;) pause();
                _exit(is_told);
            }
            for (;;) pause();
            return rig::sample_entry(1);
        });
        return true;
    });
    pid_t child = 0;
    REQUIRE(read(ready[0], &child, sizeof child) == sizeof child);
    close(ready[0]);
    close(ready[1]);
    kill(parent, SIGKILL);
    CHECK(WIFSIGNALED(rig::status_of(parent)));
    auto const start = std::chrono::steady_clock::now();
    cache::folders folders(options);
    CHECK(folders.compile_once(rig::sample_key(1), [] { return rig::sample_entry(1); }).origin ==
          cache::origin::compiled);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
    kill(child, SIGKILL);
}
