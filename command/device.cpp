// Chooses a device.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <string>
#include <string_view>
#include <utility>

module spio.command;

import spio.cuda;
import spio.host;
import spio.launch;

namespace spio::command {

namespace {

chosen_device open_gpu(unsigned ordinal, surroundings const& around) {
    auto driver = around.open_driver();
    auto const count = driver->device_count();
    if (ordinal >= static_cast<unsigned>(count)) {
        throw failure(exit_code::not_found, "there is no GPU " + std::to_string(ordinal) +
                                                "; the driver has " +
                                                counted(static_cast<unsigned>(count), "GPU") +
                                                ", and --device host needs none");
    }
    auto const gpu = driver->device(static_cast<int>(ordinal));
    auto on = gpu_device(*driver, static_cast<int>(ordinal));
    return {std::move(driver), gpu, std::move(on)};
}

chosen_device open_host() {
    return {nullptr, {}, host_device({host::allocate, host::release, host::encode})};
}

} // namespace

chosen_device choose_device(std::string_view asked, surroundings const& around) {
    if (asked == "host") return open_host();
    if (asked.empty()) {
        try {
            return open_gpu(0, around);
        } catch (spio::error const& e) {
            auto host = open_host();
            host.why_no_gpu = e.what();
            return host;
        } catch (failure const& e) {
            auto host = open_host();
            host.why_no_gpu = e.what();
            return host;
        }
    }
    if (asked == "gpu") return open_gpu(0, around);
    if (asked.starts_with("gpu:")) {
        return open_gpu(number_of(asked.substr(4), "the GPU's number"), around);
    }
    throw failure(exit_code::usage,
                  "--device is " + in_quotes(asked) + ", but must be gpu, gpu:NUMBER or host");
}

} // namespace spio::command
