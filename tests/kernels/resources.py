# Prints how many registers each kernel takes, according to the assembler, and refuses those that spill.
# SPDX-License-Identifier: Apache-2.0
"""resources.py --name NAME --images FOLDER..."""
import argparse
import pathlib
import re
import sys


# Filter gradients (wgrad) of conv2d whose filters have one row, or 7 x 7 taps: clang leaves sums in memory that nvcc
# and NVRTC unroll into registers.
KEEPS_A_FRAME = {("clang", name) for name in
                 ("wgrad_cp_async_wide", "wgrad_cp_async_seven", "wgrad_tma_wide", "wgrad_tma_seven")}


def kernels_of(log):
    """The name of each kernel, with its registers and the bytes that it spills."""
    pattern = (r"Compiling entry function '(\w+)' for '\w+'.*?(\d+) bytes stack frame, "
               r"(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers")
    for name, stack, stored, loaded, registers in re.findall(pattern, log, re.S):
        yield name, int(registers), int(stored) + int(loaded), int(stack)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--images", nargs="+", type=pathlib.Path, required=True)
    options = parser.parse_args()
    registers, faults = {}, []
    for folder in options.images:
        for image in sorted(folder.glob("*.cubin")):
            kernels = list(kernels_of(image.with_name(image.name + ".log").read_text()))
            if not kernels:
                faults.append(f"{image}: the assembler's log names no kernel")
            for name, count, spilled, stack in kernels:
                registers.setdefault(name, {})[folder.name.split("-")[1]] = count
                if spilled:
                    faults.append(f"{image}: {name} spills {spilled} bytes")
                if stack and (folder.name.split("-")[0], name) not in KEEPS_A_FRAME:
                    faults.append(f"{image}: {name} keeps {stack} bytes in its stack frame")
    for name, by_arch in sorted(registers.items()):
        if name.startswith("planted_"):
            continue
        counts = ", ".join(f"{count} on {arch}" for arch, count in by_arch.items())
        print(f"summary: {options.name}: {name}: registers: {counts}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"summary: {options.name}: {len(registers)} kernels, {len(faults)} faults")
    return bool(faults) or not registers


if __name__ == "__main__":
    sys.exit(main())
