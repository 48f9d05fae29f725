// Loads kernels, after checking what the device is given.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
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
        throw error(error_kind::unsupported, "load", "kernel " + from.spelled(), std::move(why));
    };
    if (!from.arch.runs_on(home->arch())) {
        fail(home->name() + " is " + text_of(home->arch()));
    }
    if (from.params_bytes != params_bytes) {
        fail("it takes parameters of " + std::to_string(from.params_bytes) + " bytes, not of " +
             std::to_string(params_bytes));
    }
    if (auto const is = find(from.symbol, params_bytes)) return is;
    // Of a capture that someone else began in this thread, only its stream would tell.
    if (is_capturing_here()) throw cold_kernel_error(from.spelled());
    auto const start = std::chrono::steady_clock::now();
    std::lock_guard const lock(mutex);
    auto& is = by_symbol[from.symbol];
    if (!is.kernel) {
        is = {home->load(from), params_bytes};
        log("loaded", from, start);
    }
    return is.kernel;
}

std::shared_ptr<ready_kernel const> kernels::find(std::string const& symbol,
                                                  std::size_t params_bytes) const {
    std::lock_guard const lock(mutex);
    auto const is = by_symbol.find(symbol);
    if (is == by_symbol.end() || is->second.params_bytes != params_bytes) return {};
    return is->second.kernel;
}

std::uint64_t kernels::loaded() const {
    std::lock_guard const lock(mutex);
    std::uint64_t count = 0;
    for (auto const& [symbol, is] : by_symbol) count += is.kernel != nullptr;
    return count;
}

void stream::fail(char const* tried, std::string why) const {
    throw error(error_kind::invalid, tried, home->name(), std::move(why));
}

} // namespace spio
