# The GPU's kernels, run by the operators on the host device: within the bound of their arithmetic.
# SPDX-License-Identifier: Apache-2.0
#
# The host device executes kernels on the CPU, thread by thread, with the arithmetic of the GPU. The library has a few
# kernels for it, of convolutions with 16 channels and the like (python/operators/host.manifest). Within spio.strict() a
# call that no kernel computes is an error. check_sums(test, result, exact, magnitudes, count) compares sums of `count`
# products with those in double, within the bound of rounding to float, and returns the largest part of the bound. aten
# is PyTorch's own library of operators. operators.conv2d() takes x, the weight, the bias, and by rows and columns the
# stride, the padding and the dilation.
import itertools
import os
import unittest

import torch
from torch.nn import functional as aten

import spio
from cases import check_sums, layouts, tensor, unit
from spio import functional, operators

half = torch.float16
# Of a sum for each output: 3 x 3 taps of 8 channels, and the bias.
products, products_and_bias = 72, 73


def exact_gradients(x, weight, gradient, stride=(1, 1), dilation=(1, 1)):
    """The gradients of x, the weight and the bias in double, for a padding of 1 and two groups."""
    mask = [True, True, True]
    channels = [weight.shape[0]]
    return torch.ops.aten.convolution_backward(
        gradient.double(), x.double(), weight.double(), channels, stride, [1, 1], dilation, False, [0, 0], 2, mask
    )


class HostDevice(unittest.TestCase):
    def test_convolutions(self):
        excesses = []
        for layout in layouts:
            for shape in ((2, 16, 12, 12), (1, 16, 5, 7), (3, 16, 9, 20)):
                x, weight = tensor(shape, half, layout, True), tensor((16, 8, 3, 3), half, layout, True)
                bias, gradient = tensor((16,), half, requires_grad=True), tensor(shape, half, layout)
                with spio.host_device(), spio.strict():
                    y = functional.conv2d(x, weight, bias, padding=1, groups=2)
                    y.backward(gradient)
                x, weight, bias = (v.detach().requires_grad_() for v in (x, weight, bias))
                values = [v.detach().double() for v in (x, weight, bias)]
                exact = aten.conv2d(*values, padding=1, groups=2)
                magnitudes = aten.conv2d(*(v.abs() for v in values), padding=1, groups=2)
                excesses.append(check_sums(self, y.detach(), exact, magnitudes, products_and_bias))
        print(f"summary: python.host_device: {len(excesses)} convolutions, errors up to {max(excesses):.2f} of the bound")

    def test_convolutions_of_bfloat16(self):
        short = torch.bfloat16
        for layout in layouts:
            x, weight, bias = tensor((2, 16, 9, 7), short, layout), tensor((16, 8, 3, 3), short), tensor((16,), short)
            with spio.host_device(), spio.strict():
                y = functional.conv2d(x, weight, bias, padding=1, groups=2)
            self.assertEqual(y.dtype, short)
            exact, magnitudes = (
                aten.conv2d(*(part(v.double()) for v in (x, weight, bias)), padding=1, groups=2)
                for part in (torch.clone, torch.abs)
            )
            check_sums(self, y, exact, magnitudes, products_and_bias)

    def test_strides_and_dilations(self):
        steps = {"stride": (2, 1), "dilation": (1, 2)}
        for height in (7, 8):  # with a stride of 2, both have a result of one height
            x, weight = tensor((2, 16, height, 9), half, requires_grad=True), tensor((16, 8, 3, 3), half, requires_grad=True)
            with spio.host_device(), spio.strict():
                y = functional.conv2d(x, weight, padding=1, groups=2, **steps)
                gradient = tensor(y.shape, half)
                y.backward(gradient)
            values = [v.detach().double() for v in (x, weight)]
            exact, magnitudes = (aten.conv2d(*map(part, values), padding=1, groups=2, **steps) for part in (torch.clone, torch.abs))
            check_sums(self, y.detach(), exact, magnitudes, products)
            exact = exact_gradients(*values, gradient, **steps)
            magnitudes = exact_gradients(*map(torch.abs, values), gradient.abs(), **steps)
            check_sums(self, x.grad, exact[0], magnitudes[0], products)
            # A weight meets every position of both images.
            check_sums(self, weight.grad, exact[1], magnitudes[1], 2 * y.shape[2] * y.shape[3])

    def test_biases_that_kernels_cannot_load(self):
        x, weight, numbers = tensor((2, 16, 12, 12), half), tensor((16, 8, 3, 3), half), tensor((32,), torch.float32)
        with spio.host_device(), torch.autocast("cpu", half), spio.strict():
            for bias in (numbers[::2], numbers[1:17]):  # with gaps, and not aligned to 16 bytes
                results = [functional.conv2d(x, weight.float(), v, padding=1, groups=2) for v in (bias, bias.clone())]
                self.assertTrue(torch.equal(*results))

    def test_tensors_that_repeat_their_elements(self):
        x, weight = tensor((1, 16, 1, 7), half), tensor((16, 8, 1, 1), half)
        with spio.host_device(), spio.strict():
            # A stride of 0, in images, rows and taps.
            for images, filters in ((x.expand(3, 16, 5, 7), tensor((16, 8, 3, 3), half)), (tensor((2, 16, 5, 7), half), weight.expand(16, 8, 3, 3))):
                results = [functional.conv2d(*values, padding=1, groups=2) for values in ((images, filters), (images.contiguous(), filters.contiguous()))]
                self.assertTrue(torch.equal(*results))

    def test_gradients(self):
        excesses = []
        for dtype in (torch.float32, half):
            for layout in layouts:
                shape = (2, 16, 7, 9)
                x, gradient = tensor(shape, half, layout, True), tensor(shape, half, layout)
                weight, bias = tensor((16, 8, 3, 3), half).to(dtype), tensor((16,), half).to(dtype)
                weight, bias = (v.detach().requires_grad_() for v in (weight, bias))
                with spio.host_device(), spio.strict(), torch.autocast("cpu", half, enabled=dtype != half):
                    functional.conv2d(x, weight, bias, padding=1, groups=2).backward(gradient)
                self.assertEqual((weight.grad.dtype, bias.grad.dtype), (dtype, dtype))
                exact = exact_gradients(x.detach(), weight.detach(), gradient)
                magnitudes = exact_gradients(x.detach().abs(), weight.detach().abs(), gradient.abs())
                counts = (products, 2 * 63, 2 * 63)  # the last two over two images of 7 x 9
                for value, *rest in zip((x, weight, bias), exact, magnitudes, counts):
                    excesses.append(check_sums(self, value.grad, *rest))
        print(f"summary: python.host_device: {len(excesses)} gradients, errors up to {max(excesses):.2f} of the bound")

    def test_norms(self):
        for dtype, layout in itertools.product((half, torch.bfloat16), layouts):
            x = tensor((2, 16, 5, 3), dtype, layout)
            for factors in ((None, None), (tensor((16,), dtype), tensor((16,), dtype))):
                with spio.host_device(), spio.strict():
                    y = functional.layernorm_2d(x, *factors, eps=1e-5)
                self.assertEqual(y.dtype, dtype)
                wide = [None if factor is None else factor.double() for factor in factors]
                exact = aten.layer_norm(x.double().permute(0, 2, 3, 1), (16,), *wide, eps=1e-5).permute(0, 3, 1, 2)
                # Sums in float are off by far less than the rounding of the result.
                torch.testing.assert_close(y.double(), exact, rtol=1.01 * unit(dtype), atol=1e-5)

    def test_gradients_of_norms(self):
        for dtype in (half, torch.bfloat16):
            x, weight, bias = (tensor(s, dtype, requires_grad=True) for s in ((2, 16, 5, 3), (16,), (16,)))
            gradient = tensor(x.shape, dtype)
            with spio.host_device(), spio.strict():
                functional.layernorm_2d(x, weight, bias).backward(gradient)
            wide = [v.detach().double().requires_grad_() for v in (x, weight, bias)]
            y = aten.layer_norm(wide[0].permute(0, 2, 3, 1), (16,), *wide[1:], eps=1e-6).permute(0, 3, 1, 2)
            y.backward(gradient.double())
            for value, exact in zip((x, weight, bias), wide):
                self.assertEqual(value.grad.dtype, dtype)
                torch.testing.assert_close(value.grad.double(), exact.grad, rtol=8 * unit(dtype), atol=8 * unit(dtype))

    def test_products(self):
        a, b = tensor((64, 48), half), tensor((48, 32), half)
        with spio.host_device(), spio.strict():
            # Rows that are further apart in memory than they are long: by 16 bytes, and by no multiple of that.
            for first in (a, torch.nn.functional.pad(a, (0, 8))[:, :48], torch.nn.functional.pad(a, (0, 3))[:, :48]):
                result = functional.matmul(first, b)
                check_sums(self, result, a.double() @ b.double(), a.double().abs() @ b.double().abs(), 48)
            # The kernel of the library is for n = 32.
            with self.assertRaisesRegex(RuntimeError, "matmul m=8 n=64 k=48.*host"):
                functional.matmul(a[:8], tensor((48, 64), half))

    def test_errors_name_problems_without_a_kernel(self):
        x, weight = tensor((1, 24, 4, 4), half), tensor((24, 8, 3, 3), half)
        with spio.host_device(), self.assertRaisesRegex(RuntimeError, "conv2d n=1 c=24"):
            operators.conv2d(x, weight, None, 1, 1, 1, 1, 1, 1)
        operators.conv2d(x, weight, None, 1, 1, 1, 1, 1, 1)  # on the CPU, PyTorch computes it

    def test_counts_and_compilations(self):
        # The host device has one kernel for each problem: none is better, and nothing is compiled.
        with spio.host_device():
            functional.conv2d(torch.ones(1, 16, 5, 7, dtype=half), torch.ones(16, 8, 3, 3, dtype=half), padding=1, groups=2)
        spio.finish_compilations()
        self.assertEqual(spio.count_kernels(), {"begun": 0, "unchanged": 0, "compiled": 0, "taken": 0, "failed": 0})

    def test_what_was_forked_goes_on(self):
        x, weight = tensor((1, 16, 5, 7), half), tensor((16, 8, 3, 3), half)
        with spio.host_device(), spio.strict():
            y = functional.conv2d(x, weight, padding=1, groups=2)
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 0 if torch.equal(functional.conv2d(x, weight, padding=1, groups=2), y) else 2
                finally:
                    os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
