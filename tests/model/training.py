# Trains models on a part of a sweep, and compares their tables with digests: training gives the same bytes everywhere.
# SPDX-License-Identifier: Apache-2.0
"""training.py --python PYTHON --program MODELS_FEATURES

PYTHON has XGBoost; MODELS_FEATURES computes features by the library's code, so that a change of these, or of the training, is seen
here. Then the tables in models/ are not what their sweep gives any more: docs/models.md says how they are trained again.
"""
import argparse
import hashlib
import lzma
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SWEEP = SOURCE / "bench/results/models_conv2d_new_sm90a-2026-11-22.txt.xz"
EVERY = 8  # of so many layers one is taken
DIGESTS = {"conv2d_gradient.txt": "fe10d2a8e7ac101b63036921b2ac5fcd0a3349dc2f97fac4851a224f459a6b90"}
SKIPPED = 77


def part_of_sweep():
    """The comments of the sweep, and every so-many-th layer with its times."""
    head, *layers = lzma.decompress(SWEEP.read_bytes()).decode().split("problem ")
    return head + "".join("problem " + layer for layer in layers[::EVERY])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not options.python.exists():
        print(f"skipped: there is no {options.python}, which ./bootstrap models installs with XGBoost")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        times = pathlib.Path(folder, "times.txt")
        times.write_text(part_of_sweep())
        done = subprocess.run([str(options.python), str(SOURCE / "bench/models/train.py"), str(times), "--program", str(options.program),
                               "--out", folder], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("training failed:\n" + done.stdout + done.stderr)
        found = {name: hashlib.sha256(pathlib.Path(folder, name).read_bytes()).hexdigest() for name in DIGESTS}
    for name, digest in found.items():
        print(f"{name}: {digest}")
    if found == DIGESTS:
        print(f"summary: model.training: {len(found)} tables of a part of a sweep have the bytes that they had")
        return 0
    sys.exit("These are other tables than before: the training or a feature has changed. If it should, train the tables in models/ again"
             " as docs/models.md says, and put these digests into tests/model/training.py.")


if __name__ == "__main__":
    sys.exit(main())
