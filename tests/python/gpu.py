# Tests and measures the operators on a GPU, where there is one: results as JSON, a stage on each line.
# SPDX-License-Identifier: Apache-2.0
"""gpu.py [FILE]      with the unpacked wheel and this folder on PYTHONPATH; adds the lines to a file too"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

import torch

from gpu_layers import checked_operators, forked, modules, named_layers
from gpu_results import compiled, convolutions, deterministic, graphs, leaks, norms, products
from gpu_times import first_calls, first_steps, host_times, scanned, training

folder = pathlib.Path(__file__).resolve().parent


def versions():
    """What the results depend on."""
    return {
        "torch": torch.__version__, "cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name(),
        "nvrtc": pathlib.Path(os.environ.get("SPIO_NVRTC", "none")).name, "python": sys.version.split()[0],
    }


def suites():
    """Runs each test program of this folder: its exit status, its seconds, and the end of what it prints."""
    results = {}
    for test in sorted(folder.glob("*_test.py")):
        start = time.perf_counter()
        run = subprocess.run([sys.executable, test], capture_output=True, text=True)
        tail = (run.stdout + run.stderr)[-1500:] if run.returncode else run.stderr.strip().splitlines()[-1]
        results[test.stem] = [run.returncode, round(time.perf_counter() - start, 1), tail]
    return results


def run(stage, seconds, file):
    """Runs a stage, and prints its result or its error as a line of JSON."""
    signal.alarm(seconds)
    start = time.monotonic()
    try:
        outcome = {"result": stage()}
    except BaseException as error:
        outcome = {"error": f"{type(error).__name__}: {error}"[:1500], "trace": traceback.format_exc()[-1500:]}
    signal.alarm(0)
    line = json.dumps({"stage": stage.__name__, "seconds": round(time.monotonic() - start, 1), **outcome})
    print(line, flush=True)
    if file:
        with open(file, "a") as lines:
            lines.write(line + "\n")


def stop(*_):
    """The signal handler that ends a stage that takes too long."""
    raise TimeoutError("the stage takes too long")


def main():
    signal.signal(signal.SIGALRM, stop)
    file = sys.argv[1] if len(sys.argv) > 1 else None
    # The seconds that each stage may take.
    stages = {versions: 30, host_times: 60, first_calls: 120, first_steps: 120, convolutions: 200, named_layers: 240, modules: 90, norms: 40, products: 60,
              graphs: 30, deterministic: 30, leaks: 40, compiled: 90, checked_operators: 90, training: 150, scanned: 30, forked: 30, suites: 200}
    for stage, seconds in stages.items():
        run(stage, seconds, file)


if __name__ == "__main__":
    main()
