# Reads sweeps: the times of configurations, and the features of each.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is a file of problems, which are called layers, and of times of their configurations. fprop is the forward pass, dgrad computes
the gradient of the input, wgrad that of the filter."""
import hashlib
import lzma
import subprocess

import numpy

import plan
from changes import has_changed, has_new_fprop, has_new_kernel

HELD_OUT = 4


class Sweep:
    """The measured configurations: a row each, of `layer` (its number), `times`, `estimates`, `chosen` and `features`."""

    def __init__(self, family, files, program, scratch, previous=(), recent=(), older=()):
        self.family = family
        every = [*files, *previous, *recent, *older]
        texts = [lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes() for path in every]
        text = b"".join(texts)
        self.digest = hashlib.sha256(text).hexdigest()
        self.origin = next(line[2:] for line in text.decode().splitlines() if line.startswith("# "))
        self.arch = self.origin.split(" | ")[1]
        times, out = scratch / "times.txt", scratch / "sweep"
        times.write_bytes(text)
        subprocess.run([str(program), family, str(times), str(out)], check=True)
        self.names = (scratch / "sweep.names").read_text().split()
        self.problems = (scratch / "sweep.layers").read_text().splitlines()
        self.configs = [line.split(" | ")[0] for line in text.decode().splitlines() if line and not line.startswith(("#", "problem "))]
        rows = numpy.loadtxt(scratch / "sweep.rows", ndmin=2)
        self.layer, self.times, self.estimates = rows[:, 0].astype(int), rows[:, 1], rows[:, 2]
        self.chosen = rows[:, 3] > 0
        counts = [text.count(b"\nproblem ") for text in texts]
        firsts = numpy.cumsum([0, *counts])
        is_previous = self.layer >= firsts[len(files)]
        self.is_older = self.layer >= firsts[len(files) + len(previous)]
        is_oldest = self.layer >= firsts[len(files) + len(previous) + len(recent)]
        self.features = numpy.fromfile(scratch / "sweep.floats", numpy.float32).reshape(len(rows), len(self.names))
        self.fields = [dict(word.split("=") for word in problem.split()) for problem in self.problems]
        self.directions = numpy.array([each.get("pass", "") for each in self.fields])
        # A layer that was measured with kernels of two kinds is in one half only.
        plain = [" ".join(word for word in problem.split() if not word.startswith("made_for=")) for problem in self.problems]
        self.is_held_out = numpy.array([int(hashlib.sha256(each.encode()).hexdigest(), 16) % HELD_OUT == 0 for each in plain])
        if family == "conv2d":
            is_strided = is_previous & has_new_fprop(self)
            self.is_older |= numpy.isin(self.layer, self.layer[is_strided])  # no regrets of what is left of these layers
            is_changed = is_strided | self.is_older & has_new_kernel(self) | is_oldest & has_changed(self)
            self.leave_out(~(self.is_searched() | is_changed))
        self.best = self.least_times()

    def least_times(self):
        """The least time of each layer."""
        least = numpy.full(len(self.problems), numpy.inf)
        numpy.minimum.at(least, self.layer, self.times)
        return least

    def is_searched(self):
        """Whether a row is of a layer whose best configuration was searched by hand: what is chosen for these is told separately."""
        searched = [f"{n} {channels} {side} {side} 3 3 {direction}" for direction, n, channels, side in map(str.split, plan.SEARCHED)]
        layers = [" ".join(each.get(name, "3") for name in ("n", "c", "h", "w", "r", "s", "pass")) for each in self.fields]
        return numpy.isin(layers, searched)[self.layer]

    def leave_out(self, rest):
        """Drops all rows but these."""
        self.configs = [config for config, is_kept in zip(self.configs, rest) if is_kept]
        for name in ("layer", "times", "estimates", "chosen", "is_older", "features"):
            setattr(self, name, getattr(self, name)[rest])
