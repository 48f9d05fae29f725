# A step of Jacobi for the equation of Laplace, and for each block the norm of its residuals.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python, of which cuda.jit makes a kernel. A residual is how much an
# element changes; a block adds those of its threads in shared memory.
import math

from spio import cuda
from spio.cuda import float64

SIDE = 8


@cuda.jit("void(float64[:, :], float64[:, :], float64[:, :])")
def laplace(old, new, norm):
    squares = cuda.shared.array((SIDE, SIDE), dtype=float64)
    column, row = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    rows, columns = old.shape
    squares[y, x] = 0
    # The border stays as it is, and has no residual.
    if row > 0 and row + 1 < rows and column > 0 and column + 1 < columns:
        vertical = old[row - 1, column] + old[row + 1, column]
        horizontal = old[row, column - 1] + old[row, column + 1]
        residual = 0.25 * (vertical + horizontal) - old[row, column]
        new[row, column] = old[row, column] + residual
        squares[y, x] = residual * residual
    cuda.syncthreads()

    # The first thread adds what the block has stored.
    if x == 0 and y == 0:
        total = 0.0
        for i in range(SIDE):
            for j in range(SIDE):
                total += squares[i, j]
        norm[cuda.blockIdx.y, cuda.blockIdx.x] = math.sqrt(total)
