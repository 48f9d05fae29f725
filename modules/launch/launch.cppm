// From specifications to work on a device: images found, kernels loaded, launched on streams.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from, an image a compiled kernel. A backend
// is a device, a GPU or the host device (a simulated GPU), behind the calls that both have. The
// names from `axpby` on are those of a family of kernels, y = a x + b y.
//
//     spio::device const gpu = spio::gpu_device(driver, 0);
//     spio::images const images(pack, compiler);
//     spio::kernels const kernels(gpu);
//     spio::stream const stream(gpu);
//     auto const axpby = kernels.load(images.find(axpby::specialize({.n = n}, gpu.arch())));
//     axpby.launch(stream, {.a = a, .x = x.as<axpby::scalars>(axpby::N(n)), …});
module;

#include "spio/tile/half.h"

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

// A stream runs copies and launches in order. The host memory of a copy must live until
// synchronize() has returned, or for as long as a graph that contains the copy.
class stream {
  public:
    explicit stream(device const& device)
        : home(device.shared_backend()), queue(home->make_queue()) {}
    // Borrows a CUstream, which the caller owns and which must outlive this object.
    stream(device const& device, void* borrowed)
        : home(device.shared_backend()), queue(home->borrow_queue(borrowed)) {}

    // Launches a kernel. A graph that is being captured keeps the kernel alive.
    template <class Params>
    void launch(kernel<Params> const& kernel, launch_shape const& shape,
                std::type_identity_t<Params> const& params) const {
        check_device(kernel.device());
        if (queue->captured_kernels != nullptr) [[unlikely]]
            queue->captured_kernels->push_back(kernel.shared_kernel());
        queue->launch(kernel.ready(), shape, &params);
    }
    // Launches a kernel with as many blocks as its family computes for the parameters.
    template <class Params>
    void launch(kernel<Params> const& kernel, std::type_identity_t<Params> const& params) const {
        launch(kernel, kernel.over(params), params);
    }
    // Copies to an array and from one; both sides must have the same number of elements.
    template <class T>
    void write(array<T> const& destination, std::span<host_value<T> const> source) const {
        check_copy(destination.device(), destination.size(), source.size());
        queue->write(destination.data(), std::as_bytes(source));
    }
    template <class T>
    void read(std::span<host_value<T>> destination, array<T> const& source) const {
        check_copy(source.device(), destination.size(), source.size());
        queue->read(std::as_writable_bytes(destination), source.data());
    }
    void synchronize() const { queue->synchronize(); }

    // Calls f() and returns a graph of the work that it puts into this stream; the work is captured
    // and not run.
    //     auto const both = stream.capture([&] { stream.launch(k, p), stream.launch(k, q); });
    //     stream.launch(both);
    template <class F> graph capture(F f) const {
        spio::capture capture(*queue);
        f();
        return capture.end(home);
    }
    // Whether work in the stream is captured, by capture() or by the owner of the CUstream.
    bool is_captured() const { return queue->is_captured(); }
    void launch(graph const& graph) const {
        check_device(graph.device());
        queue->launch(graph.work());
    }

  private:
    std::shared_ptr<backend> home;
    std::unique_ptr<work_queue> queue;

    // Throws if what is to be launched belongs to another device.
    void check_device(backend const& device) const {
        if (&device != home.get()) fail("launch", "what is launched is of another device");
    }
    // Throws if the array is of another device, or if the two sides differ in their elements.
    void check_copy(backend const& device, std::size_t destination, std::size_t source) const {
        if (&device != home.get()) fail("copy", "the array is of another device");
        if (destination != source) {
            fail("copy", std::to_string(source) + " elements to " + std::to_string(destination));
        }
    }
    [[noreturn]] void fail(char const* tried, std::string reason) const;
};

template <class Params>
void kernel<Params>::launch(stream const& queue, Params const& params) const {
    queue.launch(*this, over(params), params);
}

} // namespace spio
