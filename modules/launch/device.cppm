// Devices, their memory, kernels that are loaded on them, and streams of launches.
// SPDX-License-Identifier: Apache-2.0
module;

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

export module spio.launch:device;

import spio.cuda;
import spio.image;
import spio.spec;
import :backend;

export namespace spio {

// A GPU, or the host. What is made from it keeps it.
class device {
  public:
    explicit device(std::shared_ptr<backend> by) : owned(std::move(by)) {}

    std::string name() const { return owned->name(); }
    // For which specializations are made: "sm_90a", "host".
    std::string arch() const { return owned->arch(); }
    backend& by() const { return *owned; }
    std::shared_ptr<backend> const& keeper() const { return owned; }

  private:
    std::shared_ptr<backend> owned;
};

// The driver must stay.
device gpu_device(cuda::driver const&, int ordinal);

// Where kernels run on this machine's own processor, in memory that these give and take back.
struct host_memory {
    void* (*allocate)(std::size_t bytes, std::string name);
    void (*release)(void*) noexcept;
};
device host_device(host_memory);

// An array in a device's memory; the name is for messages.
template <class T> class array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    array(device const& on, std::size_t count, std::string name = "array")
        : home(on.keeper()),
          owned(home->allocate(count * sizeof(T), std::move(name))),
          length(count) {}

    T* data() const { return static_cast<T*>(owned.get()); }
    std::size_t size() const { return length; }

  private:
    std::shared_ptr<backend> home;
    std::shared_ptr<void> owned;
    std::size_t length;
};

// A kernel that takes a Params, ready on a device.
template <class Params> class kernel {
  public:
    kernel(std::shared_ptr<ready_kernel const> is, backend const& on)
        : owned(std::move(is)), home(&on) {}

    ready_kernel const& ready() const { return *owned; }
    backend const& on() const { return *home; }

  private:
    std::shared_ptr<ready_kernel const> owned;
    backend const* home;
};

// The kernels of a device, each loaded once. Thread-safe.
class kernels {
  public:
    explicit kernels(device const& on) : home(on.keeper()) {}

    // Refuses an image that is not for this device, or whose kernel takes other parameters.
    template <class Params> kernel<Params> load(image_of<Params> const& from) const {
        return {load(from, sizeof(Params)), *home};
    }
    std::uint64_t loaded() const;

  private:
    std::shared_ptr<backend> home;
    mutable std::mutex mutex;
    mutable std::map<std::string, std::shared_ptr<ready_kernel const>> by_symbol;

    std::shared_ptr<ready_kernel const> load(image const&, std::size_t params_bytes) const;
};

// Copies and launches in their order. What is copied must stay until synchronize() has returned.
class stream {
  public:
    explicit stream(device const& on) : home(on.keeper()), queue(home->make_queue()) {}

    template <class Params>
    void launch(kernel<Params> const& k, geometry const& over,
                std::type_identity_t<Params> const& params) const {
        expect_here(k.on());
        queue->launch(k.ready(), over, &params);
        count.fetch_add(1, std::memory_order_relaxed);
    }
    template <class T> void write(array<T> const& to, std::span<T const> from) const {
        expect_sizes(to.size(), from.size());
        queue->write(to.data(), std::as_bytes(from));
    }
    template <class T> void read(std::span<T> to, array<T> const& from) const {
        expect_sizes(to.size(), from.size());
        queue->read(std::as_writable_bytes(to), from.data());
    }
    void synchronize() const { queue->synchronize(); }
    std::uint64_t launched() const { return count.load(std::memory_order_relaxed); }

  private:
    std::shared_ptr<backend> home;
    std::unique_ptr<work_queue> queue;
    mutable std::atomic<std::uint64_t> count = 0;

    void expect_here(backend const& on) const {
        if (&on != home.get()) fail("launch", "the kernel was loaded on another device");
    }
    void expect_sizes(std::size_t to, std::size_t from) const {
        if (to != from) {
            fail("copy", std::to_string(from) + " elements to " + std::to_string(to));
        }
    }
    [[noreturn]] void fail(char const* tried, std::string why) const;
};

} // namespace spio
