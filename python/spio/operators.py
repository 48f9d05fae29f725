# The operators as PyTorch sees them: the library that has them, their fakes, and how vmap folds them.
# SPDX-License-Identifier: Apache-2.0
#
# An operator is a function that PyTorch calls by name; those of Spio are in a library of C++. A fake tells
# the shape and type of an operator's result without computing it, so that PyTorch can trace a model. vmap
# calls a function for each element of a batch; its rule folds the batch into the operator's own dimensions.
# The host device simulates a GPU on the CPU.
import atexit
import pathlib
import re

from spio import nvrtc

try:
    import torch
except ImportError as missing:
    raise ImportError("this part of spio needs PyTorch 2.10 or newer; 'pip install torch' brings it") from missing

if tuple(map(int, re.findall(r"\d+", torch.__version__)[:2])) < (2, 10):
    raise ImportError(f"this part of spio needs PyTorch 2.10 or newer, and this is {torch.__version__}")

nvrtc.use_installed()

library_file = str(pathlib.Path(__file__).with_name("spio_operators.so"))
torch.ops.load_library(library_file)

library = torch.ops.spio
conv2d = library.conv2d.default
conv2d_input_gradient = library.conv2d_input_gradient.default
conv2d_weight_gradient = library.conv2d_weight_gradient.default
layernorm_2d = library.layernorm_2d.default
matmul = library.matmul.default
use_host_device = library.use_host_device.default
conv2d_microseconds = library.conv2d_microseconds.default
generic_kernels = library.generic_kernels.default
gpu_architecture = library.gpu_architecture.default
is_deterministic = library.is_deterministic.default
is_without_gpus_of_parent = library.is_without_gpus_of_parent.default
cache_folder = library.cache_folder.default
finish_compilations = library.finish_compilations.default
count_tiers = library.count_tiers.default

# Before the libraries of the process are destroyed, which a compilation in the background uses.
atexit.register(library.end_compilations.default)


def find_operator(name):
    """The operator of aten; None if this PyTorch has none of that name."""
    packet = getattr(torch.ops.aten, name, None)
    return None if packet is None else packet.default


# Two operators of aten with gradients in C++, which backends may implement; the library does. The first is called in
# half the time, because it has fewer arguments and PyTorch a function for it; the second is for a PyTorch without it.
differentiable_conv2d = find_operator("_mps_convolution")
overrideable_conv2d = torch.ops.aten.convolution_overrideable.default
schema_of_differentiable = (
    "aten::_mps_convolution(Tensor self, Tensor weight, Tensor? bias, SymInt[] padding, SymInt[] stride, SymInt[] dilation, "
    "SymInt groups) -> Tensor"
)

short_types = (torch.float16, torch.bfloat16)
activations = ("none", "relu", "silu", "gelu")  # of a product


def call_overrideable_conv2d(x, weight, bias, padding, stride, dilation, groups):
    """The convolution with gradients in C++ where PyTorch has no other function for it."""
    return overrideable_conv2d(x, weight, bias, stride, padding, dilation, False, (0, 0), groups)


def find_differentiable_conv2d():
    """PyTorch's function for a convolution with gradients in C++, which costs the least time of a call."""
    function = getattr(torch, "_mps_convolution", None)
    is_known = differentiable_conv2d is not None and str(differentiable_conv2d._schema) == schema_of_differentiable
    return function if is_known and function is not None else call_overrideable_conv2d


def new_channels_last(tensor, sizes, dtype=None):
    """A new tensor on the device of another, with the channels of each pixel side by side."""
    return torch.empty(sizes, dtype=dtype or tensor.dtype, device=tensor.device, memory_format=torch.channels_last)


# Fakes, by which PyTorch traces: the sizes, the types and the strides of results, without their numbers. The window
# of a convolution is six numbers: stride, padding and dilation, each of rows and of columns.


def output_size(size, taps, stride, padding, dilation):
    """The outputs of a convolution along one axis; 0 or fewer if the filter is larger than the padded image."""
    return (size + 2 * padding - dilation * (taps - 1) - 1) // stride + 1


def output_sizes(sizes, taps, window):
    """The rows and columns of a convolution's output; a window is strides, paddings and dilations of both."""
    return tuple(map(output_size, sizes, taps, window[0:2], window[2:4], window[4:6]))


@torch.library.register_fake("spio::conv2d")
def fake_conv2d(x, weight, bias, *window):
    k, width, r, s = weight.shape
    is_right = x.dim() == 4 and k == x.shape[1] and width == 8
    torch._check(is_right, lambda: f"spio::conv2d: the weight is {tuple(weight.shape)}, but must be c x 8 x r x s for c channels in groups of 8")
    return new_channels_last(x, (*x.shape[:2], *output_sizes(x.shape[2:], weight.shape[2:], window)))


@torch.library.register_fake("spio::conv2d_input_gradient")
def fake_conv2d_input_gradient(gradient, weight, h, w, *window):
    return new_channels_last(gradient, (*gradient.shape[:2], h, w))


@torch.library.register_fake("spio::conv2d_weight_gradient")
def fake_conv2d_weight_gradient(gradient, x, r, s, *rest):
    has_bias, has_float_result = rest[-2:]
    c = x.shape[1]
    dtype = torch.float32 if has_float_result and x.dtype in short_types else x.dtype
    bias_dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    return new_channels_last(x, (c, 8, r, s), dtype), x.new_empty((c if has_bias else 0,), dtype=bias_dtype)


@torch.library.register_fake("spio::layernorm_2d")
def fake_layernorm_2d(x, weight, bias, epsilon):
    return new_channels_last(x, x.shape)


@torch.library.register_fake("spio::matmul")
def fake_matmul(a, b, bias, activation, residual, has_float_result):
    is_right = a.dim() == b.dim() and a.dim() in (2, 3) and a.shape[-1] == b.shape[-2] and a.shape[:-2] == b.shape[:-2]
    torch._check(is_right, lambda: f"spio::matmul: a is {tuple(a.shape)} and b {tuple(b.shape)}")
    torch._check(activation in activations, lambda: f"spio::matmul: the activation is {activation}, but must be none, relu, silu or gelu")
    dtype = torch.float32 if has_float_result and a.dtype in short_types else a.dtype
    return a.new_empty((*a.shape[:-1], b.shape[-1]), dtype=dtype)


fakes_of_aten = torch.library.Library("aten", "IMPL", "Meta")


def fake_differentiable_conv2d(x, weight, bias, padding, stride, dilation, groups):
    """The fake of aten's _mps_convolution, and below that of its backward pass; then those of convolution_overrideable."""
    return fake_conv2d(x, weight, bias, *stride, *padding, *dilation)


def fake_differentiable_conv2d_backward(x, gradient, weight, padding, stride, dilation, groups, wanted):
    dx = fake_conv2d_input_gradient(gradient, weight, *x.shape[2:]) if wanted[0] else None
    dw, dbias = fake_conv2d_weight_gradient(gradient, x, *weight.shape[2:], wanted[2], weight.dtype == torch.float32)
    return dx, dw if wanted[1] else None, dbias if wanted[2] else None


def fake_overrideable_conv2d(x, weight, bias, stride, padding, dilation, is_transposed, output_padding, groups):
    return fake_differentiable_conv2d(x, weight, bias, padding, stride, dilation, groups)


def fake_overrideable_conv2d_backward(gradient, x, weight, stride, padding, dilation, is_transposed, output_padding, groups, wanted):
    return fake_differentiable_conv2d_backward(x, gradient, weight, padding, stride, dilation, groups, wanted)


if differentiable_conv2d is not None:
    fakes_of_aten.impl("_mps_convolution", fake_differentiable_conv2d)
    fakes_of_aten.impl("mps_convolution_backward", fake_differentiable_conv2d_backward)
fakes_of_aten.impl("convolution_overrideable", fake_overrideable_conv2d)
fakes_of_aten.impl("convolution_backward_overrideable", fake_overrideable_conv2d_backward)

# vmap. Copies of a batch are more images, or, if filters differ, more channels: groups are independent.


def folded(tensor, dim, size, axis):
    """The tensor with the mapped dimension in front of another, as one; repeated if it has none."""
    if tensor is None:
        return None
    if dim is None:
        tensor, dim = tensor.unsqueeze(0).expand(size, *tensor.shape), 0
    return tensor.movedim(dim, axis).flatten(axis, axis + 1)


def unfolded(tensor, size, axis):
    """The reverse of folded(): the mapped dimension, of this size, becomes a dimension before `axis`."""
    return tensor.unflatten(axis, (size, tensor.shape[axis] // size))


def map_correlation(operator):
    """The rule of vmap for a convolution or its input gradient: mapped images are more images, or more groups."""
    def rule(info, in_dims, x, weight, *rest):
        size = info.batch_size
        if in_dims[1] is None and all(dim is None for dim in in_dims[2:]):
            return unfolded(operator(folded(x, in_dims[0], size, 0), weight, *rest), size, 0), 0
        # Of the rest, the bias is a tensor or None, and numbers are what they are.
        rest = [value if isinstance(value, int) else folded(value, in_dims[2], size, 0) for value in rest]
        y = operator(folded(x, in_dims[0], size, 1), folded(weight, in_dims[1], size, 0), *rest)
        return unfolded(y, size, 1), 1

    return rule


def map_weight_gradient(info, in_dims, gradient, x, *rest):
    """The rule of vmap for the weight gradient: mapped images are more groups of channels."""
    size = info.batch_size
    dw, dbias = conv2d_weight_gradient(folded(gradient, in_dims[0], size, 1), folded(x, in_dims[1], size, 1), *rest)
    return (unfolded(dw, size, 0), unfolded(dbias, size, 0)), (0, 0)


def map_one_after_another(operator):
    """The rule of vmap for an operator that is called once for each mapped element."""
    def rule(info, in_dims, *arguments):
        results = [
            operator(*(value if dim is None else value.select(dim, i) for value, dim in zip(arguments, in_dims)))
            for i in range(info.batch_size)
        ]
        return torch.stack(results), 0

    return rule


torch.library.register_vmap("spio::conv2d", map_correlation(conv2d))
torch.library.register_vmap("spio::conv2d_input_gradient", map_correlation(conv2d_input_gradient))
torch.library.register_vmap("spio::conv2d_weight_gradient", map_weight_gradient)
torch.library.register_vmap("spio::layernorm_2d", map_one_after_another(layernorm_2d))
torch.library.register_vmap("spio::matmul", map_one_after_another(matmul))
