// Processes are killed at every point of publishing a file in the cache, which harms no other one.
// SPDX-License-Identifier: Apache-2.0
//
// An entry is the compiled image of a kernel, in a file that is named by its key: a digest of all
// that the image depends on. `rig` is what these tests share: scratch folders, processes, keys and
// entries by number, and `troubled`, whose system calls fail as a test says.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

import spio.cache;
import rig;

namespace cache = spio::cache;

constexpr std::size_t cubin_bytes = 1600;

// The sanitizer keeps little memory, so that processes are small and forked quickly.
extern "C" char const* __asan_default_options() { return "quarantine_size_mb=1"; }

static cache::options options_for(rig::scratch const& place, rig::troubled& system) {
    cache::options options;
    options.folder = place / "cache";
    options.system = &system;
    system.most_written = 64; // so that a file takes many calls
    return options;
}

// Asks for the key of this number; `compiled` counts compilations.
static cache::found ask(cache::folders& store, int number, int& compiled) {
    return rig::get_or_compile(store, rig::sample_key(number), [&] {
        compiled++;
        return rig::sample_entry(number, cubin_bytes);
    });
}

// Whether the entry found is the one that this number has.
static bool is_right(cache::found const& got, int number) {
    return *got.entry == rig::sample_entry(number, cubin_bytes);
}

// Writes an entry's file that is no entry, as a killed process may leave it.
static void plant_damage(rig::scratch const& place, int number) {
    std::filesystem::create_directory(place / "cache");
    std::filesystem::permissions(place / "cache", std::filesystem::perms::owner_all);
    std::vector<unsigned char> const bytes(500, 7);
    rig::write_file(place / "cache/" + rig::file_name(rig::sample_key(number)), bytes);
}

// Asks for a key, and kills the process before system call number `point`.
static bool be_killed(rig::scratch const& place, int number, int point) {
    rig::troubled system;
    cache::folders store(options_for(place, system));
    int const calls_before = system.call_count;
    system.trouble = [calls_before, point](rig::call, int, int in_all) {
        if (in_all - calls_before == point) kill(getpid(), SIGKILL);
        return 0;
    };
    int compiled = 0;
    return is_right(ask(store, number, compiled), number);
}

// The number of system calls from the first look for a key until its entry is published.
static int calls_of_publishing(rig::scratch const& place, int number) {
    rig::troubled system;
    cache::folders store(options_for(place, system));
    int const calls_before = system.call_count;
    int compiled = 0;
    ask(store, number, compiled);
    return system.call_count - calls_before;
}

// SPIO_KILL_ROUNDS is how often processes are killed at every point.
TEST_CASE("after kill -9 at any point of publishing, entries are whole or absent") {
    char const* const asked_rounds = std::getenv("SPIO_KILL_ROUNDS");
    int const rounds = asked_rounds ? std::atoi(asked_rounds) : 4;
    int kills = 0, points = 1000;
    for (int round = 0; round < rounds; round++) {
        auto const place = round % 10 == 0 ? rig::scratch("/tmp") : rig::scratch();
        if (round % 2 == 1) plant_damage(place, -1);
        int const calls = calls_of_publishing(place, -1);
        REQUIRE(calls >= 40); // else calls were not counted
        if (calls < points) points = calls;
        for (int point = 0; point < calls; point++) {
            // In every other round, a damaged file has the entry's name.
            if (round % 2 == 1) plant_damage(place, point);
            int const status =
                rig::status_of(rig::start([&] { return be_killed(place, point, point); }));
            CAPTURE(round);
            CAPTURE(point);
            CAPTURE(status);
            REQUIRE(WIFSIGNALED(status));
            REQUIRE(WTERMSIG(status) == SIGKILL);
            kills++;
        }
        // A new process gets the right answer for all keys, and the next one finds all on disk.
        for (bool const second : {false, true}) {
            int const status = rig::status_of(rig::start([&] {
                rig::troubled system;
                cache::folders store(options_for(place, system));
                int compiled = 0, wrong = 0;
                for (int i = 0; i < calls; i++) wrong += !is_right(ask(store, i, compiled), i);
                if (wrong == 0 && compiled < calls && (!second || compiled == 0)) return true;
                std::fprintf(stderr, "%d wrong, %d compiled, %s, %d failures\n", wrong, compiled,
                             store.refusal().c_str(),
                             static_cast<int>(store.count().publish_failures));
                return false;
            }));
            CAPTURE(round);
            CAPTURE(second);
            REQUIRE(status == 0);
        }
        // Two hours later, the temporary files of the killed processes are removed.
        CHECK(rig::stale_file_count(place / "cache") > 0);
        rig::troubled system;
        system.seconds_ahead = 7200;
        cache::folders store(options_for(place, system));
        int compiled = 0;
        CHECK(is_right(ask(store, calls, compiled), calls));
        CHECK(rig::stale_file_count(place / "cache") == 0);
        // The entries of all points, of key -1 and of key `calls`, and the file of locks.
        CHECK(rig::names_in(place / "cache").size() == static_cast<std::size_t>(calls) + 3);
    }
    std::printf("summary: cache.kills: %d kills at %d points in %d rounds\n", kills, points,
                rounds);
}
