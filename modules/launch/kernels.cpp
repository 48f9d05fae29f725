// Loads kernels, after checking that their images suit the device.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. `home` is the device; `loads`
// loads a kernel once, while other threads that want it wait. A cold kernel is one that is not
// loaded yet. A kernel is known by its symbol, the size of its parameter and the text that it was
// compiled from.
module;

#include <algorithm>
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
import spio.system;

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
    auto const is_wanted = [&](loaded_kernel const& loaded) {
        return loaded.params_bytes == params_bytes && loaded.symbol == image.symbol &&
               loaded.text == image.text;
    };
    if (auto loaded = find(image.symbol, is_wanted)) return loaded;
    // This finds only captures that Spio began in this thread. Only the stream knows of a capture
    // that another library began.
    if (is_capturing_thread()) throw cold_kernel_error(image.spelled());
    auto const start = std::chrono::steady_clock::now();
    auto const& [source, headers, header_count] = image.text;
    auto const task_name = "kernel " + image.symbol + "\n" + std::to_string(params_bytes) + "\n" +
                           std::to_string(reinterpret_cast<std::uintptr_t>(headers)) + "\n" +
                           std::to_string(header_count) + "\n" + source;
    auto const task = [&]() -> std::shared_ptr<void const> {
        // Another thread may have loaded it since this one looked.
        if (auto loaded = find(image.symbol, is_wanted)) return loaded;
        std::shared_ptr<ready_kernel const> const kernel = home->load(image);
        log("loaded", image, start);
        std::lock_guard const lock(mutex);
        auto const key = key_of(image.symbol);
        loaded_kernels.insert(
            std::ranges::upper_bound(loaded_kernels, key, {}, &loaded_kernel::key),
            {key, image.symbol, image.text, params_bytes, kernel});
        return kernel;
    };
    return std::static_pointer_cast<ready_kernel const>(loads.run(task_name, task).result);
}

template <class F>
std::shared_ptr<ready_kernel const> kernels::find(std::string const& symbol, F is_wanted) const {
    std::lock_guard const lock(mutex);
    auto const key = key_of(symbol);
    auto found = std::ranges::lower_bound(loaded_kernels, key, {}, &loaded_kernel::key);
    for (; found != loaded_kernels.end() && found->key == key; ++found) {
        if (is_wanted(*found)) return found->kernel;
    }
    return nullptr;
}

std::shared_ptr<ready_kernel const> kernels::find(spec const& spec,
                                                  std::size_t params_bytes) const {
    return find(spec.symbol, [&](loaded_kernel const& loaded) {
        // The source has the symbol in it.
        return loaded.params_bytes == params_bytes && loaded.text.is_of(spec);
    });
}

std::uint64_t kernels::loaded() const {
    std::lock_guard const lock(mutex);
    return loaded_kernels.size();
}

void stream::fail(char const* tried, std::string reason) const {
    throw error(error_kind::invalid, tried, home->name(), std::move(reason));
}

} // namespace spio
