// Specializations of kernels: their problem, configuration, symbol, text and launch shape.
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
export import :chip;
export import :fields;

export namespace spio {

using spio::block_shape;
using spio::extent;
using spio::launch_shape;

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
template <class Params> using grid_function = std::function<extent(Params const&)>;

// One whose kernel takes a Params.
template <class Params> struct typed_spec : spec {
    using params_type = Params;
    grid_function<Params> grid = {};
};

// What a family knows of a specialization; the text, the symbol and the checks are the same for
// all.
struct specialization {
    std::string_view family; // also the name of a header
    std::string prefix;      // of the symbol
    std::string problem, config;
    spio::arch arch;
    std::string arguments; // of the template
    block_shape shape;
    // The namespace of run() and params; spio::FAMILY if it is empty.
    std::string_view scope = {};
    std::span<header const> headers = {};
    // Where a family has several bodies: a namespace in the family's, and a header in its folder.
    std::string_view body = {};
    // Blocks that an SM should hold at once, which bounds the registers; 0: any number.
    int blocks = 0;
};
spec specialized(specialization const&, std::size_t params_bytes);
template <class Params>
typed_spec<Params> specialized(specialization const& request, grid_function<Params> grid = {}) {
    return {specialized(request, sizeof(Params)), std::move(grid)};
}

// What chose a configuration: a measurement on this machine, a learned model, or the family itself,
// by the measurements that it ships and by its estimate.
enum class config_origin { tuned, model, family };
std::string_view name_of(config_origin);

struct config_query {
    std::string_view family;
    std::string problem; // canonical
    spio::arch arch;
};
struct config_choice {
    std::string config; // as the family parses it
    config_origin origin;
};

// The one seam where configurations are chosen. Its finders are asked in the order in which they
// were added; what none of them knows, the family chooses.
class config_source {
  public:
    using finder = std::function<std::optional<std::string>(config_query const&)>;

    void add(config_origin, finder);
    std::optional<config_choice> find(config_query const&) const;

  private:
    struct named_finder {
        config_origin origin;
        finder find;
    };
    std::vector<named_finder> finders;
};
// What is asked where a caller names no other. It knows nothing yet: families choose.
config_source const& default_config_source();

// A family, for callers that read problems from a text. A problem takes a kernel, or several that
// are launched in their order.
struct family {
    std::string_view name;
    std::vector<spec> (*specialize)(std::string_view problem, arch, config_source const&);
    std::span<header const> (*headers)();
};

// "axpby n=1000": one of these families and a problem of it.
std::vector<spec> specs_of_line(std::string_view line, std::span<family const>, arch,
                                config_source const& = default_config_source());

// FNV-1a in 64 bits: it detects damage, not malice.
constexpr unsigned long long fnv(std::string_view text,
                                 unsigned long long digest = 0xcbf29ce484222325) {
    for (char const c : text) {
        digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return digest;
}

} // namespace spio
