# c = a b by tiles of 8 x 8 in shared memory; the sizes need be no multiples of 8.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python, of which cuda.jit makes a kernel; cuda.grid(2) is the thread's
# place in the grid.
from spio import cuda
from spio.cuda import float32

TILE = 8


@cuda.jit("void(float32[:, :], float32[:, :], float32[:, :])")
def matmul(a, b, c):
    a_tile = cuda.shared.array((TILE, TILE), dtype=float32)
    b_tile = cuda.shared.array((TILE, TILE), dtype=float32)
    column, row = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    depth = a.shape[1]
    total = float32(0)
    for start in range(0, depth, TILE):
        # Elements outside of the matrices count as 0. Both loads begin before their values are stored.
        left = float32(0)
        right = float32(0)
        if row < a.shape[0] and start + x < depth:
            left = a[row, start + x]
        if start + y < depth and column < b.shape[1]:
            right = b[start + y, column]
        a_tile[y, x] = left
        b_tile[y, x] = right
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total
