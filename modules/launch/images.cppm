// The image store: the order in which images are looked for, and counts of what was found.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a pack is a file of images that were compiled before the program;
// a spec is what an image is compiled from. A policy says whether images come from packs, from a
// compiler at run time, or both. A typed_spec is a spec with the type of its parameters.
module;

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

export module spio.launch:images;

import spio.image;
import spio.spec;
import spio.system;

export namespace spio {

// Whether kernels may be compiled while the program runs. generic_then_jit: launches begin with a
// generic kernel, which serves every problem of its kind, where a pack has one, and the kernel for
// the problem alone is compiled meanwhile; where no pack has one, it is aot_then_jit.
enum class policy { aot_only, generic_then_jit, aot_then_jit, jit_only };
std::string_view name_of(policy);
// The policy with this name; throws if there is none.
policy policy_named(std::string_view);
// The policy that the environment variable SPIO_POLICY names; generic_then_jit if it is not set.
// The variable is read once.
policy policy_of_environment();
// Whether generic kernels give way to better ones: unless the environment variable SPIO_TIER_UP is
// off. It is read once.
bool tier_up_of_environment();
// Whether launches find the fastest of several configurations: if the environment variable
// SPIO_LIVE_TUNING is on. It is read once.
bool live_tuning_of_environment();

// Whether the environment variable SPIO_LOG is set, and not off. It is read once.
bool is_logged();
// Writes a line to stderr if is_logged(). Launches call it only where a better kernel takes over.
void log(std::string_view line);
// Logs an event about a kernel, with the time since `start`:
//     spio: disk axpby n=1000 for sm_90a (axpby_256x1_…), 0.61 ms
void log(std::string_view event, spec const&, std::chrono::steady_clock::time_point start);
void log(std::string_view event, image const&, std::chrono::steady_clock::time_point start);

// How many requests were answered from packs, from memory, from disk and by compiling, and how many
// failed (missed); and the milliseconds that each kind of answer took in all.
struct image_counters {
    std::uint64_t packed = 0, memory = 0, disk = 0, compiled = 0, missed = 0;
    double packed_milliseconds = 0, memory_milliseconds = 0, disk_milliseconds = 0,
           compiled_milliseconds = 0;
    folder_counters folder = {};
};

// The image store. It looks in the packs, in memory, and on disk, and then asks the compiler.
// Threads that ask for the same kernel at the same time wait for one of them to read or compile it;
// for what is in memory nobody waits. Thread-safe, also after a fork.
class images {
  public:
    // `packs` and `compiler` must outlive the object.
    template <image_source Packs, image_compiler Compiler>
    images(Packs const& packs, Compiler const& compiler, policy policy = policy_of_environment())
        : find_packed([&](spec const& spec) { return packs.find(spec); }),
          packed_reason([&](spec const& spec) { return why_not(packs, spec); }),
          compile([&](spec const& spec) { return compiler.compile(spec); }),
          default_policy(policy) {
        if constexpr (requires(spec const& spec) { compiler.kept(spec); }) {
            find_kept = [&](spec const& spec) { return compiler.kept(spec); };
        }
        if constexpr (requires { compiler.count(); }) {
            count_files = [&] { return compiler.count(); };
        }
    }

    // The image of a kernel. If there is none, throws an error that names the kernel and the
    // manifest line that would add it to a pack.
    image find(spec const& spec) const { return find(spec, default_policy); }
    image find(spec const&, policy) const;
    template <class Params> typed_image<Params> find(typed_spec<Params> const& spec) const {
        return find(spec, default_policy);
    }
    template <class Params>
    typed_image<Params> find(typed_spec<Params> const& spec, policy policy) const {
        return {find(static_cast<spio::spec const&>(spec), policy), spec.grid};
    }

    // The image of a kernel, if a pack has it. Nothing is read from disk, and nothing compiled.
    std::optional<image> find_shipped(spec const&) const;

    image_counters count() const;

  private:
    using finder = std::function<std::optional<image>(spec const&)>;
    using clock = std::chrono::steady_clock;

    finder find_packed;
    std::function<std::string(spec const&)> packed_reason;
    finder find_kept;
    finder compile;
    std::function<folder_counters()> count_files;
    policy default_policy;
    mutable fork_safe_mutex mutex; // guards the members below
    mutable std::map<std::string, image> memory;
    mutable image_counters counters;
    mutable single_flight flights;

    // The image from memory or from disk, or compiled now; none if nothing compiles for the spec.
    std::optional<image> find_outside_packs(spec const&) const;
    std::optional<image> find_in_memory(std::string const& key) const;
    // Counts an image that was found, and the time since `start`; returns it.
    image counted(image, clock::time_point start) const;
    // Counts a request that found no image, and throws the error for it.
    [[noreturn]] void miss(spec const&, policy, std::string const& no_compiler,
                           clock::time_point start) const;
};

} // namespace spio
