// Computes the operators on the CPU by operators of PyTorch.
// SPDX-License-Identifier: Apache-2.0
//
// An operator is a function that PyTorch calls by name and can differentiate, trace and compile;
// aten is PyTorch's own library of them. Convolutions have groups of 8 channels, and a window:
// strides, padding and dilation. A residual is a matrix that is added to a product.
#include "aten.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spio::pytorch::aten {

namespace {

using torch::headeronly::MemoryFormat;
using torch::headeronly::ScalarType;
using torch::stable::detail::from;
using numbers = std::vector<std::int64_t>;

// No gradients are recorded while it lives: the operators have none.
class without_gradients {
  public:
    without_gradients() { aoti_torch_grad_mode_set_enabled(false); }
    without_gradients(without_gradients const&) = delete;
    ~without_gradients() { aoti_torch_grad_mode_set_enabled(was_enabled); }

  private:
    bool was_enabled = aoti_torch_grad_mode_is_enabled();
};

// Calls an operator by its name; the results are those that it returns.
template <class... Results, class... Arguments>
auto call(char const* name, char const* overload, Arguments const&... arguments) {
    constexpr auto size = std::max(sizeof...(Results), sizeof...(Arguments));
    std::array<StableIValue, size> stack = {from(arguments)...};
    STABLE_TORCH_ERROR_CODE_CHECK(
        torch_call_dispatcher(name, overload, stack.data(), TORCH_ABI_VERSION));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple(torch::stable::detail::to<Results>(stack[I])...);
    }(std::index_sequence_for<Results...>());
}

Tensor converted(Tensor const& tensor, ScalarType type) {
    return tensor.scalar_type() == type ? tensor : torch::stable::to(tensor, type);
}
std::optional<Tensor> converted(std::optional<Tensor> const& tensor, ScalarType type) {
    return tensor ? std::optional(converted(*tensor, type)) : std::nullopt;
}
Tensor channels_last(Tensor const& tensor) {
    return torch::stable::contiguous(tensor, MemoryFormat::ChannelsLast);
}

// A window as aten takes it: each property of rows and of columns.
struct pairs {
    numbers stride, padding, dilation;

    explicit pairs(window const& window)
        : stride{window.stride_h, window.stride_w},
          padding{window.pad_h, window.pad_w},
          dilation{window.dilation_h, window.dilation_w} {}
};

// The gradients of the input, the weight and the bias, of those that the mask wants.
auto gradients(Tensor const& gradient, Tensor const& input, Tensor const& weight,
               window const& window, std::array<bool, 3> const& mask) {
    auto const [stride, padding, dilation] = pairs(window);
    auto const c = input.size(1);
    return call<Tensor, Tensor, Tensor>("aten::convolution_backward", "", gradient, input, weight,
                                        std::optional<numbers>({c}), stride, padding, dilation,
                                        /*transposed=*/false, /*output_padding=*/numbers{0, 0},
                                        /*groups=*/c / 8,
                                        torch::headeronly::HeaderOnlyArrayRef<bool>(mask));
}

} // namespace

Tensor conv2d(Tensor const& input, Tensor const& weight, std::optional<Tensor> const& bias,
              window const& window) {
    without_gradients const guard;
    auto const [stride, padding, dilation] = pairs(window);
    auto const [result] =
        call<Tensor>("aten::convolution", "", input, weight, converted(bias, input.scalar_type()),
                     stride, padding, dilation, /*transposed=*/false,
                     /*output_padding=*/numbers{0, 0}, /*groups=*/input.size(1) / 8);
    return channels_last(result);
}

// The gradient of an input of h x w.
Tensor input_gradient(Tensor const& gradient, Tensor const& weight, std::int64_t h, std::int64_t w,
                      window const& window) {
    without_gradients const guard;
    auto const input = torch::stable::new_empty(
        gradient, numbers{gradient.size(0), gradient.size(1), h, w}, gradient.scalar_type());
    auto const [dx, dw, dbias] = gradients(gradient, input, weight, window, {true, false, false});
    return channels_last(dx);
}

// The gradients of the weight and of the bias. aten rounds to the type of its factors, so that they
// are converted first where the result is in float.
std::tuple<Tensor, Tensor> weight_gradient(Tensor const& gradient, Tensor const& input,
                                           std::int64_t r, std::int64_t s, window const& window,
                                           bool has_bias, bool has_float_result) {
    without_gradients const guard;
    auto const c = input.size(1);
    auto const type = input.scalar_type();
    bool const is_short = type == ScalarType::Half || type == ScalarType::BFloat16;
    auto const sum_type = is_short && has_float_result ? ScalarType::Float : type;
    auto const weight = torch::stable::new_empty(input, numbers{c, 8, r, s}, sum_type);
    auto const [dx, dw, dbias] =
        gradients(converted(gradient, sum_type), converted(input, sum_type), weight, window,
                  {false, true, true});
    auto const bias_type = type == ScalarType::Double ? type : ScalarType::Float;
    return {channels_last(dw), has_bias ? converted(dbias, bias_type) : Tensor()};
}

Tensor layernorm_2d(Tensor const& input, std::optional<Tensor> const& weight,
                    std::optional<Tensor> const& bias, double epsilon) {
    without_gradients const guard;
    auto const type = input.scalar_type();
    auto const positions = torch::stable::permute(channels_last(input), numbers{0, 2, 3, 1});
    auto const [y, mean, rstd] = call<Tensor, Tensor, Tensor>(
        "aten::native_layer_norm", "", positions, numbers{input.size(1)}, converted(weight, type),
        converted(bias, type), epsilon);
    return channels_last(torch::stable::permute(y, numbers{0, 3, 1, 2}));
}

Tensor matmul(Tensor const& a, Tensor const& b, std::optional<Tensor> const& bias,
              std::string const& activation, std::optional<Tensor> const& residual,
              bool has_float_result) {
    without_gradients const guard;
    auto const type = a.scalar_type();
    bool const is_short = type == ScalarType::Half || type == ScalarType::BFloat16;
    // As kernels do, sums of short factors and what follows them are computed in float.
    auto const sum_type = is_short ? ScalarType::Float : type;
    auto result = torch::stable::matmul(converted(a, sum_type), converted(b, sum_type));
    // A difference with the factor -1: the stable interface has no sum.
    auto const add = [&](Tensor const& other) {
        return torch::stable::subtract(result, converted(other, sum_type), -1.);
    };
    if (bias) result = add(*bias);
    if (activation != "none") {
        auto const name = "aten::" + activation;
        std::tie(result) = activation == "gelu"
                               ? call<Tensor>(name.c_str(), "", result, std::string("none"))
                               : call<Tensor>(name.c_str(), "", result);
    }
    if (residual) result = add(*residual);
    return converted(result, is_short && !has_float_result ? type : sum_type);
}

} // namespace spio::pytorch::aten
