// Kernels loaded on a device, the arrays that they take, and graphs of launches.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel; a spec is what it is compiled from. A backend is a device, a GPU
// or the host device (a simulated GPU), behind the calls that both have.
module;

#include "spio/checked_size.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"
#include "spio/tile/vector.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
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

// The host type for an element type of the device. 16-bit floating-point numbers are unsigned
// shorts with the same bits.
template <class T> struct host_value_of : type_is<T> {};
template <> struct host_value_of<half> : type_is<unsigned short> {};
template <> struct host_value_of<bfloat16> : type_is<unsigned short> {};
template <class T> using host_value = typename host_value_of<T>::type;

// How many values of type T make up an element of a tensor: 1 for T itself, N for vec<T, N>, 0 for
// another type.
template <class T, class Data> inline constexpr int count_in = same<T const, Data const>;
template <class T, int N> inline constexpr int count_in<T, vec<T, N>> = N;
template <class T, int N> inline constexpr int count_in<T, vec<T, N> const> = N;

// Whether an array of T can be seen as a Tensor whose dynamic sizes are Sizes.
template <class T, class Tensor, class... Sizes>
concept seen_as = (count_in<T, typename Tensor::data_type> > 0) &&
                  sizes_of<typename Tensor::layout_type, Sizes...>;

// An array in a device's memory; the name is for messages.
//     array<half> const x(gpu, 100 * 64, "x");
//     x.as<tensor<half const, n, c>>(N(100), C(64))
template <class T> class array {
    static_assert(std::is_trivially_copyable_v<host_value<T>>);

  public:
    array(device const& device, std::size_t count, std::string const& name = "array")
        : home(device.shared_backend()),
          owned(home->allocate(bytes_of(count, name), name)),
          length(count) {}

    T* data() const { return static_cast<T*>(owned.get()); }
    std::size_t size() const { return length; }
    backend const& device() const { return *home; }

    // The array as a tensor for a kernel, given the extent of each dynamic dimension. Throws if the
    // tensor does not fit into the array.
    template <class Tensor, class... Sizes>
        requires seen_as<T, Tensor, Sizes...>
    Tensor as(Sizes... sizes) const {
        using Data = typename Tensor::data_type;
        constexpr auto most = std::numeric_limits<int>::max();
        bool const has_extents =
            (((checked_size(sizes.value) * stride_of<Sizes>).value <= most) && ...);
        if (!has_extents) fail("an extent of the tensor is negative or too large");
        typename Tensor::layout_type const shape(sizes...);
        auto const elements = shape.template storage_size<checked_size>() * count_in<T, Data>;
        if (elements.is_too_large()) fail("the tensor has more elements than can be counted");
        if (static_cast<std::size_t>(elements.value) > length) {
            fail("the tensor has " + std::to_string(elements.value));
        }
        return Tensor(reinterpret_cast<Data*>(data()), shape);
    }
    template <class TensorOfOtherElementsOrSizes, class... Sizes>
        requires(!seen_as<T, TensorOfOtherElementsOrSizes, Sizes...>)
    TensorOfOtherElementsOrSizes as(Sizes...) const = delete;

  private:
    std::shared_ptr<backend> home;
    std::shared_ptr<void> owned;
    std::size_t length;

    [[noreturn]] void fail(std::string reason) const {
        throw error(error_kind::invalid, "view",
                    "an array of " + std::to_string(length) + " elements", std::move(reason));
    }
    // The bytes of `count` elements. Throws if they are too many; `name` is the array's.
    static std::size_t bytes_of(std::size_t count, std::string const& name) {
        constexpr auto most = std::numeric_limits<std::size_t>::max() / sizeof(host_value<T>);
        if (count > most) {
            throw error(error_kind::invalid, "allocate", name,
                        std::to_string(count) + " elements are too many");
        }
        return count * sizeof(host_value<T>);
    }
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

} // namespace spio
