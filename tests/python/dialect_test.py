# spio.cuda without PyTorch and without a GPU: what Python adds to the language, and what it refuses.
# SPDX-License-Identifier: Apache-2.0
#
# spio.cuda makes kernels of Python's functions, in CUDA Python, a statically typed part of the language.
# Without a GPU the interpreter runs them. What their text means is tested elsewhere: here are decorators,
# names of the surrounding module, arguments and errors.
import array
import math
import pathlib
import sys
import threading
import unittest

from spio import cuda
from spio.cuda import arguments, float32, float64, grid, int32, void

COUNT = 3
SCALE = -2.5
KIND = float64


@cuda.jit("void(float32, float32[:], float32[:])")
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


@cuda.jit(device=True)
def scaled(x):
    return x * SCALE + COUNT


@cuda.jit(float64(float64), device=True)
def rooted(x):
    return math.sqrt(x)


def shift_by(number):
    """A device function that sees a variable of the function around it."""
    @cuda.jit(device=True)
    def shift(x):
# A comment may stand further left.
        return scaled(x) + number

    return shift


shift_one, shift_ten = shift_by(1), shift_by(10)


@cuda.autojit
def combined(o, x):
    shared = cuda.shared.array(COUNT + 1, KIND)
    i = grid(1)
    shared[cuda.threadIdx.x] = rooted(x)
    cuda.syncthreads()
    o[i] = shift_one(i) + 100 * shift_ten(shared[3 - i])


@cuda.jit
def stored(o, x):
    o[cuda.threadIdx.x] = x


@cuda.jit(floor=True)
def floored(o, a, b):
    o[0] = a // b
    o[1] = a % b


@cuda.jit
def read_below(o):
    o[0] = helper(o[0])  # defined later, as in Python


@cuda.jit(device=True)
def helper(x):
    return y_of(x)


def y_of(x):
    return x


def numbers(letter, *values):
    """An array of the standard library, by the letter of its type."""
    return array.array(letter, values)


class Dialect(unittest.TestCase):
    def refuse(self, call, *arguments, **options):
        """The error that a call must raise."""
        with self.assertRaises(cuda.Error) as caught:
            call(*arguments, **options)
        return caught.exception

    def line_of(self, words):
        """The number of the line of this file that has these words."""
        text = pathlib.Path(__file__).read_text().splitlines()
        return next(i for i, line in enumerate(text, 1) if words in line and "line_of" not in line)


class Launches(Dialect):
    def test_arrays_of_the_cpu(self):
        x, y = numbers("f", *range(10)), numbers("f", *[1] * 10)
        axpy[2, 8](2, x, y)
        self.assertEqual(list(y), [1 + 2 * i for i in range(10)])

    def test_arrays_of_the_device(self):
        x = cuda.to_device(numbers("f", *range(10)))
        y = cuda.device_array_like(x)
        y.copy_to_device(numbers("f", *[1] * 10))
        stream = cuda.stream()
        axpy[(2, 1), (8, 1, 1), stream](2, x, y)
        stream.synchronize()
        cuda.synchronize()
        self.assertEqual((x.shape, x.strides, x.ndim, x.size, len(x), x.element), ((10,), (4,), 1, 10, 10, "float32"))
        target = numbers("f", *[0] * 10)
        self.assertIs(y.copy_to_host(target, stream), target)
        self.assertEqual(list(target), [1 + 2 * i for i in range(10)])
        self.assertEqual(list(y.copy_to_host()), list(target))
        self.refuse(y.copy_to_host, numbers("d", *[0] * 10))
        self.refuse(y.copy_to_device, numbers("f", 1))
        self.refuse(cuda.to_device, 3)
        if y.place < 0:
            self.assertFalse(hasattr(y, "__cuda_array_interface__"))
        else:
            self.assertEqual(y.__cuda_array_interface__["data"], (y.address, False))

    def test_buffers_are_held(self):
        values = numbers("d", 1, 2)
        view = arguments.array_of(values)
        self.assertRaises(BufferError, values.append, 3)  # its memory must not move while there is a view of it
        del view
        values.append(3)
        self.refuse(cuda.select_device, 2**32)

    def test_objects_that_python_does_not_make(self):
        for kind in (cuda.DeviceArray, type(cuda.stream()), type(axpy.program()), type(axpy[1, 1])):
            self.assertRaises(TypeError, kind)

    def test_numbers(self):
        for letter, value, element in (("q", -5, "int64"), ("d", 2.5, "float64"), ("f", 2, "float32")):
            o = numbers(letter, 0, 0)
            stored[1, 2](o, value)
            self.assertEqual(list(o), [value] * 2)
            self.assertIn(element, stored.program(f"{element}[:], int64").signature)
        typed = cuda.jit("void(int8[:], int8)")(stored.function)
        o = numbers("b", 0)
        for value in (-128, 127):
            typed[1, 1](o, value)
            self.assertEqual(o[0], value)
        for value in (128, -129, 2**70, 1.5, 1j):
            self.assertIn("which is no value of int8", str(self.refuse(typed[1, 1], o, value)))
        unsigned = cuda.jit("void(uint64[:], uint64)")(stored.function)
        o = numbers("Q", 0)
        unsigned[1, 1](o, 2**64 - 1)
        self.assertEqual(o[0], 2**64 - 1)
        self.refuse(unsigned[1, 1], o, -1)
        self.refuse(cuda.jit("void(float32[:], float32)")(stored.function)[1, 1], numbers("f", 0), 1j)

    def test_rounding(self):
        o = numbers("q", 0, 0)
        floored[1, 1](o, -7, 2)
        self.assertEqual(list(o), [-4, 1])
        cuda.jit(floored.function)[1, 1](o, -7, 2)
        self.assertEqual(list(o), [-3, -1])

    def test_threads_of_python(self):
        kernel = cuda.jit(stored.function)
        results = [numbers("q", 0) for _ in range(8)]
        threads = [threading.Thread(target=lambda i=i: kernel[1, 1](results[i], i)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([result[0] for result in results], list(range(8)))

    def test_what_is_refused(self):
        o = numbers("d", 0)
        words = {
            "kernel[grid, block]": lambda: stored[1],
            "the grid is 0 along x": lambda: stored[0, 1],
            "the grid is 2 along z": lambda: stored[(1, 1, 2), 1],
            "the block has 2048 threads": lambda: stored[1, (1024, 2)],
            "takes no keyword arguments": lambda: stored[1, 1](o, x=1),
            "it takes 3 arguments, and not 2": lambda: axpy[1, 1](1, o),
            "is float64[:], but must be float32[:]": lambda: axpy[1, 1](1, o, o),
            "is int64, but must be float32[:]": lambda: axpy[1, 1](1, 2, 3),
            "a str is no argument of a kernel": lambda: stored[1, 1](o, "x"),
            "is launched over a grid": lambda: stored(o, 1),
            "kernels call it": lambda: scaled(1),
            "Python does not run it": lambda: cuda.grid(1),
            "no argument 'fast'": lambda: cuda.jit(fast=True),
            "a kernel returns nothing": lambda: cuda.jit("int32(int32)"),
        }
        for text, call in words.items():
            self.assertIn(text, str(self.refuse(call)))
        self.assertIn("signature:1:6", str(self.refuse(cuda.jit, "void(fload)")))


class Sources(Dialect):
    def test_names(self):
        o = numbers("d", 0, 0, 0, 0)
        combined[1, 4](o, 9)
        expected = lambda x: x * SCALE + COUNT  # noqa: E731
        self.assertEqual(list(o), [expected(i) + 1 + 100 * (expected(3) + 10) for i in range(4)])
        self.assertIn("f0", combined.program("float64[:], int64").text)

    def test_numbers_of_globals(self):
        for value in (0, -1, 2**63 - 1, -(2**63)):
            kernel = cuda.jit(constant_kernel(value))
            o = numbers("q", 0)
            kernel[1, 1](o)
            self.assertEqual(o[0], value)
        for value in (0.1, -1e300, 5e-324, math.inf, -math.inf, math.nan):
            o = numbers("d", 0)
            cuda.jit(constant_kernel(value))[1, 1](o)
            self.assertEqual(repr(o[0]), repr(value))

    def test_signatures(self):
        self.assertEqual(repr(void(int32, float32[:, :])), "void(int32, float32[:, :])")
        for signature in ("void(float64[:], float64)", void(float64[:], float64), "float64[:], float64"):
            kernel = cuda.jit(signature)(stored.function)
            self.assertEqual(kernel.program().signature, "float64[:], float64")
        kernel = cuda.jit(argtypes=[float64[:], float64], restype=void)(stored.function)
        self.assertEqual(kernel.program().symbol.split("_")[0], "stored")
        self.refuse(lambda: float32[1])
        self.refuse(float32, 1)

    def test_where_a_program_is_wrong(self):
        error = self.refuse(read_below[1, 1], numbers("d", 0))
        self.assertEqual((error.kind, error.rule, error.file), ("invalid", "globals", __file__))
        self.assertEqual((error.line, error.column), (self.line_of("return y_of(x)"), 12))
        self.assertIn("'y_of' is a Python function without cuda.jit(device=True)", error.message)
        self.assertTrue(str(error).endswith("    return y_of(x)\n           ^\n"), str(error))
        error = self.refuse(cuda.jit("void(float64)"), wrong)
        self.assertEqual((error.rule, error.file, error.line), ("operators", __file__, self.line_of("return x & 1")))
        called = f"{__file__}:{self.line_of('flags(x)  # wrong')}:9: called from here"
        self.assertIn(called, str(error))
        if cuda.current_device() < 0:  # a GPU would store outside of the array
            error = self.refuse(outside[1, 4], numbers("d", 0, 0, 0))
            self.assertEqual((error.kind, error.line, error.column), ("misuse", self.line_of("= 1  # outside"), 5))
            self.assertIn("index 3 of dimension 0", error.message)

    def test_functions_without_a_text(self):
        names = {"cuda": cuda}
        exec("def k(a):\n    a[0] = 1\n", names)
        self.assertIn("there is no source of 'k'", str(self.refuse(cuda.jit("void(int32[:])"), names["k"])))
        self.assertIn("is no function", str(self.refuse(cuda.jit("void(int32)"), lambda a: None)))
        self.assertIn("decorates functions", str(self.refuse(cuda.jit(), 3)))


def constant_kernel(number):
    def kernel(o):
        o[0] = number

    return kernel


@cuda.jit(device=True)
def flags(x):
    return x & 1


def wrong(x):
    y = flags(x)  # wrong


@cuda.jit
def outside(o):
    o[cuda.threadIdx.x] = 1  # outside


if __name__ == "__main__":
    unittest.main()
