// Whether a pack is still what would be built today.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>
#include <vector>

export module spio.aot:staleness;

import spio.spec;
import :pack;

export namespace spio::aot {

struct stale_image {
    packed entry;
    std::string why; // "its text has changed since nvcc 13.0.88 compiled it"
};

// The images of a pack that these families, and the kernel text in this program, would not make any
// more. Of these no pack serves any.
std::vector<stale_image> stale_images(pack const&, std::span<family const>);

} // namespace spio::aot
