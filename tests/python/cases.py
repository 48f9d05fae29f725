# Tensors for the tests: random, in a layout, and the errors that kernels may make.
# SPDX-License-Identifier: Apache-2.0
#
# A sum of products may be off by the rounding of each product and addition, and of the result.
import torch

layouts = ("contiguous", "channels_last", "gaps")
generator = torch.Generator().manual_seed(1)


def tensor(shape, dtype, layout="contiguous", requires_grad=False, device="cpu"):
    """Random numbers; with gaps, every other column of a larger tensor."""
    shape = tuple(shape)
    larger = (*shape[:-1], 2 * shape[-1]) if layout == "gaps" else shape
    values = torch.randn(larger, generator=generator).to(device, dtype)
    if layout == "gaps":
        values = values[..., ::2]
    if layout == "channels_last" and len(shape) == 4:
        values = values.contiguous(memory_format=torch.channels_last)
    return values.requires_grad_(requires_grad)


def unit(dtype):
    """Half the distance of 1 to the next number."""
    return torch.finfo(dtype).eps / 2


def check_sums(test, result, exact, magnitudes, count):
    """Asserts that sums of `count` products of 16-bit numbers, added in float in any order and rounded, are right.

    `exact` is the sum in double, `magnitudes` that of the absolute values. `test` is the TestCase that asserts. Returns the
    largest error as a part of the bound that rounding has.
    """
    # A tensor core truncates where others round: each operation is off by 2 units at most.
    error = (count + 2) * 2 * unit(torch.float32) * magnitudes
    smallest = torch.finfo(result.dtype).smallest_normal * unit(result.dtype)
    bound = error + unit(result.dtype) * (exact.abs() + error) + smallest
    excess = ((result.double() - exact).abs() / bound).max().item()
    test.assertLessEqual(excess, 1, f"errors are up to {excess:.3g} times the bound")
    return excess
