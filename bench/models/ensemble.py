# Gives the trees of one model the leaves with which its predictions are nearest to the mean of several models.
# SPDX-License-Identifier: Apache-2.0
"""Models that were trained with other random draws choose differently among configurations that are nearly as fast. The mean of
several chooses better than each, but has as many times the trees. So one of them gets other leaves: those of the least squared error
of differences from the mean, between the configurations of a layer. The layers are the measured ones, and others that were only
drawn, of which the candidates are known and no times. All is computed in the same order on every machine.

A row is a configuration of a layer. The regret of a row is its time over that of the fastest of its layer, less one."""
import json
import pathlib
import subprocess
import sys

import numpy
import xgboost

MODELS = 8  # of which the mean is taken
SWEEPS = 5  # over all trees; more do not make choices better
RATE = 0.7  # of the error of a leaf, what it is mended by
MOST_LEAF = 0.499
# What plan.py draws for a pass.
DRAWN = [["--groups", "900", "--new-channels"], ["--groups", "500", "--scaled"]]
DRAWN_SETTINGS = ["--small-side", "320", "--exact", "0", "--one-correlation", "--layers", "6", "--most-bytes", "4e8"]


class LikelyRows:
    """Candidates of the layers of a plan, of which no times are known: a row each, of `layer`, `estimates` and `features`."""

    def __init__(self, program, plan, arch, feature_count, scratch):
        file, out = scratch / "likely.txt", scratch / "likely"
        file.write_text(plan)
        subprocess.run([str(program), "--likely", str(file), arch, str(out)], check=True)
        rows = numpy.loadtxt(out.with_suffix(".rows"), ndmin=2)
        self.layer, self.estimates = rows[:, 0].astype(int), rows[:, 2]
        self.features = numpy.fromfile(out.with_suffix(".floats"), numpy.float32).reshape(len(rows), feature_count)


def drawn_rows(program, passes, arch, feature_count, scratch):
    """The candidates of layers that are drawn for some passes."""
    script = pathlib.Path(__file__).with_name("plan.py")
    texts = [subprocess.run([sys.executable, str(script), "--seed", str(7001 + number), "--passes", ",".join(passes),
                             *settings, *DRAWN_SETTINGS], check=True, capture_output=True, text=True).stdout
             for number, settings in enumerate(DRAWN)]
    return LikelyRows(program, "".join(texts), arch, feature_count, scratch)


def mean_of(boosters, features):
    """The mean of the values of several models."""
    data = xgboost.DMatrix(features)
    return sum(booster.predict(data, output_margin=True).astype(float) for booster in boosters) / len(boosters)


def weights(layer, estimates, wanted):
    """Rows near the best of their layer, by the predictions, weigh more."""
    times = numpy.log(estimates) + wanted
    best = numpy.full(layer.max() + 1, numpy.inf)
    numpy.minimum.at(best, layer, times)
    return 1 / (0.03 + numpy.float32(numpy.exp(times - best[layer]) - 1).astype(float))


def with_leaves_of_mean(booster, boosters, rows):
    """A model with the trees of the first argument, whose leaves come as near to the mean of the others as a few sweeps over all trees
    bring them. `rows` are the measured and the drawn layers, with the fields of LikelyRows."""
    features = numpy.concatenate([part.features for part in rows])
    estimates = numpy.concatenate([part.estimates for part in rows])
    firsts = numpy.cumsum([0] + [part.layer.max() + 1 for part in rows])
    _, layer = numpy.unique(numpy.concatenate([part.layer + first for part, first in zip(rows, firsts)]), return_inverse=True)
    wanted = numpy.float32(mean_of(boosters, features)).astype(float)
    weight = weights(layer, estimates, wanted)
    of_layers = numpy.bincount(layer, weight)
    data = xgboost.DMatrix(features)
    leaves = booster.predict(data, pred_leaf=True).astype(numpy.int32).T.copy()
    error = wanted - booster.predict(data, output_margin=True).astype(float)
    model = json.loads(booster.save_raw("json"))
    trees = model["learner"]["gradient_booster"]["model"]["trees"]
    totals = [numpy.bincount(leaf, weight, len(tree["split_conditions"])) + weight.mean() for leaf, tree in zip(leaves, trees)]
    values = [numpy.array(tree["split_conditions"], float) for tree in trees]
    for number in [*range(len(trees))] * SWEEPS:
        if number % 10 == 0:  # what all rows of a layer share does not count
            error -= (numpy.bincount(layer, weight * error) / of_layers)[layer]
        leaf, old = leaves[number], values[number]
        change = RATE * numpy.bincount(leaf, weight * error, len(old)) / totals[number]
        values[number] = numpy.clip(old + change, -MOST_LEAF, MOST_LEAF)
        error -= (values[number] - old)[leaf]
    for tree, new in zip(trees, values):
        tree["split_conditions"] = [float(value) if child < 0 else condition for value, condition, child in
                                    zip(new, tree["split_conditions"], tree["left_children"])]
    result = xgboost.Booster()
    result.load_model(bytearray(json.dumps(model), "utf-8"))
    return result
