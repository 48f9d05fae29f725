// Many threads and many processes ask at once: one of them compiles, all have the answer.
// SPDX-License-Identifier: Apache-2.0
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
import rig;

namespace cache = spio::cache;

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
static int wrong_answers(cache::store& store, int caller, Compile const& compile) {
    int wrong = 0;
    for (int i = 0; i < keys; i++) {
        int const number = (caller + i) % keys;
        auto const got = store.get_or_compile(rig::sample_key(number), [&] {
            compile(number);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            return rig::sample_entry(number);
        });
        wrong += *got.entry != rig::sample_entry(number);
    }
    return wrong;
}

TEST_CASE("64 threads of one store, and of eight stores in one folder") {
    for (int const stores : {1, 8}) {
        rig::scratch const place;
        rig::troubled system;
        std::vector<std::unique_ptr<cache::store>> members;
        for (int i = 0; i < stores; i++) {
            cache::options options;
            options.folder = place / "cache";
            options.system = &system;
            members.push_back(std::make_unique<cache::store>(options));
        }
        std::array<std::atomic<int>, keys> compiled = {};
        std::atomic<int> wrong = 0;
        run_threads(64, [&](int caller) {
            wrong +=
                wrong_answers(*members[static_cast<std::size_t>(caller % stores)], caller,
                              [&](int number) { compiled[static_cast<std::size_t>(number)]++; });
        });
        CHECK(wrong == 0);
        for (auto const& times : compiled) CHECK(times == 1);
        cache::counters sum = {};
        for (auto const& each : members) {
            auto const count = each->count();
            sum.disk += count.disk, sum.compiled += count.compiled;
        }
        CHECK(sum.compiled == keys);
        CHECK(sum.disk == 63 * keys);
        std::printf("figure: cache.crowds: 64 threads of %d stores compiled %d keys %d times\n",
                    stores, keys, static_cast<int>(sum.compiled));
    }
}

// Lets several processes of two threads each ask for all keys. Returns the number of compilations
// in all, or -1 if an answer was wrong. Locks fail with `lock_error`, if it is not 0.
static int compilations_by(int processes, int lock_error, bool stale_lock) {
    rig::scratch const place;
    auto const notes = place / "compilations";
    int gate[2];
    if (pipe(gate) != 0) return -1;
    if (stale_lock) {
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
            cache::store store(options);
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
    for (int round = 0; round < rounds; round++) CHECK(compilations_by(32, 0, false) == keys);
    std::printf("figure: cache.crowds: 32 processes compiled %d keys once each, %d times over\n",
                keys, rounds);
}

TEST_CASE("where locks fail, all is right and done more often") {
    for (int const error : {ENOLCK, EOPNOTSUPP, EINVAL, EIO, EAGAIN}) {
        int const compilations = compilations_by(32, error, false);
        CAPTURE(error);
        CHECK(compilations >= keys);
        CHECK(compilations <= 32 * keys);
        if (error == ENOLCK) {
            std::printf("figure: cache.crowds: without locks, %d compilations of %d keys\n",
                        compilations, keys);
        }
    }
    CHECK(compilations_by(32, 0, true) >= keys);
}

TEST_CASE("who holds a lock and dies, or never ends, delays nobody for good") {
    rig::scratch const place;
    auto const hold_lock = [&](bool die) {
        int ready[2];
        REQUIRE(pipe(ready) == 0);
        pid_t const holder = rig::start([&] {
            auto& system = cache::operating_system();
            cache::disk disk(system, {system, place / "cache", cache::folder::use::owned},
                             cache::folder::use::owned, {}, {});
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
    auto const ask = [&](int lock_wait) {
        cache::options options;
        options.folder = place / "cache";
        options.limits.lock_wait = std::chrono::milliseconds(lock_wait);
        cache::store store(options);
        return store.get_or_compile(rig::sample_key(1), [] { return rig::sample_entry(1); }).origin;
    };
    pid_t const stuck = hold_lock(false);
    CHECK(ask(20) == cache::origin::compiled);
    kill(stuck, SIGKILL);
    CHECK(WIFSIGNALED(rig::status_of(stuck)));
    std::remove((place / "cache/" + rig::file_name(rig::sample_key(1))).c_str());
    CHECK(rig::status_of(hold_lock(true)) == 0);
    CHECK(ask(60000) == cache::origin::compiled);
    CHECK(ask(60000) == cache::origin::disk);
}
