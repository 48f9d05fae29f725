# spio.cuda on a GPU, with tensors of PyTorch: passed without a copy, in its streams and graphs.
# SPDX-License-Identifier: Apache-2.0
#
# spio.cuda makes kernels of Python's functions. Tensors come by one of two protocols, __dlpack__ or
# __cuda_array_interface__; a launch is ordered after the work of the library that the tensor is from.
import pathlib
import runpy
import unittest

import numpy
import torch

from spio import cuda

examples = pathlib.Path(__file__).resolve().parents[2] / "examples/cuda_python"


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


@cuda.jit
def transposed(x, y):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[j, i] = x[i, j]


@cuda.jit
def stepped(y, x):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i] * 0 + i + 1


@cuda.jit
def never_called_before(x):
    x[cuda.threadIdx.x] += 1


class Passed:
    """A tensor that offers one protocol alone."""

    def __init__(self, tensor, *names):
        self.tensor = tensor
        self.names = names

    def __getattr__(self, name):
        if name in self.names:
            return getattr(self.tensor, name)
        raise AttributeError(name)


class Interface:
    """What offers a given __cuda_array_interface__."""

    def __init__(self, described):
        self.__cuda_array_interface__ = described


class Tensors(unittest.TestCase):
    def test_protocols(self):
        x = torch.arange(1000, dtype=torch.float32, device="cuda")
        for names in (("__cuda_array_interface__",), ("__dlpack__", "__dlpack_device__"), None):
            y = torch.ones_like(x)
            passed = y if names is None else Passed(y, *names)
            axpy[4, 256](2.0, x, passed)
            self.assertTrue(torch.equal(y, 1 + 2 * x), names)

    def test_interfaces(self):
        x = torch.arange(60, dtype=torch.float32, device="cuda").reshape(6, 10)
        y = torch.zeros(10, 6, device="cuda")
        transposed[(1, 1), (16, 16)](Passed(x, "__cuda_array_interface__"), Passed(y, "__cuda_array_interface__"))
        self.assertTrue(torch.equal(y, x.T))
        transposed[(1, 1), (16, 16)](Passed(y.T, "__cuda_array_interface__"), y)
        described = x[0].__cuda_array_interface__
        total = torch.zeros(10, device="cuda")
        for stream in (None, 1, torch.cuda.Stream().cuda_stream):  # none, the default stream's number, a stream of its own
            axpy[1, 32](1.0, Interface(described | {"stream": stream}), total)
        self.assertEqual(total.tolist(), [3 * number for number in range(10)])
        for address in (8, numpy.zeros(4).ctypes.data):
            with self.assertRaisesRegex(cuda.Error, f"address {address} is in the memory of no GPU"):
                axpy[1, 32](1.0, Interface(described | {"data": (address, False)}), x[0])
        if torch.cuda.device_count() > 1:
            other = torch.ones(10, device="cuda:1")
            with self.assertRaisesRegex(cuda.Error, "argument 'x' is on GPU 1, and the kernel runs on"):
                axpy[1, 32](1.0, Passed(other, "__cuda_array_interface__"), x[0])

    def test_types(self):
        for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64):
            x = torch.arange(100, device="cuda").to(dtype)
            y = torch.zeros_like(x)
            axpy[1, 128](1, x, y)
            self.assertTrue(torch.equal(x, y), dtype)
        for dtype in (torch.float16, torch.bfloat16):
            with self.assertRaisesRegex(cuda.Error, "no type for its elements of 16 bits"):
                axpy[1, 1](1, torch.zeros(1, dtype=dtype, device="cuda"), x)

    def test_strides(self):
        x = torch.rand(70, 90, device="cuda")[5:, ::3]
        y = torch.zeros(80, 30, device="cuda").T[:, 10:75]
        transposed[(4, 9), (16, 8)](x, y.T.T)
        self.assertTrue(torch.equal(y, x.T))

    def test_memory_of_the_cpu(self):
        x, y = torch.rand(100), torch.rand(100)
        expected = y + 2 * x
        axpy[1, 128](2.0, x, y)
        torch.testing.assert_close(y, expected)
        stepped[1, 128](x, x)  # one copy, although it is passed twice
        self.assertEqual(x.tolist(), list(range(1, 101)))
        z = cuda.to_device(x)
        self.assertTrue(torch.equal(torch.as_tensor(z, device="cuda").cpu(), x))
        pinned = cuda.pinned_array(100, "float32")
        z.copy_to_host(pinned)
        self.assertEqual(pinned.tolist(), x.tolist())

    def test_streams(self):
        x, y = torch.ones(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
        torch.cuda.synchronize()
        own, others = cuda.stream(), torch.cuda.Stream()
        blocks = (1 << 20) // 256
        with torch.cuda.stream(others):
            for _ in range(100):  # in the order of PyTorch's current stream
                x += 1
                axpy[blocks, 256](1.0, x, y)
        others.synchronize()
        self.assertEqual(float(y[-1]), sum(range(2, 102)))
        for stream in (own, others, others.cuda_stream, cuda.external_stream(others.cuda_stream)):
            y.zero_()
            torch.cuda.synchronize()
            axpy[blocks, 256, stream](1.0, x, y)
            cuda.synchronize()
            self.assertTrue(torch.equal(x, y))

    def test_graphs(self):
        x, y = torch.ones(256, device="cuda"), torch.zeros(256, device="cuda")
        graph = torch.cuda.CUDAGraph()
        axpy[1, 256](1.0, x, y)
        with torch.cuda.graph(graph):
            axpy[1, 256](1.0, x, y)
            with self.assertRaises(cuda.Error) as caught:
                never_called_before[1, 256](x)
            self.assertEqual(caught.exception.kind, "cold_kernel")
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        self.assertEqual(float(y[0]), 4)

    def test_gradients_are_kept(self):
        x = torch.ones(4, device="cuda", requires_grad=True)
        y = torch.zeros(4, device="cuda")
        try:
            axpy[1, 4](1.0, x, y)
        except (BufferError, RuntimeError):
            return  # PyTorch does not pass on what it has gradients of
        self.assertEqual(y.tolist(), [1] * 4)


class Interpreter(unittest.TestCase):
    """The examples compute on the GPU what the interpreter computes."""

    def compare(self, name, grid, block, arguments, tolerance=0.0):
        kernel = runpy.run_path(str(examples / f"{name}.py"))[name]
        results = []
        for device in ("host", 0):
            cuda.select_device(device)
            copies = [numpy.array(a) if isinstance(a, numpy.ndarray) else a for a in arguments]
            kernel[grid, block](*copies)
            results.append(copies)
        for left, right in zip(*results):
            numpy.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)

    def tearDown(self):
        cuda.select_device(0)

    def test_examples(self):
        random = numpy.random.default_rng(1)
        single = lambda *shape: random.random(shape, "f4")  # noqa: E731
        double = lambda *shape: random.random(shape)  # noqa: E731
        self.compare("axpy", 4, 64, (2.5, single(250), single(250)), 1e-6)
        self.compare("matmul", (3, 3), (8, 8), (single(20, 30), single(30, 24), single(20, 24)), 1e-6)
        years = 1 + double(100)
        self.compare("black_scholes", 2, 64, (double(100), double(100), 20 + double(100), 21 - double(100), years), 1e-12)
        self.compare("mandelbrot", (2, 2), (16, 4), (-2.0, -1.0, 3.0, 50, numpy.zeros((20, 30), "u2")))
        self.compare("laplace", (3, 3), (8, 8), (double(20, 22), double(20, 22), numpy.zeros((3, 3))), 1e-12)


if __name__ == "__main__":
    unittest.main()
