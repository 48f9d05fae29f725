# Builds the wheel and runs its tests, or says how to get what they need.
# SPDX-License-Identifier: Apache-2.0
#
# A pack is a file of compiled kernels; a generic kernel serves every layer with the same filter.
"""wheel.py build FOLDER [--pack PACK] [--objects OBJECTS] [--define NAME=VALUE...]
    builds the wheel in the folder, with the generic kernels of the pack, and unpacks it to FOLDER/site; CMake builds
    its libraries in OBJECTS, FOLDER/objects unless it is named, and defines what is listed
wheel.py run FOLDER FILE [ARGUMENT...]
    runs a program with the unpacked wheel

Python is the first of $SPIO_PYTHON, that of build/pytorch and the interpreter of this script that has PyTorch.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

folder_of_tests = pathlib.Path(__file__).resolve().parent
root = folder_of_tests.parents[1]
skipped = 77


def python_with_pytorch():
    """The Python to use, or None if none has PyTorch."""
    named = os.environ.get("SPIO_PYTHON")
    places = [named] if named else [root / "build/pytorch/bin/python", sys.executable]
    for place in places:
        try:
            found = subprocess.run([place, root / "python/pytorch_folder.py"], capture_output=True)
        except OSError:
            continue
        if found.returncode == 0:
            return place
    return None


def build(python, folder, words):
    """Builds the wheel in the folder and unpacks it; returns an exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", default="")
    parser.add_argument("--objects", default=folder / "objects")
    parser.add_argument("--define", nargs="*", default=[])
    options = parser.parse_args(words)
    definitions = [f"SPIO_GENERIC_IMAGES={options.pack}", *options.define]
    has_backend = subprocess.run([python, "-c", "import scikit_build_core"], capture_output=True).returncode == 0
    if not has_backend:
        print("no scikit-build-core beside PyTorch: './bootstrap torch' installs it")
        return skipped
    shutil.rmtree(folder / "dist", ignore_errors=True)
    # Sanitizers and options of the build around are none of the wheel's.
    keep = {name: value for name, value in os.environ.items() if name not in ("CXXFLAGS", "LDFLAGS", "CFLAGS")}
    command = [python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", folder / "dist",
               f"-Cbuild-dir={options.objects}", *(f"-Ccmake.define.{definition}" for definition in definitions),
               root / "python"]
    status = subprocess.run(command, env=keep).returncode
    if status:
        return status
    (wheel,) = (folder / "dist").glob("spio-*-abi3-*.whl")
    if not is_stable(python, wheel):
        return 1
    shutil.rmtree(folder / "site", ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    print(f"summary: python.wheel: {wheel.name} of {wheel.stat().st_size} bytes")
    return 0


def is_stable(python, wheel):
    """Whether the wheel's libraries use nothing but CPython's stable ABI of its version, as abi3audit sees it."""
    if subprocess.run([python, "-c", "import abi3audit"], capture_output=True).returncode:
        print("no abi3audit beside PyTorch, so the wheel is not audited: './bootstrap torch' installs both")
        return True
    audit = subprocess.run([python, "-m", "abi3audit", "--strict", "--verbose", wheel], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    print(audit.stdout if audit.returncode else "summary: python.wheel: abi3audit has no objection")
    return audit.returncode == 0


def run(python, folder, program, *arguments):
    """Runs a program with the unpacked wheel of the folder; returns its exit status."""
    keep = {key: value for key, value in os.environ.items() if not key.startswith("SPIO_") or key == "SPIO_PYTHON"}
    keep |= {"PYTHONPATH": os.pathsep.join(map(str, (folder / "site", folder_of_tests))), "PYTHONDONTWRITEBYTECODE": "1",
             "OMP_NUM_THREADS": "1"}
    return subprocess.run([python, program, *arguments], env=keep, cwd=folder).returncode


def main():
    action, folder, *rest = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = python_with_pytorch()
    if python is None:
        print("no PyTorch 2.10 or newer: './bootstrap torch' installs it into build/pytorch, and SPIO_PYTHON names a Python that has it")
        return skipped
    if action == "build":
        return build(python, folder, rest)
    return run(python, folder, *rest)


if __name__ == "__main__":
    sys.exit(main())
