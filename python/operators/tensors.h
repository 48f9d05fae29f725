// Tensors of PyTorch, as operators need them: checked, in the layout of kernels, and newly made.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A family is the kernels of one operation, such as
// conv2d; its name, and that of a tensor, are for messages. A place is a stream of a GPU, or the
// host device; aten is PyTorch's own library of operators.
#pragma once

#include "launches.h"

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace spio::pytorch {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Throws an error of these words, which Python raises as a RuntimeError. PyTorch's macro for this
// puts the names of a function and a file before them.
template <class... Words> [[noreturn]] void fail(Words const&... words) {
    std::ostringstream text;
    (text << ... << words);
    throw std::runtime_error(text.str());
}

// A type of elements in PyTorch's terms and in those of kernels; below, the types that each family
// has kernels for.
struct element_type {
    ScalarType type;
    element kernel;
};
inline constexpr std::array conv2d_types = {element_type{ScalarType::Half, element::fp16},
                                            element_type{ScalarType::BFloat16, element::bf16}};
inline constexpr std::array layernorm_2d_types = conv2d_types;
inline constexpr std::array matmul_types = conv2d_types;

// The type of a tensor's elements, if kernels of the family take it.
template <class Types>
element element_of(Types const& types, char const* family, char const* name, Tensor const& tensor) {
    auto const type = tensor.scalar_type();
    for (auto const& known : types) {
        if (known.type == type) return known.kernel;
    }
    fail("spio::", family, ": ", name, " has elements of type ", torch::headeronly::toString(type),
         ", for which there are no kernels");
}

// The four sizes of an image tensor or a filter.
using sizes_4d = std::array<int, 4>;
// Throws, with the names of family and tensor, if there are not four sizes that fit into ints.
sizes_4d sizes_of(char const* family, char const* name, Tensor const&);
inline std::string text_of(sizes_4d const& s) {
    return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]) +
           " x " + std::to_string(s[3]);
}

// The tensor with its second dimension contiguous and no gaps (channels_last), a copy if it is not.
Tensor channels_last(Tensor const&, sizes_4d const&);
// A new tensor of such a layout on the device of another.
Tensor new_channels_last(Tensor const& other, sizes_4d const&, ScalarType);
// Kernels take one image or more: whether a tensor has none, an image of zeros in its place, and
// that of a result without its image.
bool has_no_images(Tensor const&);
Tensor image_for(Tensor const& images);
Tensor no_images(Tensor image);
// A new dense tensor on the device of another.
Tensor new_dense(Tensor const& other, std::initializer_list<std::int64_t> sizes, ScalarType);
// A bias as kernels take it: dense floats at an address of whole vectors. The tensor keeps the
// memory until the launch. The data is null if there is no bias.
struct stored_bias {
    std::optional<Tensor> tensor;
    float const* data = nullptr;
};
// Refuses a bias unless it has `count` floats, or doubles beside doubles, on the device of the
// other tensor.
void check_bias(char const* family, std::optional<Tensor> const&, std::int64_t count,
                Tensor const& other);
// The bias, a copy if it lies otherwise. It is checked.
stored_bias bias_of(char const* family, std::optional<Tensor> const&, int count,
                    Tensor const& other);

// Refuses two tensors on different devices, in the name of the family.
void check_same_device(char const* family, Tensor const&, Tensor const& other);

// Refuses a tensor on a GPU in a process that was forked after its parent had opened one. To be
// asked before anything of PyTorch is called, whose own error would be a trace of its calls.
void check_process(Tensor const&);

// Where kernels for a tensor run: its GPU, in the current stream, or the host device.
place place_of(Tensor const&);

// Whether torch.use_deterministic_algorithms() is on; true if this PyTorch cannot say. Then a
// layer that begins with a generic kernel on a GPU keeps it, so that results have the same bits
// whenever a better kernel is compiled.
bool is_deterministic();

// Whether operators on the CPU run kernels on the host device; otherwise they call aten.
bool uses_host_device();
void use_host_device(bool is_used);

} // namespace spio::pytorch
