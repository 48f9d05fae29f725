// Kernels that are loaded on a device.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

export module spio.launch:kernels;

import spio.image;
import spio.spec;
import :backend;
import :device;

export namespace spio {

// A kernel that takes a Params, ready on a device.
template <class Params> class kernel {
  public:
    kernel(std::shared_ptr<ready_kernel const> is, backend const& on, block_shape const& s,
           grid_for<Params> g)
        : owned(std::move(is)), home(&on), shape(s), grid(std::move(g)) {}

    ready_kernel const& ready() const { return *owned; }
    backend const& on() const { return *home; }
    // As many blocks as its family wants for these; throws if they do not fit.
    geometry over(Params const& params) const {
        if (!grid) [[unlikely]]
            throw error("launch", "kernel", "its family does not say over how many blocks");
        return {grid(params), shape};
    }

  private:
    std::shared_ptr<ready_kernel const> owned;
    backend const* home;
    block_shape shape;
    grid_for<Params> grid;
};

// The kernels of a device, each loaded once. Thread-safe.
class kernels {
  public:
    explicit kernels(device const& on) : home(on.keeper()) {}

    // Refuses an image that is not for this device, or whose kernel takes other parameters.
    template <class Params> kernel<Params> load(image_of<Params> const& from) const {
        return {load(from, sizeof(Params)), *home, from.shape, from.grid};
    }
    std::uint64_t loaded() const;

  private:
    std::shared_ptr<backend> home;
    mutable std::mutex mutex;
    mutable std::map<std::string, std::shared_ptr<ready_kernel const>> by_symbol;

    std::shared_ptr<ready_kernel const> load(image const&, std::size_t params_bytes) const;
};

} // namespace spio
