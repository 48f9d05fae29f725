# Why no kernel takes a call: the reasons of each function, as the end of a sentence, and the windows of convolutions.
# SPDX-License-Identifier: Apache-2.0
#
# A window is stride, padding and dilation of a convolution, each of rows and of columns: six numbers.
import operator

import torch

from spio import operators, support

group_width = 8
largest_filter = 7
most_elements = 2**31 - 1  # in a tensor that a kernel indexes
most_matrices = 65535  # in a batch
most_rows = 2**24  # or columns of a matrix


def whole(number):
    """A number as an int, as torch takes it, with bools and floats that are whole besides; None if it is none.

    A symbol of a compiled graph stays what it is."""
    if type(number) in (int, torch.SymInt):
        return number
    try:
        return operator.index(number)
    except TypeError:
        return int(number) if isinstance(number, float) and number.is_integer() else None


def pair(value):
    """A number or a sequence of one or two, as two ints: that of rows and that of columns; (None, None) if it is neither."""
    numbers = tuple(map(whole, value if isinstance(value, (tuple, list)) else (value,)))
    if None in numbers or len(numbers) not in (1, 2):
        return None, None
    return numbers * 2 if len(numbers) == 1 else numbers


def same_padding(taps, dilation):
    """The padding of both sides that keeps a size; None if the sides would differ."""
    rest = dilation * (taps - 1)
    return rest // 2 if rest % 2 == 0 else None


def numeric_padding(padding, taps, dilations):
    """The padding of rows and of columns; None where it would differ between the two sides, or is none that torch takes."""
    if not isinstance(padding, str):
        return pair(padding)
    if padding == "valid":
        return 0, 0
    return tuple(map(same_padding, taps, dilations)) if padding == "same" else (None, None)


def why_not_conv2d(x, weight, bias, stride, padding, dilation, groups, is_cast=False):
    """The window and None, or None and the reason why no kernel computes the convolution.

    A window is stride, padding and dilation, each of rows and of columns: six numbers."""
    for name, value in (("input", x), ("weight", weight), ("bias", bias)):
        if not isinstance(value, torch.Tensor) and (name != "bias" or value is not None):
            return None, f"the {name} is a {type(value).__name__}"
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
    if bias is not None and (bias.dim() != 1 or bias.shape[0] != k):
        return None, f"the bias is {tuple(bias.shape)}, where the weight has {k} outputs"
    if k != c or width != group_width or whole(groups) is None or groups * group_width != c:
        return None, f"{c} channels in {groups} groups to {k}, where kernels take groups of {group_width} to {group_width}"
    reason = why_not_layer((r, s), stride, dilation)
    if reason is not None:
        return None, reason
    strides, dilations = pair(stride), pair(dilation)
    paddings = numeric_padding(padding, (r, s), dilations)
    if None in paddings:
        return None, f"a padding of {padding!r} with a filter of {r} x {s}"
    if isinstance(padding, str) and padding == "same" and strides != (1, 1):
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
    reason = support.why_not_device("layernorm_2d", x) or support.why_not_transformed() or support.why_not_tensor(x)
    if reason is not None:
        return reason
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
    reason = support.why_not_device("matmul", a) or support.why_not_transformed() or support.why_not_tensor(a) or support.why_not_tensor(b)
    if reason is not None:
        return reason
    for name, tensor in (("second factor", b), ("bias", bias), ("residual", residual)):
        if tensor is not None and tensor.device != a.device:
            return f"the first factor is on {a.device} and the {name} on {tensor.device}"
    if a.dim() != b.dim() or a.dim() not in (2, 3) or (a.dim() == 3 and a.shape[0] != b.shape[0]):
        return f"the factors have {a.dim()} and {b.dim()} dimensions"
    is_single = out_dtype == torch.float32 and a.dtype in operators.short_types
    if a.dtype != b.dtype or not (out_dtype in (None, a.dtype) or is_single):
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
