# Functions with the signatures of torch.nn.functional, which use Spio's kernels where there are some.
# SPDX-License-Identifier: Apache-2.0
#
# Each function asks whether a kernel takes its arguments (why_not_conv2d() and others return the reason why
# not). If one does, it calls the operator of spio, with its gradient where one is wanted; otherwise aten,
# PyTorch's own library of operators, computes it, or in strict mode it is an error. The host device simulates
# a GPU on the CPU.
import torch
from torch.nn import functional as aten

from spio import flops, gradients, operators, support  # flops registers its formulas
from spio.reasons import group_width, whole, why_not_conv2d, why_not_layernorm_2d, why_not_matmul

# What eager calls take, with gradients or without: it takes less time than the operators of spio, which compiled graphs have.
eager_conv2d = operators.find_differentiable_conv2d()
is_any_mode = getattr(torch._C, "_len_torch_dispatch_stack", lambda: True)  # True: a mode may watch what is called
is_any_autocast = getattr(torch._C, "_is_any_autocast_enabled", lambda: True)  # True: ask for the device


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv2d; groups of 8 channels with strides and dilations up to 2 take Spio's kernels.

    Under autocast the result has autocast's type, and the gradient of a float32 weight is computed in float32. A float
    or a bool of the window or as the number of groups counts as the int that it equals, and a float32 bias may stand
    beside tensors of 16 bits, where torch refuses both.
    """
    x = input
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
        return transformed_conv2d(x, weight, bias, stride, padding, dilation, groups)
    cast, is_cast = autocast(x) if is_any_autocast() else (x, False)
    window, reason = cached_eager_window(cast, weight, bias, stride, padding, dilation, groups, is_cast)
    if reason is not None:
        support.refuse("conv2d", reason, x, weight)
        return aten.conv2d(x, weight, bias, stride, padding, dilation, groups)
    try:
        return eager_conv2d(cast, weight, bias, *window)
    except NotImplementedError:  # PyTorch has the operator for dense tensors, and without forward derivatives
        reason = support.why_not_tensor(x) or support.why_not_tensor(weight) or support.why_not_transformed()
        if reason is None:
            raise
    support.refuse("conv2d", reason, x, weight)
    return aten.conv2d(x, weight, bias, stride, padding, dilation, groups)


def transformed_conv2d(x, weight, bias, stride, padding, dilation, groups):
    """conv2d() in a graph that is compiled or exported, or where torch.func transforms it."""
    cast, is_cast = autocast(x)
    window, reason = why_not_conv2d(cast, weight, bias, stride, padding, dilation, groups, is_cast)
    names, is_compiled = support.transforms(), torch.compiler.is_compiling()
    is_differentiated = x.requires_grad or weight.requires_grad or (bias is not None and bias.requires_grad)
    is_differentiated = is_differentiated and torch.is_grad_enabled()
    if "jvp" in names:
        reason = "a forward derivative is wanted"
    elif is_compiled and ("grad" in names or ("vmap" in names and is_differentiated)):
        # PyTorch 2.11 traces grad with tensors that seem to need no gradient; no PyTorch maps a function with gradients of its own.
        reason = "torch.compile traces gradients of torch.func"
    reason = reason or support.why_not_tensor(x) or support.why_not_tensor(weight)
    if reason is not None:
        support.refuse("conv2d", reason, x, weight)
        return aten.conv2d(x, weight, bias, stride, padding, dilation, groups)
    if is_differentiated and torch.compiler.is_exporting():
        # An exported graph keeps the operator alone, so it is one that has gradients in C++.
        return operators.differentiable_conv2d(cast, weight, bias, window[2:4], window[0:2], window[4:6], whole(groups))
    if is_differentiated:
        function = gradients.Conv2d if is_compiled else gradients.MappableConv2d
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
    groups = inputs.shape[-3] // group_width if groups is None else groups
    return conv2d(inputs, weight, bias, stride, (padding_y, padding_x), dilation, groups)


def layernorm_2d(x, weight=None, bias=None, eps=1e-6):
    """LayerNorm over the channels of images n c h w. Under autocast the result has autocast's type."""
    cast, is_cast = autocast(x)
    reason = why_not_layernorm_2d(cast, weight, bias, is_cast)
    is_differentiated = x.requires_grad or (weight is not None and weight.requires_grad) or (bias is not None and bias.requires_grad)
    is_differentiated = is_differentiated and torch.is_grad_enabled()
    if reason is None and is_differentiated and torch.compiler.is_exporting():
        reason = support.why_not_exported("layernorm_2d")
    if reason is not None:
        support.refuse("layernorm_2d", reason, x)
        y = aten.layer_norm(x.permute(0, 2, 3, 1), (x.shape[1],), weight, bias, eps)
        return y.permute(0, 3, 1, 2).to(cast.dtype)  # under autocast aten's has float32
    if is_differentiated:
        return gradients.LayerNorm2d.apply(cast, weight, bias, eps)
    return operators.layernorm_2d(cast, gradients.single(weight), gradients.single(bias), eps)


def matmul(a, b, bias=None, activation="none", residual=None, out_dtype=None):
    """activation(a @ b + bias) + residual, for matrices or batches of them, as one kernel where there is one.

    The activation is none, relu, silu or gelu; out_dtype may be torch.float32. The steps after the product
    are separate where a gradient is wanted.
    """
    if activation not in operators.activations:
        raise ValueError(f"the activation is {activation!r}, but must be none, relu, silu or gelu")
    if support.settings.is_forked:
        support.check_process(a)
    kind = "cuda" if a.is_cuda else support.autocast_kind(a)
    is_short = a.is_floating_point() and b.is_floating_point() and torch.float64 not in (a.dtype, b.dtype)
    if torch.is_autocast_enabled(kind) and is_short:
        dtype = torch.get_autocast_dtype(kind)
        a, b, residual = a.to(dtype), b.to(dtype), residual if residual is None else residual.to(out_dtype or dtype)
    reason = why_not_matmul(a, b, bias, residual, out_dtype)
    is_differentiated = torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in (a, b, bias, residual))
    if reason is None and is_differentiated and torch.compiler.is_exporting():
        reason = support.why_not_exported("matmul")
    if reason is not None:
        support.refuse("matmul", reason, a, b)
        return finished(a @ b, bias, activation, residual, out_dtype)
    in_float = out_dtype == torch.float32 and a.dtype in operators.short_types
    if is_differentiated:
        if activation == "none" and residual is None:
            return gradients.Matmul.apply(a, b, bias, in_float)
        return finished(gradients.Matmul.apply(a, b, bias, in_float), None, activation, residual, None)
    return operators.matmul(a, b, gradients.single(bias), activation, residual, in_float)


def finished(product, bias, activation, residual, out_dtype):
    """Bias, activation, conversion and residual of a product, computed by aten."""
    if bias is not None:
        product = product + bias.to(product.dtype)
    if activation != "none":
        product = getattr(aten, activation)(product)
    if out_dtype is not None:
        product = product.to(out_dtype)
    return product if residual is None else product + residual


_eager_windows = {}
most_eager_windows = 4096


def cached_eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast):
    """The result of eager_window(), from a cache, because a look-up is faster."""
    try:
        key = (
            x.shape, weight.shape, x.dtype, weight.dtype, x.device, weight.device, stride, padding, dilation, groups, is_cast,
            support.settings.uses_host_device, None if bias is None else (bias.dtype, bias.device, bias.shape),
        )
        result = _eager_windows.get(key)
    except (AttributeError, TypeError):  # no tensor, a list, or a size that is a symbol
        return eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast)
    if result is None:
        numbers = (number for value in (stride, padding, dilation, groups) for number in (value if isinstance(value, tuple) else (value,)))
        if any(isinstance(number, torch.Tensor) for number in numbers):  # which may change
            return eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast)
        if len(_eager_windows) >= most_eager_windows:
            _eager_windows.clear()
        result = _eager_windows[key] = eager_window(x, weight, bias, stride, padding, dilation, groups, is_cast)
    return result


def eager_window(*arguments):
    """Padding, stride, dilation and groups, in the order of eager_conv2d(), and None; or None and the reason of why_not_conv2d()."""
    window, reason = why_not_conv2d(*arguments)
    return (None, reason) if window is None else ((window[2:4], window[0:2], window[4:6], whole(arguments[6])), None)


def warm_up():
    """Calls a convolution, without a gradient and with one, on tensors that have no memory.

    What PyTorch and Python do in a first call is then done at import, and the first layer of a network does not wait for it."""
    def images(*shape):
        return torch.empty(shape, dtype=torch.float16, device="meta", requires_grad=True)

    with torch.enable_grad():
        conv2d(images(1, 8, 1, 1), images(8, 8, 1, 1))
    with torch.no_grad():
        conv2d(images(1, 8, 1, 1), images(8, 8, 1, 1))


# torch.fx, which traces by values that stand for tensors, records calls of these functions as they are.
torch.fx.wrap("conv2d")
torch.fx.wrap("layernorm_2d")
torch.fx.wrap("matmul")

# Tracers, and modes that change or watch what operators are called, are left alone.
if not (torch.compiler.is_compiling() or is_any_autocast() or is_any_mode()):
    warm_up()
