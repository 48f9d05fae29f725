# Functions with the signatures of torch.nn.functional, which use Spio's kernels where there are some.
# SPDX-License-Identifier: Apache-2.0
#
# Each function asks whether a kernel takes its arguments (why_not_conv2d() and others return the reason why
# not). If one does, it calls the operator of spio, with its gradient where one is wanted; otherwise aten,
# PyTorch's own library of operators, computes it, or in strict mode it is an error. The host device simulates
# a GPU on the CPU.
import torch
from torch.nn import functional as aten

from spio import gradients, operators, support

group_width = 8
largest_filter = 7
most_elements = 2**31 - 1  # in a tensor that a kernel indexes
most_matrices = 65535  # in a batch
most_rows = 2**24  # or columns of a matrix

# What eager calls take, with gradients or without: it takes less time than the operators of spio, which compiled graphs have.
eager_conv2d = operators.find_differentiable_conv2d()
is_any_mode = getattr(torch._C, "_len_torch_dispatch_stack", lambda: True)  # True: a mode may watch what is called
is_any_autocast = getattr(torch._C, "_is_any_autocast_enabled", lambda: True)  # True: ask for the device


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv2d; groups of 8 channels with strides and dilations up to 2 take Spio's kernels.

    Under autocast the result has autocast's type, and the gradient of a float32 weight is computed in float32.
    """
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
        return transformed_conv2d(x, weight, bias, stride, padding, dilation, groups)
    cast, is_cast = autocast(x) if is_any_autocast() else (x, False)
    window, reason = cached_eager_window(cast, weight, bias, stride, padding, dilation, groups, is_cast)
    if reason is not None:
        support.refuse("conv2d", reason, x, weight)
        return aten.conv2d(x, weight, bias, stride, padding, dilation, groups)
    return eager_conv2d(cast, weight, bias, *window, groups)


def transformed_conv2d(x, weight, bias, stride, padding, dilation, groups):
    """conv2d() in a graph that is compiled or exported, or where torch.func transforms it."""
    cast, is_cast = autocast(x)
    window, reason = why_not_conv2d(cast, weight, bias, stride, padding, dilation, groups, is_cast)
    if reason is not None:
        support.refuse("conv2d", reason, x, weight)
        return aten.conv2d(x, weight, bias, stride, padding, dilation, groups)
    is_differentiated = x.requires_grad or weight.requires_grad or (bias is not None and bias.requires_grad)
    if is_differentiated and torch.is_grad_enabled():
        function = gradients.Conv2d if torch.compiler.is_compiling() else gradients.MappableConv2d
        return function.apply(cast, weight, bias, window)
    return operators.conv2d(cast, gradients.short(weight, cast), gradients.single(bias), *window)


def autocast(x):
    """The tensor in autocast's type, if autocast converts it, and whether it does."""
    if support.settings.is_forked:
        support.check_process(x)
    kind = "cuda" if x.is_cuda else support.autocast_kind(x)
    is_cast = torch.is_autocast_enabled(kind) and x.is_floating_point() and x.dtype != torch.float64
    return (x.to(torch.get_autocast_dtype(kind)) if is_cast else x), is_cast


def conv2d_gw8(inputs, weight, bias=None, stride=1, padding_y=0, padding_x=0, dilation=1, groups=None):
    """A convolution with groups of 8 channels; the number of groups need not be passed."""
    return conv2d(inputs, weight, bias, stride, (padding_y, padding_x), dilation, inputs.shape[1] // group_width if groups is None else groups)


def layernorm_2d(x, weight=None, bias=None, eps=1e-6):
    """LayerNorm over the channels of images n c h w. Under autocast the result has autocast's type."""
    cast, is_cast = autocast(x)
    reason = why_not_layernorm_2d(cast, weight, bias, is_cast)
    if reason is not None:
        support.refuse("layernorm_2d", reason, x)
        y = aten.layer_norm(x.permute(0, 2, 3, 1), (x.shape[1],), weight, bias, eps)
        return y.permute(0, 3, 1, 2).to(cast.dtype)  # under autocast aten's has float32
    is_differentiated = x.requires_grad or (weight is not None and (weight.requires_grad or bias.requires_grad))
    if is_differentiated and torch.is_grad_enabled():
        return gradients.LayerNorm2d.apply(cast, weight, bias, eps)
    return operators.layernorm_2d(cast, gradients.single(weight), gradients.single(bias), eps)


def matmul(a, b, bias=None, activation="none", residual=None, out_dtype=None):
    """activation(a @ b + bias) + residual, for matrices or batches of them, as one kernel where there is one.

    The activation is none, relu, silu or gelu; out_dtype may be torch.float32. The steps after the product
    are separate where a gradient is wanted.
    """
    if support.settings.is_forked:
        support.check_process(a)
    kind = "cuda" if a.is_cuda else support.autocast_kind(a)
    is_short = a.is_floating_point() and b.is_floating_point() and torch.float64 not in (a.dtype, b.dtype)
    if torch.is_autocast_enabled(kind) and is_short:
        dtype = torch.get_autocast_dtype(kind)
        a, b, residual = a.to(dtype), b.to(dtype), residual if residual is None else residual.to(out_dtype or dtype)
    reason = why_not_matmul(a, b, bias, residual, out_dtype)
    if reason is not None:
        support.refuse("matmul", reason, a, b)
        return finished(a @ b, bias, activation, residual, out_dtype)
    in_float = out_dtype == torch.float32 and a.dtype in operators.short_types
    tensors = [tensor for tensor in (a, b, bias, residual) if tensor is not None]
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        if activation == "none" and residual is None:
            return gradients.Matmul.apply(a, b, bias, in_float)
        return finished(gradients.Matmul.apply(a, b, bias, in_float), None, activation, residual, None)
    return operators.matmul(a, b, gradients.single(bias), activation, residual, in_float)


def finished(product, bias, activation, residual, out_dtype):
    """Bias, activation, conversion and residual of a product, computed by aten."""
    if bias is not None:
        product = product + bias.to(product.dtype)
    if activation != "none":
        product = {"relu": aten.relu, "silu": aten.silu, "gelu": aten.gelu}[activation](product)
    if out_dtype is not None:
        product = product.to(out_dtype)
    return product if residual is None else product + residual


def is_transformed():
    """Whether torch.func transforms the calls of this thread."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


def pair(value):
    """A number or a sequence of one or two, as two: that of rows and that of columns."""
    if isinstance(value, int):
        return value, value
    value = tuple(value)
    return value * 2 if len(value) == 1 else value


def same_padding(taps, dilation):
    """The padding of both sides that keeps a size; None if the sides would differ."""
    rest = dilation * (taps - 1)
    return rest // 2 if rest % 2 == 0 else None


def numeric_padding(padding, taps, dilations):
    """The padding of rows and of columns; None where it would differ between the two sides."""
    if padding == "valid":
        return 0, 0
    if isinstance(padding, str):
        return tuple(map(same_padding, taps, dilations)) if padding == "same" else (None, None)
    return pair(padding)


_eager_windows = {}
most_eager_windows = 4096


def cached_eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast):
    """The result of eager_window(), from a cache, because a look-up is faster."""
    key = (
        x.shape, weight.shape, x.dtype, weight.dtype, x.device, weight.device, stride, padding, dilation, groups, is_cast,
        support.settings.uses_host_device, None if bias is None else (bias.dtype, bias.device),
    )
    try:
        result = _eager_windows.get(key)
    except TypeError:  # a list, or a size that is a symbol
        return eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast)
    if result is None:
        if len(_eager_windows) >= most_eager_windows:
            _eager_windows.clear()
        result = _eager_windows[key] = eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast)
    return result


def eager_window(*arguments):
    """Padding, stride and dilation, in the order of eager_conv2d(), and None; or None and the reason of why_not_conv2d()."""
    window, reason = why_not_conv2d(*arguments)
    return (None, reason) if window is None else ((window[2:4], window[0:2], window[4:6]), None)


def why_not_conv2d(x, weight, bias, stride, padding, dilation, groups, is_cast=False):
    """The window and None, or None and the reason why no kernel computes the convolution.

    A window is stride, padding and dilation, each of rows and of columns: six numbers."""
    reason = support.why_not_device("conv2d", x)
    if reason is not None:
        return None, reason
    if x.dim() != 4 or weight.dim() != 4:
        return None, f"the input has {x.dim()} dimensions and the weight {weight.dim()}"
    n, c, h, w = x.shape
    k, width, r, s = weight.shape
    if weight.device != x.device:
        return None, f"the input is on {x.device} and the weight on {weight.device}"
    if bias is not None and bias.device != x.device:
        return None, f"the input is on {x.device} and the bias on {bias.device}"
    if weight.dtype != x.dtype and not (is_cast and weight.dtype == torch.float32):
        return None, f"the input is {x.dtype} and the weight {weight.dtype}"
    if bias is not None and bias.dtype != weight.dtype and bias.dtype != torch.float32:
        return None, f"the weight is {weight.dtype} and the bias {bias.dtype}"
    if k != c or width != group_width or groups * group_width != c:
        return None, f"{c} channels in {groups} groups to {k}, where kernels take groups of {group_width} to {group_width}"
    reason = why_not_layer((r, s), stride, dilation)
    if reason is not None:
        return None, reason
    strides, dilations = pair(stride), pair(dilation)
    paddings = numeric_padding(padding, (r, s), dilations)
    if None in paddings:
        return None, f"a padding of {padding!r} with a filter of {r} x {s}"
    if padding == "same" and strides != (1, 1):
        return None, f"a padding of 'same' with a stride of {stride}"
    window = (*strides, *paddings, *dilations)
    p, q = operators.output_sizes((h, w), (r, s), window)
    if min(paddings) < 0 or n < 1 or h < 1 or w < 1 or p < 1 or q < 1:
        return None, f"{n} images of {h} x {w} with a filter of {r} x {s} and a padding of {paddings[0]} and {paddings[1]}"
    # Of a compiled graph with open sizes, the operator itself asks.
    if not torch.compiler.is_compiling() and max(n * c * h * w, n * c * p * q) > most_elements:
        return None, f"a tensor has more than {most_elements} elements"
    return window, None


def why_not_layer(size, stride, dilation):
    """Why no kernel has this filter, or None."""
    if not set(pair(stride)) <= {1, 2}:
        return f"the stride is {stride}, where kernels have 1 and 2"
    if not set(pair(dilation)) <= {1, 2}:
        return f"the dilation is {dilation}, where kernels have 1 and 2"
    if max(size) > largest_filter:
        return f"the filter is {size[0]} x {size[1]}, larger than {largest_filter}"
    return None


def why_not_layernorm_2d(x, weight, bias, is_cast):
    """The reason why no kernel of Spio takes this call, as the end of a sentence; None if one does."""
    reason = support.why_not_device("layernorm_2d", x)
    if reason is not None:
        return reason
    if is_transformed():
        return "torch.func transforms the call"
    if x.dim() != 4 or x.numel() == 0:
        return f"the input is {tuple(x.shape)}"
    if (weight is None) != (bias is None):
        return "there is a weight or a bias alone"
    for factor in () if weight is None else (weight, bias):
        if factor.device != x.device:
            return f"the input is on {x.device} and a factor on {factor.device}"
        if tuple(factor.shape) != (x.shape[1],):
            return f"there are {x.shape[1]} channels, and a factor is {tuple(factor.shape)}"
        if factor.dtype != x.dtype and not (is_cast and factor.dtype == torch.float32):
            return f"the input is {x.dtype} and a factor {factor.dtype}"
    if x.shape[1] % 8 != 0 or x.shape[1] > 2048:
        return f"there are {x.shape[1]} channels, where kernels take multiples of 8 up to 2048"
    # Of a compiled graph with open sizes, the operator itself asks.
    if not torch.compiler.is_compiling() and x.numel() > most_elements:
        return f"the input has more than {most_elements} elements"
    return None


def why_not_matmul(a, b, bias, residual, out_dtype):
    """The reason why no kernel of Spio takes this product, as the end of a sentence; None if one does."""
    reason = support.why_not_device("matmul", a)
    if reason is not None:
        return reason
    if is_transformed():
        return "torch.func transforms the call"
    for name, tensor in (("second factor", b), ("bias", bias), ("residual", residual)):
        if tensor is not None and tensor.device != a.device:
            return f"the first factor is on {a.device} and the {name} on {tensor.device}"
    if a.dim() != b.dim() or a.dim() not in (2, 3) or (a.dim() == 3 and a.shape[0] != b.shape[0]):
        return f"the factors have {a.dim()} and {b.dim()} dimensions"
    if a.dtype != b.dtype or out_dtype not in (None, a.dtype, torch.float32):
        return f"the factors are {a.dtype} and {b.dtype}, the result {out_dtype}"
    if bias is not None and (bias.dim() != 1 or bias.shape[0] != b.shape[-1]):
        return f"the bias is {tuple(bias.shape)}"
    shape = (*a.shape[:-1], b.shape[-1])
    if residual is not None and (tuple(residual.shape) != shape or residual.dtype != (out_dtype or a.dtype)):
        return f"the residual is {residual.dtype} {tuple(residual.shape)}"
    if a.numel() == 0 or b.numel() == 0 or a.shape[-1] != b.shape[-2]:
        return "the sizes do not agree or are 0"
    if a.is_cuda or support.settings.uses_host_device:
        if a.shape[-1] % 8 or b.shape[-1] % 8:
            return "k or n is no multiple of 8"
        # Of a compiled graph with open sizes, the operator itself asks.
        if not torch.compiler.is_compiling():
            if max(*a.shape[-2:], b.shape[-1]) > most_rows:
                return f"a matrix has more than {most_rows} rows or columns"
            if a.dim() == 3 and a.shape[0] > most_matrices:
                return f"there are more than {most_matrices} matrices"
    return None


def warm_up():
    """Calls a convolution, without a gradient and with one, on tensors that have no memory.

    What PyTorch and Python do in a first call is then done at import, and the first layer of a network does not wait for it."""
    def images(*shape):
        return torch.empty(shape, dtype=torch.float16, device="meta", requires_grad=True)

    with torch.enable_grad():
        conv2d(images(1, 8, 1, 1), images(8, 8, 1, 1))
    with torch.no_grad():
        conv2d(images(1, 8, 1, 1), images(8, 8, 1, 1))


# Tracers, and modes that change or watch what operators are called, are left alone.
if not (torch.compiler.is_compiling() or is_any_autocast() or is_any_mode()):
    warm_up()
