// A header that is in no file.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string_view>

export module spio.spec:header;

export namespace spio {

// Its name is what stands in an #include.
struct header {
    std::string_view name;
    std::string_view text;
};

} // namespace spio
