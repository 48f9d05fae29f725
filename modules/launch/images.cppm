// The image store: the order in which images are looked for, and counts of what was found.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

export module spio.launch:images;

import spio.image;
import spio.spec;

export namespace spio {

// Whether kernels may be compiled while the program runs.
enum class policy { aot_only, aot_then_jit, jit_only };
std::string_view name_of(policy);
// The policy of such a name; throws for any other text.
policy policy_named(std::string_view);
// The policy of SPIO_POLICY, which is read once; aot_then_jit if it is not set.
policy policy_of_environment();

// Whether SPIO_LOG is set to something other than 0; read once.
bool is_logged();
// A line to stderr, if so. No launch writes one.
void log(std::string_view line);
// The same with the time that an event took:
//     spio: disk axpby n=1000 for sm_90a (axpby_256x1_…), 0.61 ms
void log(std::string_view event, spec const&, std::chrono::steady_clock::time_point start);
void log(std::string_view event, image const&, std::chrono::steady_clock::time_point start);

// How many images were found in packs, in memory and on disk, were compiled, or were missed; and
// how many milliseconds that took in all.
struct image_counters {
    std::uint64_t packed = 0, memory = 0, disk = 0, compiled = 0, missed = 0;
    double packed_milliseconds = 0, memory_milliseconds = 0, disk_milliseconds = 0,
           compiled_milliseconds = 0;
};

// The image store. It asks packs, its memory, and a compiler, which reads its cache on disk first.
// Threads that ask for one kernel at the same time wait for one of them to compile it. Thread-safe.
class images {
  public:
    // Both sources must stay.
    template <image_source Packs, image_source Compiler>
    images(Packs const& packs, Compiler const& compiler, policy policy = policy_of_environment())
        : find_packed([&](spec const& spec) { return packs.find(spec); }),
          packed_reason([&](spec const& spec) { return why_not(packs, spec); }),
          find_compiled([&](spec const& spec) { return compiler.find(spec); }),
          default_policy(policy) {}

    // Throws for a miss what was asked, and the line of a manifest that would add it.
    image find(spec const& spec) const { return find(spec, default_policy); }
    image find(spec const&, policy) const;
    template <class Params> typed_image<Params> find(typed_spec<Params> const& spec) const {
        return find(spec, default_policy);
    }
    template <class Params>
    typed_image<Params> find(typed_spec<Params> const& spec, policy policy) const {
        return {find(static_cast<spio::spec const&>(spec), policy), spec.grid};
    }

    image_counters count() const;

  private:
    using finder = std::function<std::optional<image>(spec const&)>;
    using clock = std::chrono::steady_clock;
    // A compilation for which other threads may wait.
    struct compilation {
        std::optional<image> result;
        std::exception_ptr failure;
        bool is_done = false;
    };

    finder find_packed;
    std::function<std::string(spec const&)> packed_reason;
    finder find_compiled;
    policy default_policy;
    mutable memory_source memory;
    mutable std::mutex mutex;
    mutable std::condition_variable done;
    mutable std::map<std::pair<std::string, std::string>, std::shared_ptr<compilation>> in_flight;
    mutable image_counters counters;

    std::optional<image> compile(spec const&) const;
    void run(spec const&, compilation&) const;
    image counted(image, clock::time_point start) const;
    [[noreturn]] void miss(spec const&, policy, std::string const& no_compiler,
                           clock::time_point start) const;
};

} // namespace spio
