// What a runtime makes when it is first asked for it.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from.
module;

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

module spio.runtime:lazy_value;

import spio.cache;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;
import spio.system;

namespace spio {

// A value that is made when it is first asked for: the first launch of a program does not wait for
// what only later ones need. Thread-safe, also after a fork.
template <class T> class lazy_value {
  public:
    explicit lazy_value(std::function<std::shared_ptr<T const>()> make_value)
        : make(std::move(make_value)) {}

    T const& get() const {
        if (auto const present = known()) return *present;
        flights.run(/*key=*/"", [&]() -> std::shared_ptr<void const> {
            if (known()) return nullptr; // another thread has made it since this one looked
            auto fresh = make();
            std::lock_guard const lock(mutex);
            value = std::move(fresh);
            return nullptr;
        });
        return *known();
    }
    // Null if it was not asked for.
    T const* known() const {
        std::lock_guard const lock(mutex);
        return value.get();
    }

  private:
    std::function<std::shared_ptr<T const>()> make;
    mutable fork_safe_mutex mutex; // guards the value, which is made once
    mutable std::shared_ptr<T const> value;
    mutable single_flight flights;
};

// NVRTC, and the folders of what it has compiled, which are opened when an image is first looked
// for there.
class lazy_compiler {
  public:
    lazy_compiler(cache::options options, jit::nvrtc const* compiler)
        : state([options = std::move(options), compiler] {
              return std::make_shared<parts const>(options, compiler);
          }) {}

    std::optional<image> kept(spec const& spec) const { return state.get().compiler.kept(spec); }
    std::optional<image> compile(spec const& spec) const {
        return state.get().compiler.compile(spec);
    }
    folder_counters count() const {
        auto const* const opened = state.known();
        return opened == nullptr ? folder_counters() : opened->compiler.count();
    }

  private:
    struct parts {
        cache::folders folders;
        jit::just_in_time compiler;

        parts(cache::options const& options, jit::nvrtc const* nvrtc)
            : folders(logged(options)), compiler(folders, nvrtc) {}
        // The cache's options, with its messages in the log if that is on.
        static cache::options logged(cache::options options) {
            if (is_logged() && !options.log) {
                options.log = [](std::string_view line) { log(line); };
            }
            return options;
        }
    };
    lazy_value<parts> state;
};

} // namespace spio
