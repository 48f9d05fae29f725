# Tells which times of older kernels of convolutions still hold.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is the times of configurations that were measured, a row each. fprop is the forward pass, dgrad computes the gradient of
the input, wgrad that of the filter. An mma tile is 16 columns of a step. wgrad's sums are cut into splits, which are ranges of rows of
strips: some columns of some images each."""
import functools

import numpy

LONG = 12  # microseconds: launches of fprop and dgrad that take as long hardly overlap
MANY_TAPS = 25  # of a filter; kernels for more have few registers left


@functools.lru_cache(maxsize=None)
def has_moved_ends(count, rows, splits, least):
    """Whether splits of `count` rows, in strips of `rows`, end elsewhere since each has at least so many rows of a strip, or none."""
    if count < 2 * least * splits:
        return False
    firsts = (count * split // splits % rows for split in range(1, splits))
    return any(0 < min(first, rows - first) < (rows if rows < 2 * least else least) for first in firsts)


def has_new_fprop(sweep):
    """Whether a row is of fprop by TMA with a stride of 2, whose kernels read shared memory without bank conflicts now."""
    is_strided = numpy.array([each.get("stride_w") == "2" and each.get("dilation_w", "1") == "1" and each["s"] != "1" and each["pass"] == "fprop"
                              for each in sweep.fields])
    return is_strided[sweep.layer] & (sweep.features[:, sweep.names.index("is_tma")] > 0)


def has_new_kernel(sweep):
    """Whether a row is of wgrad by a kernel that copies whole rows of images now, or whose splits end elsewhere."""
    is_gradient = sweep.directions[sweep.layer] == "wgrad"
    result = is_gradient & (sweep.features[:, sweep.names.index("copies_rows")] > 0)
    for row in numpy.flatnonzero(is_gradient):
        problem = sweep.fields[sweep.layer[row]]
        config = dict(word.split("=") for word in sweep.configs[row].split()[1:])
        if config.get("whole_images") == "true" or int(problem.get("dilation_h", 1)) > 1:
            continue
        n, h, w, r, s, pad_h, pad_w = (int(problem[name]) for name in ("n", "h", "w", "r", "s", "pad_h", "pad_w"))
        stride_h, stride_w = (int(problem.get(name, 1)) for name in ("stride_h", "stride_w"))
        rows, columns = (h + 2 * pad_h - r) // stride_h + 1, (w + 2 * pad_w - s) // stride_w + 1
        strips = -(-n // int(config["images"])) * -(-columns // int(config["columns"]))
        result[row] |= has_moved_ends(strips * rows, rows, int(config["splits"]), -(-r // stride_h))
    return result


def has_changed(sweep):
    """Whether a row is of a kernel that older sweeps measured otherwise: fprop and dgrad of short layers, of which up to seven launches
    overlapped, and wgrad of large filters by kernels whose threads had too few registers for their sums."""
    feature = {name: sweep.features[:, number] for number, name in enumerate(sweep.names)}
    is_gradient = sweep.directions[sweep.layer] == "wgrad"
    is_large = (feature["r"] * feature["s"] > MANY_TAPS) & (feature["mma_tiles"] > 1) & (feature["is_tma"] > 0)
    has_eight_groups = (feature["groups"] == 8) & (feature["is_unrolled"] == 0)  # and steps of rows, not of images
    has_two_warps = (feature["groups"] == 4) & (feature["parts"] == 2) & (feature["mma_tiles"] > 2)
    return ~is_gradient & (sweep.least_times() < LONG)[sweep.layer] | is_gradient & is_large & (has_eight_groups | has_two_warps)
