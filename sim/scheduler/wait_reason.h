// The state of a thread, and the reason for which it waits.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together. A thread polls when it
// asks for a change in a loop, and spins when it reads the same few addresses.
#pragma once

namespace spio::sim {

enum class thread_state { ready, waiting, polling, ended };

enum class wait_kind { none, collective, barrier, cluster, mbarrier_phase, poll, spin };
struct wait_reason {
    wait_kind kind = wait_kind::none;
    int number = 0; // of the barrier, or the mbarrier's shared offset
    int parity = 0; // of the mbarrier's phase
    char const* name = "";
    void const* address = nullptr; // that the thread reads while it spins
};

} // namespace spio::sim
