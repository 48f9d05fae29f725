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

enum class policy { aot_only, aot_then_jit, jit_only };
std::string_view name_of(policy);
// "aot_only" and so on; throws for what is none of them.
policy policy_named(std::string_view);
// What SPIO_POLICY says, read once; aot_then_jit if it is not set.
policy policy_of_environment();

// Whether SPIO_LOG is set, to something other than 0; read once.
bool is_logged();
// One line to stderr, if that is so. Never on the way of a launch.
void log(std::string_view line);
// The same with how long it took:
//     spio: disk axpby n=1000 for sm_90a (axpby_256x1_…), 0.61 ms
void log(std::string_view event, spec const&, std::chrono::steady_clock::time_point since);
void log(std::string_view event, image const&, std::chrono::steady_clock::time_point since);

// How often an image was found shipped, kept in memory, on disk, or was compiled, and how many
// milliseconds that took in all; and how often none was to be had.
struct image_counters {
    std::uint64_t shipped = 0, kept = 0, disk = 0, compiled = 0, missed = 0;
    double shipped_milliseconds = 0, kept_milliseconds = 0, disk_milliseconds = 0,
           compiled_milliseconds = 0;
};

// Thread-safe. What was compiled is kept; threads that ask for one kernel at the same time wait
// for one of them to compile it.
class images {
  public:
    // Both sources must stay.
    template <image_source Shipped, image_source Compiler>
    images(Shipped const& shipped, Compiler const& compiler,
           policy of_all = policy_of_environment())
        : find_shipped([&](spec const& of) { return shipped.find(of); }),
          why_not_shipped([&](spec const& of) { return why_not(shipped, of); }),
          find_compiled([&](spec const& of) { return compiler.find(of); }),
          usual(of_all) {}

    // A miss throws what was asked, and the line of a manifest that would add it.
    image find(spec const& of) const { return find(of, usual); }
    image find(spec const&, policy) const;
    template <class Params> typed_image<Params> find(typed_spec<Params> const& of) const {
        return find(of, usual);
    }
    template <class Params> typed_image<Params> find(typed_spec<Params> const& of, policy p) const {
        return {find(static_cast<spec const&>(of), p), of.grid};
    }

    image_counters count() const;

  private:
    using finder = std::function<std::optional<image>(spec const&)>;
    using clock = std::chrono::steady_clock;
    struct flight {
        std::optional<image> found;
        std::exception_ptr failure;
        bool has_landed = false;
    };

    finder find_shipped;
    std::function<std::string(spec const&)> why_not_shipped;
    finder find_compiled;
    policy usual;
    mutable memory_source kept;
    mutable std::mutex mutex;
    mutable std::condition_variable landed;
    mutable std::map<std::pair<std::string, std::string>, std::shared_ptr<flight>> flying;
    mutable image_counters counters;

    std::optional<image> compile(spec const&) const;
    void land(spec const&, flight&) const;
    image counted(image, clock::time_point since) const;
    [[noreturn]] void miss(spec const&, policy, std::string const& no_compiler,
                           clock::time_point since) const;
};

} // namespace spio
