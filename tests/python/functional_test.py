# The functions: torch's spellings, gradients, autocast, and what happens where there is no kernel.
# SPDX-License-Identifier: Apache-2.0
#
# Where no kernel computes a call, spio computes it by aten (PyTorch's own functions) and logs the reason once;
# within spio.strict() that is the exception spio.Unsupported.
import logging
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock

import numpy
import torch
from torch.nn import functional as aten

import spio
from cases import layouts, tensor
from spio import functional, operators, support

# Arguments of a convolution as torch takes them, which kernels compute.
spellings = [
    {},
    {"padding": 1},
    {"padding": (2, 0)},
    {"padding": [1]},
    {"padding": "same"},
    {"padding": "valid"},
    {"stride": (1, 1), "padding": 1, "dilation": [1, 1]},
    {"stride": 2, "padding": 1},
    {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)},
    {"padding": "same", "dilation": 2},
]
# What no kernel computes, and a word of the reason.
unsupported = [
    ({"stride": 3}, "stride"),
    ({"dilation": (1, 3)}, "dilation"),
    ({"padding": "same", "shape": (2, 3)}, "same"),
    ({"shape": (8, 3), "padding": 4}, "larger than 7"),
    ({"groups": 1}, "groups"),
    ({"rank": 3}, "dimensions"),
    ({"images": 0}, "0 images"),
]


def layer(dtype=torch.float32, shape=(3, 3), groups=2, rank=4, images=2, requires_grad=False, layout="contiguous"):
    """An input, a filter and a bias of a convolution of 16 channels; `shape` is that of the filter, in pixels."""
    x = tensor((max(images, 1), 16, 9, 8), dtype, layout)[:images]
    values = (x[0] if rank == 3 else x), tensor((16, 16 // groups, *shape), dtype), tensor((16,), dtype)
    return tuple(value.requires_grad_(requires_grad) for value in values)


class Spellings(unittest.TestCase):
    def test_as_torch(self):
        for keywords in spellings:
            for layout in layouts:
                x, weight, bias = layer(layout=layout)
                with spio.strict():
                    y = functional.conv2d(x, weight, bias, groups=2, **keywords)
                torch.testing.assert_close(y, aten.conv2d(x, weight, bias, groups=2, **keywords))
                self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
        x, weight, _ = layer()
        y = functional.conv2d_gw8(x, weight, padding_y=1, padding_x=0)
        torch.testing.assert_close(y, aten.conv2d(x, weight, padding=(1, 0), groups=2))

    def test_numbers(self):
        # What equals an int is taken as this int, whatever was called before: the cache of windows finds it by its value.
        x, weight, bias = layer()
        changing = torch.tensor(0)
        for is_known in (False, True):
            for one in (numpy.int64(1), torch.tensor(1), True, 1.0, numpy.float64(1)):
                for name in ("stride", "padding", "dilation"):
                    for value in (one, (one, 1), [one]):
                        functional._eager_windows.clear()
                        if is_known:
                            functional.conv2d(x, weight, bias, groups=2, **{name: (1, 1) if isinstance(value, tuple) else 1})
                        with spio.strict():
                            y = functional.conv2d(x, weight, bias, groups=2, **{name: value})
                        torch.testing.assert_close(y, aten.conv2d(x, weight, bias, groups=2, **{name: 1}))
            for number in range(3):
                changing.fill_(number)
                y = functional.conv2d(input=x, weight=weight, padding=changing, groups=2)
                torch.testing.assert_close(y, aten.conv2d(x, weight, padding=number, groups=2))

    def test_wrong_windows_are_torchs_errors(self):
        x, weight, _ = layer()
        for name in ("stride", "padding", "dilation"):
            for value in ((1, 1, 1), (1, 1, 2), [1, 1, 2], (), 1.5, (1, 0.5), "SAME", None, numpy.array([1, 1])):
                with self.subTest(name=name, value=value):
                    errors = []
                    for library in (functional, aten):
                        with self.assertRaises((RuntimeError, TypeError)) as caught:
                            library.conv2d(x, weight, groups=2, **{name: value})
                        errors.append((type(caught.exception), str(caught.exception)[:30]))
                    self.assertEqual(*errors)
                    with spio.strict(), self.assertRaises(spio.Unsupported):
                        functional.conv2d(x, weight, groups=2, **{name: value})

    def test_an_image_without_a_batch(self):
        x, weight, _ = layer(rank=3)
        torch.testing.assert_close(functional.conv2d_gw8(x, weight), aten.conv2d(x, weight, groups=2))

    def test_what_no_kernel_computes(self):
        for keywords, word in unsupported:
            keywords = {"groups": 2, **keywords}
            options = {name: keywords.pop(name) for name in ("shape", "rank", "images") if name in keywords}
            x, weight, bias = layer(groups=keywords["groups"], **options)
            support._logged.clear()
            with self.assertLogs("spio", logging.WARNING) as log:
                for _ in range(3):
                    y = functional.conv2d(x, weight, bias, **keywords)
            torch.testing.assert_close(y, aten.conv2d(x, weight, bias, **keywords))
            self.assertEqual(len(log.output), 1, "one line a shape")
            self.assertIn(word, log.output[0])
            with spio.strict(), self.assertRaisesRegex(spio.Unsupported, word):
                functional.conv2d(x, weight, bias, **keywords)

    def test_two_devices(self):
        x, weight, bias = layer()
        a, far = tensor((16, 16), torch.float32), bias.to("meta")  # a device of PyTorch without memory stands for a second one
        functional.conv2d(x, weight, bias, groups=2)  # whether a kernel takes it is remembered for this device alone
        for call in (
            lambda: functional.conv2d(x, weight, far, groups=2),
            lambda: functional.layernorm_2d(x, bias, far),
            lambda: functional.matmul(a, a, far),
            lambda: functional.matmul(a, a, residual=a.to("meta")),
        ):
            with spio.strict(), self.assertRaisesRegex(spio.Unsupported, "on cpu and .* on meta"):
                call()

    def test_strict_by_the_environment(self):
        program = ("import torch, spio\n"
                   "try: spio.functional.conv2d(torch.ones(1, 8, 4, 4), torch.ones(8, 8, 3, 3), stride=3)\n"
                   "except spio.Unsupported as error: print(error)")
        refusal = "spio has no kernel for this conv2d: the stride is 3, where kernels have 1 and 2\n"
        for word, printed in (("1", refusal), ("on", refusal), ("0", ""), ("Off", "")):
            environment = {**os.environ, "SPIO_STRICT": word}
            run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
            self.assertEqual((run.stdout, run.returncode), (printed, 0), run.stderr)

    def test_wrong_types_are_torchs_errors(self):
        x, weight, _ = layer()
        with self.assertLogs("spio"), self.assertRaises(RuntimeError):
            functional.conv2d(x.half(), weight, groups=2)


class Gradients(unittest.TestCase):
    def test_against_finite_differences(self):
        for keywords in ({"padding": (1, 2)}, {"padding": "valid"}, {"stride": 2, "padding": 1}, {"padding": 1, "dilation": (2, 1)}):
            x, weight, bias = (
                tensor(shape, torch.float64, requires_grad=True) for shape in ((2, 8, 4, 3), (8, 8, 3, 2), (8,))
            )
            self.assertTrue(torch.autograd.gradcheck(lambda *v: functional.conv2d(*v, **keywords), (x, weight, bias)))
            self.assertTrue(torch.autograd.gradcheck(lambda *v: functional.conv2d(*v, **keywords), (x, weight)))
        x, weight, bias = (tensor(s, torch.float64, requires_grad=True) for s in ((2, 8, 2, 3), (8,), (8,)))
        self.assertTrue(torch.autograd.gradcheck(functional.layernorm_2d, (x, weight, bias)))
        a, b, bias = (tensor(s, torch.float64, requires_grad=True) for s in ((3, 4), (4, 5), (5,)))
        for activation in ("none", "gelu"):
            product = lambda *v: functional.matmul(*v, activation=activation)
            self.assertTrue(torch.autograd.gradcheck(product, (a, b, bias)))
        self.assertTrue(torch.autograd.gradgradcheck(lambda *v: functional.matmul(*v), (a, b)))

    def test_types_and_what_is_wanted(self):
        for dtype in (torch.float16, torch.bfloat16):
            for wanted in range(1, 8):  # a bit for each of x, weight and bias
                values = [v.detach().requires_grad_(bool(wanted >> i & 1)) for i, v in enumerate(layer(dtype))]
                y = functional.conv2d(*values, padding=1, groups=2)
                self.assertEqual(y.dtype, dtype)
                y.sum().backward()
                for value in values:
                    self.assertEqual(value.grad is not None, value.requires_grad)
                    if value.grad is not None:
                        self.assertEqual((value.grad.dtype, value.grad.shape), (dtype, value.shape))

    def test_second_derivatives(self):
        for keywords in ({"padding": 1}, {"stride": 2, "padding": (1, 0)}, {"padding": 1, "dilation": (2, 1)}):
            values = [tensor(shape, torch.float64, requires_grad=True) for shape in ((2, 8, 4, 3), (8, 8, 3, 2), (8,))]
            self.assertTrue(torch.autograd.gradgradcheck(lambda *v: functional.conv2d(*v, **keywords), values))
        # Where torch.func or torch.compile differentiate there are none.
        x, weight, _ = layer()
        total = lambda x: functional.conv2d(x, weight, padding=1, groups=2).square().sum()
        with self.assertRaisesRegex(RuntimeError, "no second derivatives of conv2d"):
            torch.func.grad(lambda x: torch.func.grad(total)(x).square().sum())(x)

    def test_second_derivatives_of_two_types(self):
        # Under autocast a float32 weight is beside a short input. Its first gradient is right; of a second one, which
        # aten would compute, aten says that the types differ.
        x, weight, _ = layer(requires_grad=True)
        with torch.autocast("cpu", torch.bfloat16), spio.strict():
            y = functional.conv2d(x, weight, padding=1, groups=2)
        first = torch.autograd.grad(y.square().sum(), (x, weight), create_graph=True)
        self.assertEqual({v.dtype for v in first}, {torch.float32})
        wide = [v.detach().bfloat16().double().requires_grad_() for v in (x, weight)]
        exact = torch.autograd.grad(aten.conv2d(*wide, padding=1, groups=2).square().sum(), wide)
        for value, expected in zip(first, exact):
            torch.testing.assert_close(value.double(), expected, rtol=2e-2, atol=2e-2 * expected.abs().max().item())
        with self.assertRaisesRegex(RuntimeError, "type"):
            torch.autograd.grad(first[0].square().sum(), weight)

    def test_no_function_of_python_in_the_graph(self):
        values = layer(requires_grad=True)
        y = functional.conv2d(*values, padding=1, groups=2)
        self.assertNotIsInstance(y.grad_fn, torch.autograd.function.BackwardCFunction)
        self.assertIn("Convolution", y.grad_fn.name())

    def test_fakes_have_the_strides_of_gradients(self):
        for dtype in (torch.float32, torch.bfloat16):
            x, weight, bias = (value.to(dtype).requires_grad_() for value in layer())
            weight = weight.float().detach().requires_grad_()  # as under autocast
            # Padding, stride and dilation, and groups; then stride first, whether it is transposed and the output's padding.
            few, many = ([1, 1], [1, 1], [1, 1], 2), ([1, 1], [1, 1], [1, 1], False, [0, 0], 2)
            wanted = [True] * 3
            forward = [lambda x, w, b: operators.differentiable_conv2d(x, w, b, *few),
                       lambda x, w, b: operators.overrideable_conv2d(x, w, b, *many)]
            backward = [lambda x, g, w: torch.ops.aten.mps_convolution_backward(x, g, w, *few, wanted),
                        lambda x, g, w: torch.ops.aten.convolution_backward_overrideable(g, x, w, *many, wanted)]
            for convolve, differentiate in zip(forward, backward):
                with torch.no_grad():
                    y = convolve(x, weight, bias)
                    results = [y, *differentiate(x, y, weight)]
                    mode = torch._subclasses.FakeTensorMode()
                    values = [mode.from_tensor(value.detach()) for value in (x, weight, bias, y)]
                    with mode:
                        fakes = [convolve(*values[:3]), *differentiate(values[0], values[3], values[1])]
                for result, fake in zip(results, fakes, strict=True):
                    self.assertEqual((result.shape, result.dtype, result.stride()), (fake.shape, fake.dtype, fake.stride()))

    def test_without_pytorchs_function(self):
        # A PyTorch without the function that eager calls take has another operator, with the same gradients.
        self.assertIs(operators.find_differentiable_conv2d(), torch._mps_convolution)
        values, results = layer(requires_grad=True), []
        window = (1, 2), (2, 1), (1, 2)  # padding, stride and dilation
        for function in (operators.call_overrideable_conv2d, torch._mps_convolution):
            y = function(*values, *window, 2)
            results.append((y, *torch.autograd.grad(y.square().sum(), values)))
        torch.testing.assert_close(*results)
        with unittest.mock.patch.object(operators, "schema_of_differentiable", "another"):
            self.assertIs(operators.find_differentiable_conv2d(), operators.call_overrideable_conv2d)
        self.assertIsNone(operators.find_operator("no_such_operator"))
        with unittest.mock.patch.object(operators, "differentiable_conv2d", None):
            self.assertIs(operators.find_differentiable_conv2d(), operators.call_overrideable_conv2d)


class Autocast(unittest.TestCase):
    def test_results_have_its_type(self):
        for dtype in (torch.bfloat16, torch.float16):
            x, weight, bias = layer(requires_grad=True)
            with torch.autocast("cpu", dtype), spio.strict():
                y = functional.conv2d(x, weight, bias, padding=1, groups=2)
                normalized = functional.layernorm_2d(x, bias, bias)
                product = functional.matmul(x[0, 0].detach(), x[0, 0].detach().mT)
                # What comes in autocast's type already, as from the layer before.
                second = functional.conv2d(y, weight, bias, padding=1, groups=2)
            self.assertEqual({v.dtype for v in (y, normalized, product, second)}, {dtype})
            y.sum().backward()
            self.assertEqual({v.grad.dtype for v in (x, weight, bias)}, {torch.float32})
        integers = torch.ones(2, 2, dtype=torch.int64)
        with torch.autocast("cpu", torch.bfloat16):
            self.assertEqual(functional.layernorm_2d(x, bias).dtype, torch.bfloat16)
            self.assertEqual(functional.matmul(integers, integers).dtype, torch.int64)
            self.assertEqual(functional.conv2d(x.double(), weight.double(), groups=2).dtype, torch.float64)


class Deterministic(unittest.TestCase):
    def test_operators_see_the_mode(self):
        # They ask PyTorch in each call, so that compiled graphs and backward passes follow it too.
        for is_deterministic in (True, True, False, True):
            torch.use_deterministic_algorithms(is_deterministic)
            try:
                seen = []
                thread = threading.Thread(target=lambda: seen.append(operators.is_deterministic()))
                thread.start()
                thread.join()
                seen.append(operators.is_deterministic())
            finally:
                torch.use_deterministic_algorithms(False)
            self.assertEqual(seen, [is_deterministic] * 2)
        self.assertFalse(operators.is_deterministic())


if __name__ == "__main__":
    unittest.main()
