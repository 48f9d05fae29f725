// Runs what was compiled in on the host device.
// SPDX-License-Identifier: Apache-2.0
module;

#include "sim/arena.h"
#include "sim/host_kernel.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

module spio.host;

import spio.image;
import spio.spec;

namespace spio::host {

namespace {

sim::extent extent_of(extent const& e) { return {e.x, e.y, e.z}; }

} // namespace

std::optional<image> compiled_in::find(spec const& of) const {
    if (of.arch != "host") return {};
    auto const* const kernel = sim::host_kernel::find(of.symbol);
    if (kernel == nullptr) return {};
    image found = {.symbol = of.symbol,
                   .line = of.line(),
                   .arch = of.arch,
                   .made_by = "this program",
                   .kind = image_kind::host,
                   .shape = of.shape,
                   .params_bytes = kernel->params_bytes()};
    found.run = [kernel](geometry const& g, void const* params) -> std::string {
        auto const report = kernel->run({.grid = extent_of(g.grid),
                                         .block = extent_of(g.shape.block),
                                         .cluster = extent_of(g.shape.cluster),
                                         .dynamic_shared_bytes = g.shape.shared_bytes,
                                         .name = kernel->symbol()},
                                        params);
        return report ? report.text() : std::string();
    };
    return found;
}

void* allocate(std::size_t bytes, std::string name) {
    return sim::allocate(bytes, std::move(name));
}
void release(void* begin) noexcept { sim::release(begin); }

} // namespace spio::host
