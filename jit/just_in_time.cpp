// Compiles the text of a specialization with the text of all kernels.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <mutex>
#include <optional>
#include <string>

module spio.jit;

import spio.image;
import spio.spec;

namespace spio::jit {

std::optional<image> just_in_time::find(spec const& of) const {
    if (!of.arch.starts_with("sm_")) return {};
    auto const& by = compiler();
    compiled const made = by.compile({.name = of.spelled(), .text = of.source}, of.arch);
    return image_of_bytes(of, image_kind::cubin, made.cubin,
                          "NVRTC " + std::to_string(by.major()) + "." + std::to_string(by.minor()));
}

nvrtc const& just_in_time::compiler() const {
    std::lock_guard const lock(mutex);
    if (opened == nullptr) {
        own = std::make_unique<nvrtc const>();
        opened = own.get();
    }
    return *opened;
}

} // namespace spio::jit
