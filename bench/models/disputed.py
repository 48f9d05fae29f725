# Orders the groups of plans by how much models disagree about them: what a sweep should measure first.
# SPDX-License-Identifier: Apache-2.0
"""disputed.py PLAN... --times TIMES[.xz]... --program MODELS_FEATURES > PLAN

PLANs are what plan.py writes, TIMES what sweeps of conv2d wrote. A group is layers that share their kernels; its kind is its channels,
filter, strides and pass. Groups are left out whose kind has times already. Six models of each pass are trained, each without another
three tenths of the kinds. For each layer, the mean of all chooses a configuration; the dispute is how much longer than its own choice
a model predicts that it takes, on average, and of a group the mean of its layers. Filters that are not square, or of 1 x 1, 4 x 4 or
6 x 6, and 8 channels count for less. wgrad, the gradient of the filter, comes twice as often as each of the other passes.
"""
import argparse
import hashlib
import pathlib
import tempfile

import numpy
import xgboost

import ensemble
import train

MODELS, LEFT_OUT = 6, 3  # of ten kinds
MOST = 0.3  # of a dispute
TURNS = ("wgrad", "fprop", "wgrad", "dgrad")


def fields_of(words):
    """The fields of a problem."""
    return dict(word.split("=") for word in words.split() if "=" in word)


def kind_of(fields):
    """The channels, filter, strides and pass."""
    return " ".join(fields.get(key, "1") for key in train.GROUPS["conv2d"])


def groups_in(plans, known):
    """The groups of plans, as lines of which the first has the problem: one of each kind, and none of those that are known."""
    groups = {}
    for plan in plans:
        for text in plan.read_text().split("group ")[1:]:
            lines = [line for line in ("group " + text).splitlines() if line and line[0] != "#"]
            groups.setdefault(kind_of(fields_of(lines[0])), lines)
    return [lines for kind, lines in groups.items() if kind not in known]


def layers_in(lines):
    """The lines of a group that are layers: not the first one, nor those of configurations."""
    return [line for line in lines[1:] if not line.startswith("config ")]


def importance(fields):
    """How much a dispute counts."""
    taps = fields["r"] + " " + fields["s"]
    share = {"3 3": 1, "5 5": 1, "7 7": 1, "1 1": 0.4}.get(taps, 0.3)
    return share * (0.4 if fields["c"] == "8" else 1)


def is_left_out(kind, number):
    """Whether a model is trained without a kind."""
    return int(hashlib.sha256(f"{number} {kind}".encode()).hexdigest(), 16) % 10 < LEFT_OUT


def models_of(sweep, name, kinds):
    """Models of a pass, or of two, each trained without some of the kinds."""
    rows = numpy.flatnonzero(numpy.isin(sweep.directions[sweep.layer], train.MODELS["conv2d"][name]))
    for number in range(MODELS):
        is_out = numpy.array([is_left_out(kind, number) for kind in kinds])
        yield train.train(sweep, name, rows[~is_out[sweep.layer[rows]]], list(range(len(sweep.names))), seed=3100 + number)


def disputes(boosters, groups, sweep, program, scratch):
    """The dispute about each group."""
    plan = "\n".join("\n".join(lines) for lines in groups) + "\n"
    rows = ensemble.LikelyRows(program, plan, sweep.arch, len(sweep.names), scratch)
    data = xgboost.DMatrix(rows.features)
    values = numpy.array([booster.predict(data, output_margin=True).astype(float) + numpy.log(rows.estimates) for booster in boosters])
    counts = [len(layers_in(lines)) for lines in groups]
    ends = numpy.searchsorted(rows.layer, numpy.arange(sum(counts) + 1))
    found = numpy.zeros(sum(counts))
    for layer, (first, end) in enumerate(zip(ends, ends[1:])):
        if end > first:
            part = values[:, first:end]
            found[layer] = numpy.minimum(MOST, part[:, part.mean(0).argmin()] - part.min(1)).mean()
    return numpy.bincount(numpy.repeat(numpy.arange(len(groups)), counts), found) / counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="+", type=pathlib.Path)
    parser.add_argument("--times", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        sweep = train.Sweep("conv2d", options.times, options.program, scratch)
        kinds = [kind_of(fields) for fields in sweep.fields]
        groups = groups_in(options.plans, set(kinds))
        waiting = {direction: [] for direction in TURNS}
        for name, directions in train.MODELS["conv2d"].items():
            own = [lines for lines in groups if fields_of(lines[0])["pass"] in directions]
            if not own:
                continue
            for dispute, lines in zip(disputes(list(models_of(sweep, name, kinds)), own, sweep, options.program, scratch), own):
                fields = fields_of(lines[0])
                waiting[fields["pass"]].append((dispute * importance(fields), lines))
    for each in waiting.values():
        each.sort(key=lambda entry: entry[0])
    while any(waiting.values()):
        for direction in TURNS:
            if waiting[direction]:
                print("\n".join(waiting[direction].pop()[1]))


if __name__ == "__main__":
    main()
