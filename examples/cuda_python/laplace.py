# A step of Jacobi for the equation of Laplace: each inner point becomes the mean of its neighbours.
# SPDX-License-Identifier: Apache-2.0
import math

from numba import cuda, float64

WIDTH = 8


@cuda.jit("void(float64[:, :], float64[:, :], float64[:, :])")
def laplace(a, b, error):
    differences = cuda.shared.array((WIDTH, WIDTH), dtype=float64)
    j, i = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    difference = 0.0
    if 0 < i and i < a.shape[0] - 1 and 0 < j and j < a.shape[1] - 1:
        b[i, j] = 0.25 * (a[i, j + 1] + a[i, j - 1] + a[i + 1, j] + a[i - 1, j])
        difference = math.fabs(b[i, j] - a[i, j])
    differences[y, x] = difference
    cuda.syncthreads()

    # The largest difference of the block, by halves of a row and then of the column.
    n = WIDTH // 2
    while n > 0:
        if x < n and differences[y, x] < differences[y, x + n]:
            differences[y, x] = differences[y, x + n]
        cuda.syncthreads()
        n //= 2
    n = WIDTH // 2
    while n > 0:
        if x == 0 and y < n and differences[y, 0] < differences[y + n, 0]:
            differences[y, 0] = differences[y + n, 0]
        cuda.syncthreads()
        n //= 2
    if x == 0 and y == 0:
        error[cuda.blockIdx.y, cuda.blockIdx.x] = differences[0, 0]
