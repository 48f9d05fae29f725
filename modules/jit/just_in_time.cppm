// Images of kernels that are compiled when they are asked for, and kept.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <mutex>
#include <optional>

export module spio.jit:just_in_time;

import spio.cache;
import spio.image;
import spio.spec;
import :nvrtc;

export namespace spio::jit {

// Thread-safe; only what is for a chip is compiled.
class just_in_time {
  public:
    // Keeps images where the environment says. NVRTC is opened when it is first needed; if there is
    // none, that throws.
    just_in_time();
    // Compiles by this one and keeps what comes out there; both must stay.
    just_in_time(nvrtc const& by, cache::store& in) : opened(&by), kept(&in) {}

    std::optional<image> find(spec const&) const;
    cache::counters count() const { return kept->count(); }

  private:
    std::unique_ptr<cache::store> own_store;
    mutable std::mutex mutex;
    mutable std::unique_ptr<nvrtc const> own_compiler;
    mutable nvrtc const* opened = nullptr;
    cache::store* kept;

    nvrtc const& compiler() const;
};

} // namespace spio::jit
