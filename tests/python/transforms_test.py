# What torch.func and forward derivatives make of the functions: the same as of aten's, in eager calls and compiled.
# SPDX-License-Identifier: Apache-2.0
#
# A forward derivative is computed along with a result, by jvp of torch.func or for a dual tensor of forward_ad. aten is
# PyTorch's own library of operators.
import unittest

import torch
from torch.autograd import forward_ad
from torch.nn import functional as aten
from torch.utils.flop_counter import FlopCounterMode

import spio
from cases import tensor
from spio import functional

x, weight, bias, a, b = (tensor(shape, torch.float32) for shape in ((2, 16, 5, 4), (16, 8, 3, 3), (16,), (8, 16), (16, 8)))


def norm(x, weight=None, bias=None):
    """LayerNorm over the channels of images, by aten."""
    return aten.layer_norm(x.permute(0, 2, 3, 1), x.shape[1:2], weight, bias, 1e-6).permute(0, 3, 1, 2)


# A function of one tensor by spio, the same by aten, and the tensor.
cases = {
    "conv2d": (lambda v: functional.conv2d(v, weight, bias, padding=1, groups=2), lambda v: aten.conv2d(v, weight, bias, padding=1, groups=2), x),
    "its weight": (lambda v: functional.conv2d(x, v, bias, padding=1, groups=2), lambda v: aten.conv2d(x, v, bias, padding=1, groups=2), weight),
    "layernorm_2d": (functional.layernorm_2d, norm, x),
    "matmul": (lambda v: functional.matmul(v, b, activation="silu"), lambda v: aten.silu(v @ b), a),
}


def dual(function, value, tangent):
    """The forward derivative of a function by forward_ad."""
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(value, tangent))).tangent


def cubes(function):
    """A function with one number as its result, whose gradient is not constant."""
    return lambda v: function(v).pow(3).sum()


# Each transforms a function and calls the result.
transforms = {
    "jvp": lambda f, v: torch.func.jvp(f, (v,), (v + 1,))[1],
    "dual": lambda f, v: dual(f, v, v + 1),
    "vmap of jvp": lambda f, v: torch.vmap(lambda t: torch.func.jvp(f, (v,), (t,))[1])(torch.stack([v + 1, v])),
    "jvp of grad": lambda f, v: torch.func.jvp(torch.func.grad(cubes(f)), (v,), (v + 1,))[1],
    "grad": lambda f, v: torch.func.grad(cubes(f))(v),
    "vmap": lambda f, v: torch.vmap(f)(torch.stack([v, v + 1])),
    "vmap of grad": lambda f, v: torch.vmap(torch.func.grad(cubes(f)))(torch.stack([v, v + 1])),
}


class Transforms(unittest.TestCase):
    def test_as_aten(self):
        count = 0
        for case, (function, reference, value) in cases.items():
            for name, transform in transforms.items():
                expected = transform(reference, value)
                for is_compiled in (False, True):
                    torch._dynamo.reset()
                    call = lambda: transform(function, value)
                    result = torch.compile(call, backend="aot_eager", fullgraph=name != "dual")() if is_compiled else call()
                    with self.subTest(case=case, transform=name, is_compiled=is_compiled):
                        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
                        count += 1
        print(f"summary: python.transforms: {count} transformed calls as aten's")

    def test_converted_models(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(16, 16, 3, padding=1, groups=2), torch.nn.ReLU())
        tangents = []
        for is_frozen in (False, True):
            model.requires_grad_(not is_frozen)
            tangents.append(torch.func.jvp(model, (x,), (x + 1,))[1])
            spio.convert(model)
        torch.testing.assert_close(*tangents)

    def test_strict(self):
        for name in ("jvp", "dual"):
            for function, _, value in cases.values():
                with spio.strict(), self.assertRaisesRegex(spio.Unsupported, "forward derivative|torch.func"):
                    transforms[name](function, value)

    def test_compiled_graphs_know_the_level(self):
        # A graph that was compiled without forward derivatives is not used with them.
        for function, reference, value in cases.values():
            torch._dynamo.reset()
            compiled = torch.compile(function, backend="aot_eager")
            torch.testing.assert_close(compiled(value), reference(value))
            torch.testing.assert_close(dual(compiled, value, value + 1), dual(reference, value, value + 1))


class Maps(unittest.TestCase):
    def test_vmap(self):
        xs, weights, biases = (torch.stack([v, 2 * v, v + 1]) for v in (x, weight, bias))
        call = lambda *v: functional.conv2d(*v, padding=1, groups=2)
        for dims in ((0, None, None), (0, 0, 0), (None, 0, None), (0, None, 0)):
            values = [v if d is None else many for v, many, d in zip((x, weight, bias), (xs, weights, biases), dims)]
            results = [call(*(v if d is None else v[i] for v, d in zip(values, dims))) for i in range(3)]
            torch.testing.assert_close(torch.vmap(call, dims)(*values), torch.stack(results))

    def test_gradients_of_samples(self):
        xs = torch.stack([x, 2 * x])
        loss = lambda weight, x: functional.conv2d(x, weight, bias, padding=1, groups=2).square().mean()
        expected = lambda weight, x: aten.conv2d(x, weight, bias, padding=1, groups=2).square().mean()
        torch.testing.assert_close(torch.func.grad(loss)(weight, x), torch.func.grad(expected)(weight, x))
        samples = [torch.func.vmap(torch.func.grad(f), (None, 0))(weight, xs) for f in (loss, expected)]
        torch.testing.assert_close(*samples)

    def test_inference_mode(self):
        with torch.inference_mode():
            self.assertTrue(functional.conv2d(x, weight, bias, groups=2).is_inference())


class Tools(unittest.TestCase):
    """Tools of PyTorch that look at what a model calls."""

    def test_fx(self):
        layers = spio.nn.Conv2d(16, 16, 3, groups=2), spio.nn.LayerNorm2d(16), spio.nn.Conv2d(16, 16, 3, groups=2, padding=1, padding_mode="circular")
        model = torch.nn.Sequential(*layers)
        traced = torch.fx.symbolic_trace(model)
        torch.testing.assert_close(traced(x), model(x))
        called = [node.target for node in traced.graph.nodes if node.op == "call_function"]
        self.assertEqual([function for function in called if function is not aten.pad], [functional.conv2d, functional.layernorm_2d, functional.conv2d])

    def test_operations(self):
        def count(call):
            with FlopCounterMode(display=False) as counter:
                call().sum().backward()
            return counter.get_total_flops()

        # One group, because PyTorch counts the gradient of a weight as if there were no groups.
        x, weight, bias = (tensor(shape, torch.float32) for shape in ((2, 8, 5, 4), (8, 8, 3, 3), (8,)))
        values = [value.clone().requires_grad_() for value in (x, weight, bias)]
        for wanted in ((0, 1, 2), (0,), (1,), (2,)):
            for stride in (1, 2):
                for i, value in enumerate(values):
                    value.requires_grad_(i in wanted)
                counts = [count(lambda: library.conv2d(*values, stride)) for library in (functional, aten)]
                self.assertEqual(*counts)
                # Compiled graphs and torch.func call the operators of spio.
                with FlopCounterMode(display=False) as counter:
                    torch.func.grad(lambda v: functional.conv2d(v, weight, bias, stride).sum())(x)
                with FlopCounterMode(display=False) as second:
                    torch.func.grad(lambda v: aten.conv2d(v, weight, bias, stride).sum())(x)
                self.assertEqual(counter.get_total_flops(), second.get_total_flops())
        self.assertEqual(count(lambda: functional.matmul(a.clone().requires_grad_(), b)), count(lambda: a.clone().requires_grad_() @ b))


class Tensors(unittest.TestCase):
    """Tensors that kernels cannot read are aten's, whatever was called before."""

    def test_layouts(self):
        for _ in range(2):
            for make in (torch.Tensor.to_mkldnn, torch.Tensor.to_sparse):
                results = []
                for library in (functional, aten):
                    try:
                        y = library.conv2d(make(x), weight, bias, padding=1, groups=2)
                        results.append(y.to_dense() if y.layout is not torch.strided else y)
                    except (NotImplementedError, RuntimeError) as error:
                        results.append(str(error).splitlines()[0])
                if isinstance(results[1], str):
                    self.assertEqual(*results)
                else:
                    torch.testing.assert_close(*results)
            with spio.strict():
                functional.conv2d(x, weight, bias, padding=1, groups=2)  # a dense one still takes kernels
        with spio.strict(), self.assertRaisesRegex(spio.Unsupported, "torch.sparse_coo"):
            functional.matmul(a.to_sparse(), b)
        torch.testing.assert_close(functional.matmul(a.to_sparse(), b), a @ b)

    def test_distributed(self):
        if not torch.distributed.is_available():
            self.skipTest("this PyTorch has no processes that work together")
        from torch.distributed.tensor import Replicate, distribute_tensor, init_device_mesh

        torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=torch.distributed.HashStore())
        try:
            mesh = init_device_mesh("cpu", (1,))
            images, filters, first, second = (distribute_tensor(value, mesh, [Replicate()]) for value in (x, weight, a, b))
            results = [
                functional.conv2d(images, filters, padding=1, groups=2),
                functional.conv2d(images.clone().requires_grad_(), filters, padding=1, groups=2),
                functional.layernorm_2d(images),
                functional.matmul(first, second),
            ]
            results = [result.full_tensor().detach() for result in results]
        finally:
            torch.distributed.destroy_process_group()
        y = aten.conv2d(x, weight, padding=1, groups=2)
        torch.testing.assert_close(results, [y, y, norm(x), a @ b])


if __name__ == "__main__":
    unittest.main()
