// A launch takes the parameters and tensors of its kernel; those of other types do not compile.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. The host device simulates a GPU on the CPU. The fake driver stands for CUDA's. A
// tensor map is the descriptor by which TMA copies boxes of a tensor. A family is the kernels of
// one operation. axis<K>(32) is the dimension K with 32 values. A box_copy::map<64> is of images
// of 13 x 11 pixels of 64 bytes, copied in tiles.
#include <doctest/doctest.h>

#include "axpby/problem.h"
#include "layernorm_2d/problem.h"
#include "tests/kernels/box_copy.h"

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

import spio.axpby;
import spio.cuda;
import spio.fake_driver;
import spio.host;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

namespace {

// A kernel takes the parameters of its family and no other.
template <class Kernel, class Params>
concept launches = requires(stream const& s, kernel<Kernel> const& k, Params const& p) {
    s.launch(k, launch_shape(), p);
    s.launch(k, p);
};
static_assert(launches<axpby::params, axpby::params>);
static_assert(!launches<axpby::params, layernorm_2d::params>);
static_assert(!launches<layernorm_2d::params, axpby::params>);
static_assert(!launches<axpby::params, int>);

// A parameter takes tensors of its element type and layout; one that is written takes no const
// elements.
template <class X>
concept axpby_reads =
    requires(X x, axpby::scalars y) { axpby::params{.a = 1, .x = x, .b = 1, .y = y}; };
template <class Y>
concept axpby_writes =
    requires(axpby::scalars x, Y y) { axpby::params{.a = 1, .x = x, .b = 1, .y = y}; };
using readable = tensor<float const, axpby::elements>;
using halves = tensor<half, axpby::elements>;
using padded = tensor<float, axpby::elements / 4, axpby::elements % 4>;
static_assert(axpby_reads<axpby::scalars> && axpby_reads<readable>);
static_assert(axpby_writes<axpby::scalars> && !axpby_writes<readable>);
static_assert(!axpby_reads<halves> && !axpby_writes<halves>);
static_assert(!axpby_reads<padded> && !axpby_writes<padded>);
static_assert(!axpby_reads<float*> && !axpby_writes<float const*>);

template <class X>
concept norm_reads =
    requires(X x, layernorm_2d::images y) { layernorm_2d::params{.x = x, .y = y}; };
using columns = tensor<half, layernorm_2d::all_c, layernorm_2d::all_x>;
using floats = tensor<float, layernorm_2d::all_x, layernorm_2d::all_c>;
static_assert(norm_reads<layernorm_2d::images> && norm_reads<layernorm_2d::images_to_read>);
static_assert(!norm_reads<columns> && !norm_reads<floats>);

// A tensor that a launch leaves out does not compile, unless its parameter has a default, as the
// weight and the bias have.
template <class Params, class X>
concept launches_without_result = requires(X x) { Params{.x = x}; };
static_assert(!launches_without_result<layernorm_2d::params, layernorm_2d::images>);
static_assert(!launches_without_result<axpby::params, axpby::scalars>);

// An array is viewed as a tensor of its elements or of vectors of them; sizes are values of the
// tensor's dimensions.
template <class T, class Tensor, class... Sizes>
concept taken_as = requires(array<T> const& a, Sizes... sizes) { a.template as<Tensor>(sizes...); };
using layernorm_2d::C;
using layernorm_2d::X;
static_assert(taken_as<half, layernorm_2d::images, X, C> && taken_as<half, columns, X, C>);
static_assert(!taken_as<half, layernorm_2d::images, X> &&
              !taken_as<half, layernorm_2d::images, int, int>);
static_assert(!taken_as<unsigned short, layernorm_2d::images, X, C>);
static_assert(!taken_as<half, floats, X, C>);
static_assert(taken_as<float, axpby::vectors, axpby::N> &&
              !taken_as<half, axpby::vectors, axpby::N>);

// A tensor map is encoded from a tensor of its own global type only.
using map = test::box_copy::map<64>;
template <class Tensor>
concept mapped = requires(device const& d, Tensor t) { d.map<map>(t); };
static_assert(mapped<map::global_type> && !mapped<test::box_copy::images<128>>);
static_assert(!mapped<axpby::scalars>);

using cells = test::box_copy::images<64>;

// The memory as 5 images.
cells images_in(array<unsigned short> const& memory) {
    return memory.as<cells>(test::box_copy::N(5));
}
constexpr std::size_t size = std::size_t{5} * 13 * 11 * 32; // 5 images of 13 x 11 x 32

} // namespace

TEST_CASE("a tensor map is encoded by the driver, and by the host device, in the same call") {
    cuda::driver const driver(fake::find);
    for (auto const& device :
         {gpu_device(driver, 0), host_device({host::allocate, host::release, host::encode})}) {
        CAPTURE(device.name());
        array<unsigned short> const memory(device, size);
        map const encoded = device.map<map>(images_in(memory));
        // Both encodings begin with the address.
        void* base = nullptr;
        std::memcpy(&base, &encoded, sizeof base);
        CHECK(base == memory.data());
        CHECK_THROWS(device.map<map>(cells(nullptr, test::box_copy::N(5))));
    }
}

namespace {

// The reason why an array of four elements is no such tensor.
template <class Tensor, class... Sizes> std::string view_refusal(Sizes... sizes) {
    device const device = host_device({host::allocate, host::release});
    array<unsigned short> const memory(device, 4);
    try {
        memory.as<Tensor>(sizes...);
    } catch (spio::error const& failure) {
        CHECK(failure.kind() == error_kind::invalid);
        return failure.reason();
    }
    return "none";
}

struct I : dim {
    using dim::dim;
};
struct J : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};
struct L : dim {
    using dim::dim;
};
using hypercube =
    tensor<unsigned short, axis<I>(dynamic), axis<J>(dynamic), axis<K>(dynamic), axis<L>(dynamic)>;
using folded_matrix = tensor<unsigned short, axis<I>(dynamic) / 8, axis<J>(dynamic)>;

} // namespace

TEST_CASE("an array is seen as a tensor only if it has all of its elements, whatever wraps") {
    CHECK(view_refusal<hypercube>(I(1), J(2), K(2), L(1)) == "none");
    CHECK(view_refusal<hypercube>(I(0), J(65536), K(65536), L(65536)) == "none");
    CHECK(view_refusal<hypercube>(I(5), J(1), K(1), L(1)) == "the tensor has 5");
    CHECK(view_refusal<hypercube>(I(65536), J(65536), K(65536), L(65536)) ==
          "the tensor has more elements than can be counted");
    CHECK(view_refusal<hypercube>(I(2147483647), J(2147483647), K(2147483647), L(2147483647)) ==
          "the tensor has more elements than can be counted");
    auto const extents = "an extent of the tensor is negative or too large";
    for (int const negative : {-1, -8, -2147483647 - 1}) {
        CHECK(view_refusal<hypercube>(I(negative), J(1), K(1), L(1)) == extents);
        CHECK(view_refusal<hypercube>(I(0), J(1), K(1), L(negative)) == extents);
        CHECK(view_refusal<hypercube>(I(negative), J(negative), K(1), L(1)) == extents);
        CHECK(view_refusal<folded_matrix>(I(negative), J(1)) == extents);
    }
    // A size in blocks of eight may be more than an int holds in ones.
    using Block = fold<I, 8>;
    CHECK(view_refusal<folded_matrix>(Block(1), J(4)) == "none");
    CHECK(view_refusal<folded_matrix>(Block(1 << 28), J(1)) == extents);
}

TEST_CASE("without a copy engine there is no tensor map") {
    device const device = host_device({host::allocate, host::release});
    array<unsigned short> const memory(device, size);
    CHECK_THROWS_WITH_AS(device.map<map>(images_in(memory)),
                         "encode for a tensor map: there is no copy engine", spio::error);
}
