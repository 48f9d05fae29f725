# spio.cuda as a package, and its arrays: those of NumPy, of DLPack, and of the device.
# SPDX-License-Identifier: Apache-2.0
#
# spio.cuda makes kernels of Python's functions, which the interpreter runs where there is no GPU. DLPack and
# __cuda_array_interface__ are protocols by which libraries pass tensors on. A pack is a file of compiled kernels.
# `dialect` is the module in C++ behind spio.cuda.
import enum
import pathlib
import subprocess
import sys
import tempfile
import unittest

from spio import cuda, dialect


@cuda.jit
def stored(o, x):
    o[cuda.threadIdx.x] = x


@cuda.jit
def both(y, x):
    y[cuda.threadIdx.x] += 1


@cuda.jit
def sizes_of(o, x):
    o[0], o[1] = x.shape
    o[2] = x.size


def fill_with(number):
    """A kernel that stores a number, which is a constant in its text."""
    @cuda.jit
    def fill(o):
        o[0] = number

    return fill


def filled_kernel(o, x):
    j, i = cuda.grid(2)
    o[i, j] = x


class Package(unittest.TestCase):
    def test_imports_nothing_large(self):
        program = "import sys; sys.modules['torch'] = sys.modules['numpy'] = None\nimport spio\nprint(spio.cuda.float32[:, :])"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout, "float32[:, :]\n")

    def test_packs(self):
        file = "'nowhere.spiopack'"
        early = f"from spio import cuda\ntry: cuda.use_pack({file})\nexcept cuda.Error as error: print(error.kind)\n"
        late = f"from spio import cuda\ncuda.device_array(1)\ntry: cuda.use_pack({file})\nexcept cuda.Error as error: print(error)\n"
        for program, words in ((early, "not_found"), (late, "packs are named before the first kernel is launched")):
            run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
            self.assertIn(words, run.stdout)

    def test_examples(self):
        folder = pathlib.Path(__file__).resolve().parents[2] / "examples/cuda_python"
        program = (
            "import pathlib, runpy, sys\n"
            "from spio import cuda\n"
            f"for file in sorted(pathlib.Path({str(folder)!r}).glob('*.py')):\n"
            "    kernel = runpy.run_path(str(file))[file.stem]\n"
            "    print(kernel.program().symbol.rsplit('_', 1)[0])\n"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(run.stdout, "axpy\nblack_scholes\nlaplace\nmandelbrot\nmatmul\n", run.stderr)

    def test_program_of_the_page(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/cuda_python.md"
        program = page.read_text().split("<!-- into build/example.py -->\n```python\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.py"
            file.write_text(program)
            run = subprocess.run([sys.executable, file], capture_output=True, text=True)
        self.assertEqual(run.stdout, program.rsplit("  # ")[-1], run.stderr)


class NumPy(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no NumPy")
        self.numpy = numpy

    def refuse(self, call, *arguments):
        """The error that a call must raise."""
        with self.assertRaises(cuda.Error) as caught:
            call(*arguments)
        return caught.exception

    def test_arrays(self):
        np = self.numpy
        for kind in ("bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"):
            for o in (np.zeros(6, kind), np.zeros((6, 2), kind)[:, 1], np.zeros(6, kind)[::-1]):
                stored[1, 6](o, np.ones(1, kind)[0])
                self.assertTrue((o == 1).all(), kind)
        frame = np.zeros((4, 6), "f4")
        stored[1, 2](frame[1:3, 4], np.float32(2))
        self.assertEqual(frame.sum(), 4)
        self.assertEqual(frame[1:3, 4].tolist(), [2, 2])
        fixed = np.zeros(2, "f4")
        fixed.setflags(write=False)
        stored[1, 2](fixed, 1.0)
        self.assertEqual(fixed.sum(), 0)
        self.assertIn("'<f2'", str(self.refuse(stored[1, 1], np.zeros(1, "f2"), 1)))
        self.assertIn("8", str(self.refuse(stored[1, 1], np.zeros((1,) * 9), 1)))  # at most 8 dimensions

    def test_copies(self):
        np = self.numpy
        for array_of in (lambda a: a, np.asfortranarray, lambda a: a[::-1]):
            x = array_of(np.arange(12.0).reshape(3, 4))
            d = cuda.to_device(x)
            self.assertEqual(d.dtype, x.dtype)
            self.assertEqual(d.copy_to_host().tolist(), x.tolist())
        empty = cuda.to_device(np.zeros((0, 3)))
        self.assertEqual(empty.copy_to_host().shape, (0, 3))
        pinned = cuda.pinned_array((2, 3), np.int32)
        pinned[:] = 7
        self.assertEqual(cuda.to_device(pinned).copy_to_host().tolist(), pinned.tolist())

    def test_globals_of_numpy(self):
        np = self.numpy
        for number in (np.float64(0.5), np.complex128(1 - 2j), np.float32(0.25), np.int8(-3), np.uint64(2**64 - 1), 2**63, enum.IntEnum("E", "A B").B):
            kind = np.asarray(number).dtype
            o = np.zeros(1, kind)
            fill_with(number)[1, 1](o)
            self.assertEqual(o[0], number, repr(number))

    def test_overlaps(self):
        np = self.numpy
        y = np.zeros(4)
        copied = cuda.jit(both.function)
        copied[1, 4](y, y)  # is one copy
        self.assertEqual(y.tolist(), [1] * 4)
        fixed = y[1:]
        fixed.setflags(write=False)  # what is only read is copied by the interpreter, too
        self.assertIn("are parts of one array", str(self.refuse(copied[1, 3], y, fixed)))
        self.assertIn("are parts of one array", str(self.refuse(copied[1, 3], y[::-1], fixed)))
        copied[1, 2](y[:2], np.zeros(0))

    def test_interfaces(self):
        class Described:
            """An array by its interface, right but for the given changes."""

            def __init__(self, **changes):
                self.__cuda_array_interface__ = {"shape": (2,), "typestr": "<f4", "data": (8, False), "version": 3} | changes

        for changes, words in (
            ({"typestr": "<f2"}, "no type for elements of '<f2'"),
            ({"typestr": ">f4"}, "no type for elements of '>f4'"),
            ({"typestr": "f"}, "no type for elements of 'f'"),
            ({"typestr": "<i3"}, "no type for elements of '<i3'"),
            ({"typestr": "<f4junk"}, "no type for elements of '<f4junk'"),
            ({"typestr": "<f4\0"}, "no type for elements of '<f4"),
            ({"typestr": "<f-4"}, "no type for elements of '<f-4'"),
            ({"typestr": "<f536870916"}, "no type for elements of '<f536870916'"),  # 8 times this is 32 in 32 bits
            ({"typestr": "<f" + "9" * 50}, "no type for elements of '<f" + "9" * 38),
            ({"data": 8}, "its interface lacks"),
            ({"shape": ()}, "0 dimensions"),
            ({"shape": (-1,)}, "its shape is negative"),
            ({"shape": (1 << 62, 4)}, "it is too large"),
            ({"shape": (0, 1 << 62, 4)}, "it is too large"),
            ({"shape": (4,), "strides": (-(1 << 62),)}, "its strides are too large"),
            ({"strides": (4, 4)}, "its strides are not of its shape"),
            ({"strides": [4]}, "its strides are not of its shape"),
        ):
            self.assertIn(words, str(self.refuse(stored[1, 1], Described(**changes), 1)))
        for nowhere in ({}, {"data": (0, False)}):
            self.assertIn("GPU" if cuda.current_device() >= 0 else "driver", str(self.refuse(stored[1, 1], Described(**nowhere), 1)))

        class Unclear:
            """A flag whose truth value raises an exception of its own, which must reach the caller."""

            def __bool__(self):
                raise ValueError("neither true nor false")

        with self.assertRaisesRegex(ValueError, "neither true nor false"):
            stored[1, 1](Described(shape=(0,), data=(0, Unclear())), 1)

    def test_empty_arrays_are_nowhere(self):
        class Empty:
            __cuda_array_interface__ = {"shape": (3, 0), "typestr": "<f4", "data": (0, False), "version": 3}

        sizes = self.numpy.zeros(3, "i8")
        sizes_of[1, 1](sizes, Empty())
        self.assertEqual(sizes.tolist(), [3, 0, 0])
        # Arguments: address, shape, strides, element, GPU, whether it may be written to, owner.
        other = dialect.view(0, (5, 0), None, "float32", 1, True, None)
        sizes_of[1, 1](sizes, other)
        self.assertEqual(sizes.tolist(), [5, 0, 0])
        cell = dialect.view(8, (1, 1), None, "float32", 1, True, None)
        self.assertIn("argument 'x' is on GPU 1", str(self.refuse(sizes_of[1, 1], sizes, cell)))

    def test_dlpack(self):
        class Tensor:
            def __init__(self, values):
                self.__dlpack__, self.__dlpack_device__ = values.__dlpack__, values.__dlpack_device__

        values = self.numpy.zeros((2, 3), "f4")
        cuda.jit(filled_kernel)[1, (3, 2)](Tensor(values), 4)
        self.assertEqual(values.sum(), 24)


if __name__ == "__main__":
    unittest.main()
