# What trees learn that choose among the configurations of a layer, as an objective for XGBoost.
# SPDX-License-Identifier: Apache-2.0
"""The regret of a configuration is its time over that of the fastest of its layer, less one."""
import numpy

# Besides squares, the regret of a choice by chance counts: of two configurations whose predicted times differ by a tenth, the faster
# one is e times as likely. It weighs ten times as much; a regret counts up to a half.
CHANCE = {"temperature": 0.1, "weight": 10, "most": 0.5, "curvature": 10}


def differences(sweep, rows, wanted, weight, regret):
    """The squared error of the differences between rows of a layer, and the regret of a choice by chance, as XGBoost takes an
    objective: what a layer's rows share does not count. All is computed by operations that round alike on every machine."""
    _, numbers = numpy.unique(sweep.layer[rows], return_inverse=True)
    weights = numpy.bincount(numbers, weight)
    temperature, power = CHANCE["temperature"], 16
    wanted, offset, cost = (numpy.float32(each).astype(float) for each in (
        wanted, numpy.log(sweep.times[rows]) - wanted, numpy.minimum(numpy.log1p(regret), CHANCE["most"])))

    def objective(values, _):
        """The derivatives by the values that are predicted."""
        values = values.astype(float)
        error = values - wanted
        error -= (numpy.bincount(numbers, weight * error) / weights)[numbers]
        times = values + offset
        least = numpy.full(len(weights), numpy.inf)
        numpy.minimum.at(least, numbers, times)
        # Nearly the exponential function.
        chance = numpy.maximum(0, 1 - (times - least[numbers]) / (power * temperature))
        for _ in range(4):
            chance = chance * chance
        chance /= numpy.bincount(numbers, chance)[numbers]
        excess = cost - numpy.bincount(numbers, chance * cost)[numbers]
        slope = CHANCE["weight"] / temperature * chance
        return weight * error - slope * excess, weight + CHANCE["curvature"] * slope * numpy.abs(excess)
    return objective
