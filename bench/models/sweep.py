# One command where the GPU is: compiles the kernels of a plan on all cores, and measures them meanwhile.
# SPDX-License-Identifier: Apache-2.0
"""sweep.py PLAN OUT --program MODELS_SWEEP --work FOLDER [--jobs N] [--seconds S] [--commit TEXT]

PLAN is what plan.py wrote, MODELS_SWEEP the program of that name in build/*/bench. OUT gets the times as text, and OUT.xz the
same compressed. FOLDER keeps the compiled kernels, so that a sweep that was ended goes on where it was.
"""
import argparse
import datetime
import lzma
import os
import pathlib
import subprocess
import sys


def driver_version():
    """The version of the driver, as nvidia-smi reports it."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.split("\n")[0].strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e6)
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()
    options.work.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = os.environ | {"SPIO_CACHE_DIR": str(options.work.resolve())}
    program = str(options.program.resolve())
    note = f"driver {driver_version()} | {datetime.date.today().isoformat()} | commit {options.commit}"
    compilers = [subprocess.Popen(["nice", program, "compile", str(options.plan), "--part", f"{part}/{options.jobs}"],
                                  env=environment) for part in range(options.jobs)]
    try:
        done = subprocess.run([program, "measure", str(options.plan), str(options.out), "--seconds", str(options.seconds),
                               "--note", note], env=environment)
    finally:
        for compiler in compilers:
            compiler.terminate()
        for compiler in compilers:
            compiler.wait()
    if options.out.exists():
        text = options.out.read_bytes()
        packed = lzma.compress(text, preset=9 | lzma.PRESET_EXTREME)
        options.out.with_name(options.out.name + ".xz").write_bytes(packed)
        print(f"{text.count(b'problem ')} layers, {text.count(b' | ')} fields, {len(text)} bytes, {len(packed)} compressed")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
