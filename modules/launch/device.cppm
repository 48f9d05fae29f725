// Devices: a GPU or the host by the same calls, and what each must be able to do.
// SPDX-License-Identifier: Apache-2.0
//
// The host is the host device: a GPU that is simulated on the CPU. An image is a compiled kernel,
// and a spec what it is compiled from. A tensor map is the descriptor by which TMA copies boxes of
// a tensor; its plan says all but the address. A backend is the implementation of a device, which
// all objects that are made for the device share. A function that is deleted is an error message:
// the names of its template parameters say what is wrong.
module;

#include "spio/checked_size.h"
#include "spio/tensor.h"
#include "spio/tile/half.h"
#include "spio/tile/tensor_map.h"
#include "spio/tile/vector.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

export module spio.launch:device;

import spio.cuda;
import spio.image;
import spio.spec;
import spio.system;

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

// Measures the time between two points in the work of a device's queues, without waiting for it.
class work_timer {
  public:
    virtual ~work_timer() = default;
    virtual void begin(work_queue&) = 0;
    virtual void end(work_queue&) = 0;
    // The milliseconds between the two points; nothing until the device has passed both.
    virtual std::optional<double> milliseconds() = 0;
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
    // Null on the host device, where times say nothing about kernels.
    virtual std::unique_ptr<work_timer> make_timer() { return nullptr; }
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
// The CPU, which executes kernels as a simulated GPU by these functions.
device host_device(host_machine);

// The GPU with this number; or the host device, if there is no GPU at all. A GPU that is broken or
// has another number is an error. Opens the driver if none is given.
device best_device(int gpu, std::optional<host_machine> const&,
                   std::shared_ptr<cuda::driver const> = nullptr);

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

// Chooses one of a few candidates by measured times. Candidates take turns at being timed, until
// each has the same number of times. Not thread-safe.
class timed_choice {
  public:
    static constexpr std::size_t rounds = 9; // turns of each candidate
    // The first candidate is the one that was expected to be the fastest. Another is chosen only if
    // it takes less than this share of the first one's time, because times are noisy.
    static constexpr double least_gain = 0.98;

    explicit timed_choice(std::size_t candidates) : times(candidates), turns(candidates) {}

    // The candidate that is timed next, that with the fewest turns; nothing if all have had theirs.
    std::optional<std::size_t> take_turn();
    // Ends a turn with its time, or without one: then the candidate gets another turn.
    void add(std::size_t candidate, double milliseconds);
    void give_back(std::size_t candidate);

    // Whether all times are there, so that the choice stays.
    bool is_decided() const;
    // The chosen candidate: the first one until all times are there.
    std::size_t best() const;
    // The median of a candidate's times; infinite if it has none.
    double milliseconds(std::size_t candidate) const;

  private:
    std::vector<std::vector<double>> times; // of each candidate
    std::vector<std::size_t> turns;         // taken, and not given back
};

} // namespace spio
