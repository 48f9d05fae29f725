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

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
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
import spio.system;

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

// How many problems began with a generic kernel, which serves every problem of its kind; of these,
// how many kept it because no better one was expected; how many better kernels the background
// thread found or compiled, how many of them took over, and how often either failed.
struct tier_counters {
    std::uint64_t begun = 0, unchanged = 0, compiled = 0, taken = 0, failed = 0;
};

// The two tiers of a runtime: generic kernels, which packs have, and the kernels for one problem,
// which a background thread compiles and which then take over. Thread-safe.
class tiers {
  public:
    struct options {
        bool begins_generic = true; // else there is one tier, that of the kernels for one problem
        bool tier_up = true;        // else a problem that began with a generic kernel keeps it
        bool has_packs = false;     // packs may have kernels for one problem, which come first
    };
    // The images, the kernels and the configurations must outlive the object.
    tiers(images const&, kernels const&, config_source const&, options);
    // Waits for the compilation that has begun; those that wait for it are dropped.
    ~tiers();

    images const& all_images() const { return *found_images; }
    config_source const& configs() const { return *chosen_configs; }
    options const& chosen_options() const { return own_options; }

    // The kernel, if it is loaded or a pack has it. While the stream is captured, a kernel that is
    // not loaded throws a cold_kernel error.
    template <class Params>
    std::optional<kernel<Params>> find(typed_spec<Params> const& spec, stream const* stream) const {
        if (auto loaded = loaded_kernels->find(spec)) return loaded;
        auto shipped = found_images->find_shipped(spec);
        if (!shipped) return {};
        if (stream != nullptr && stream->is_captured()) throw cold_kernel_error(spec.spelled());
        return loaded_kernels->load(typed_image<Params>{*std::move(shipped), spec.grid});
    }
    // Waits until all compilations that were asked for have ended.
    void wait() const { queue->wait(); }
    tier_counters count() const;
    // Counts and logs a problem that begins with a generic kernel.
    void begin(std::string const& subject) const;

  private:
    template <class Ready> friend class tiered;
    struct atomic_counters {
        std::atomic<std::uint64_t> begun = 0, unchanged = 0, compiled = 0, taken = 0, failed = 0;
    };

    images const* found_images;
    kernels const* loaded_kernels;
    config_source const* chosen_configs;
    options own_options;
    std::shared_ptr<atomic_counters> counters = std::make_shared<atomic_counters>();
    std::shared_ptr<task_queue> queue = std::make_shared<task_queue>();
};
// The tiers that a family begins with, null if there is one alone; and the stream of the launch
// that is to come, null if it is not known.
struct tier_source {
    spio::tiers const* tiers = nullptr;
    spio::stream const* stream = nullptr;
};

// What is ready for a problem: at first its generic kernels, and later those for the problem alone.
// Copies share both. Ready is a class of kernels and of what their launch needs.
template <class Ready> class tiered {
  public:
    explicit tiered(Ready first) : shared(std::make_shared<state>(std::move(first))) {}

    // What the next launch in the stream takes. Kernels that the background thread has compiled are
    // loaded here, unless the stream is captured, and take over.
    Ready const& current(stream const& stream) const {
        if (shared->is_offered.load(std::memory_order_acquire)) [[unlikely]]
            shared->take(&stream);
        return *shared->best.load(std::memory_order_acquire);
    }
    // What the last launch took, or will take; and what it began with.
    Ready const& latest() const { return *shared->best.load(std::memory_order_acquire); }
    Ready const& first() const { return shared->first; }
    // Waits for the better kernels, if any are being compiled, and loads them.
    void prepare() const {
        if (shared->queue) shared->queue->wait();
        shared->take(nullptr);
    }

    // Looks for something better on the background thread: find() returns the images, or nothing if
    // what there is should stay. load() makes them ready; the launch that comes next calls it.
    template <class Images>
    void improve(tiers const& tiers, std::string const& subject,
                 std::function<std::optional<Images>()> find,
                 std::function<Ready(Images const&)> load) const {
        shared->counters = tiers.counters;
        shared->subject = subject;
        shared->queue = tiers.queue;
        tiers.queue->add([weak = std::weak_ptr(shared), find, load] {
            if (auto const state = weak.lock()) state->search(find, load);
        });
    }

  private:
    // The background thread calls search(), which offers better kernels by is_offered; the next
    // launch calls take(), which loads them and swaps the pointer `best`. is_taking lets one launch
    // do so at a time.
    struct state {
        Ready first;
        std::unique_ptr<Ready const> better;
        std::atomic<Ready const*> best = &first;
        std::atomic<bool> is_offered = false, is_taking = false;
        std::function<Ready()> make_better;
        std::shared_ptr<task_queue> queue = {};
        std::shared_ptr<tiers::atomic_counters> counters = {};
        std::string subject = {};

        explicit state(Ready ready) : first(std::move(ready)) {}

        template <class Images>
        void search(std::function<std::optional<Images>()> const& find,
                    std::function<Ready(Images const&)> const& load) {
            try {
                auto images = find();
                if (!images) {
                    counters->unchanged.fetch_add(1);
                    return;
                }
                counters->compiled.fetch_add(1);
                make_better = [load, images = *std::move(images)] { return load(images); };
                is_offered.store(true, std::memory_order_release);
            } catch (std::exception const& failure) {
                fail(failure);
            }
        }
        void take(stream const* stream) {
            if (is_capturing_thread() || (stream != nullptr && is_captured(*stream))) return;
            if (is_taking.exchange(true, std::memory_order_acquire)) return;
            if (is_offered.exchange(false, std::memory_order_acquire)) {
                try {
                    better = std::make_unique<Ready const>(make_better());
                    best.store(better.get(), std::memory_order_release);
                    counters->taken.fetch_add(1);
                    log("took over: " + subject);
                } catch (std::exception const& failure) {
                    fail(failure);
                }
                make_better = nullptr;
            }
            is_taking.store(false, std::memory_order_release);
        }
        // A stream whose state cannot be told counts as captured.
        static bool is_captured(stream const& stream) {
            try {
                return stream.is_captured();
            } catch (error const&) {
                return true;
            }
        }
        void fail(std::exception const& failure) {
            counters->failed.fetch_add(1);
            log("stays generic: " + subject + ": " + failure.what());
        }
    };
    std::shared_ptr<state> shared;
};

} // namespace spio
