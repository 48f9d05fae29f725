// Devices: a GPU or the host by the same calls, and what each must be able to do.
// SPDX-License-Identifier: Apache-2.0
//
// The host is the host device: a GPU that is simulated on the CPU. An image is a compiled kernel,
// and a spec what it is compiled from. A tensor map is the descriptor by which TMA copies boxes of
// a tensor; its plan says all but the address. A backend is a device, a GPU or the host, as all
// that is made for it shares it.
module;

#include "spio/tile/tensor_map.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

export module spio.launch:device;

import spio.cuda;
import spio.image;
import spio.spec;

export namespace spio {

// A kernel that is loaded on a device.
class ready_kernel {
  public:
    virtual ~ready_kernel() = default;
};

// Captured work of a queue, to be launched many times.
class work_graph {
  public:
    virtual ~work_graph() = default;
};

using kernel_list = std::vector<std::shared_ptr<ready_kernel const>>;

// A queue, which runs its work in order.
class work_queue {
  public:
    virtual ~work_queue() = default;
    virtual void write(void* destination, std::span<std::byte const> source) = 0;
    virtual void read(std::span<std::byte> destination, void const* source) = 0;
    virtual void launch(ready_kernel const&, launch_shape const&, void const* params) = 0;
    virtual void launch(work_graph const&) = 0;
    virtual void synchronize() = 0;

    // Whether work in the queue is captured instead of run, by Spio or by another owner of the
    // stream.
    virtual bool is_captured() = 0;
    virtual void begin_capture() = 0;
    virtual std::unique_ptr<work_graph const> end_capture() = 0;

    // The kernels of the current capture, which its graph will keep alive; null if Spio has begun
    // no capture.
    kernel_list* captured_kernels = nullptr;
};

// One device, a GPU or the host: what both must be able to do. What is made for a device shares its
// backend, as the member `home`.
class backend {
  public:
    virtual ~backend() = default;
    virtual std::string name() const = 0;
    virtual spio::arch arch() const = 0;
    virtual std::shared_ptr<void> allocate(std::size_t bytes, std::string name) = 0;
    virtual tensor_map_words encode(tensor_map_plan const&, void* base) = 0;
    virtual std::unique_ptr<ready_kernel const> load(image const&) = 0;
    virtual std::unique_ptr<work_queue> make_queue() = 0;
    // A queue for a CUstream that the caller owns.
    virtual std::unique_ptr<work_queue> borrow_queue(void* stream) = 0;
};

// A GPU, or the host. Objects that are made from it keep it alive.
class device {
  public:
    explicit device(std::shared_ptr<backend> backend) : owned(std::move(backend)) {}

    std::string name() const { return owned->name(); }
    // The architecture that kernels for this device are specialized for: sm_90a, host_arch.
    spio::arch arch() const { return owned->arch(); }
    // The tensor map of a tensor; kernels take it by value.
    //     .x = gpu.map<tensor_map<tile, images>>(x.as<images>(N(8)))
    template <class Map> Map map(typename Map::global_type const& tensor) const {
        auto* const base = const_cast<void*>(static_cast<void const*>(tensor.get()));
        return bits_as<Map>(owned->encode(Map::plan(tensor.shape()), base));
    }
    // The tensor map of a plan, where only the kernel knows the tile.
    //     .input = gpu.map(conv2d::tma::input_plan(problem, config), x.get())
    tensor_map_words map(tensor_map_plan const& plan, void const* base) const {
        return owned->encode(plan, const_cast<void*>(base));
    }
    // The backend, which keeps the device open.
    std::shared_ptr<backend> const& shared_backend() const { return owned; }

  private:
    std::shared_ptr<backend> owned;
};

// The architecture that kernels for a GPU are specialized for: sm_90a.
arch arch_of(cuda::device_ref const&);
// A GPU as a device. Objects that are made from it keep the driver alive, too.
device gpu_device(std::shared_ptr<cuda::driver const>, int ordinal);
// A GPU as a device, where the driver must outlive all objects that are made from it.
device gpu_device(cuda::driver const&, int ordinal);

// The functions of the host device, which runs kernels on the CPU of this machine, in memory that
// allocate() returns.
struct host_machine {
    void* (*allocate)(std::size_t bytes, std::string name);
    void (*release)(void*) noexcept;
    // Writes a tensor map for the simulated TMA engine, or returns why it cannot, in a sentence.
    std::string (*encode)(tensor_map_plan const&, void* base, tensor_map_words&) = nullptr;
    // Finds kernels that were compiled into the program.
    std::optional<image> (*find)(spec const&) = nullptr;
};
device host_device(host_machine);

// The GPU with this number; or the host device, if there is no GPU at all. A GPU that is broken or
// has another number is an error. Opens the driver if none is given.
device best_device(int gpu, std::optional<host_machine> const&,
                   std::shared_ptr<cuda::driver const> = nullptr);

} // namespace spio
