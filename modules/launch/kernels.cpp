// Loads kernels, after checking what the device is given.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

module spio.launch;

import spio.image;
import spio.spec;

namespace spio {

std::shared_ptr<ready_kernel const> kernels::load(image const& from,
                                                  std::size_t params_bytes) const {
    auto const fail = [&](std::string why) {
        throw error("load", "kernel " + from.spelled(), std::move(why));
    };
    if (suits(from.arch, home->arch()) == 0) fail(home->name() + " is " + home->arch());
    if (from.params_bytes != params_bytes) {
        fail("it takes parameters of " + std::to_string(from.params_bytes) + " bytes, not of " +
             std::to_string(params_bytes));
    }
    std::lock_guard const lock(mutex);
    auto& known = by_symbol[from.symbol];
    if (!known) known = home->load(from);
    return known;
}

std::uint64_t kernels::loaded() const {
    std::lock_guard const lock(mutex);
    std::uint64_t count = 0;
    for (auto const& [symbol, known] : by_symbol) count += known != nullptr;
    return count;
}

void stream::fail(char const* tried, std::string why) const {
    throw error(tried, home->name(), std::move(why));
}

} // namespace spio
