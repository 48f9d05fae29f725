# Fits the order in which candidates are offered to a model: corrections of the estimate by a few of its parts.
# SPDX-License-Identifier: Apache-2.0
"""order.py TIMES[.xz]... --program MODELS_FEATURES

TIMES is what a sweep of conv2d wrote. For each body, a kernel template, it prints what modules/conv2d/shortlist.cpp has: weights of
terms that are added to the logarithm (to base 2) of the estimate. A fit by least squares within layers, where rows near the best of
their layer weigh more; layers that train.py holds out are left out. Then it prints, for layers that are held out, how much longer
the best of the first K configurations takes than the best of all, in the order of the estimate and in this one.
"""
import argparse
import pathlib
import tempfile

import numpy

import train

# The terms of a body, as features of the models: the weight of "one" tells TMA from cp_async.
OF_GRADIENTS = ["latency_share", "arithmetic_share", "sms_used", "log_loads_of_fullest", "log_of_groups", "log_stages", "log_pixels"]
TERMS = {"cp_async": ["latency_share", "arithmetic_share", "share_of_lone_block", "sms_used", "log_rows_of_tile", "log_of_groups"],
         "tma": ["one", "copies_rows", "latency_share", "arithmetic_share", "share_of_lone_block", "sms_used", "log_rows_of_tile", "log_of_groups"],
         "wgrad_cp_async": OF_GRADIENTS, "wgrad_tma": ["one", "copies_rows", *OF_GRADIENTS]}


def terms_of(sweep, rows, body):
    """The values of the terms for some rows; 0 for rows of other bodies."""
    feature = {name: sweep.features[rows, number].astype(float) for number, name in enumerate(sweep.names)}
    known = feature | {"one": numpy.ones(len(rows)), "share_of_lone_block": 1 / feature["blocks"],
                       "log_rows_of_tile": numpy.log2(numpy.maximum(feature["rows"], 1)), "log_of_groups": numpy.log2(feature["groups"]),
                       "log_stages": numpy.log2(feature["stages"]), "log_pixels": numpy.log2(feature["images"] * feature["columns"])}
    is_body = (feature["is_tma"] > 0) == body.endswith("tma")
    return [numpy.where(is_body, known[term], 0) for term in TERMS[body]]


def centred(values, layers, weight):
    """Values less their weighted mean in each layer."""
    return values - (numpy.bincount(layers, weight * values) / numpy.bincount(layers, weight))[layers]


def first_losses(sweep, rows, keys, counts):
    """The mean of the best time among the first of each layer over its best time."""
    layers = numpy.unique(sweep.layer[rows], return_inverse=True)[1]
    order = numpy.lexsort((keys, layers))
    starts = numpy.flatnonzero(numpy.diff(layers[order], prepend=-1))
    place = numpy.empty(len(rows), int)
    place[order] = numpy.arange(len(rows)) - numpy.repeat(starts, numpy.diff(numpy.append(starts, len(rows))))
    best = numpy.full(layers.max() + 1, numpy.inf)
    numpy.minimum.at(best, layers, sweep.times[rows])
    found = []
    for count in counts:
        least = numpy.full(layers.max() + 1, numpy.inf)
        is_first = place < count
        numpy.minimum.at(least, layers[is_first], sweep.times[rows][is_first])
        found.append(float(numpy.exp(numpy.log(least / best).mean())))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sweep = train.Sweep("conv2d", options.times, options.program, pathlib.Path(folder))
    for bodies, directions in ((("cp_async", "tma"), ("fprop", "dgrad")), (("wgrad_cp_async", "wgrad_tma"), ("wgrad",))):
        # Clusters of blocks come from a search of their own.
        is_cluster = sweep.features[:, sweep.names.index("log_cluster")] > 0
        rows = numpy.flatnonzero(numpy.isin(sweep.directions[sweep.layer], directions) & ~is_cluster)
        is_held = sweep.is_held_out[sweep.layer[rows]]
        trained, held = rows[~is_held], rows[is_held]
        layers = numpy.unique(sweep.layer[trained], return_inverse=True)[1]
        weight = 1 / (sweep.times[trained] / sweep.best[sweep.layer[trained]] - 0.9)
        values = [centred(each, layers, weight) for body in bodies for each in terms_of(sweep, trained, body)]
        wanted = centred(numpy.log2(sweep.times[trained] / sweep.estimates[trained]), layers, weight)
        root = numpy.sqrt(weight)
        weights = numpy.linalg.lstsq(numpy.stack(values, 1) * root[:, None], wanted * root, rcond=None)[0].round(2)
        first = len(TERMS[bodies[0]])
        for body, part in zip(bodies, (weights[:first], weights[first:])):
            print(body, dict(zip(TERMS[body], part.tolist())))
        counts = (8, 12, 16, 20, 24, 32)
        terms = numpy.stack([each for body in bodies for each in terms_of(sweep, held, body)], 1)
        print("first", counts, "by the estimate:", numpy.round(first_losses(sweep, held, sweep.estimates[held], counts), 4).tolist())
        keys = numpy.log2(sweep.estimates[held]) + terms @ weights
        print("first", counts, "in this order:", numpy.round(first_losses(sweep, held, keys, counts), 4).tolist())


if __name__ == "__main__":
    main()
