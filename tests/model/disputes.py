# The dispute about a group is the mean of its own layers, whatever other lines the group has.
# SPDX-License-Identifier: Apache-2.0
"""disputes.py [PYTHON]

PYTHON, which has XGBoost, runs this file if the Python that runs it has none.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import types

SKIPPED = 77
MODELS = pathlib.Path(__file__).resolve().parents[2] / "bench/models"

# A program in the place of models_features: each layer has two configurations, whose feature is the layer's number.
PROGRAM = """#!/bin/sh
for layer in 0 1 2; do echo "$layer 0 1 0"; echo "$layer 0 1 0"; done > "$4.rows"
printf '\\0\\0\\0\\0%.0s' 1 2 3 4 5 6 > "$4.floats"
"""
GROUPS = [["group c=8 most=4", "config a=1", "1 8 8", "2 8 8", "config a=2"], ["group c=16 most=4", "1 8 8"]]
# The logarithms of times that two models predict: they agree about the first two layers.
PREDICTED = [[0, 1, 0, 1, 0, 0.2], [0, 1, 0, 1, 0.2, 0]]
EXPECTED = [0, 0.1]


def main():
    sys.path.insert(0, str(MODELS))
    try:
        import numpy
        import disputed
    except ImportError as missing:
        if len(sys.argv) == 1:
            sys.exit(str(missing))
        if not os.path.exists(sys.argv[1]):
            print(f"skipped: there is no {sys.argv[1]}, which ./bootstrap models installs with XGBoost")
            return SKIPPED
        return subprocess.run([sys.argv[1], __file__]).returncode
    models = [types.SimpleNamespace(predict=lambda data, output_margin, values=values: numpy.array(values)) for values in PREDICTED]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "program")
        program.write_text(PROGRAM)
        program.chmod(0o700)
        sweep = types.SimpleNamespace(arch="sm_90a", names=["layer"])
        found = list(disputed.disputes(models, GROUPS, sweep, program, pathlib.Path(folder)))
    if numpy.allclose(found, EXPECTED):
        print(f"summary: model.disputes: {len(found)} groups have the disputes of their layers")
        return 0
    sys.exit(f"the disputes are {found}, and should be {EXPECTED}")


if __name__ == "__main__":
    sys.exit(main())
