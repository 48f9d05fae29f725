# How many steps a point of the plane takes to leave the circle of radius 2.
# SPDX-License-Identifier: Apache-2.0
from numba import cuda


@cuda.jit("int32(float64, float64, int32)", device=True)
def steps(real, imaginary, most):
    x = 0.0
    y = 0.0
    for i in range(most):
        if x * x + y * y > 4:
            return i
        next_x = x * x - y * y + real
        y = 2 * x * y + imaginary
        x = next_x
    return most


@cuda.jit("void(float64, float64, float64, int32, uint16[:, :])")
def mandelbrot(left, bottom, width, most, image):
    column, row = cuda.grid(2)
    height, columns = image.shape
    if row < height and column < columns:
        scale = width / columns
        image[row, column] = steps(left + column * scale, bottom + row * scale, most)
