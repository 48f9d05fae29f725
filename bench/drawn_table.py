# The table of convolutions of known networks, of which conv2d/drawn.py picks 120 at random.
# SPDX-License-Identifier: Apache-2.0
#
# The passes are fprop (forward), dgrad (the gradient of the input) and wgrad (that of the filter).
import math

LARGE = 8e6  # bytes of a layer that is not small
SIZES = [("below 8 MB", 0, LARGE), ("8 to 32 MB", LARGE, 32e6), ("32 to 128 MB", 32e6, 128e6), ("above 128 MB", 128e6, math.inf)]


# The geometric mean.
def geomean(values):
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def fields(layer):
    """The fields of a layer's problem."""
    return dict(word.split("=") for word in layer["problem"].split())


def time(layer):
    """The time of the fastest configuration, in microseconds, with tensors from memory."""
    return min(kernel["cold"] for kernel in layer["kernels"])


def source(root, file, results):
    """The first line of a table: where and when its results were measured."""
    return (f"[{results['gpu']}, cuDNN {results['cudnn'] // 10000}.{results['cudnn'] // 100 % 100}, {results['date']}]"
            f"({{root}}{file.relative_to(root)})")


def rows(root, file, results):
    """For each pass the times over a copy's, of kinds of large layers; what small ones take beyond a copy; and cuDNN's over ours."""
    yield source(root, file, results)
    yield ""
    yield "| pass | layers | all | 3 x 3 | 5 x 5 | 7 x 7 | stride 2 | below 8 MB: median, most | cuDNN: mean, least |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in ("fprop", "dgrad", "wgrad"):
        ratios, more, peers = {"all": []}, [], []
        for layer in results["layers"]:
            if layer["pass"] != name:
                continue
            problem = fields(layer)
            kind = "stride 2" if "stride_h" in problem else f"{problem['r']} x {problem['s']}"
            ratios["all"].append(time(layer) / layer["copy"])
            if layer["bytes"] < LARGE:
                more.append(time(layer) - layer["copy"])
            else:
                ratios.setdefault(kind, []).append(time(layer) / layer["copy"])
            if "pytorch" in layer:
                peers.append(layer["pytorch"] / time(layer))
        more.sort()
        means = " | ".join(geomean(ratios.get(kind)) for kind in ("all", "3 x 3", "5 x 5", "7 x 7", "stride 2"))
        yield (f"| {name} | {len(ratios['all'])} | {means} | {more[len(more) // 2]:.1f}, {more[-1]:.1f} us | "
               f"{geomean(peers)}, {min(peers):.2f} |")


def classes(root, file, results):
    """For each pass and filter and size of the tensors: the number of layers, their time over a copy's, and beyond it."""
    yield source(root, file, results)
    yield ""
    yield f"| pass | taps | {' | '.join(name for name, *_ in SIZES)} | share of ln(mean) |"
    yield "|---|---|" + "---|" * (len(SIZES) + 1)
    for name in ("fprop", "dgrad", "wgrad"):
        layers = [layer for layer in results["layers"] if layer["pass"] == name]
        for taps in ("3", "5", "7"):
            cells = []
            for _, least, most in SIZES:
                members = [each for each in layers if fields(each)["r"] == taps and least <= each["bytes"] < most]
                mean = geomean([time(each) / each["copy"] for each in members])
                more = sum(time(each) - each["copy"] for each in members) / max(1, len(members))
                cells.append(f"{len(members)}: {mean}, {more:.1f} us" if members else "")
            logarithms = sum(math.log(time(each) / each["copy"]) for each in layers if fields(each)["r"] == taps)
            yield f"| {name} | {taps} x {taps} | {' | '.join(cells)} | {logarithms / len(layers):.3f} |"
