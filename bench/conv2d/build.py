# Compiles the texts that conv2d_export wrote, and notes what registers they take.
# SPDX-License-Identifier: Apache-2.0
"""build.py FOLDER --include KERNELS MP11 [--arch sm_90a|compute_80] [--nvcc NVCC] [--jobs N]

Each FOLDER/SYMBOL.cu becomes SYMBOL.cubin, or SYMBOL.ptx if the architecture is one of PTX. The exporter has written the
options to FOLDER/nvcc_options. FOLDER/built.json says of each symbol its registers, the bytes it spills, and those of its image.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys


def compile_one(options, text):
    """Compiles a text by nvcc. Returns its name, and a description: the image, registers, spilled bytes."""
    is_ptx = options.arch.startswith("compute_")
    image = text.with_suffix(".ptx" if is_ptx else ".cubin")
    command = [options.nvcc, "--options-file", options.folder / "nvcc_options", "-O3", f"-arch={options.arch}",
               "-ptx" if is_ptx else "-cubin", "-Xptxas", "-v", *(f"-I{folder}" for folder in options.include),
               "-o", image, text]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{text}:\n{done.stdout}")
    number = lambda pattern: int(found[1]) if (found := re.search(pattern, done.stdout)) else None
    return text.stem, {"arch": options.arch, "file": image.name, "bytes": image.stat().st_size,
                       "registers": number(r"Used (\d+) registers"),
                       "spilled": number(r"(\d+) bytes spill stores")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--include", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    texts = sorted(options.folder.glob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = dict(pool.map(lambda text: compile_one(options, text), texts))
    (options.folder / "built.json").write_text(json.dumps(built, indent=1) + "\n")
    spills = sum(bool(each["spilled"]) for each in built.values())
    print(f"{len(built)} kernels for {options.arch}, {spills} of them spill")


if __name__ == "__main__":
    main()
