// From specifications to work on a device: images found, kernels loaded, launched on streams.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::device const gpu = spio::gpu_device(driver, 0);
//     spio::images const images(pack, compiler);
//     spio::kernels const kernels(gpu);
//     spio::stream const stream(gpu);
//     auto const axpby = kernels.load(images.find(axpby::specialize({.n = n}, gpu.arch())));
//     stream.launch(axpby, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
module;

#include "spio/tile/half.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

export module spio.launch;

export import :device;
export import :images;
export import :kernels;
import spio.image;
import spio.spec;

export namespace spio {

// Copies and launches in their order. What is copied must stay until synchronize() has returned, or
// for as long as the graph that has the copy.
class stream {
  public:
    explicit stream(device const& on) : home(on.keeper()), queue(home->make_queue()) {}
    // A CUstream that belongs to someone else, and stays theirs; it must outlive this.
    stream(device const& on, void* borrowed)
        : home(on.keeper()), queue(home->borrow_queue(borrowed)) {}

    template <class Params>
    void launch(kernel<Params> const& k, launch_shape const& over,
                std::type_identity_t<Params> const& params) const {
        expect_here(k.on());
        if (queue->keeping != nullptr) [[unlikely]]
            queue->keeping->push_back(k.keeper());
        queue->launch(k.ready(), over, &params);
        count.fetch_add(1, std::memory_order_relaxed);
    }
    // Over as many blocks as the kernel's family wants.
    template <class Params>
    void launch(kernel<Params> const& k, std::type_identity_t<Params> const& params) const {
        launch(k, k.over(params), params);
    }
    template <class T> void write(array<T> const& to, std::span<host_value<T> const> from) const {
        expect_sizes(to.size(), from.size());
        queue->write(to.data(), std::as_bytes(from));
    }
    template <class T> void read(std::span<host_value<T>> to, array<T> const& from) const {
        expect_sizes(to.size(), from.size());
        queue->read(std::as_writable_bytes(to), from.data());
    }
    void synchronize() const { queue->synchronize(); }

    // A graph of what f() does in this stream, which is not done now.
    //     auto const both = stream.capture([&] { stream.launch(k, p), stream.launch(k, q); });
    //     stream.launch(both);
    template <class F> graph capture(F f) const {
        capturing now(*queue);
        f();
        return now.end(home);
    }
    // Whether work in it is captured, by capture() or by someone else.
    bool is_captured() const { return queue->is_captured(); }
    void launch(graph const& g) const {
        expect_here(g.on());
        queue->launch(g.work());
    }
    std::uint64_t launched() const { return count.load(std::memory_order_relaxed); }

  private:
    std::shared_ptr<backend> home;
    std::unique_ptr<work_queue> queue;
    mutable std::atomic<std::uint64_t> count = 0;

    void expect_here(backend const& on) const {
        if (&on != home.get()) fail("launch", "what is launched is of another device");
    }
    void expect_sizes(std::size_t to, std::size_t from) const {
        if (to != from) {
            fail("copy", std::to_string(from) + " elements to " + std::to_string(to));
        }
    }
    [[noreturn]] void fail(char const* tried, std::string why) const;
};

} // namespace spio
