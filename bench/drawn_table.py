# The table of convolutions of known networks, of which conv2d/drawn.py picks 120 at random.
# SPDX-License-Identifier: Apache-2.0
#
# The passes are fprop (forward), dgrad (the gradient of the input) and wgrad (that of the filter).
import math

LARGE = 8e6  # bytes of a layer that is not small


# The geometric mean.
def geomean(values):
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def rows(root, file, results):
    """For each pass the times over a copy's, of kinds of large layers; what small ones take beyond a copy; and cuDNN's over ours."""
    yield (f"[{results['gpu']}, cuDNN {results['cudnn'] // 10000}.{results['cudnn'] // 100 % 100}, {results['date']}]"
           f"({{root}}{file.relative_to(root)})")
    yield ""
    yield "| pass | layers | all | 3 x 3 | 5 x 5 | 7 x 7 | stride 2 | below 8 MB: median, most | cuDNN: mean, least |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in ("fprop", "dgrad", "wgrad"):
        ratios, more, peers = {"all": []}, [], []
        for layer in results["layers"]:
            if layer["pass"] != name:
                continue
            fields = dict(word.split("=") for word in layer["problem"].split())
            time = min(kernel["cold"] for kernel in layer["kernels"])
            kind = "stride 2" if "stride_h" in fields else f"{fields['r']} x {fields['s']}"
            ratios["all"].append(time / layer["copy"])
            if layer["bytes"] < LARGE:
                more.append(time - layer["copy"])
            else:
                ratios.setdefault(kind, []).append(time / layer["copy"])
            if "pytorch" in layer:
                peers.append(layer["pytorch"] / time)
        more.sort()
        means = " | ".join(geomean(ratios.get(kind)) for kind in ("all", "3 x 3", "5 x 5", "7 x 7", "stride 2"))
        yield (f"| {name} | {len(ratios['all'])} | {means} | {more[len(more) // 2]:.1f}, {more[-1]:.1f} us | "
               f"{geomean(peers)}, {min(peers):.2f} |")
