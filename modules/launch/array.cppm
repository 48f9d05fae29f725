// Arrays in a device's memory, and the tensors that kernels see in them.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tensor.h"
#include "spio/tile/half.h"
#include "spio/tile/vector.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

export module spio.launch:array;

import spio.image;
import spio.spec;
import :backend;
import :device;

export namespace spio {

// What the host has for an element of a device. Of the 16-bit numbers it has the bits.
template <class T> struct host_value_of : type_is<T> {};
template <> struct host_value_of<half> : type_is<unsigned short> {};
template <> struct host_value_of<bfloat16> : type_is<unsigned short> {};
template <class T> using host_value = typename host_value_of<T>::type;

// How many of T an element of a tensor is: one, or those of a vector; 0 if it is something else.
template <class T, class Data> inline constexpr int count_in = same<T const, Data const>;
template <class T, int N> inline constexpr int count_in<T, vec<T, N>> = N;
template <class T, int N> inline constexpr int count_in<T, vec<T, N> const> = N;

// Whether an array of T can be seen as a tensor, of so many dynamic sizes.
template <class T, class Tensor, class... Sizes>
concept seen_as = (count_in<T, typename Tensor::data_type> > 0) &&
                  sizes_of<typename Tensor::layout_type, Sizes...>;

// An array in a device's memory; the name is for messages.
//     array<half> const x(gpu, 100 * 64, "x");
//     x.as<tensor<half const, n, c>>(N(100), C(64))
template <class T> class array {
    static_assert(std::is_trivially_copyable_v<host_value<T>>);

  public:
    array(device const& on, std::size_t count, std::string const& name = "array")
        : home(on.keeper()), owned(home->allocate(bytes_of(count, name), name)), length(count) {}

    T* data() const { return static_cast<T*>(owned.get()); }
    std::size_t size() const { return length; }

    // As a kernel takes it, with the extent of each dynamic dimension; it must fit into the array.
    template <class Tensor, class... Sizes>
        requires seen_as<T, Tensor, Sizes...>
    Tensor as(Sizes... sizes) const {
        using Data = typename Tensor::data_type;
        typename Tensor::layout_type const shape(sizes...);
        auto const elements = shape.storage_size() * count_in<T, Data>;
        if (elements < 0 || static_cast<std::size_t>(elements) > length) {
            throw error(error_kind::invalid, "view",
                        "an array of " + std::to_string(length) + " elements",
                        "the tensor has " + std::to_string(elements));
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

    static std::size_t bytes_of(std::size_t count, std::string const& name) {
        constexpr auto most = std::numeric_limits<std::size_t>::max() / sizeof(host_value<T>);
        if (count > most) {
            throw error(error_kind::invalid, "allocate", name,
                        std::to_string(count) + " elements are too many");
        }
        return count * sizeof(host_value<T>);
    }
};

} // namespace spio
