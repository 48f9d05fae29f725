// A specialization of a kernel: what it is of, its symbol, its text and how it is launched.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.spec;

export import spio.error;
export import :fields;

export namespace spio {

using spio::block_shape;
using spio::extent;
using spio::launch_shape;

using spio::arch;
using spio::compute_80;
using spio::host_arch;
using spio::sm_80;
using spio::sm_86;
using spio::sm_89;
using spio::sm_90a;

// "sm_90a", "compute_80", "host"; of no architecture the text is empty.
std::string text_of(arch);
// Reads such a text. Another one has no value, or is an error that cites it.
std::optional<arch> find_arch(std::string_view text);
arch parse_arch(std::string_view text);

// A header that is in no file. Its name is what stands in an #include.
struct header {
    std::string_view name;
    std::string_view text;
};

// The same text for every architecture makes the same symbol: packs keep it once for each.
struct spec {
    std::string family;
    std::string problem; // canonical: "channels=64 affine=true"
    std::string config;  // the same for the configuration
    spio::arch arch;
    // What can be read of it, and then a digest of the text and of the parameters' size. It is the
    // kernel's name, and with the architecture the key under which images are kept.
    std::string symbol;
    std::string source; // an extern "C" __global__ of one call
    block_shape shape;
    std::size_t params_bytes = 0;
    // The headers of a family that is not Spio's own; they stay for ever.
    std::span<header const> headers = {};

    launch_shape over(extent grid) const { return {grid, shape}; }
    // As a manifest has it: "layernorm_2d channels=64 affine=true".
    std::string line() const { return family + " " + problem; }
    // For messages: the line, the architecture and the symbol; and that an architecture newer than
    // all that Spio knows gets a kernel for sm_80, if that is so.
    std::string spelled() const;
};

// The blocks for what a launch brings; throws if that does not fit the kernel.
template <class Params> using grid_for = std::function<extent(Params const&)>;

// One whose kernel takes a Params.
template <class Params> struct spec_of : spec {
    using params_type = Params;
    grid_for<Params> grid = {};
};

// What a family knows of a specialization; the text, the symbol and the checks are the same for
// all.
struct specialization {
    std::string_view family; // also a header's name
    std::string prefix;      // of the symbol
    std::string problem, config;
    spio::arch arch;
    std::string arguments; // of the template
    block_shape shape;
    // Where run() and params are; the family's name in spio if it is empty.
    std::string_view scope = {};
    std::span<header const> headers = {};
    // Where a family has several bodies: a namespace in the family's, and a header in its folder.
    std::string_view body = {};
    // That a processor should hold at once, for as many registers as that allows; 0: any number.
    int blocks = 0;
};
spec specialized(specialization const&, std::size_t params_bytes);
template <class Params>
spec_of<Params> specialized(specialization const& s, grid_for<Params> grid = {}) {
    return {specialized(s, sizeof(Params)), std::move(grid)};
}

// A family, for those who read problems from a text. A problem takes a kernel, or several that are
// launched in their order.
struct family {
    std::string_view name;
    std::vector<spec> (*specialize)(std::string_view problem, arch);
};

// "axpby n=1000": one of these families and a problem of it.
std::vector<spec> specs_of_line(std::string_view line, std::span<family const>, arch);

// FNV-1a in 64 bits: finds what was damaged, stops nobody who wants to do so.
constexpr unsigned long long fnv(std::string_view text,
                                 unsigned long long from = 0xcbf29ce484222325) {
    for (char const c : text) {
        from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return from;
}

} // namespace spio
