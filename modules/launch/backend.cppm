// What a GPU and the host must both be able to do to be a device.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/tensor_map.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

export module spio.launch:backend;

import spio.image;
import spio.spec;

export namespace spio {

// A kernel that is ready on a device.
class ready_kernel {
  public:
    virtual ~ready_kernel() = default;
};

// Work that was captured, to be done many times.
class work_graph {
  public:
    virtual ~work_graph() = default;
};

using kept_kernels = std::vector<std::shared_ptr<ready_kernel const>>;

// Work in order.
class work_queue {
  public:
    virtual ~work_queue() = default;
    virtual void write(void* to, std::span<std::byte const> from) = 0;
    virtual void read(std::span<std::byte> to, void const* from) = 0;
    virtual void launch(ready_kernel const&, launch_shape const&, void const* params) = 0;
    virtual void launch(work_graph const&) = 0;
    virtual void synchronize() = 0;

    // Whether work is captured here, instead of being done, whoever began that.
    virtual bool is_captured() = 0;
    virtual void begin_capture() = 0;
    virtual std::unique_ptr<work_graph const> end_capture() = 0;

    // Where those who launch put what a capture needs; null while none was begun here.
    kept_kernels* keeping = nullptr;
};

class backend {
  public:
    virtual ~backend() = default;
    virtual std::string name() const = 0;
    virtual spio::arch arch() const = 0;
    virtual std::shared_ptr<void> allocate(std::size_t bytes, std::string name) = 0;
    virtual tensor_map_words encode(tensor_map_plan const&, void* base) = 0;
    virtual std::unique_ptr<ready_kernel const> load(image const&) = 0;
    virtual std::unique_ptr<work_queue> make_queue() = 0;
    // Of a stream that belongs to someone else, as the driver knows it.
    virtual std::unique_ptr<work_queue> borrow_queue(void* stream) = 0;
};

} // namespace spio
