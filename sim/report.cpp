// Spells reports: the name of each kind of misuse, and a report as one line.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call of a kernel that breaks a rule of the simulated GPU. A collective
// is an operation that lanes of a warp perform together.
#include "sim/report.h"

namespace spio::sim {

char const* name_of(misuse kind) {
    switch (kind) {
    case misuse::none:
        return "none";
    case misuse::launch_malformed:
        return "launch malformed";
    case misuse::lane_missing:
        return "lane missing";
    case misuse::collective_mismatch:
        return "collective mismatch";
    case misuse::barrier_malformed:
        return "barrier malformed";
    case misuse::deadlock:
        return "deadlock";
    case misuse::livelock:
        return "livelock";
    case misuse::shared_out_of_bounds:
        return "shared out of bounds";
    case misuse::shared_misaligned:
        return "shared misaligned";
    case misuse::shared_uninitialised:
        return "shared uninitialised";
    case misuse::read_before_wait:
        return "read before wait";
    case misuse::write_before_wait:
        return "write before wait";
    case misuse::overwritten_while_stored:
        return "overwritten while stored";
    case misuse::store_without_fence:
        return "store without fence";
    case misuse::race:
        return "race";
    case misuse::mbarrier_touched:
        return "mbarrier touched";
    case misuse::mbarrier_not_made:
        return "mbarrier not made";
    case misuse::mbarrier_made_twice:
        return "mbarrier made twice";
    case misuse::mbarrier_overrun:
        return "mbarrier overrun";
    case misuse::copy_malformed:
        return "copy malformed";
    case misuse::copy_abandoned:
        return "copy abandoned";
    case misuse::global_out_of_bounds:
        return "global out of bounds";
    case misuse::global_misaligned:
        return "global misaligned";
    case misuse::global_uninitialised:
        return "global uninitialised";
    case misuse::previous_not_awaited:
        return "previous not awaited";
    case misuse::undefined_behaviour:
        return "undefined behaviour";
    }
    return "?";
}

std::string report::text() const {
    if (kind == misuse::none) return "no misuse";
    auto const text_of = [](extent index) {
        return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
               std::to_string(index.z) + ")";
    };
    auto const words = std::string(name_of(kind)) + ": " + sentence;
    // Such a launch has no threads.
    if (kind == misuse::launch_malformed) return kernel + ": " + words;
    return kernel + ", block " + text_of(block) + ", thread " + text_of(thread) + ": " + words;
}

} // namespace spio::sim
