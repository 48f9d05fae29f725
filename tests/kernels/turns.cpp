// 16 warps that enter a section 64 times each, guarded by a queue or a semaphore of 8 resources.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// expect() complains if a condition does not hold. A turn is one stay of a warp in the section; the
// kernel notes the times of its entry and its exit by a clock of which every tick is one event.
// is_small() says that small sizes suffice, as --small asks.
#include "turns.h"
#include "trial.h"

#include <algorithm>

extern "C" void turns_by_fifo(spio::turns::params p);
extern "C" void turns_by_semaphore(spio::turns::params p);
extern "C" void turns_one_by_one(spio::turns::params p);

namespace {

using namespace spio;
using turns::turn;

// A warp enters or leaves the guarded section.
struct event {
    turn const* owner = nullptr;
    bool is_entry = false;
};

// The events in order of time: each tick of the clock is one event.
std::vector<event> in_order(test::trial& trial, std::vector<turn> const& turns) {
    std::vector<event> events(2 * turns.size());
    for (turn const& each : turns) {
        trial.expect(each.entry < each.exit, "a turn ends after it began");
        for (bool const is_entry : {true, false}) {
            unsigned const tick = is_entry ? each.entry : each.exit;
            bool const is_free = tick < events.size() && events[tick].owner == nullptr;
            trial.expect(is_free, "a tick of the clock is one event");
            if (is_free) events[tick] = {&each, is_entry};
        }
    }
    return events;
}

// The events are in the order of time; at most `admitted` warps may be inside at once.
void expect_few_inside(test::trial& trial, std::vector<event> const& events, int admitted) {
    int inside = 0;
    int most = 0;
    for (event const& each : events) {
        inside += each.is_entry ? 1 : -1;
        most = std::max(most, inside);
    }
    trial.expect(most <= admitted, "no more than are admitted are inside at a time");
    // A sanitizer may run one warp at a time.
    if (!trial.is_small() && admitted > 1) trial.expect(most > 1, "several are inside at a time");
}

// No two warps that are inside have the same resource.
void expect_each_resource_taken_once(test::trial& trial, std::vector<event> const& events) {
    std::vector<bool> is_taken(turns::admitted);
    for (event const& each : events) {
        if (each.owner == nullptr) continue;
        unsigned const resource = each.owner->resource;
        trial.expect(resource < is_taken.size(), "a resource is one of 8");
        if (resource >= is_taken.size()) continue;
        trial.expect(is_taken[resource] != each.is_entry, "a resource is not taken twice");
        is_taken[resource] = each.is_entry;
    }
}

// The notes of all turns, and how often each resource was used.
struct outcome {
    std::vector<turn> turns;
    std::vector<unsigned> uses;
};
outcome run_turns(test::trial& trial, test::kernel<turns::params> const& kernel, int warps) {
    auto const notes = trial.make<turn>("notes", static_cast<std::size_t>(warps * turns::per_warp));
    auto const uses = trial.make<unsigned>("uses", 32 * turns::admitted);
    trial.launch(kernel, {.block = {32 * warps}, .shared_bytes = turns::shared_bytes},
                 {.notes = notes.data(), .uses = uses.data()});
    return {notes.read(), uses.read()};
}

// A resource belongs to one warp at a time: no lane's increment is lost.
void expect_all_uses(test::trial& trial, outcome const& found) {
    std::vector<unsigned> expected(32 * turns::admitted, 0);
    for (turn const& each : found.turns) {
        for (unsigned lane = 0; lane < 32 && each.resource < turns::admitted; ++lane) {
            ++expected[32 * each.resource + lane];
        }
    }
    trial.expect_equal("uses", found.uses, expected);
}

void run_fifo(test::trial& trial) {
    auto const found = run_turns(trial, {"turns_by_fifo", turns_by_fifo}, turns::warps);
    auto const events = in_order(trial, found.turns);
    expect_few_inside(trial, events, turns::admitted);
    expect_each_resource_taken_once(trial, events);
    expect_all_uses(trial, found);
}
void run_semaphore(test::trial& trial) {
    auto const found = run_turns(trial, {"turns_by_semaphore", turns_by_semaphore}, turns::warps);
    expect_few_inside(trial, in_order(trial, found.turns), turns::admitted);
    auto const alone = run_turns(trial, {"turns_one_by_one", turns_one_by_one}, /*warps=*/8);
    expect_few_inside(trial, in_order(trial, alone.turns), /*admitted=*/1);
    expect_all_uses(trial, alone);
}
test::test_case const fifo_case("warp_fifo", run_fifo);
test::test_case const semaphore_case("warp_semaphore", run_semaphore);

} // namespace
