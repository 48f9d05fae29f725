# The operators: their fakes agree with them in every layout, and wrong tensors are refused in words.
# SPDX-License-Identifier: Apache-2.0
#
# A fake of an operator says the sizes, the types and the strides of its results without computing them; PyTorch
# traces with it. The host device simulates a GPU on the CPU; aten is PyTorch's own library of operators.
import itertools
import unittest

import torch

from cases import layouts, tensor
from spio import functional, operators


near = (1, 1, 1, 0, 1, 1)  # a window: stride, padding and dilation, each of rows and of columns
far = (2, 1, 2, 1, 1, 2)


def conv2d_arguments(layout, dtype):
    """Pairs of an operator and its arguments: two cases of each.
    An operator for a gradient takes the sizes of the result that it cannot see: 5 x 6 pixels of the input, 3 x 2 of the
    filter. That of the weight also takes whether there is a bias, and whether its results are floats.
    """
    x = tensor((3, 16, 5, 6), dtype, layout)
    weight = tensor((16, 8, 3, 2), dtype, layout)
    bias = tensor((16,), torch.float32)
    gradient, far_gradient = tensor((3, 16, 5, 5), dtype, layout), tensor((3, 16, 4, 6), dtype, layout)
    return [
        (operators.conv2d, (x, weight, bias, *near)),
        (operators.conv2d, (x, weight, None, *far)),
        (operators.conv2d_input_gradient, (gradient, weight, 5, 6, *near)),
        (operators.conv2d_input_gradient, (far_gradient, weight, 5, 6, *far)),
        (operators.conv2d_weight_gradient, (gradient, x, 3, 2, *near, True, True)),
        (operators.conv2d_weight_gradient, (far_gradient, x, 3, 2, *far, False, False)),
        (operators.layernorm_2d, (x, tensor((16,), torch.float32), tensor((16,), torch.float32), 1e-5)),
        (operators.layernorm_2d, (x, None, None, 1e-5)),
    ]


def matmul_arguments(dtype):
    """Arguments of the operator matmul, one case for each form that it takes.
    They are a, b, the bias, the activation, the residual, and whether the result is float.
    """
    a, b = tensor((24, 16), dtype), tensor((16, 8), dtype)
    transposed = tensor((16, 24), dtype).mT
    bias, residual = tensor((8,), torch.float32), tensor((24, 8), torch.float32)
    return [
        (operators.matmul, (a, b, bias, "gelu", None, False)),
        (operators.matmul, (transposed, b, None, "silu", residual, True)),
        (operators.matmul, (a.unsqueeze(0), b.unsqueeze(0), None, "none", None, False)),
    ]


# What opcheck checks: with sizes that are fixed, and with any.
checks = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_static", "test_aot_dispatch_dynamic")


def checked_calls(layout, dtype, requires_grad):
    """Pairs of an operator and its arguments, which want gradients or do not.
    Spio's operators have no gradients: its functions have them, and so have aten's convolutions, which are the last two.
    """
    x, weight, bias = (tensor(shape, dtype, layout, requires_grad) for shape in ((3, 16, 5, 6), (16, 8, 3, 2), (16,)))
    return [
        *([] if requires_grad else [*conv2d_arguments(layout, dtype), *matmul_arguments(torch.float16)]),
        (operators.differentiable_conv2d, (x, weight, bias, [1, 0], [2, 1], [1, 2], 2)),
        (operators.overrideable_conv2d, (x, weight, bias, [2, 1], [1, 0], [1, 2], False, [0, 0], 2)),
    ]


class Fakes(unittest.TestCase):
    def test_sizes_types_and_strides(self):
        count = 0
        cases = [case for layout in layouts for case in conv2d_arguments(layout, torch.float16)]
        for operator, arguments in [*cases, *matmul_arguments(torch.float16), *matmul_arguments(torch.bfloat16)]:
            results = operator(*arguments)
            with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=False) as mode:
                fakes = operator(*(mode.from_tensor(v) if isinstance(v, torch.Tensor) else v for v in arguments))
            pairs = [(results, fakes)] if isinstance(results, torch.Tensor) else list(zip(results, fakes))
            for result, fake in pairs:
                self.assertEqual(
                    (result.shape, result.dtype, result.stride(), result.device),
                    (fake.shape, fake.dtype, fake.stride(), fake.device),
                    f"{operator} of {[getattr(v, 'shape', v) for v in arguments]}",
                )
                count += 1
        print(f"summary: python.operators: {count} results as their fakes say")

    # (Operator.opcheck)
    def test_opcheck(self):
        count = 0
        for layout, requires_grad in itertools.product(layouts, (False, True)):
            for operator, arguments in checked_calls(layout, torch.float32, requires_grad):
                torch.library.opcheck(operator, arguments, test_utils=checks)
                count += 1
        print(f"summary: python.operators: opcheck passes {count} calls")


class NoImages(unittest.TestCase):
    def test_results(self):
        # Results without elements, and gradients of 0, from kernels as from aten, as their fakes say.
        for is_hosted in (False, True):
            dtype = torch.float16 if is_hosted else torch.float32
            x, weight, floats = tensor((0, 16, 5, 6), dtype), tensor((16, 8, 3, 3), dtype), tensor((16,), torch.float32)
            a, b = tensor((0, 48), dtype), tensor((48, 32), dtype)
            calls = [
                (operators.conv2d, x, weight, floats, 1, 1, 1, 1, 1, 1),
                (operators.conv2d_input_gradient, x, weight, 5, 6, 1, 1, 1, 1, 1, 1),
                (operators.conv2d_weight_gradient, x, x, 3, 3, 1, 1, 1, 1, 1, 1, True, True),
                (operators.differentiable_conv2d, x, weight, floats, [1, 1], [1, 1], [1, 1], 2),
                (torch.ops.aten.mps_convolution_backward, x, x, weight, [1, 1], [1, 1], [1, 1], 2, [True] * 3),
                (operators.layernorm_2d, x, floats, floats, 1e-5),
                (operators.matmul, a, b, None, "gelu", tensor((0, 32), dtype), False),
            ]
            operators.use_host_device(is_hosted)
            try:
                results = [operator(*arguments) for operator, *arguments in calls]
            finally:
                operators.use_host_device(False)
            for (operator, *arguments), result in zip(calls, results):
                with torch._subclasses.FakeTensorMode() as mode:
                    fake = operator(*(mode.from_tensor(v) if isinstance(v, torch.Tensor) else v for v in arguments))
                pairs = zip(result, fake) if isinstance(result, tuple) else [(result, fake)]
                for value, other in pairs:
                    self.assertEqual((value.shape, value.dtype, value.stride()), (other.shape, other.dtype, other.stride()), str(operator))
                    self.assertEqual(value.count_nonzero().item(), 0)


class Mistakes(unittest.TestCase):
    def refuse(self, words, operator, *arguments):
        """Checks that a call raises an error that has these words."""
        with self.assertRaisesRegex(RuntimeError, words):
            operator(*arguments)

    def test_convolutions(self):
        x, weight = tensor((2, 16, 4, 4), torch.float16), tensor((16, 8, 3, 3), torch.float16)
        window = (1, 1, 1, 1, 1, 1)
        self.refuse("the weight is 16 x 8 x 3 x 3, but must be 24", operators.conv2d, tensor((2, 24, 4, 4), torch.float16), weight, None, *window)
        self.refuse("the input is Half and the weight Float", operators.conv2d, x, weight.float(), None, *window)
        self.refuse("the input has 3 dimensions", operators.conv2d, x[0], weight, None, *window)
        self.refuse("dimension 2 of the input has the size 0", operators.conv2d, x[:, :, :0], weight, None, *window)
        self.refuse("smaller than the filter", operators.conv2d, x, tensor((16, 8, 7, 7), torch.float16), None, *window)
        most = 2**20 - 1
        limits = {"stride_h": (1, 2), "stride_w": (1, 2), "pad_h": (0, most), "pad_w": (0, most), "dilation_h": (1, 2), "dilation_w": (1, 2)}
        for place, (name, (least, greatest)) in enumerate(limits.items()):
            for number in (least - 1, greatest + 1, -(2**40), 2**40):
                words = f"{name} is {number}, but must be {least} to {greatest}"
                self.refuse(words, operators.conv2d, x, weight, None, *window[:place], number, *window[place + 1 :])
        self.refuse("the result is 2 x 16 x 2097152 x 2097152", operators.conv2d, x, weight, None, 1, 1, most, most, 1, 1)
        operators.use_host_device(True)
        try:
            words = "the gradient is 2 x 16 x 4 x 4, but the result for an input of 2 x 16 x 6 x 4 is 2 x 16 x 6 x 4"
            self.refuse(words, operators.conv2d_input_gradient, x, weight, 6, 4, *window)
            self.refuse("but must be 2 x 16 x 2 x 2", operators.conv2d_weight_gradient, x, x, 3, 3, 2, 2, *window[2:], False, False)
        finally:
            operators.use_host_device(False)

    def test_words_alone(self):
        # An error is one sentence: no name of a file and no trace of calls.
        x, weight = tensor((2, 16, 4, 4), torch.float16), tensor((16, 8, 3, 3), torch.float16)
        with self.assertRaises(RuntimeError) as raised:
            operators.conv2d(x, weight, None, 3, 1, 1, 1, 1, 1)
        self.assertEqual(str(raised.exception), "spio::conv2d: stride_h is 3, but must be 1 to 2")

    def test_what_aten_would_take(self):
        # The CPU refuses what kernels refuse, so that a program which was tried there runs on a GPU.
        x, weight, window = tensor((2, 16, 4, 4), torch.float16), tensor((16, 8, 3, 3), torch.float16), (1, 1, 1, 1, 1, 1)
        a, b, floats = tensor((8, 48), torch.float16), tensor((48, 32), torch.float16), tensor((16,), torch.float32)
        cases = [
            ("the bias has 8 elements in 1 dimensions, but must have 16 in one", operators.conv2d, x, weight, floats[:8], *window),
            ("the bias must be floats, not Half", operators.conv2d, x, weight, floats.half(), *window),
            ("the filter is 9 x 9", operators.conv2d, x, tensor((16, 8, 9, 9), torch.float16), None, 1, 1, 4, 4, 1, 1),
            ("but the result for an input of 2 x 16 x 6 x 4", operators.conv2d_input_gradient, x, weight, 6, 4, *window),
            ("the gradient is 2 x 16 x 4 x 4 of Float, but must be 2 x 16 x 4 x 4 of Half",
             operators.conv2d_weight_gradient, x.float(), x, 3, 3, *window, False, True),
            ("the gradient is 2 x 16 x 4 x 3 of Half", operators.conv2d_weight_gradient, x[..., :3], x, 3, 3, *window, False, True),
            ("both a weight and a bias, or neither", operators.layernorm_2d, x, floats, None, 1e-6),
            ("the bias must be floats, not Half", operators.layernorm_2d, x, floats.half(), floats.half(), 1e-6),
            ("a has elements of type Half and b of type Float", operators.matmul, a, b.float(), None, "none", None, False),
            ("the bias has 16 elements", operators.matmul, a, b, floats, "none", None, False),
            ("the residual must have the sizes and the type", operators.matmul, a, b, None, "none", a[:, :32].float(), False),
        ]
        for is_hosted in (False, True):
            operators.use_host_device(is_hosted)
            try:
                for case in cases:
                    self.refuse(*case)
            finally:
                operators.use_host_device(False)

    def test_atens_convolution(self):
        x, weight = tensor((2, 16, 4, 4), torch.float32), tensor((16, 8, 3, 3), torch.float32)
        window = [1, 1], [1, 1], [1, 1]
        backward = torch.ops.aten.convolution_backward_overrideable.default
        torch.testing.assert_close(
            operators.overrideable_conv2d(x, weight, None, *window, False, [0, 0], 2),
            torch.nn.functional.conv2d(x, weight, padding=1, groups=2),
        )
        for words, *rest in (
            ("none that is transposed", True, [0, 0], 2),
            ("a padding of the output is for transposed", False, [0, 1], 2),
            ("there are 1 groups of 16 channels", False, [0, 0], 1),
            ("there are 4 groups of 16 channels", False, [0, 0], 4),
        ):
            self.refuse(words, operators.overrideable_conv2d, x, weight, None, *window, *rest)
            self.refuse(words, backward, x, x, weight, *window, *rest, [True] * 3)
        backward = torch.ops.aten.mps_convolution_backward.default
        for words, *steps in (
            ("there are 4 groups of 16 channels", *window, 4),
            ("stride_h is 3, but must be 1 to 2", [1, 1], [3, 1], [1, 1], 2),
            ("whose stride, padding and dilation have two numbers each", [1], [1, 1], [1, 1], 2),
        ):
            self.refuse(words, operators.differentiable_conv2d, x, weight, None, *steps)
            self.refuse(words, backward, x, x, weight, *steps, [True] * 3)

    def test_estimates(self):
        sizes, rest = (2, 16, 4, 4, 3, 3), (1, 1, 1, 1, 1, 1, True)
        self.refuse("the pass is backward", operators.conv2d_microseconds, *sizes, *rest, "backward", "sm_90a")
        self.refuse("must have 1 to", operators.conv2d_microseconds, 2**32 + 2, *sizes[1:], *rest, "fprop", "sm_90a")

    def test_activations(self):
        # Only those that kernels have, on the CPU too: no other operator of aten is called by its name.
        a, b = tensor((8, 16), torch.float32), tensor((16, 8), torch.float32)
        for name in ("gelu_", "tanh", "exp", "detach", "RELU", "", "sigmoid_"):
            self.refuse(f"the activation is {name}, but must be none, relu, silu or gelu", operators.matmul, a, b, None, name, None, False)
            for first in (a, a.clone().requires_grad_(), a[0]):  # by the operator, with gradients, by aten
                with self.assertRaisesRegex(ValueError, f"the activation is '{name}', but must be"):
                    functional.matmul(first, b, activation=name)

    def test_fakes(self):
        a, b, x, weight = (tensor(shape, torch.float32) for shape in ((8, 16), (16, 8), (2, 16, 5, 5), (16, 8, 3, 3)))
        with torch._subclasses.FakeTensorMode() as mode:
            a, b, x, weight = map(mode.from_tensor, (a, b, x, weight))
            for filters in (weight.repeat(2, 1, 1, 1), weight[:, :4], weight[:8]):
                self.refuse("the weight is", operators.conv2d, x, filters, None, *near)
            for first, second in ((a, b[:8]), (a[0], b), (a.unsqueeze(0), b.expand(2, 16, 8))):
                self.refuse("spio::matmul: a is", operators.matmul, first, second, None, "none", None, False)
            self.refuse("the activation is zz", operators.matmul, a, b, None, "zz", None, False)

    def test_products(self):
        a, b = tensor((8, 16), torch.float16), tensor((16, 8), torch.float16)
        operators.use_host_device(True)
        try:
            self.refuse("a is 1 x 8 x 16 and b 1 x 8 x 8", operators.matmul, a, b[:8], None, "none", None, False)
            self.refuse("of type Half and b of type Float", operators.matmul, a, b.float(), None, "none", None, False)
            self.refuse("there are no kernels", operators.matmul, a.double(), b.double(), None, "none", None, False)
            self.refuse("the activation is tanh", operators.matmul, a, b, None, "tanh", None, False)
            self.refuse("the bias has 4 elements", operators.matmul, a, b, tensor((4,), torch.float32), "none", None, False)
            self.refuse("the bias must be floats, not Half", operators.matmul, a, b, tensor((8,), torch.float16), "none", None, False)
            self.refuse("the residual must have the sizes", operators.matmul, a, b, None, "none", tensor((4, 8), torch.float16), False)
            self.refuse("no multiple of 16", operators.matmul, tensor((8, 5), torch.float16), tensor((5, 8), torch.float16), None, "none", None, False)
        finally:
            operators.use_host_device(False)


if __name__ == "__main__":
    unittest.main()
