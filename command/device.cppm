// The device that kernels are to run on: the one asked for, or what there is.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <optional>
#include <string>
#include <string_view>

export module spio.command:device;

import spio.command_line;
import spio.cuda;
import spio.launch;

export namespace spio::command {

struct chosen_device {
    std::unique_ptr<cuda::driver> driver; // of a GPU
    std::optional<cuda::device_ref> gpu;
    device on;
    std::string why_no_gpu = {}; // the first words of why, if the host stands in for one
};

// "gpu", "gpu:1", "host"; empty for the first GPU, and the host if there is none.
chosen_device choose_device(std::string_view asked, surroundings const&);

} // namespace spio::command
