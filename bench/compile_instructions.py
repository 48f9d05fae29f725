# Counts the instructions that NVRTC executes for a kernel, which no load of the machine changes.
# SPDX-License-Identifier: Apache-2.0
"""compile_instructions.py --nvrtc LIBNVRTC --build BUILD [--headers KERNELS] [--kernel NAME]... [--save]
       [--families]

Valgrind's cachegrind counts them, in nvrtc_compile of the build folder (ninja -C BUILD nvrtc_compile). The result is
in millions over those of an empty kernel. named_dimensions is twenty_tensors with dimension<"D0"> in the
place of structs; --families counts kernels of the families instead, up to PTX and for the front end alone
(those by cp.async for compute_80, all others for --arch); --headers takes the headers of another version. --save writes
bench/results/compile_instructions-DATE.json.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = ["dims", "small_typed", "large_typed", "twenty_tensors", "named_dimensions"]
FAMILY_KERNELS = sorted(file.stem for file in (FOLDER / "compile_cost" / "families").glob("*.cu"))
STRUCT = r"struct (D\d+) : spio::dim \{\n    using dim::dim;\n\};"


def text_of(name):
    """The text of a kernel."""
    if name == "named_dimensions":
        return re.sub(STRUCT, r'using \1 = spio::dimension<"\1">;', text_of("twenty_tensors"))
    folder = FOLDER / "compile_cost" / ("families" if name in FAMILY_KERNELS else "")
    return (folder / f"{name}.cu").read_text()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvrtc", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--headers", type=pathlib.Path, default=FOLDER.parent / "kernels")
    parser.add_argument("--kernel", action="append")
    parser.add_argument("--arch", default="compute_90a")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--families", action="store_true")
    options = parser.parse_args()
    command = [options.build / "tests" / "nvrtc_compile", options.nvrtc]
    flags = [f"@{options.build / 'flags' / 'nvrtc'}", f"-I{options.headers}",
             f"-I{options.build / 'device_include' / 'mp11'}"]

    def count(name, folder, *more):
        """The millions of instructions that compiling the text of this name takes, with `more` options."""
        file = folder / f"{name}.cu"
        file.write_text(text_of(name))
        words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                 *command, file, "--ptx", folder / "kernel.ptx", *flags,
                 f"-arch={'compute_80' if 'cp_async' in name else options.arch}", *more]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        counted = re.search(r"I +refs: +([\d,]+)", result.stdout)
        if result.returncode != 0 or not counted:
            raise SystemExit(result.stdout)
        return int(counted[1].replace(",", "")) / 1e6

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        empty = count("empty", folder)
        names = options.kernel or (FAMILY_KERNELS if options.families else KERNELS)
        millions = {kernel: round(count(kernel, folder) - empty, 1) for kernel in names}
        # An image for optimization at link time is what the front end leaves.
        fronts = {kernel: round(count(kernel, folder, "-dlto") - empty, 1) for kernel in names if options.families}
    print(f"{'kernel':26} {'million instructions over an empty kernel':>10}")
    for kernel, number in millions.items():
        print(f"{kernel:26} {number:10.1f}", f"front end {fronts[kernel]:10.1f}" if fronts else "")
    if options.save:
        version = subprocess.run(["valgrind", "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=FOLDER, stdout=subprocess.PIPE,
                                check=True, text=True).stdout.strip()
        date = datetime.date.today().isoformat()
        report = {"date": date, "nvrtc": pathlib.Path(options.nvrtc).resolve().name, "counted_by": version,
                  "commit": commit, "arch": options.arch, "empty": round(empty, 1), "millions_over_empty": millions}
        if fronts:
            report["front_end_over_empty"] = fronts
        file = FOLDER / "results" / f"compile_instructions-{date}.json"
        file.write_text(json.dumps(report, indent=2) + "\n")
        print("written:", file)


if __name__ == "__main__":
    main()
