// Images of kernels that are compiled when they are asked for.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <mutex>
#include <optional>

export module spio.jit:just_in_time;

import spio.image;
import spio.spec;
import :nvrtc;

export namespace spio::jit {

// Each time anew: keep what it finds. Thread-safe; only what is for a chip is compiled.
class just_in_time {
  public:
    // Opens NVRTC when it is first needed, and throws then if there is none.
    just_in_time() = default;
    // Compiles with this one, which must stay.
    explicit just_in_time(nvrtc const& by) : opened(&by) {}

    std::optional<image> find(spec const&) const;

  private:
    mutable std::mutex mutex;
    mutable std::unique_ptr<nvrtc const> own;
    mutable nvrtc const* opened = nullptr;

    nvrtc const& compiler() const;
};

} // namespace spio::jit
