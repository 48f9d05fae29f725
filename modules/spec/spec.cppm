// Specializations of kernels: their problem, configuration, symbol, text and launch shape.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, such as conv2d. A problem is the sizes and options of a
// call, a configuration how blocks and threads share it. A manifest is a list of kernels, one
// problem a line; an image is a compiled kernel.
module;

#include "spio/checked_size.h"
#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <cstddef>
#include <cstdint>
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
using spio::checked_size;
using spio::extent;
using spio::launch_shape;

// The numbers that 16 bits stand for. Bits that are no number give NaN, whatever their sign.
double half_number(unsigned short bits);
double bfloat16_number(unsigned short bits);

// A header that is kept in memory, not in a file. Its name is what stands in an #include. The
// digest is a part of the SHA-256 of the text, which the build has made; 0 if it has made none.
struct header {
    std::string_view name;
    std::string_view text;
    std::uint64_t digest = 0;
};

// The headers of a family's kernels: what the function kernel_text() returns, which CMake writes.
using kernel_headers = std::span<header const>;

// A specialization of a kernel. The symbol depends on the text and not on the architecture, so a
// pack may have several images of one symbol, one for each architecture.
struct spec {
    std::string family;
    std::string problem; // canonical: "channels=64 affine=true"
    std::string config;  // canonical text of the configuration
    spio::arch arch;
    // The name of the kernel: a readable part, then a digest of `source` and of the size of the
    // parameters, but not of the headers. With the architecture it is the key of an image.
    std::string symbol;
    std::string source; // an extern "C" __global__ function with a single call
    block_shape shape;
    std::size_t params_bytes = 0;
    // The headers of a family that is not Spio's own. They must outlive every spec, and every image
    // and kernel that was made from one.
    std::span<header const> headers = {};

    launch_shape over(extent grid) const { return {grid, shape}; }
    // The line of a manifest that asks for this kernel: "layernorm_2d channels=64 affine=true".
    std::string line() const { return problem.empty() ? family : family + " " + problem; }
    // For messages: the line, the architecture and the symbol. If the architecture is newer than
    // all that Spio knows, the text adds that it gets a kernel for sm_80.
    std::string spelled() const;
};

// The text that a kernel is compiled from. It tells apart kernels of one symbol whose headers
// differ: these are compared by their address.
struct text_identity {
    std::string source;
    header const* headers = nullptr;
    std::size_t header_count = 0;

    text_identity() = default;
    explicit text_identity(spec const& spec)
        : source(spec.source), headers(spec.headers.data()), header_count(spec.headers.size()) {}
    // Whether the spec's kernel is compiled from the same text.
    bool is_of(spec const& spec) const {
        return headers == spec.headers.data() && header_count == spec.headers.size() &&
               source == spec.source;
    }
    friend bool operator==(text_identity const&, text_identity const&) = default;
};

// Computes the grid, in blocks, for the parameters of a launch. Throws if they do not fit the
// kernel.
template <class Params> using grid_function = std::function<extent(Params const&)>;

// A spec whose kernel takes one argument of type Params.
template <class Params> struct typed_spec : spec {
    using params_type = Params;
    grid_function<Params> grid = {};
};

// The part of a specialization that its family decides; text, symbol and checks are made from it in
// the same way for all families. The text is a kernel that calls the family's device function
// run<arguments>(params).
struct specialization {
    std::string_view family; // also the name of a header
    std::string prefix;      // the readable part of the symbol
    std::string problem, config;
    spio::arch arch;
    std::string arguments; // the template arguments of run()
    block_shape shape;
    // The namespace that has run() and params; spio::FAMILY if this is empty.
    std::string_view scope = {};
    std::span<header const> headers = {};
    // For a family with several bodies, the name of the body: it is a namespace within the
    // family's, and a header in the family's folder.
    std::string_view body = {};
    // Blocks that an SM should hold at once, which bounds the registers; 0: any number.
    int blocks = 0;
};
spec specialized(specialization const&, std::size_t params_bytes);
template <class Params>
typed_spec<Params> specialized(specialization const& request, grid_function<Params> grid = {}) {
    return {specialized(request, sizeof(Params)), std::move(grid)};
}

// The specialization that most of a user's own families need: run<problem, config>(params) in the
// namespace named like the family, in blocks of one shape, for a problem within its bounds. A
// family without configurations passes no config.
//     specialization_of("softmax", problem, arch, {.block = {128}}, kernel_text(), config)
template <described Problem, described... Config>
    requires(sizeof...(Config) <= 1)
specialization specialization_of(std::string_view family, Problem const& problem, arch arch,
                                 block_shape shape, std::span<header const> headers,
                                 Config const&... config) {
    check(family, problem);
    auto const scope = std::string(family) + "::";
    auto arguments = scope + "problem" + initializer_of(problem);
    ((arguments += ", " + scope + "config" + initializer_of(config)), ...);
    return {.family = family,
            .prefix = std::string(family),
            .problem = text_of(problem),
            .config = (std::string() + ... + text_of(config)),
            .arch = arch,
            .arguments = std::move(arguments),
            .shape = shape,
            .scope = family,
            .headers = headers};
}

// Throws what a launch must satisfy, in words, unless its arguments do: for grid functions.
template <described Problem>
void check_launch(bool fits, std::string_view family, Problem const& problem,
                  std::string_view condition) {
    if (fits) return;
    auto const fields = text_of(problem);
    throw error(error_kind::invalid, "launch",
                std::string(family) + (fields.empty() ? "" : " ") + fields, std::string(condition));
}

// Who chose a configuration: a measurement on this machine (tuned), a learned model, or the family,
// by the measurements that it ships and its estimate.
enum class config_origin { tuned, model, family };
std::string_view name_of(config_origin);

// A problem of a family that needs a configuration, and below the configuration for it.
struct config_query {
    std::string_view family;
    std::string problem; // canonical
    spio::arch arch;
};
struct config_choice {
    std::string config; // text that the family parses
    config_origin origin;
};

// Chooses configurations. Its finders are asked in the order in which they were added; if none of
// them knows a configuration, the family chooses one.
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
// The config_source for callers that name none: it has no finders, so families choose.
config_source const& default_config_source();

// A family of kernels, for callers that read problems from text. A problem takes one kernel, or
// several that are launched in order.
struct family {
    std::string_view name;
    std::vector<spec> (*specialize)(std::string_view problem, arch, config_source const&);
    std::span<header const> (*headers)(); // all headers of its kernels
};

// A name as a template argument: of a family, or of a field.
template <std::size_t Size> struct name_constant {
    char text[Size] = {};

    consteval name_constant(char const (&literal)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) text[i] = literal[i];
    }
};
// Declared only, for its type: the problem that a function specializes.
template <class Params, class Problem>
Problem problem_taken(typed_spec<Params> (*specialize)(Problem const&, arch));

// The family whose lines are problems that one function specializes, without a choice of
// configurations from outside.
//     static constexpr auto family = spio::family_of<"softmax", specialize>(kernel_text);
template <name_constant Name, auto Specialize>
constexpr family family_of(std::span<header const> (*headers)()) {
    return {Name.text,
            [](std::string_view text, arch arch, config_source const&) {
                using problem_type = decltype(problem_taken(Specialize));
                return std::vector<spec>{Specialize(parse<problem_type>(Name.text, text), arch)};
            },
            headers};
}

// The specializations for a line such as "axpby n=1000": the name of one of these families and a
// problem of it.
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
