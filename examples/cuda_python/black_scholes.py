# Prices of European options by the formula of Black and Scholes.
# SPDX-License-Identifier: Apache-2.0
import math

from numba import cuda

RISK_FREE_RATE = 0.02
VOLATILITY = 0.30


# The standard normal distribution, by a polynomial of five terms (Abramowitz and Stegun, 26.2.17).
@cuda.jit(device=True)
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(x))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail *= 0.3989422804014327 * math.exp(-0.5 * x * x)
    if x > 0:
        tail = 1.0 - tail
    return tail


@cuda.jit("void(float64[:], float64[:], float64[:], float64[:], float64[:])")
def black_scholes(call, put, price, strike, years):
    i = cuda.grid(1)
    if i >= price.size:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (RISK_FREE_RATE + 0.5 * VOLATILITY * VOLATILITY) * years[i]) / (
        VOLATILITY * root)
    d2 = d1 - VOLATILITY * root
    discounted = strike[i] * math.exp(-RISK_FREE_RATE * years[i])
    call[i] = price[i] * normal(d1) - discounted * normal(d2)
    put[i] = discounted * (1.0 - normal(d2)) - price[i] * (1.0 - normal(d1))
