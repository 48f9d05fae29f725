# The front end and the emitter of CUDA Python stay short.
# SPDX-License-Identifier: Apache-2.0
"""Counts the lines of modules/cuda_python without its interpreter, and fails if there are more than `limit`.

A line counts unless it is blank, a comment, an #include, an import, or the name of a module. The goal is 1600;
who makes the front end shorter lowers the limit.
"""
import pathlib
import sys

limit = 2308
interpreter = {"arithmetic.cpp", "cells.cppm", "evaluation.cppm", "interpreter.cpp"}
folder = pathlib.Path(__file__).parents[2] / "modules/cuda_python"
uncounted = ("//", "#include", "import ", "export import ", "module", "export module")


def count(path):
    lines = [line.strip() for line in path.read_text().splitlines()]
    return sum(bool(line) and not line.startswith(uncounted) for line in lines)


def main():
    counts = {path: count(path) for path in sorted(folder.rglob("*.cpp*")) if path.name not in interpreter}
    for path, lines in counts.items():
        print(f"{lines:5} {path.relative_to(folder)}")
    total = sum(counts.values())
    print(f"figure: cuda_python.lines: {total} lines of front end and emitter, at most {limit}")
    if len(counts) < 10:
        print("some of the sources were not found")
    return total > limit or len(counts) < 10


if __name__ == "__main__":
    sys.exit(main())
