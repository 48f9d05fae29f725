// Loads kernels, after checking that their images suit the device.
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

std::shared_ptr<ready_kernel const> kernels::load(image const& image,
                                                  std::size_t params_bytes) const {
    auto const fail = [&](std::string reason) {
        throw error(error_kind::unsupported, "load", "kernel " + image.spelled(),
                    std::move(reason));
    };
    if (!image.arch.runs_on(home->arch())) fail(home->name() + " is " + text_of(home->arch()));
    if (image.params_bytes != params_bytes) {
        fail("it takes parameters of " + std::to_string(image.params_bytes) + " bytes, not of " +
             std::to_string(params_bytes));
    }
    if (auto loaded = find(image.symbol, params_bytes)) return loaded;
    // This finds only captures that Spio began in this thread. Only the stream knows of a capture
    // that another library began.
    if (is_capturing_thread()) throw cold_kernel_error(image.spelled());
    auto const start = std::chrono::steady_clock::now();
    std::lock_guard const lock(mutex);
    auto& entry = loaded_kernels[image.symbol];
    if (!entry.kernel) {
        entry = {home->load(image), params_bytes};
        log("loaded", image, start);
    }
    return entry.kernel;
}

std::shared_ptr<ready_kernel const> kernels::find(std::string const& symbol,
                                                  std::size_t params_bytes) const {
    std::lock_guard const lock(mutex);
    auto const found = loaded_kernels.find(symbol);
    bool const is_same =
        found != loaded_kernels.end() && found->second.params_bytes == params_bytes;
    return is_same ? found->second.kernel : nullptr;
}

std::uint64_t kernels::loaded() const {
    std::lock_guard const lock(mutex);
    std::uint64_t count = 0;
    for (auto const& [symbol, entry] : loaded_kernels) count += entry.kernel != nullptr;
    return count;
}

void stream::fail(char const* tried, std::string reason) const {
    throw error(error_kind::invalid, tried, home->name(), std::move(reason));
}

} // namespace spio
