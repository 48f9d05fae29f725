// Kernels that are loaded on a device.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
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
    kernel(std::shared_ptr<backend> on, std::shared_ptr<ready_kernel const> is,
           block_shape const& s, grid_for<Params> g)
        : home(std::move(on)), owned(std::move(is)), shape(s), grid(std::move(g)) {}

    ready_kernel const& ready() const { return *owned; }
    std::shared_ptr<ready_kernel const> const& keeper() const { return owned; }
    backend const& on() const { return *home; }
    // As many blocks as its family wants for these; throws if they do not fit.
    launch_shape over(Params const& params) const {
        if (!grid) [[unlikely]]
            throw error(error_kind::internal, "launch", "kernel",
                        "its family does not say over how many blocks");
        return {grid(params), shape};
    }

  private:
    std::shared_ptr<backend> home;
    std::shared_ptr<ready_kernel const> owned;
    block_shape shape;
    grid_for<Params> grid;
};

// The kernels of a device, each loaded once. Thread-safe.
class kernels {
  public:
    explicit kernels(device const& on) : home(on.keeper()) {}

    // Refuses an image that is not for this device, or whose kernel takes other parameters.
    template <class Params> kernel<Params> load(image_of<Params> const& from) const {
        return {home, load(from, sizeof(Params)), from.shape, from.grid};
    }
    // Loads kernels so that launches, also captured ones, need not.
    void prepare(image const& from) const { load(from, from.params_bytes); }
    // Whether it is there, and need not be found any more.
    template <class Params> std::optional<kernel<Params>> find(spec_of<Params> const& of) const {
        auto found = find(of.symbol, sizeof(Params));
        if (!found) return {};
        return kernel<Params>(home, std::move(found), of.shape, of.grid);
    }
    bool has(spec const& of) const { return find(of.symbol, of.params_bytes) != nullptr; }
    std::uint64_t loaded() const;

  private:
    std::shared_ptr<backend> home;
    mutable std::mutex mutex;
    struct known {
        std::shared_ptr<ready_kernel const> kernel;
        std::size_t params_bytes = 0;
    };
    mutable std::unordered_map<std::string, known> by_symbol;

    std::shared_ptr<ready_kernel const> load(image const&, std::size_t params_bytes) const;
    std::shared_ptr<ready_kernel const> find(std::string const& symbol,
                                             std::size_t params_bytes) const;
};

} // namespace spio
