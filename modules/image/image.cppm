// What a compiler made of a specialization, and who may be asked for it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

export module spio.image;

import spio.spec;

export namespace spio {

// A fatbin is a cubin or PTX, compressed.
enum class image_kind : unsigned { cubin, ptx, host, fatbin };
std::string_view name_of(image_kind);

// Where an image was found: shipped in a pack or in the program, kept in memory or on disk, or
// compiled just now.
enum class origin : unsigned { shipped, memory, disk, compiled };
std::string_view name_of(origin);

// Runs a kernel on this machine's own processor; what it returns is the misuse that was found.
using host_run = std::function<std::string(launch_shape const&, void const* params)>;

struct image {
    std::string symbol;
    std::string line; // of the specification, as a manifest has it
    spio::arch arch = {};
    std::string made_by;
    image_kind kind = image_kind::cubin;
    std::span<std::byte const> bytes =
        {}; // of a PTX text the last is a zero; a host image has none
    std::shared_ptr<void const> keeper = {}; // of the bytes; null if they stay for ever
    host_run run = {};                       // of a host image
    block_shape shape = {};
    std::size_t params_bytes = 0;
    origin found = origin::shipped;

    // For messages.
    std::string spelled() const {
        return line + " for " + text_of(arch) + " (" + symbol + ", from " + made_by + ")";
    }
};

// One whose kernel takes a Params.
template <class Params> struct typed_image : image {
    grid_function<Params> grid = {};
};

// An image of bytes that it owns, with the rest as the specification says.
image image_of_bytes(spec const&, image_kind, std::span<std::byte const>, std::string made_by);

// How well code for one architecture suits a device of another: 0 if it does not run there; a cubin
// is better than PTX, and the nearest is best.
//     suits(sm_80, sm_86) > suits(compute_80, sm_86) > suits(sm_90a, sm_86) == 0
int suits(arch code, arch device);

// The error of a compiler that is not there: the image is missing, and nothing failed to compile.
error no_compiler_error(spec const&, std::string reason);

// Has none, or throws why it cannot be had.
template <class T>
concept image_source = requires(T const& source, spec const& of) {
    { source.find(of) } -> std::same_as<std::optional<image>>;
};

// Why what a source has of it is no answer, for messages; empty if it has nothing of it.
template <image_source Source> std::string why_not(Source const& in, spec const& of) {
    if constexpr (requires { in.why_not(of); }) {
        return in.why_not(of);
    } else {
        return {};
    }
}

struct no_source {
    std::optional<image> find(spec const&) const { return {}; }
};

// What was put there. Thread-safe.
class memory_source {
  public:
    void add(image);
    std::optional<image> find(spec const&) const;
    std::size_t size() const;

  private:
    mutable std::mutex mutex;
    std::map<std::pair<std::string, std::string>, image> images; // by symbol and architecture
};

// Several sources, asked in their order; they must stay.
template <image_source... Sources> class first_of {
  public:
    explicit first_of(Sources const&... all) : sources(&all...) {}

    std::optional<image> find(spec const& of) const {
        std::optional<image> found;
        std::apply([&](auto const*... each) { (void)((found = each->find(of)) || ...); }, sources);
        return found;
    }
    std::string why_not(spec const& of) const {
        std::string why;
        std::apply(
            [&](auto const*... each) { (void)(!(why = spio::why_not(*each, of)).empty() || ...); },
            sources);
        return why;
    }

  private:
    std::tuple<Sources const*...> sources;
};

} // namespace spio
