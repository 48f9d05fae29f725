# Compiled and exported models: whole graphs, with the results and gradients of eager ones.
# SPDX-License-Identifier: Apache-2.0
#
# A whole graph is a model that torch.compile traces without a break: each operator needs a fake for that,
# which computes the shape of its result. An eager model runs operator by operator.
import pathlib
import tempfile
import unittest
from unittest import mock

import torch

import spio
from cases import layouts, tensor
from spio import operators, support


class Block(torch.nn.Module):
    """A small model with two layers of spio and one of PyTorch."""
    def __init__(self):
        super().__init__()
        self.convolution = spio.nn.Conv2d(16, 16, 3, padding="same", groups=2)
        self.norm = spio.nn.LayerNorm2d(16)
        self.expansion = torch.nn.Conv2d(16, 32, 1)

    def forward(self, x):
        return self.expansion(self.norm(self.convolution(x))).relu()


class Compiled(unittest.TestCase):
    def test_first_call_of_a_process(self):
        # A compiled graph may be the first that asks which GPU there is, by a function that is in no graph.
        asked = []

        @torch.compiler.disable
        def architecture(gpu):
            asked.append(gpu)
            return 75 if gpu == 1 else 90

        def marked(x, device):
            return x - 1 if support.why_not_gpu(device) is None else x + 1

        compiled = torch.compile(marked, fullgraph=True, backend="aot_eager")
        x, devices = torch.zeros(2), [torch.device("cuda", gpu) for gpu in (0, 1)]
        with mock.patch.dict(support._architectures, clear=True), mock.patch("torch.version.cuda", "13.0"), \
             mock.patch.object(operators, "gpu_architecture", architecture):
            for _ in range(2):
                self.assertEqual([compiled(x, device)[0].item() for device in devices], [-1, 1])
        self.assertEqual(asked, [0, 1])

    def setUp(self):
        torch.manual_seed(1)
        torch._dynamo.reset()  # forgets the graphs of other tests

    def test_whole_graphs(self):
        count = 0
        for is_dynamic in (False, True):
            torch._dynamo.reset()
            model = Block()
            compiled = torch.compile(model, fullgraph=True, backend="aot_eager", dynamic=is_dynamic)
            for layout in layouts:
                for images, requires_grad in ((2, True), (3, False)):
                    x = tensor((images, 16, 6, 7), torch.float32, layout, requires_grad)
                    results = []
                    for run in (model, compiled):
                        model.zero_grad()
                        y = run(x)
                        gradients = torch.autograd.grad(y.square().sum(), [*model.parameters(), *([x] if requires_grad else [])])
                        results.append((y.detach(), *gradients))
                    torch.testing.assert_close(*results)
                    self.assertEqual(*(y.stride() for y, *_ in results))
                    count += 1
        print(f"summary: python.compile: {count} calls in whole graphs, gradients too")

    def test_autocast(self):
        model, x = Block(), tensor((2, 16, 6, 7), torch.float32)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        with torch.autocast("cpu", torch.bfloat16):
            results = model(x), compiled(x)
        torch.testing.assert_close(*results)
        self.assertEqual({y.dtype for y in results}, {torch.bfloat16})

    def test_without_gradients(self):
        model, x = Block(), tensor((2, 16, 6, 7), torch.float32)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        with torch.no_grad():
            torch.testing.assert_close(model(x), compiled(x))

    def test_what_no_kernel_computes(self):
        # One line says so when the graph is traced, also where sizes are open.
        layer, x = spio.nn.Conv2d(16, 16, 3, groups=2, stride=3), tensor((2, 16, 9, 9), torch.float32)
        for is_dynamic in (False, True):
            torch._dynamo.reset()
            support._logged.clear()
            compiled = torch.compile(layer, fullgraph=True, backend="aot_eager", dynamic=is_dynamic)
            with self.assertLogs("spio") as log:
                for images in (x, x[:, :, :7]):
                    torch.testing.assert_close(compiled(images), layer(images))
            self.assertEqual(sum("conv2d in a compiled graph is by aten" in line for line in log.output), 1)

    def test_export(self):
        model, x = Block().eval(), tensor((2, 16, 6, 7), torch.float32)
        batch = torch.export.Dim("batch", min=0)
        with torch.no_grad():
            program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: batch}})
        self.assertIn("spio.conv2d.default", str(program.graph))
        self.assertIn("spio.layernorm_2d.default", str(program.graph))
        larger = tensor((5, 16, 6, 7), torch.float32)
        for images in (5, 1, 0):
            torch.testing.assert_close(program.module()(larger[:images]), model(larger[:images]))

    def test_export_with_gradients(self):
        # An exported graph knows nothing of functions of Python, so it has operators with gradients in C++.
        class Product(torch.nn.Linear):
            def forward(self, x):
                return spio.functional.matmul(x.flatten(0, 2), self.weight.mT, self.bias, "silu")

        models = Block(), spio.nn.Conv2d(16, 16, 3, groups=2), spio.nn.LayerNorm2d(16), Product(7, 8)
        for model in models:
            for is_strict in (False, True):
                support._logged.clear()
                x, gradients = tensor((2, 16, 6, 7), torch.float32), []
                has_others = not isinstance(model, torch.nn.Conv2d)
                with self.assertLogs("spio") if has_others else self.assertNoLogs("spio") as log:
                    exported = torch.export.export(model, (x,), strict=is_strict).module()
                self.assertEqual(len(log.output) if has_others else 1, 1)
                for run in (model, exported):
                    run.zero_grad()
                    run(x).square().sum().backward()
                    gradients.append({name: value.grad for name, value in run.named_parameters()})
                torch.testing.assert_close(*gradients)
                if not has_others:
                    self.assertIn("_mps_convolution", str(exported.graph))
        with torch.no_grad(), self.assertNoLogs("spio"):
            graph = str(torch.export.export(models[0], (x,)).graph) + str(torch.export.export(models[3], (x,)).graph)
        for name in ("conv2d", "layernorm_2d", "matmul"):
            self.assertIn(f"spio.{name}.default", graph)

    @unittest.skipIf(torch.__version__.startswith("2.11."), "PyTorch 2.11 crashed where it loads such a library, of a model of its own layers too")
    def test_ahead_of_time(self):
        # A library that AOTInductor has compiled calls the operators without Python.
        model, x = Block().eval(), tensor((2, 16, 6, 7), torch.float32)
        program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: torch.export.Dim("batch", min=2)}})
        with tempfile.TemporaryDirectory() as folder:
            # PyTorch's headers are read once here: to compile them for others takes longer than to read them.
            file = torch._inductor.aoti_compile_and_package(program, package_path=str(pathlib.Path(folder, "model.pt2")),
                                                            inductor_configs={"aot_inductor.precompile_headers": False})
            compiled = torch._inductor.aoti_load_package(file)
            for images in (2, 5):
                x = tensor((images, 16, 6, 7), torch.float32)
                torch.testing.assert_close(compiled(x), model(x))


if __name__ == "__main__":
    unittest.main()
