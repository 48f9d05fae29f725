# Tells which times of older kernels of convolutions still hold.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is the times of configurations that were measured, a row each. fprop is the forward pass, dgrad computes the gradient of
the input, wgrad that of the filter. An mma tile is 16 columns of a step."""

LONG = 12  # microseconds: launches of fprop and dgrad that take as long hardly overlap
MANY_TAPS = 25  # of a filter; kernels for more have few registers left


def has_changed(sweep):
    """Whether a row is of a kernel that older sweeps measured otherwise: fprop and dgrad of short layers, of which up to seven launches
    overlapped, and wgrad of large filters by kernels whose threads had too few registers for their sums."""
    feature = {name: sweep.features[:, number] for number, name in enumerate(sweep.names)}
    is_gradient = sweep.directions[sweep.layer] == "wgrad"
    is_large = (feature["r"] * feature["s"] > MANY_TAPS) & (feature["mma_tiles"] > 1) & (feature["is_tma"] > 0)
    has_eight_groups = (feature["groups"] == 8) & (feature["is_unrolled"] == 0)  # and steps of rows, not of images
    has_two_warps = (feature["groups"] == 4) & (feature["parts"] == 2) & (feature["mma_tiles"] > 2)
    return ~is_gradient & (sweep.least_times() < LONG)[sweep.layer] | is_gradient & is_large & (has_eight_groups | has_two_warps)
