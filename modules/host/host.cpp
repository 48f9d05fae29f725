// Finds kernels of this program, and runs them on the host device.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: it runs kernels that were compiled for the CPU into this
// program. An image is a compiled kernel, found by its symbol and the digest of its text; a spec is
// what it is compiled from. Functions of sim are those of the simulator. A tensor map is the
// descriptor by which TMA copies boxes of a tensor. The plan of a tensor map says all but its
// address.
module;

#include "sim/arena.h"
#include "sim/fault_place.h"
#include "sim/host_kernel.h"
#include "sim/tensor_map.h"
#include "sim/unwritten_reads.h"
#include "spio/launch_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

module spio.host;

import spio.image;
import spio.spec;
import spio.text;

namespace spio::host {

std::optional<image> find(spec const& spec) {
    if (!spec.arch.is_host) return {};
    auto const* const kernel = sim::host_kernel::find(spec.symbol, text_digest_of(spec));
    if (kernel == nullptr) return {};
    image result = {.symbol = spec.symbol,
                    .line = spec.line(),
                    .arch = spec.arch,
                    .made_by = "this program",
                    .kind = image_kind::host,
                    .shape = spec.shape,
                    .params_bytes = kernel->params_bytes()};
    result.run = [kernel](launch_shape const& launch, void const* params) -> std::string {
        auto const report = kernel->run(launch, params);
        if (!report) return {};
        auto const& place = sim::last_fault_place();
        auto const line = source_line(place.program, place.address);
        return report.text() + (line.empty() ? "" : "; in " + line) + "\n" + place.threads;
    };
    return result;
}

void* allocate(std::size_t bytes, std::string name) { return sim::allocate(bytes, name); }
void release(void* begin) noexcept { sim::release(begin); }
void report_unwritten_reads(bool is_wanted) { sim::look_for_unwritten_reads(is_wanted); }

std::string encode(tensor_map_plan const& plan, void* base, tensor_map_words& words) {
    if (plan.rank < 1 || plan.rank > 5) return "its rank is not from 1 to 5";
    auto const rank = static_cast<std::size_t>(plan.rank);
    std::uint64_t sizes[5] = {}, strides[5] = {};
    std::uint32_t box[5] = {};
    std::ranges::copy(plan.sizes, sizes);
    std::ranges::copy(plan.strides, strides);
    std::ranges::copy(plan.box, box);
    sim::tensor_map map = {};
    static_assert(sizeof map <= sizeof words);
    // encode() takes no stride for the innermost dimension, whose elements are contiguous.
    auto const error = map.encode(base, plan.element_bytes, std::span(sizes, rank),
                                  std::span(strides + 1, rank - 1), std::span(box, rank),
                                  static_cast<sim::swizzle_span>(plan.swizzle));
    if (error.empty()) std::memcpy(&words, &map, sizeof map);
    return error;
}

} // namespace spio::host
