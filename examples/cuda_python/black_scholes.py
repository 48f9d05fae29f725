# Prices of European options in the model of Black and Scholes.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python. cuda.jit makes a function a kernel, or with device=True one that
# kernels call; cuda.grid(1) is the number of the thread.
import math

from spio import cuda
from spio.cuda import int32

INTEREST = 0.035
DEVIATION = 0.45  # of the logarithm of a price in a year
TERMS = 100


# The standard normal distribution: one half, and the density times x + x^3/3 + x^5/(3 5) + ...
# Its terms suffice for x from -8 to 8, beyond which it is 0 or 1.
@cuda.jit(device=True)
def probability(x):
    if x < -8.0:
        return 0.0
    if x > 8.0:
        return 1.0
    term = x
    total = x
    for k in range(1, TERMS):
        term *= x * x / int32(2 * k + 1)
        total += term
    return 0.5 + total * math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


# The value of a call for a sign of 1, of a put for a sign of -1.
@cuda.jit(device=True)
def value(sign, price, due, spread):
    middle = math.log(price / due) / spread
    paid = price * probability(sign * (middle + 0.5 * spread))
    return sign * (paid - due * probability(sign * (middle - 0.5 * spread)))


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], float64[:])")
def black_scholes(call, put, price, strike, years):
    i = cuda.grid(1)
    if i < price.size:
        # What is paid at the end, in money of today.
        due = strike[i] * math.exp(-INTEREST * years[i])
        spread = DEVIATION * math.sqrt(years[i])
        call[i] = value(1.0, price[i], due, spread)
        put[i] = value(-1.0, price[i], due, spread)
