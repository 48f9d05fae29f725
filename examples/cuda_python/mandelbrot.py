# How many steps a point of the plane takes to leave the circle of radius 2.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python. cuda.jit makes a function a kernel, or with device=True one that
# kernels call; cuda.grid(2) is the thread's place in the grid.
from spio import cuda
from spio.cuda import int32


@cuda.jit("int32(float64, float64, int32)", device=True)
def steps(real, imaginary, most):
    x_squared = 0.0
    y_squared = 0.0
    product = 0.0
    count = int32(0)
    while count < most and x_squared + y_squared <= 4.0:
        x = x_squared - y_squared + real
        y = product + product + imaginary
        x_squared = x * x
        y_squared = y * y
        product = x * y
        count += 1
    return count


# A thread computes a column of points, as many rows apart as the grid has threads there.
@cuda.jit("void(float64, float64, float64, int32, uint16[:, :])")
def mandelbrot(left, bottom, width, most, image):
    column, first = cuda.grid(2)
    rows, columns = image.shape
    if column < columns:
        side = width / columns
        real = left + (column + 0.5) * side
        for row in range(first, rows, cuda.gridDim.y * cuda.blockDim.y):
            image[row, column] = steps(real, bottom + (row + 0.5) * side, most)
