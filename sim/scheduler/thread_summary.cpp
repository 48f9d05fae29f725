// Says what the threads of a block do, for the report of a deadlock.
// SPDX-License-Identifier: Apache-2.0
//
// A wait reason says what a thread waits for, `blocked_by`: a barrier, lanes of its warp, a phase
// of an mbarrier, or a change for which it polls. A collective is an operation that lanes of a warp
// perform together. The arena is the simulated global memory.
#include "sim/arena.h"
#include "sim/scheduler/deadlock.h"

#include <algorithm>
#include <string>
#include <vector>

namespace spio::sim {

static std::string describe_phase(gpu_block const& block, wait_reason const& reason) {
    auto text = " for the phase of parity " + std::to_string(reason.parity) +
                " of the mbarrier at shared offset " + std::to_string(reason.number);
    auto const position = block.mbarriers.find(reason.number);
    if (position == block.mbarriers.end()) return text;
    auto const& barrier = position->second;
    return text + ", where " + std::to_string(barrier.expected - barrier.missing) + " of " +
           std::to_string(barrier.expected) + " have arrived, and " +
           std::to_string(barrier.pending_bytes) + " bytes are missing";
}

static std::string describe_address(gpu_block const& block, void const* address) {
    if (block.shared.is_shared(address)) {
        return "shared offset " + std::to_string(block.shared.offset_of(address));
    }
    auto const* const array = arena::contains(address) ? arena::find_nearest(address) : nullptr;
    if (array == nullptr) return "memory that is not watched";
    auto const offset = static_cast<unsigned char const*>(address) - array->begin;
    return "byte " + std::to_string(offset) + " of `" + array->name + "`";
}

// What the thread does, as a verb and its objects: "waits at barrier 0", or "wait" in the plural.
static std::string describe(gpu_thread const& thread, bool is_plural) {
    auto const& reason = thread.blocked_by;
    auto const& block = *thread.block;
    std::string const waits = is_plural ? "wait" : "waits";
    if (thread.state == thread_state::ended) return "ended";
    switch (reason.kind) {
    case wait_kind::collective:
        return waits + " for lanes of the warp in " + reason.name;
    case wait_kind::barrier: {
        auto const& barrier = block.barriers[reason.number];
        return waits + " at barrier " + std::to_string(reason.number) + ", where " +
               std::to_string(barrier.arrived) + " of " + std::to_string(barrier.expected) +
               " have come";
    }
    case wait_kind::cluster:
        return waits + " for the cluster";
    case wait_kind::mbarrier_phase:
        return waits + describe_phase(block, reason);
    case wait_kind::poll:
        return (is_plural ? "ask by " : "asks by ") + std::string(reason.name);
    case wait_kind::spin:
        return (is_plural ? "read " : "reads ") + describe_address(block, reason.address) +
               " again and again";
    case wait_kind::none:
        break;
    }
    return is_plural ? "run" : "runs";
}

std::string describe_threads(gpu_block const& block) {
    struct group {
        gpu_thread const* first;
        std::string activity;
        std::string numbers; // of its threads, as ranges
        bool is_plural;
    };
    std::vector<group> groups;
    auto const& threads = block.threads;
    for (std::size_t begin = 0, end = 0; begin < threads.size(); begin = end) {
        constexpr bool is_plural = true;
        auto const activity = describe(threads[begin], is_plural);
        end = begin + 1;
        while (end < threads.size() && describe(threads[end], is_plural) == activity) end++;
        auto entry = std::ranges::find(groups, activity, &group::activity);
        bool const is_new = entry == groups.end();
        if (is_new)
            entry = groups.insert(
                entry, {&threads[begin], activity, /*numbers=*/"", /*is_plural=*/end - begin > 1});
        entry->numbers += (is_new ? "" : ", ") + std::to_string(begin);
        if (end - begin > 1) entry->numbers += "-" + std::to_string(end - 1);
        entry->is_plural |= !is_new;
    }
    std::string text;
    for (auto const& group : groups) {
        text += (text.empty() ? "" : "; ") + std::string(group.is_plural ? "threads " : "thread ") +
                group.numbers + " " + describe(*group.first, group.is_plural);
    }
    return text;
}

// The character that stands for what a thread does, as the legend in draw_threads() says.
static char character_of(gpu_thread const& thread) {
    if (thread.state == thread_state::ended) return '.';
    if (thread.state == thread_state::ready) return '-';
    switch (thread.blocked_by.kind) {
    case wait_kind::collective:
        return 'w';
    case wait_kind::barrier:
    case wait_kind::cluster:
        return 'b';
    case wait_kind::mbarrier_phase:
        return 'm';
    case wait_kind::poll:
    case wait_kind::spin:
        return 'p';
    case wait_kind::none:
        break;
    }
    return '-';
}

std::string draw_threads(gpu_thread const& faulty) {
    std::string text =
        "its block, a row for each warp: X this thread, O the other one, - runs or can, b waits at "
        "a barrier,\nw for lanes of its warp, m for an mbarrier, p asks again and again, . ended";
    for (auto const& thread : faulty.block->threads) {
        if (thread.lane() == 0) text += "\n  ";
        text += &thread == &faulty                 ? 'X'
                : thread.number == faulty.opponent ? 'O'
                                                   : character_of(thread);
    }
    return text;
}

} // namespace spio::sim
