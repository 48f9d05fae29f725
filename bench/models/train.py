# Trains the models that choose configurations, and reports how far from the best their choices are.
# SPDX-License-Identifier: Apache-2.0
"""train.py TIMES[.xz]... --program MODELS_FEATURES --out FOLDER [--family matmul] [--models NAMES] [--chip H200] [--previous TIMES[.xz]...] [--recent TIMES[.xz]...] [--older TIMES[.xz]...] [--new [LABEL=]TIMES[.xz]...] [--before [LABEL=]TIMES[.xz]...] [--check] [--report FILE.json] [--values FILE] [--ablations] [--groups] [--scratch FOLDER]

TIMES is what a sweep wrote. FOLDER gets conv2d_correlation.txt (fprop and dgrad) and conv2d_gradient.txt (wgrad), or
matmul_wgmma.txt: tables of trees that the library reads; with --check they are compared with what is there. Every fourth layer, by a digest of its problem, is
held out: no tree has seen it. --older names sweeps of older kernels, --recent those that were measured before wgrad copied rows of images and its splits were moved,
--previous those before fprop with strides changed: configurations whose kernels have changed since are left out, and no regrets are told of older and recent ones. --new names other sweeps, of layers that no tree has seen either, --before those among them that are previous ones; a LABEL tells them apart. The regret of a choice
is its time over that of the fastest configuration measured, less one. The same sweep gives the same bytes. XGBoost is needed:
./bootstrap models installs it.
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import xgboost

import ensemble
from measured import HELD_OUT, Sweep
from objective import differences
from regret import random_regrets, regrets, summary
from table import hexadecimal, joined, table, with_rounded_leaves

# The models of a family, and of each the passes of its problems. Those of matmul have none.
MODELS = {"conv2d": {"correlation": ("fprop", "dgrad"), "gradient": ("wgrad",)}, "matmul": {"wgmma": ("",)}}
SETTINGS = {"grow_policy": "lossguide", "min_child_weight": 8, "lambda": 3, "subsample": 0.6, "colsample_bynode": 0.8,
            "tree_method": "hist", "max_bin": 64, "base_score": 0, "nthread": 1, "seed": 2026}
# The trees of a family: how many, and their shape. Those of conv2d are few and large, so that a choice takes less time.
TREES = {"conv2d": {"rounds": 100, "max_depth": 12, "max_leaves": 528, "eta": 0.18, "min_child_weight": 4},
         "matmul": {"rounds": 400, "max_depth": 8, "max_leaves": 128, "eta": 0.06}}
# The gradient's trees draw fewer features for a split, which made choices for unseen channels and filters better.
OF_MODELS = {"gradient": {"colsample_bynode": 0.4}}
# Features that trees of differences do not see: by the number of channels they would learn single layers by heart.
HIDDEN = {"correlation": ["log_groups", "line_share_of_pixel"]}
# What they learn: differences between the configurations of a layer, or the time itself.
OBJECTIVES = {"conv2d": "differences", "matmul": "reg:squarederror"}
# After trees that learn differences come some that see the problem alone: they add what the configurations of a layer share.
SHARED = {"rounds": 24, "max_depth": 5, "max_leaves": 32, "eta": 0.2}
PROBLEM_FEATURES = 16  # come first
# The raw sizes and fields that a model without ratios would have.
RAW = {"conv2d": ["log_n", "log_groups", "log_rows", "log_columns", "r", "s", "stride", "dilation", "spacing", "is_dgrad", "has_bias",
                  "is_tma", "groups", "images", "columns", "rows", "mma_tiles", "tiles_per_block", "stages", "blocks", "is_unrolled",
                  "log_splits"],
       "matmul": ["log_m", "log_n", "log_k", "m", "n", "stages", "cluster_m", "cluster_n", "splits", "blocks"]}
# The fields of a problem that neighbouring problems of a sweep share.
GROUPS = {"conv2d": ("c", "r", "s", "stride_h", "pass"), "matmul": ("m", "n", "k")}


def target(sweep, kind):
    """What the trees learn: the logarithm of the time, or of the time over its estimate."""
    return numpy.log(sweep.times / (sweep.estimates if kind == "residual" else 1))


def train(sweep, name, rows, columns, kind="residual", objective=None, seed=SETTINGS["seed"]):
    """Trains a model on some rows, which are in the order of their layers. Rows near the best of their layer weigh more."""
    objective = objective or OBJECTIVES[sweep.family]
    features = sweep.features[rows][:, columns]
    if objective == "differences":
        features[:, [sweep.names[column] in HIDDEN.get(name, ()) for column in columns]] = 0
    regret = sweep.times[rows] / sweep.best[sweep.layer[rows]] - 1
    settings = SETTINGS | TREES[sweep.family] | OF_MODELS.get(name, {}) | {"seed": seed}
    rounds = settings.pop("rounds")
    weight = 1 / (0.03 + regret)
    if objective == "rank:pairwise":
        _, counts = numpy.unique(sweep.layer[rows], return_counts=True)
        grades = numpy.clip(31 - numpy.round(regret * 62), 0, 31)  # XGBoost's, from 31 for the best to 0 for half as long again
        data = xgboost.DMatrix(features, grades)
        data.set_group(counts)
    else:
        data = xgboost.DMatrix(features, target(sweep, kind)[rows], weight=weight)
    if objective == "differences":
        return xgboost.train(settings, data, rounds, obj=differences(sweep, rows, target(sweep, kind)[rows], weight, regret))
    return xgboost.train(settings | {"objective": objective}, data, rounds)


class Rows:
    """Some rows of a sweep."""

    def __init__(self, sweep, rows):
        self.layer, self.estimates, self.features = sweep.layer[rows], sweep.estimates[rows], sweep.features[rows]


def train_all(sweep, name, rows, drawn):
    """Trains a model on some rows. One of differences gets the leaves that are nearest to the mean of several, on these rows and on
    drawn layers."""
    columns = list(range(len(sweep.names)))
    booster = train(sweep, name, rows, columns)
    if OBJECTIVES[sweep.family] != "differences":
        return booster
    seeds = range(SETTINGS["seed"] + 1, SETTINGS["seed"] + ensemble.MODELS)
    boosters = [booster] + [train(sweep, name, rows, columns, seed=seed) for seed in seeds]
    return ensemble.with_leaves_of_mean(booster, boosters, [Rows(sweep, rows), drawn])


def with_shared(sweep, rows, booster):
    """The trees, and others that add what the configurations of a layer share."""
    if OBJECTIVES[sweep.family] != "differences":
        return booster
    features = sweep.features[rows]
    missing = target(sweep, "residual")[rows] - booster.predict(xgboost.DMatrix(features), output_margin=True)
    features[:, PROBLEM_FEATURES:] = 0  # no tree splits what all rows have in common
    regret = sweep.times[rows] / sweep.best[sweep.layer[rows]] - 1
    settings = SETTINGS | SHARED | {"objective": "reg:squarederror"}
    others = xgboost.train(settings, xgboost.DMatrix(features, missing, weight=1 / (0.03 + regret)), settings.pop("rounds"))
    return joined(booster, others)


def scores(sweep, booster, rows, columns, kind="residual", objective=None):
    """A number for each row; the configuration with the least is chosen."""
    values = booster.predict(xgboost.DMatrix(sweep.features[rows][:, columns]), output_margin=True).astype(float)
    if objective == "rank:pairwise":
        return -values
    return values + (numpy.log(sweep.estimates[rows]) if kind == "residual" else 0)


def check_table(program, text, booster, features, scratch):
    """Ends the program unless the library gives the same bits as XGBoost for every row."""
    scratch.mkdir(parents=True, exist_ok=True)
    files = [scratch / name for name in ("table.txt", "rows.floats", "values.floats")]
    files[0].write_text(text)
    features.tofile(files[1])
    subprocess.run([str(program), "--predict", *map(str, files)], check=True)
    own, expected = numpy.fromfile(files[2], numpy.uint32), booster.predict(xgboost.DMatrix(features)).view(numpy.uint32)
    if len(own) != len(expected) or (own != expected).any():
        sys.exit(f"{(own != expected).sum()} of {len(expected)} values differ from XGBoost's")
    return len(own)


def lines_of_values(sweep, name, booster, rows, count=120):
    """Some rows as lines: the model, the layer, the configuration, and the bits of XGBoost's value."""
    chosen = rows[numpy.linspace(0, len(rows) - 1, count).astype(int)]
    values = booster.predict(xgboost.DMatrix(sweep.features[chosen]))
    return [f"{name} | {sweep.problems[sweep.layer[row]]} | {sweep.configs[row]} | {hexadecimal(value)}"
            for row, value in zip(chosen, values)]


def ablations(sweep, name, trained, held):
    """Regrets of models with other features, targets and objectives, on the layers that were held out."""
    all_columns = list(range(len(sweep.names)))
    raw = [sweep.names.index(name) for name in RAW[sweep.family]]
    no_estimate = [column for column in all_columns if not sweep.names[column].startswith("log_estimate")]
    cases = {"raw features, log of the time": (raw, "time", "reg:squarederror"),
             "our features, log of the time": (no_estimate, "time", "reg:squarederror"),
             "our features, residual of the estimate": (all_columns, "residual", "reg:squarederror"),
             "our features, differences of the residual": (all_columns, "residual", "differences"),
             "our features, pairwise ranking": (all_columns, "time", "rank:pairwise")}
    found = {}
    for case, (columns, kind, objective) in cases.items():
        booster = train(sweep, name, trained, columns, kind, objective)
        found[case] = summary(regrets(sweep, held, scores(sweep, booster, held, columns, kind, objective)))
    return found


def regrets_of_groups(sweep, name, rows, drawn):
    """Regrets of a model that has seen no layer with the channels, filter and strides of those that are held out."""
    fields = [dict(word.split("=") for word in problem.split()) for problem in sweep.problems]
    keys = [" ".join(each.get(key, "1") for key in GROUPS[sweep.family]) for each in fields]
    is_held = numpy.array([int(hashlib.sha256(key.encode()).hexdigest(), 16) % HELD_OUT == 0 for key in keys])
    held, trained = rows[is_held[sweep.layer[rows]] & ~sweep.is_older[rows]], rows[~is_held[sweep.layer[rows]]]
    found = summary(regrets(sweep, held, scores(sweep, train_all(sweep, name, trained, drawn), held, range(len(sweep.names)))))
    return found | {"groups": len(set(numpy.array(keys)[numpy.unique(sweep.layer[held])]))}


def regrets_of_new(sweep, label, new, trained, booster, name):
    """Regrets on another sweep, whose layers have other channels and filters than those of the training."""
    columns = list(range(len(sweep.names)))
    raw = [sweep.names.index(feature) for feature in RAW[sweep.family]]
    rows = numpy.flatnonzero(numpy.isin(new.directions[new.layer], MODELS[sweep.family][name]) & ~new.is_older)
    raw_values = scores(new, train(sweep, name, trained, raw, "time"), rows, raw, "time")
    cases = {"model": scores(new, booster, rows, columns), "estimate": new.estimates[rows],
             "without a model": numpy.where(new.chosen[rows], 0, new.estimates[rows]), "raw features": raw_values}
    found = {f"{case}, {label}": summary(regrets(new, rows, values)) for case, values in cases.items()}
    return found | {f"one of ten random, {label}": summary(random_regrets(new, rows))}


def report_on(sweep, name, booster, trained, held):
    """What a model chooses on layers that it was not trained on, beside other ways to choose."""
    columns = list(range(len(sweep.names)))
    values = scores(sweep, booster, held, columns)
    found = {"rows": len(trained) + len(held), "trained_layers": len(numpy.unique(sweep.layer[trained])),
             "model": summary(regrets(sweep, held, values)),
             "estimate": summary(regrets(sweep, held, sweep.estimates[held])),
             "without a model": summary(regrets(sweep, held, numpy.where(sweep.chosen[held], 0, sweep.estimates[held]))),
             "one of ten random": summary(random_regrets(sweep, held))}
    for direction in filter(None, MODELS[sweep.family][name]):
        part = numpy.array([sweep.directions[sweep.layer[row]] == direction for row in held], bool)
        found[direction] = summary(regrets(sweep, held[part], values[part]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--family", choices=MODELS, default="conv2d")
    parser.add_argument("--models", default="", help="their names, with commas: correlation, gradient, wgmma; all of the family without it")
    parser.add_argument("--chip", default="H200")
    parser.add_argument("--report", type=pathlib.Path, help="gets what is printed; it keeps what it tells of other models")
    parser.add_argument("--previous", nargs="+", type=pathlib.Path, default=[], help="the times of sweeps before fprop with strides changed last")
    parser.add_argument("--recent", nargs="+", type=pathlib.Path, default=[], help="the times of sweeps before wgrad's kernels changed last")
    parser.add_argument("--older", nargs="+", type=pathlib.Path, default=[], help="the times of sweeps of older kernels")
    parser.add_argument("--new", nargs="+", default=[], help="the times of other sweeps, to measure regrets on")
    parser.add_argument("--before", nargs="+", default=[], help="the times of other sweeps before fprop with strides changed last")
    parser.add_argument("--check", action="store_true", help="compare the tables with those in FOLDER, and write none")
    parser.add_argument("--values", type=pathlib.Path, help="gets values of XGBoost for tests/conv2d")
    parser.add_argument("--ablations", action="store_true")
    parser.add_argument("--groups", action="store_true", help="hold out all layers of every fourth filter and number of channels")
    parser.add_argument("--scratch", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = options.scratch or pathlib.Path(folder)
        scratch.mkdir(parents=True, exist_ok=True)
        sweep = Sweep(options.family, options.times, options.program, scratch, options.previous, options.recent, options.older)
        new = {}
        for number, word in enumerate([*options.new, *options.before]):
            label, separator, file = word.partition("=")
            if not separator:
                label, file = "new sweep", word
            if label in new:
                parser.error(f"--new: there are two sweeps named {label}")
            files = [[pathlib.Path(file)], []]
            now, previous = files if number < len(options.new) else reversed(files)
            new[label] = Sweep(options.family, now, options.program, scratch, previous)
    options.out.mkdir(parents=True, exist_ok=True)
    report = {"date": datetime.date.today().isoformat(), "origin": sweep.origin, "sweep_sha256": sweep.digest,
              "layers": len(numpy.unique(sweep.layer)), "times": len(sweep.times), "xgboost": xgboost.__version__}
    for label, other in new.items():
        report[label] = {"sha256": other.digest, "layers": len(other.problems), "times": len(other.times)}
    values = []
    asked = options.models.split(",") if options.models else list(MODELS[options.family])
    for name in asked:
        directions = MODELS[options.family][name]
        rows = numpy.flatnonzero(numpy.isin(sweep.directions[sweep.layer], directions))
        held = rows[sweep.is_held_out[sweep.layer[rows]] & ~sweep.is_older[rows]]
        trained = rows[~sweep.is_held_out[sweep.layer[rows]]]
        with tempfile.TemporaryDirectory() as folder:
            drawn = ensemble.drawn_rows(options.program, directions, sweep.arch, len(sweep.names), pathlib.Path(folder)) if directions[0] else None
        booster = with_rounded_leaves(with_shared(sweep, trained, train_all(sweep, name, trained, drawn)))
        text = table(booster, sweep, trained, f"{options.family} {name}", options.chip)
        file = options.out / f"{options.family}_{name}.txt"
        if not options.check:
            file.write_text(text)
        elif file.read_text() != text:
            sys.exit(f"{file} is not what this sweep gives")
        report[name] = report_on(sweep, name, booster, trained, held) | {"table_bytes": len(text)}
        with tempfile.TemporaryDirectory() as folder:
            same = check_table(options.program, text, booster, sweep.features[rows], pathlib.Path(folder))
        values += lines_of_values(sweep, f"{options.family} {name}", booster, held)
        report[name]["rows_with_the_bits_of_xgboost"] = same
        for label, other in new.items():
            report[name] |= regrets_of_new(sweep, label, other, trained, booster, name)
        if options.groups:
            report[name]["groups held out"] = regrets_of_groups(sweep, name, rows, drawn)
        if options.ablations:
            report[name]["ablations"] = ablations(sweep, name, trained, held)
    if options.values:
        head = [line for line in options.values.open() if line[0] == "#"] if options.values.exists() else []
        options.values.write_text("".join(head) + "\n".join(values) + "\n")
    print(json.dumps(report, indent=1))
    if options.report:
        reported = json.loads(options.report.read_text()) if options.report.exists() else {}
        options.report.write_text(json.dumps(reported | report, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
