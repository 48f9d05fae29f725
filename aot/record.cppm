// What is known of an image that lies in a folder until it is packed.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <string>
#include <string_view>

module spio.aot:record;

import spio.image;

namespace spio::aot {

// What it was asked for by, and what came out. It is written last: an image without it is none.
struct record {
    std::string asked;
    image_kind kind = image_kind::cubin;
    std::uint64_t plain_bytes = 0, checksum = 0;

    std::string spelled() const;
    // False if the text is damaged, or what was asked is something else.
    bool read(std::string_view text);
};

} // namespace spio::aot
