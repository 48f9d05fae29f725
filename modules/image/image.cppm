// Images: compiled specializations, and the sources that may be asked for one.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. A manifest is a list of kernels, a pack a file of images. The
// host is the host device: a simulated GPU, whose kernels are compiled into the program. A keeper
// owns the memory that something refers to. A text_identity is what two kernels of one symbol are
// told apart by: their text and headers.
module;

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

export module spio.image;

import spio.spec;

export namespace spio {

// A fatbin is a cubin or PTX, compressed.
enum class image_kind : unsigned { cubin, ptx, host, fatbin };
std::string_view name_of(image_kind);

// Where an image was found: in a pack or in the program, in memory, on disk; or it was compiled
// now.
enum class origin : unsigned { packed, memory, disk, compiled };
std::string_view name_of(origin);

// Runs a kernel on the host device; returns its misuse, or an empty text.
using host_run = std::function<std::string(launch_shape const&, void const* params)>;

struct image {
    std::string symbol;
    std::string line;     // the line of a manifest that asks for this kernel
    spio::arch arch = {}; // the architecture that the image was compiled for
    std::string made_by;  // for messages: "pack p.spiopack"
    image_kind kind = image_kind::cubin;
    // The last byte of PTX is a zero. An image for the host has no bytes.
    std::span<std::byte const> bytes = {};
    std::shared_ptr<void const> keeper = {}; // owns the bytes; null if they stay for ever
    host_run run = {};                       // runs an image for the host
    block_shape shape = {};
    std::size_t params_bytes = 0; // size of the kernel's parameter
    origin found = origin::packed;
    text_identity text = {}; // what the image was compiled from

    // For messages.
    std::string spelled() const {
        return line + " for " + text_of(arch) + " (" + symbol + ", from " + made_by + ")";
    }
};

// An image whose kernel takes one argument of type Params.
template <class Params> struct typed_image : image {
    grid_function<Params> grid = {};
};

// Makes an image that owns a copy of the bytes; its other members are taken from the spec.
image image_of_bytes(spec const&, image_kind, std::span<std::byte const>, std::string made_by);

// How well code for one architecture suits a device of another: 0 if it does not run there; a cubin
// is better than PTX, and the nearest is best.
//     suits(sm_80, sm_86) > suits(compute_80, sm_86) > suits(sm_90a, sm_86) == 0
int suits(arch code, arch device);

// The error for a missing compiler: the image is missing, although nothing failed to compile.
error no_compiler_error(spec const&, std::string reason);

// An image source has find(spec), which returns an image or nothing, and throws if it could not
// look.
template <class T>
concept image_source = requires(T const& source, spec const& spec) {
    { source.find(spec) } -> std::same_as<std::optional<image>>;
};

// Why a source does not return an image that it has, for messages; empty if it has none.
template <image_source Source> std::string why_not(Source const& source, spec const& spec) {
    if constexpr (requires { source.why_not(spec); }) {
        return source.why_not(spec);
    } else {
        return {};
    }
}

// An image compiler has compile(spec), which returns an image, or nothing if it compiles nothing
// for the architecture, and throws if it failed. It may have kept(spec), which returns an image
// that it has kept on disk, and count(), which says what happened to the files there.
template <class T>
concept image_compiler = requires(T const& compiler, spec const& spec) {
    { compiler.compile(spec) } -> std::same_as<std::optional<image>>;
};

// What happened to files of compiled images: damaged ones that were moved aside, images that could
// not be written, and those removed because there were too many.
struct folder_counters {
    std::uint64_t moved_aside = 0, publish_failures = 0, evicted = 0;
};

// The source and the compiler of a store that has none.
struct no_source {
    std::optional<image> find(spec const&) const { return {}; }
    std::optional<image> compile(spec const&) const { return {}; }
};

// An image source that asks several sources in order. They must outlive it.
template <image_source... Sources> class first_of {
  public:
    explicit first_of(Sources const&... list) : sources(&list...) {}

    std::optional<image> find(spec const& spec) const {
        std::optional<image> found;
        std::apply([&](auto const*... source) { (void)((found = source->find(spec)) || ...); },
                   sources);
        return found;
    }
    std::string why_not(spec const& spec) const {
        std::string reason;
        std::apply(
            [&](auto const*... source) {
                (void)(!(reason = spio::why_not(*source, spec)).empty() || ...);
            },
            sources);
        return reason;
    }

  private:
    std::tuple<Sources const*...> sources;
};

} // namespace spio
