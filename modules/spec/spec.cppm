// A specialization of a kernel: what it is of, its symbol, its text and how it is launched.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

export module spio.spec;

export import :error;
export import :fields;
export import :header;

export namespace spio {

struct extent {
    int x = 1, y = 1, z = 1;
    friend constexpr bool operator==(extent const&, extent const&) = default;
};

// What every block of a launch is, whatever the sizes that the launch brings.
struct block_shape {
    extent block = {};
    extent cluster = {};
    int shared_bytes = 0; // dynamic
    // A launch may begin before the kernel before it has ended: each block waits by itself for what
    // that one wrote.
    bool overlaps_previous = false;
    friend constexpr bool operator==(block_shape const&, block_shape const&) = default;
};

struct geometry {
    extent grid;
    block_shape shape;
};

// The same text for every architecture makes the same symbol: packs keep it once for each.
struct spec {
    std::string family;
    std::string problem; // canonical: "channels=64 affine=true"
    std::string config;  // the same for the configuration
    std::string arch;    // "sm_90a", or "host"
    // What can be read of it, and then a digest of the text and of the parameters' size. It is the
    // kernel's name, and with the architecture the key under which images are kept.
    std::string symbol;
    std::string source; // an extern "C" __global__ of one call
    block_shape shape;
    std::size_t params_bytes = 0;
    // The headers of a family that is not Spio's own; they stay for ever.
    std::span<header const> headers = {};

    geometry over(extent grid) const { return {grid, shape}; }
    // As a manifest has it: "layernorm_2d channels=64 affine=true".
    std::string line() const { return family + " " + problem; }
    // For messages: the line, the architecture and the symbol.
    std::string spelled() const { return line() + " for " + arch + " (" + symbol + ")"; }
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
    std::string_view arch;
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
    std::vector<spec> (*specialize)(std::string_view problem, std::string_view arch);
};

// "axpby n=1000": one of these families and a problem of it.
std::vector<spec> specs_of_line(std::string_view line, std::span<family const>,
                                std::string_view arch);

// FNV-1a in 64 bits: finds what was damaged, stops nobody who wants to do so.
constexpr unsigned long long fnv(std::string_view text,
                                 unsigned long long from = 0xcbf29ce484222325) {
    for (char const c : text) {
        from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return from;
}

} // namespace spio
