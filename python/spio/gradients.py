# The gradients of the operators: autograd functions that call further operators.
# SPDX-License-Identifier: Apache-2.0
#
# `ctx` is the context of autograd. Convolutions have two functions: one for torch.compile, which keeps what it has
# converted, and one in the form that torch.func asks for, without second derivatives. In eager calls their gradients
# are those of an operator of aten, in C++. A window is stride, padding and dilation of a convolution, each of rows
# and of columns.
import torch

from spio import operators


def short(weight, x):
    """The weight in the type of x."""
    return weight if weight.dtype == x.dtype else weight.to(x.dtype)


def single(bias):
    """The bias as kernels take it, in float32. One in float64 stays so: aten then computes the call."""
    return bias if bias is None or bias.dtype in (torch.float32, torch.float64) else bias.float()


def as_type(tensor, dtype):
    """The tensor with elements of this type: itself if it has them."""
    return tensor if tensor.dtype == dtype else tensor.to(dtype)


def conv2d_gradients(gradient, x, weight, window, wanted, dtypes):
    """The gradients of x, the weight and the bias; of those that are not wanted, None.

    `wanted` has a boolean for each of the three; `dtypes` are those of the weight and the bias.
    """
    dx = dw = dbias = None
    if wanted[0]:
        dx = operators.conv2d_input_gradient(gradient, weight, *x.shape[2:], *window)
    if wanted[1] or wanted[2]:
        r, s = weight.shape[2:]
        dw, dbias = operators.conv2d_weight_gradient(
            gradient,
            x,
            r,
            s,
            *window,
            wanted[2],  # has_bias
            dtypes[0] == torch.float32,  # has_float_result
        )
        dw = as_type(dw, dtypes[0]) if wanted[1] else None
        dbias = as_type(dbias, dtypes[1]) if wanted[2] else None
    return dx, dw, dbias


class Conv2d(torch.autograd.Function):
    """The convolution with its gradients."""

    @staticmethod
    def forward(ctx, x, weight, bias, window):
        dtypes = (weight.dtype, None if bias is None else bias.dtype)
        weight = short(weight, x)
        ctx.save_for_backward(x, weight)
        ctx.window, ctx.dtypes = window, dtypes
        return operators.conv2d(x, weight, single(bias), *window)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        return (*conv2d_gradients(gradient, x, weight, ctx.window, wanted, ctx.dtypes), None)


class MappableConv2d(torch.autograd.Function):
    """The same for torch.func, whose transforms map it over a batch."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, bias, window):
        return operators.conv2d(x, short(weight, x), single(bias), *window)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, bias, ctx.window = inputs
        ctx.save_for_backward(x, weight)
        ctx.dtypes = (weight.dtype, None if bias is None else bias.dtype)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        return (*first_order(conv2d_gradients, gradient, x, short(weight, x), ctx.window, wanted, ctx.dtypes), None)


class FirstOrder(torch.autograd.Function):
    """Gradients that cannot be differentiated again."""

    generate_vmap_rule = True

    @staticmethod
    def forward(function, gradient, x, weight, *rest):
        return tuple(value for value in function(gradient, x, weight, *rest) if value is not None)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.name = inputs[0].__name__.removesuffix("_gradients")

    @staticmethod
    def backward(ctx, *gradients):
        raise RuntimeError(f"spio has no second derivatives of {ctx.name}")


def first_order(function, gradient, x, weight, *rest):
    """The gradients that are wanted by `function`, None for the others; they cannot be differentiated again."""
    present = iter(FirstOrder.apply(function, gradient, x, weight, *rest))
    wanted = rest[-2]  # `function` takes (..., wanted, dtypes)
    return tuple(next(present) if is_wanted else None for is_wanted in wanted)


def layernorm_2d_gradients(gradient, x, weight, epsilon, wanted, dtypes):
    """The gradients by aten, which computes them from statistics that it computes again."""
    positions, gradient = x.permute(0, 2, 3, 1), gradient.permute(0, 2, 3, 1)
    factors = None if weight is None else weight.to(x.dtype)
    channels = (x.shape[1],)
    _, mean, inverse = torch.ops.aten.native_layer_norm(positions, channels, factors, factors, epsilon)
    dx, dw, dbias = torch.ops.aten.native_layer_norm_backward(
        gradient, positions, channels, mean, inverse, factors, factors, list(wanted)
    )
    return (
        dx.permute(0, 3, 1, 2) if wanted[0] else None,
        as_type(dw, dtypes[0]) if wanted[1] else None,
        as_type(dbias, dtypes[1]) if wanted[2] else None,
    )


class LayerNorm2d(torch.autograd.Function):
    """LayerNorm over channels with its gradients."""

    @staticmethod
    def forward(ctx, x, weight, bias, epsilon):
        ctx.save_for_backward(x, weight)
        ctx.epsilon = epsilon
        ctx.dtypes = tuple(None if factor is None else factor.dtype for factor in (weight, bias))
        return operators.layernorm_2d(x, single(weight), single(bias), epsilon)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        wanted = ctx.needs_input_grad[:3]
        return (*layernorm_2d_gradients(gradient, x, weight, ctx.epsilon, wanted, ctx.dtypes), None)


class Matmul(torch.autograd.Function):
    """The matrix product with its gradients."""

    @staticmethod
    def forward(ctx, a, b, bias, has_float_result):
        ctx.save_for_backward(a, b)
        ctx.dtype = None if bias is None else bias.dtype
        # No activation, and no residual.
        return operators.matmul(a, b, single(bias), "none", None, has_float_result)

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        gradient = as_type(gradient, a.dtype)
        wanted = ctx.needs_input_grad
        return (
            product(gradient, b.mT) if wanted[0] else None,
            product(a.mT, gradient) if wanted[1] else None,
            gradient.sum(tuple(range(gradient.dim() - 1)), dtype=ctx.dtype) if wanted[2] else None,
            None,
        )


def product(a, b):
    """The product of two matrices, which can be differentiated again if gradients are."""
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():
        return Matmul.apply(a, b, None, False)
    # No bias, no activation, no residual; the result has the type of a.
    return operators.matmul(a, b, None, "none", None, False)
