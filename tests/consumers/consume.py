# Configures, builds and runs one project that uses Spio, in a fresh folder.
# SPDX-License-Identifier: Apache-2.0
#
# A consumer is a project of a user, in a folder beside this file: it finds an installed Spio or includes its
# source tree. The options say which, and what must be built and run.
import argparse
import os
import pathlib
import shutil
import subprocess
import sys


def run(*words):
    """Runs a command that must succeed."""
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{result.stdout}")


def main():
    split = sys.argv.index("--")  # what follows goes to cmake
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True, help="the program cmake")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder of all build folders")
    parser.add_argument("--name", required=True, help="the name of the build folder")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--configs", nargs="+", required=True, help="the configurations to build, such as Debug")
    parser.add_argument("--generator", default="Ninja Multi-Config")
    parser.add_argument("--install", type=pathlib.Path, help="install to this prefix, and run nothing")
    parser.add_argument("--never-asks", nargs="+", default=[], help="words that may not occur in the name of a variable of CMake's cache")
    parser.add_argument("--program", default="consumer", help="the program that is run")
    parser.add_argument("--alone", action="store_true", help="build nothing but the program")
    parser.add_argument("--never-runs", action="store_true", help="build, and run nothing")
    options = parser.parse_args(sys.argv[1:split])
    cmake, build = options.cmake, options.work / options.name

    # What a developer's shell says about CUDA must not reach the consumer.
    for name in ("CUDA_HOME", "CUDA_PATH", "CXXFLAGS", "CXX"):
        os.environ.pop(name, None)
    shutil.rmtree(build, ignore_errors=True)
    run(cmake, "-G", options.generator, "-S", options.source, "-B", build, *sys.argv[split + 1 :])

    cache = (build / "CMakeCache.txt").read_text()
    asked = [line for line in cache.splitlines() if ":" in line and not line.startswith(("//", "#"))]
    for word in options.never_asks:
        found = [line for line in asked if word in line.partition(":")[0]]
        if found:
            sys.exit(f"the library alone asked for {word}: {found}")

    for config in options.configs:
        alone = ["--target", options.program] if options.alone else []
        run(cmake, "--build", build, "--config", config, *alone)
        if options.install:
            shutil.rmtree(options.install, ignore_errors=True)
            run(cmake, "--install", build, "--config", config, "--prefix", options.install)
        elif not options.never_runs:
            run(build / (config if "Multi" in options.generator else "") / options.program)
    print("built" if options.install or options.never_runs else "built and ran", *options.configs)


main()
