// Kernels loaded on a device, the streams that launch them, and graphs of launches.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A backend is a device, a GPU
// or the host device (a simulated GPU), behind the calls that both have. A typed_spec is a spec
// with the type of its parameters. A text_identity is what two kernels of one symbol are told apart
// by: their text and headers. host_value<T> is what the host has for T: T, or the bits of a half.
module;

#include "spio/tile/half.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

export module spio.launch:kernels;

import spio.image;
import spio.spec;
import spio.system;
import :device;

export namespace spio {

// Elements of 16 bits, which the host names but does not compute with.
using spio::bfloat16;
using spio::half;

// The error for a kernel that is asked for while a graph is captured, but is not loaded: compiling
// it would delay the capture, and loading it would make the capture invalid. Neither is done: the
// error is thrown, and the capture stays valid.
error cold_kernel_error(std::string const& kernel);

// Whether this thread has begun a capture by stream::capture() that has not ended.
bool is_capturing_thread();

// Captured work of a stream, which can be launched in any stream of its device. The graph keeps its
// kernels alive, but not the arrays that they access.
class graph {
  public:
    graph(std::shared_ptr<backend> device, kernel_list kernels,
          std::unique_ptr<work_graph const> work)
        : home(std::move(device)), captured_kernels(std::move(kernels)), owned(std::move(work)) {}

    work_graph const& work() const { return *owned; }
    // The device on which it was captured.
    backend const& device() const { return *home; }

  private:
    std::shared_ptr<backend> home;
    kernel_list captured_kernels;
    std::unique_ptr<work_graph const> owned;
};

// A capture of the work of a queue, from construction to end(). If it is destroyed before end(),
// its work is thrown away.
class capture {
  public:
    explicit capture(work_queue&);
    capture(capture const&) = delete;
    ~capture();

    graph end(std::shared_ptr<backend> device);

  private:
    work_queue* queue;
    kernel_list kernels;
};

class stream;

// A kernel that takes one argument of type Params, loaded on a device.
template <class Params> class kernel {
  public:
    kernel(std::shared_ptr<backend> device, std::shared_ptr<ready_kernel const> loaded,
           block_shape const& block, grid_function<Params> blocks)
        : home(std::move(device)),
          owned(std::move(loaded)),
          shape(block),
          grid(std::move(blocks)) {}

    ready_kernel const& ready() const { return *owned; }
    std::shared_ptr<ready_kernel const> const& shared_kernel() const { return owned; }
    backend const& device() const { return *home; }
    launch_shape over(extent blocks) const { return {blocks, shape}; }
    // The launch shape for these parameters, with as many blocks as the kernel's family computes
    // for them. Throws if the parameters do not fit the kernel.
    launch_shape over(Params const& params) const {
        if (!grid) [[unlikely]]
            throw error(error_kind::internal, "launch", "kernel",
                        "its family does not say over how many blocks");
        return {grid(params), shape};
    }
    // Launches it in a stream with as many blocks as its family computes for the parameters. If a
    // braced list of parameters does not fit, the compiler names the field.
    //     kernel.launch(stream, {.x = x, .y = y});
    void launch(stream const&, Params const&) const;

  private:
    std::shared_ptr<backend> home;
    std::shared_ptr<ready_kernel const> owned;
    block_shape shape;
    grid_function<Params> grid;
};

// The kernels of a device, each loaded once. Thread-safe: what is loaded is found without waiting
// for kernels that are being loaded.
class kernels {
  public:
    explicit kernels(device const& device) : home(device.shared_backend()) {}

    // Refuses an image that is not for this device, or whose kernel takes other parameters.
    template <class Params> kernel<Params> load(typed_image<Params> const& image) const {
        return {home, load(image, sizeof(Params)), image.shape, image.grid};
    }
    // Loads a kernel, so that later launches, also captured ones, need not.
    void prepare(image const& image) const { load(image, image.params_bytes); }
    // The kernel, if it is loaded already.
    template <class Params>
    std::optional<kernel<Params>> find(typed_spec<Params> const& spec) const {
        auto found = find(spec, sizeof(Params));
        if (!found) return {};
        return kernel<Params>(home, std::move(found), spec.shape, spec.grid);
    }
    bool is_loaded(spec const& spec) const { return find(spec, spec.params_bytes) != nullptr; }
    std::uint64_t loaded() const;

  private:
    // The end of a symbol as a number. It is the hexadecimal digits of a digest, so that kernels
    // hardly ever share it.
    static std::uint64_t key_of(std::string const& symbol) {
        std::uint64_t digits = 0;
        auto const size = symbol.size() < sizeof digits ? symbol.size() : sizeof digits;
        std::memcpy(&digits, symbol.data() + symbol.size() - size, size);
        return digits;
    }
    struct loaded_kernel {
        std::uint64_t key; // key_of() the symbol
        std::string symbol;
        text_identity text;
        std::size_t params_bytes;
        std::shared_ptr<ready_kernel const> kernel;
    };

    std::shared_ptr<backend> home;
    mutable fork_safe_mutex mutex; // guards the kernels, and is not held while one is loaded
    mutable std::vector<loaded_kernel> loaded_kernels; // ordered by key
    mutable single_flight loads;

    std::shared_ptr<ready_kernel const> load(image const&, std::size_t params_bytes) const;
    std::shared_ptr<ready_kernel const> find(spec const&, std::size_t params_bytes) const;
    template <class F>
    std::shared_ptr<ready_kernel const> find(std::string const& symbol, F is_wanted) const;
};

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
    // A timer for work in streams of this device, null if the device has none. begin() and end()
    // put its two points into this stream.
    std::unique_ptr<work_timer> make_timer() const { return home->make_timer(); }
    void begin(work_timer& timer) const { timer.begin(*queue); }
    void end(work_timer& timer) const { timer.end(*queue); }

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

// Chooses among kernels for one problem by the times of a program's own launches. Thread-safe.
class live_choice {
  public:
    explicit live_choice(std::size_t candidates) : choice(candidates) {}

    // A launch that is timed, and the candidate that it runs.
    struct turn {
        std::size_t candidate;
        std::unique_ptr<work_timer> timer;
    };
    // The turn of the next launch; nothing if it need not be timed. Collects the times of earlier
    // turns that have become known.
    std::optional<turn> take(stream const&);
    // Launches by f(), between the two points of the turn's timer.
    template <class F> void time(turn taken, stream const& stream, F f) {
        bool const has_begun = begin(taken, stream);
        try {
            f();
        } catch (...) {
            cancel(std::move(taken));
            throw;
        }
        if (has_begun) end(std::move(taken), stream);
    }
    // Gives a turn back, because there is no launch.
    void cancel(turn);

    // The result, when all times are known. If a timer fails, no more launches are timed, and the
    // first candidate is kept.
    struct verdict {
        std::size_t best = 0;
        double milliseconds = 0, milliseconds_of_first = 0;
        bool has_failed = false;
    };
    std::optional<verdict> judge() const;

  private:
    mutable fork_safe_mutex mutex; // guards the members below
    timed_choice choice;
    std::vector<turn> pending; // ended, but not passed by the device when it was last asked
    std::vector<std::unique_ptr<work_timer>> idle_timers;
    bool has_failed = false;

    bool begin(turn&, stream const&);
    void end(turn, stream const&);
    void collect();
    void fail();
};

} // namespace spio
