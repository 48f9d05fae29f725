# Runs generic_on_gpu on a machine with a GPU: first calls, random layers and times, as one file.
# SPDX-License-Identifier: Apache-2.0
"""
    spio pack build modules/conv2d/generic.manifest --arch sm_90a --output generic.spiopack
    python3 tests/gpu/generic.py build/release/tests/gpu/generic_on_gpu generic.spiopack result.json

A generic kernel serves every layer with the same filter; the pack is a file of them.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FIRST = "n=24 c=96 h=31 w=31"  # the layer whose first call is measured
LAYERS = [  # those whose kernels are timed
    "n=32 c=64 h=64 w=64",
    "n=256 c=64 h=64 w=64",
    "n=128 c=1024 h=16 w=16",
    "n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2",
    "n=64 c=128 h=56 w=56",
    "n=256 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2",
    "n=32 c=384 h=56 w=56 r=5 s=5 pad_h=2 pad_w=2",
    "n=64 c=64 h=20 w=20",
    "n=128 c=512 h=7 w=7",
    "n=32 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3",
    "n=64 c=32 h=112 w=112",
    "n=16 c=24 h=28 w=28",
    "n=64 c=256 h=28 w=28 r=1 s=1 pad_h=0 pad_w=0",
]
SEEDS = 8


def lines(program, mode, pack, *words, seconds, **environment):
    """The lines that the program prints, or what became of it instead."""
    try:
        run = subprocess.run([program, mode, pack, *words], capture_output=True, text=True,
                             timeout=seconds, env={**os.environ, "SPIO_CACHE": "off", **environment})
    except subprocess.TimeoutExpired as late:
        return [*(late.stdout or b"").decode().splitlines(), f"timed out after {seconds} s"]
    return [*run.stdout.splitlines(), f"ended with {run.returncode}"]


def main(program, pack, output):
    result = {
        "first without NVRTC": lines(program, "first", pack, FIRST, seconds=10,
                                     SPIO_NVRTC="/nothing/libnvrtc.so"),
        "first with NVRTC": lines(program, "first", pack, FIRST, seconds=15),
        "times": lines(program, "times", pack, *LAYERS, seconds=60),
    }
    with ThreadPoolExecutor(SEEDS) as pool:
        def random_layers(seed):
            """What the program prints of 8 random layers."""
            return lines(program, "random", pack, "8", str(seed), seconds=30)
        result["random"] = list(pool.map(random_layers, range(1, SEEDS + 1)))
    with open(output, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    parts = [value for key, value in result.items() if key != "random"] + result["random"]
    wrong = [line for part in parts for line in part if "FAIL" in line]
    broken = [part[-1] for part in parts if part[-1] != "ended with 0"]
    print(f"summary: gpu.generic: {len(wrong)} wrong layers, {len(broken)} of {len(parts)} programs "
          f"did not end well, {output}")
    return 1 if wrong or broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
