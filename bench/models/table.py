# Writes trees of XGBoost as the table that the library reads.
# SPDX-License-Identifier: Apache-2.0
"""The format is that of modules/model/model.cppm. A leaf is one of LEAVES multiples of UNIT, half of them negative; the sum of a
leaf of each tree is exact in floats, so that the order in which it is added up does not count. All trees together compare
features with at most MOST_SPLITS thresholds.
"""
import json
import struct
import sys

import numpy
import xgboost

UNIT, LEAVES, MOST_SPLITS = 2**-16, 2**16, 3072


def hexadecimal(value):
    """The bits of a float."""
    return struct.pack(">f", value).hex()


def digits(number, count):
    """A number in so many digits to the base of 64."""
    letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    return "".join(letters[number >> 6 * place & 63] for place in reversed(range(count)))


def with_rounded_leaves(booster):
    """The same trees with leaves that are whole multiples of UNIT, as a table has them: sums of these are exact in floats."""
    model = json.loads(booster.save_raw("json"))
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        for node, child in enumerate(tree["left_children"]):
            if child < 0:
                units = round(tree["split_conditions"][node] / UNIT)
                if not -LEAVES // 2 <= units < LEAVES // 2:
                    sys.exit(f"a leaf of {units * UNIT} is more than a table can have")
                tree["split_conditions"][node] = units * UNIT
    rounded = xgboost.Booster()
    rounded.load_model(bytearray(json.dumps(model), "utf-8"))
    return rounded


def joined(booster, others):
    """The trees of two models as one, whose values are the sums of both."""
    model, more = (json.loads(each.save_raw("json")) for each in (booster, others))
    forest, added = (each["learner"]["gradient_booster"]["model"] for each in (model, more))
    count = len(forest["trees"])
    for number, tree in enumerate(added["trees"]):
        forest["trees"].append(tree | {"id": count + number})
    forest["tree_info"] += added["tree_info"]
    forest["iteration_indptr"] += [count + end for end in added["iteration_indptr"][1:]]
    forest["gbtree_model_param"]["num_trees"] = str(len(forest["trees"]))
    result = xgboost.Booster()
    result.load_model(bytearray(json.dumps(model), "utf-8"))
    return result


def tree_text(tree, splits):
    """The nodes of a tree in preorder, as the library reads them."""
    left, right = tree["left_children"], tree["right_children"]

    def text(node):
        """A node and all below it: the value of a leaf, or a split and its two branches."""
        number = tree["split_conditions"][node]
        if left[node] < 0:
            return digits(64 * MOST_SPLITS + LEAVES // 2 + round(number / UNIT), 3)
        return digits(splits[tree["split_indices"][node], hexadecimal(number)], 2) + text(left[node]) + text(right[node])

    return text(0)


def table(booster, sweep, rows, name, chip):
    """The text of a model: what modules/model reads."""
    trees = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    thresholds = [set() for _ in sweep.names]
    for tree in trees:
        for child, feature, number in zip(tree["left_children"], tree["split_indices"], tree["split_conditions"]):
            if child >= 0:
                thresholds[feature].add(number)
    splits = {}
    for feature, numbers in enumerate(thresholds):
        for number in sorted(numbers):
            splits[feature, hexadecimal(number)] = len(splits)
    least, greatest = sweep.features[rows].min(0), sweep.features[rows].max(0)
    lines = ["# Trained by bench/models/train.py on a sweep with the digest " + sweep.digest[:16] + "; do not edit.",
             "spio-model 3", "name " + name, "chip " + chip,
             f"source {sweep.origin} | {len(rows)} times of {len(numpy.unique(sweep.layer[rows]))} layers"]
    lines += [" ".join(["feature", feature, hexadecimal(low), hexadecimal(high), *map(hexadecimal, sorted(numbers))])
              for feature, low, high, numbers in zip(sweep.names, least, greatest, thresholds)]
    lines += ["tree " + tree_text(tree, splits) for tree in trees]
    return "\n".join(lines) + "\n"
