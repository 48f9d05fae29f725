# How far choices are from the best configuration of their layer.
# SPDX-License-Identifier: Apache-2.0
"""The regret of a configuration is its time over that of the fastest measured for its layer, less one."""
import numpy


def regrets(sweep, rows, values):
    """Of each layer, the regret of the row with the least value."""
    order = numpy.lexsort((values, sweep.layer[rows]))
    _, first = numpy.unique(sweep.layer[rows][order], return_index=True)
    chosen = rows[order[first]]
    return sweep.times[chosen] / sweep.best[sweep.layer[chosen]] - 1


def summary(values):
    """Means and quantiles of regrets: how much longer the chosen configuration takes than the best, as a share."""
    if not len(values):
        return None
    return {"layers": len(values), "geomean": round(float(numpy.exp(numpy.log1p(values).mean())), 4),
            "p90": round(1 + float(numpy.quantile(values, 0.9)), 4), "p99": round(1 + float(numpy.quantile(values, 0.99)), 4),
            "worst": round(1 + float(values.max()), 4), "within_1_percent": round(float((values <= 0.01).mean()), 4)}


def random_regrets(sweep, rows, draws=10):
    """The regrets of choices at random, for comparison."""
    random = numpy.random.default_rng(2026)
    return numpy.concatenate([regrets(sweep, rows, random.random(len(rows))) for _ in range(draws)])
