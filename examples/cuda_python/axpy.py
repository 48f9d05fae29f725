# y = a x + y, an element for each thread.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python, of which cuda.jit makes a kernel; cuda.grid(1) is the number of
# the thread.
from spio import cuda


@cuda.jit("void(float32, float32[:], float32[:])")
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]
