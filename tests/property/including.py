# Runs the property tests as another compiler builds them: it includes the algebra's headers instead of the module.
# SPDX-License-Identifier: Apache-2.0
"""including.py --work FOLDER --mp11 FOLDER [--layouts N] [--indices N] [--seed N] [--jobs N] -- COMPILER [FLAG...]

The tests are copied to the folder FOLDER of --work, with N random layouts and compound indices drawn, and
`import spio.dims;` becomes `#include "spio/algebra.h"`. Each file is compiled by `COMPILER FLAG...`,
all are linked, and the program runs. --mp11 has Boost's headers, build/PRESET/device_include/mp11 for
example; doctest's header is where the compiler looks.

    including.py --work build/gcc --mp11 build/ci/device_include/mp11 -- g++ -std=c++20 -O1
    SPIO_ROUNDS=10 including.py --work build/clang --mp11 build/ci/device_include/mp11 -- clang++-19 -std=c++20 -O1

nvcc and NVRTC read the laws at compile time: the tests static.nvcc, static.nvrtc.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
UNITS = 16  # files of layouts


def run(words):
    """Runs a command, and ends the program where it fails."""
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, words)) + "\n" + result.stdout)


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--mp11", type=pathlib.Path, required=True)
    parser.add_argument("--layouts", type=int, default=400)
    parser.add_argument("--indices", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(sys.argv[1:split])
    compiler = sys.argv[split + 1 :]

    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-B", FOLDER / "generate.py", "--seed", options.seed, "--units", UNITS,
         "--layouts", options.layouts, "--indices", options.indices, work / "generated"])
    files = [*FOLDER.glob("*.h"), *FOLDER.glob("*.cpp"), *(work / "generated").iterdir(),
             FOLDER.parent / "doctest_main.cpp"]
    sources = []
    for file in files:
        name = file.name
        if file.parent == work / "generated" and file.name == "indices.cpp":
            name = "drawn_indices.cpp"  # beside the test of this name
        copy = work / name
        copy.write_text(f'#line 1 "{file}"\n' + file.read_text().replace("import spio.dims;", '#include "spio/algebra.h"'))
        if copy.suffix == ".cpp":
            sources.append(copy)

    includes = [f"-I{work}", f"-I{FOLDER.parents[1] / 'kernels'}", f"-I{options.mp11.resolve()}"]

    def compile_one(source):
        run([*compiler, *includes, "-c", source, "-o", source.with_suffix(".o")])

    # The files of layouts take longest, and begin first.
    sources.sort(key=lambda source: "layouts_" not in source.name)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(compile_one, sources))
    program = work / "property"
    run([*compiler, *(source.with_suffix(".o") for source in sources), "-o", program])
    sys.exit(subprocess.run([program]).returncode)


main()
