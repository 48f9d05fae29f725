# How many operations the operators do, as torch.utils.flop_counter counts them: a product and a sum are two.
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch passes the shapes of tensors in place of tensors. A gradient has as many operations as the forward pass.
from math import prod

import torch
from torch.utils.flop_counter import flop_registry, register_flop_formula

from spio import operators


def packets(*names):
    """Operators by their names, of those that this PyTorch has and does not count itself."""
    return [packet for packet in (getattr(library, name, None) for library, name in names) if packet is not None and packet not in flop_registry]


spio, aten = operators.library, torch.ops.aten


@register_flop_formula(packets((spio, "conv2d"), (aten, "_mps_convolution")))
def convolution(x, weight, *rest, out_shape=None, **keywords):
    return 2 * prod(out_shape) * prod(weight[1:])


@register_flop_formula(packets((spio, "conv2d_input_gradient")))
def input_gradient(gradient, weight, *rest, **keywords):
    return 2 * prod(gradient) * prod(weight[1:])


@register_flop_formula(packets((spio, "conv2d_weight_gradient")))
def weight_gradient(gradient, x, r, s, *rest, **keywords):
    return 2 * prod(gradient) * 8 * r * s


@register_flop_formula(packets((aten, "mps_convolution_backward")))
def gradients(x, gradient, weight, padding, stride, dilation, groups, wanted, **keywords):
    return 2 * prod(gradient) * prod(weight[1:]) * sum(wanted[:2])


@register_flop_formula(packets((spio, "matmul")))
def matmul(a, b, *rest, out_shape=None, **keywords):
    return 2 * prod(out_shape) * a[-1]
