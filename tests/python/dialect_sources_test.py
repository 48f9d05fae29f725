# spio.cuda: what stands in the text of a decorator, and what is frozen when a kernel is compiled.
# SPDX-License-Identifier: Apache-2.0
#
# spio.cuda makes kernels of Python's functions, in CUDA Python, a statically typed part of the language. Without a
# GPU the interpreter runs them.
import array
import unittest

from spio import cuda

LEVEL = 1


@cuda.jit
def leveled(o):
    o[0] = LEVEL


@cuda.jit("""float64(float64,  # a comment with a "
                     float64)""", device=True)
def sum_of(x, y):
    return x + y


@cuda.jit("""void(
    float64[:],  # the sum
    float64)""")
def summed(o, x):
    o[0] = sum_of(x, 1)


@cuda.jit("()")
def empty():
    pass


class Sources(unittest.TestCase):
    def test_globals_are_frozen(self):
        global LEVEL
        integers, reals = array.array("q", [0]), array.array("d", [0])
        leveled[1, 1](integers)
        LEVEL = 2
        leveled[1, 1](integers)
        leveled[1, 1](reals)  # is compiled now
        self.assertEqual((integers[0], reals[0]), (1, 2))

    def test_signatures_of_several_lines(self):
        o = array.array("d", [0])
        summed[1, 1](o, 2.5)
        self.assertEqual((o[0], summed.program().signature), (3.5, "float64[:], float64"))
        empty[1, 1]()
        self.assertEqual(empty.program().signature, "")


if __name__ == "__main__":
    unittest.main()
