// The host device's records of accesses, blocks and free memory, against oracles that keep all.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A thread, here an observer, counts epochs: one ends
// when it releases its accesses to others. A vector clock has the last epoch of each thread that is
// known to have ended. The race shadow keeps the latest accesses to each byte of shared memory. An
// oracle keeps all of them: an access races with an earlier one of another observer if one of the
// two writes, not both are atomic, and the clock of the later one does not have the epoch of the
// earlier one. A grain is the unit in which global memory is allocated. A block set has the blocks
// that are known to have come before.
#include "sim/checker/block_order.h"
#include "sim/checker/race_shadow.h"
#include "sim/grain_list.h"

#include <doctest/doctest.h>

#include <array>
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace spio::sim {

namespace {

constexpr int observers = 5, bytes = 16;

// An observer, which is a thread, as the oracle keeps it: its epoch counts what others may learn
// of it, and its clock has the epoch up to which it knows each other one.
struct thread {
    epoch_number epoch = 1;
    vector_clock clock;
};
// An access to a byte in the past.
struct event {
    int observer;
    epoch_number epoch;
    access kind;
};

// All accesses to each byte.
class history {
  public:
    // The first byte of an access that races with an earlier one; -1 if there is none.
    int add(accessor const& accessor, int offset, int count, access kind) {
        for (int byte = offset; byte < offset + count; ++byte) {
            for (auto const& past : events_[static_cast<std::size_t>(byte)]) {
                if (races(past, accessor, kind)) return byte;
            }
        }
        if (kind == access::atomic_read) return -1; // atomic writes stand for it
        for (int byte = offset; byte < offset + count; ++byte) {
            events_[static_cast<std::size_t>(byte)].push_back(
                {accessor.observer, accessor.epoch, kind});
        }
        return -1;
    }
    // Whether an event of this observer and kind is among those that race.
    bool has_race(race_shadow::conflict const& race, accessor const& accessor, access kind) const {
        for (auto const& past : events_[static_cast<std::size_t>(race.offset)]) {
            if (past.observer == race.observer && past.kind == race.kind &&
                races(past, accessor, kind))
                return true;
        }
        return false;
    }
    void reset() { events_ = {}; }

  private:
    // Two atomics do not race, nor two reads, nor what the access knows to have happened before.
    static bool races(event const& past, accessor const& accessor, access kind) {
        bool const is_atomic = kind == access::atomic || kind == access::atomic_read;
        bool const are_atomic = is_atomic && past.kind == access::atomic;
        bool const are_reads = kind == access::read && past.kind == access::read;
        bool const is_ordered = past.observer == accessor.observer ||
                                accessor.clock.includes(past.observer, past.epoch);
        return !are_atomic && !are_reads && !is_ordered;
    }
    std::array<std::vector<event>, bytes> events_;
};

} // namespace

TEST_CASE("the race shadow finds the same races as an oracle that forgets nothing") {
    std::mt19937 random(85);
    auto const number_below = [&](int count) {
        return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    int races = 0;
    long accesses = 0;
    for (int round = 0; round < 4000; ++round) {
        race_shadow shadow;
        shadow.open(bytes);
        history past;
        std::array<thread, observers> threads;
        sync_clock object;
        // With more care, accesses are ordered more often, and histories are longer.
        int const care = round % 8;
        for (int step = 0; step < 100; ++step) {
            int const observer = number_below(observers);
            auto& own = threads[static_cast<std::size_t>(observer)];
            if (number_below(8) < care) {
                for (int other_observer = 0; other_observer < observers; ++other_observer) {
                    auto& other = threads[static_cast<std::size_t>(other_observer)];
                    if (number_below(8) >= care) continue;
                    object.release(other_observer, other.epoch++, other.clock, observers);
                }
                own.clock.join(object.clock());
            } else if (number_below(20) == 0) {
                shadow.reset(), past.reset();
                for (auto& each : threads) each.clock = {};
                continue;
            }
            int const count = 1 << number_below(3), offset = number_below(bytes / count) * count;
            auto const kind = static_cast<access>(number_below(2 + round % 3));
            accessor const accessor = {observer, own.epoch, own.clock, observer};
            auto const found = shadow.add(accessor, offset, count, kind);
            auto const expected = past.add(accessor, offset, count, kind);
            ++accesses;
            REQUIRE(found.offset == expected);
            if (expected < 0) continue;
            ++races;
            REQUIRE(past.has_race(found, accessor, kind));
            break;
        }
    }
    std::cout << "summary: sim.histories: " << accesses << " accesses, " << races << " races\n";
    CHECK(races > 1000);         // else too little was tested
    CHECK(accesses > 8 * races); // histories are long before they end in a race
}

TEST_CASE("the race shadow remembers old accesses after a million others") {
    race_shadow shadow;
    shadow.open(bytes);
    vector_clock const none;
    vector_clock ordered;
    for (int observer = 1; observer < 4; ++observer) ordered.raise(observer, 1, observers);
    // An accessor is its observer, epoch, clock and thread; an access has an offset and a size.
    shadow.add({1, 1, none, 1}, 0, 4, access::read);
    shadow.add({2, 1, none, 2}, 0, 2, access::read);
    shadow.add({2, 1, none, 2}, 4, 4, access::atomic);
    shadow.add({3, 1, none, 3}, 4, 4, access::atomic);
    shadow.add({1, 1, none, 1}, 8, 4, access::write);
    for (epoch_number epoch = 1; epoch < (1U << 20) + 100; ++epoch) {
        shadow.add({0, epoch, none, 0}, 12, 1, access::write);
    }
    for (int byte = 0; byte < 12; ++byte) {
        auto copy = shadow;
        CHECK(copy.add({4, 1, none, 4}, byte, 1, access::write).offset == byte);
        copy = shadow;
        CHECK(copy.add({4, 1, ordered, 4}, byte, 1, access::write).offset == -1);
        // Of each kind of access, one alone is known to have ended.
        for (int observer = 1; observer < 4; ++observer) {
            vector_clock single;
            single.raise(observer, 1, observers);
            bool const is_enough = byte < 2   ? false
                                   : byte < 4 ? observer == 1
                                   : byte < 8 ? false
                                              : observer == 1;
            copy = shadow;
            CHECK((copy.add({4, 1, single, 4}, byte, 1, access::write).offset == -1) == is_enough);
        }
    }
    CHECK(shadow.add({4, 1, none, 4}, 12, 1, access::read).observer == 0);
}

TEST_CASE("the race shadow tells the epochs of an observer apart, more than it remembers at once") {
    constexpr int count = 8192;
    race_shadow shadow;
    shadow.open(count);
    vector_clock const none;
    for (int byte = 1; byte < count; ++byte) {
        shadow.add({0, static_cast<epoch_number>(byte + 1), none, 0}, byte, 1, access::write);
    }
    for (int byte = 1; byte < count; ++byte) {
        vector_clock earlier; // knows all epochs before that of the byte
        earlier.raise(0, static_cast<epoch_number>(byte), observers);
        REQUIRE(shadow.add({1, 1, earlier, 1}, byte, 1, access::read).offset == byte);
    }
}

TEST_CASE("the race shadow keeps a read beside an atomic of the same epoch") {
    race_shadow shadow;
    shadow.open(bytes);
    vector_clock const none;
    vector_clock second;
    second.raise(2, 1, observers);
    CHECK(shadow.add({1, 1, none, 1}, 0, 4, access::atomic).offset == -1);
    CHECK(shadow.add({2, 1, none, 2}, 0, 4, access::atomic).offset == -1);
    CHECK(shadow.add({1, 1, second, 1}, 0, 4, access::read).offset == -1);
    // The third is ordered after the second, and not after the first.
    auto const race = shadow.add({3, 1, second, 3}, 0, 4, access::atomic);
    CHECK(race.offset == 0);
    CHECK(race.observer == 1);
    CHECK(race.kind == access::read);
}

TEST_CASE("free grains are taken from the smallest range that is long enough") {
    constexpr std::size_t first = 3, count = 40;
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        arena::grain_list list(first, count);
        std::array<bool, first + count + 1> is_free = {};
        for (std::size_t i = first; i < first + count; ++i) is_free[i] = true;
        std::vector<std::pair<std::size_t, std::size_t>> taken;
        for (int step = 0; step < 100; ++step) {
            if (!taken.empty() && random() % 2 == 0) {
                auto const index = random() % taken.size();
                auto const [begin, size] = taken[index];
                taken.erase(taken.begin() + static_cast<long>(index));
                list.free(begin, size);
                for (std::size_t i = begin; i < begin + size; ++i) is_free[i] = true;
                continue;
            }
            std::size_t const size = 1 + random() % 9;
            std::size_t best = 0, best_size = 1000;
            for (std::size_t begin = first; begin < first + count;) {
                std::size_t end = begin;
                while (is_free[end]) ++end;
                if (end - begin >= size && end - begin < best_size)
                    best = begin, best_size = end - begin;
                begin = end + 1;
            }
            auto const found = list.take(size);
            REQUIRE(found.value_or(0) == best);
            if (!found) continue;
            for (std::size_t i = best; i < best + size; ++i) is_free[i] = false;
            taken.emplace_back(best, size);
        }
    }
}

TEST_CASE("sets of blocks and clocks have what was put into them, and copies are independent") {
    std::mt19937 random(4);
    for (int round = 0; round < 300; ++round) {
        std::array<block_set, 3> sets;
        std::array<std::set<long long>, 3> expected_sets;
        std::array<vector_clock, 3> clocks;
        std::array<std::array<epoch_number, observers>, 3> expected_clocks = {};
        for (int step = 0; step < 60; ++step) {
            auto const a = random() % 3, b = random() % 3;
            long long const block = random() % (round % 2 == 0 ? 70 : 200);
            auto const observer = static_cast<int>(random() % observers);
            epoch_number const epoch = 1 + random() % 5;
            auto& expected = expected_clocks[a];
            switch (random() % 3) {
            case 0:
                sets[a].insert(block), expected_sets[a].insert(block);
                clocks[a].raise(observer, epoch, observers);
                expected[static_cast<std::size_t>(observer)] =
                    std::max(expected[static_cast<std::size_t>(observer)], epoch);
                break;
            case 1:
                sets[a].join(sets[b]),
                    expected_sets[a].insert(expected_sets[b].begin(), expected_sets[b].end());
                clocks[a].join(clocks[b]);
                for (std::size_t i = 0; i < observers; ++i)
                    expected[i] = std::max(expected[i], expected_clocks[b][i]);
                break;
            default:
                sets[a] = sets[b], expected_sets[a] = expected_sets[b];
                clocks[a] = clocks[b], expected = expected_clocks[b];
            }
            for (std::size_t i = 0; i < 3; ++i) {
                REQUIRE(sets[i].contains(block) == expected_sets[i].contains(block));
                REQUIRE(sets[i].contains(block + 64) == expected_sets[i].contains(block + 64));
                REQUIRE(clocks[i].includes(observer, epoch) ==
                        (expected_clocks[i][static_cast<std::size_t>(observer)] >= epoch));
            }
        }
    }
}

} // namespace spio::sim
