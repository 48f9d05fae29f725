# Measures what the algebra costs the compilers: milliseconds of NVRTC and of clang, instantiations.
# SPDX-License-Identifier: Apache-2.0
"""NVRTC gets its headers in memory, as the JIT hands them over. The runs of all kernels are
interleaved, and medians are reported. --save writes bench/results/compile_cost-DATE.json."""
import argparse
import collections
import ctypes
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

KERNELS = ["empty", "mp11", "dims", "small_raw", "small_typed", "large_raw", "large_typed"]
ARCH = "sm_90a"


class Nvrtc:
    """libnvrtc, with a set of headers kept in memory."""

    def __init__(self, library, folders):
        self.library = ctypes.CDLL(library)
        texts = {}
        for folder in folders:
            for file in folder.rglob("*"):
                if file.is_file():
                    name = str(file.relative_to(folder))
                    texts[name.encode()] = file.read_bytes()
        self.count = len(texts)
        strings = ctypes.c_char_p * self.count
        self.names, self.texts = strings(*texts.keys()), strings(*texts.values())
        options = [b"-std=c++20", b"-default-device", f"-arch={ARCH.replace('sm', 'compute')}".encode()]
        self.options = (ctypes.c_char_p * len(options))(*options)

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def milliseconds(self, source):
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(
            ctypes.byref(program), source, b"kernel.cu", self.count, self.texts, self.names)
        start = time.perf_counter()
        failed = self.library.nvrtcCompileProgram(program, len(self.options), self.options)
        spent = time.perf_counter() - start
        if failed:
            size = ctypes.c_size_t()
            self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.library.nvrtcGetProgramLog(program, log)
            raise SystemExit(log.value.decode())
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return 1000 * spent


def medians(measures, runs):
    """The median of each measure over interleaved runs."""
    times = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            times[name].append(measure())
    return {name: statistics.median(of) for name, of in times.items()}


def timed(words):
    start = time.perf_counter()
    subprocess.run(words, check=True)
    return 1000 * (time.perf_counter() - start)


def instantiations(clang, file, builtins, folder):
    """How many class and function templates clang instantiates for a kernel."""
    trace = folder / f"{file.stem}.json"
    subprocess.run([*clang, "-x", "c++", "-include", builtins, file, "-c", "-o", folder / f"{file.stem}.o",
                    f"-ftime-trace={trace}", "-ftime-trace-granularity=0"], check=True)
    kinds = collections.Counter(event["name"] for event in json.loads(trace.read_text())["traceEvents"])
    return {"classes": kinds["InstantiateClass"], "functions": kinds["InstantiateFunction"]}


def processor():
    return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]


def first_line(words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvrtc", required=True, help="libnvrtc.so")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--mp11", type=pathlib.Path, default="/usr/include", help="where boost/ lies")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--save", action="store_true")
    options, _ = parser.parse_known_args()
    kernels = options.source / "kernels"
    texts = options.source / "bench" / "compile_cost"

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        boost = folder / "include"
        for file in (options.mp11 / "boost" / "mp11").rglob("*.hpp"):
            copy = boost / file.relative_to(options.mp11)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())

        nvrtc = Nvrtc(options.nvrtc, [kernels, kernels / "std", boost])
        sources = {name: (texts / f"{name}.cu").read_bytes() for name in KERNELS}
        milliseconds = medians(
            {name: lambda text=text: nvrtc.milliseconds(text) for name, text in sources.items()},
            options.runs)

        clang = [options.clang, "-std=c++20", "-nostdinc++",
                 f"-I{kernels}", f"-I{kernels}/std", f"-I{boost}"]
        counts = {name: instantiations(clang, texts / f"{name}.cu", texts / "builtins.h", folder)
                  for name in KERNELS}

        bmi = folder / "spio.dims.pcm"
        subprocess.run([*clang, "--precompile", kernels.parent / "modules" / "dims.cppm", "-o", bmi], check=True)
        units = {"empty": "", "import": "import spio.dims;\n", "include": '#include "spio/dims.h"\n'}
        for name, text in units.items():
            (folder / f"{name}.cpp").write_text(text)
        host = medians(
            {name: lambda file=folder / f"{name}.cpp": timed(
                [*clang, "-fsyntax-only", f"-fmodule-file=spio.dims={bmi}", file]) for name in units},
            options.runs)

    print(f"{'NVRTC':12} {'ms':>7} {'over empty':>11} {'classes':>8} {'functions':>10}   (clang's count)")
    for name, ms in milliseconds.items():
        print(f"{name:12} {ms:7.1f} {ms - milliseconds['empty']:+11.1f} "
              f"{counts[name]['classes']:8} {counts[name]['functions']:10}")
    print(f"{'clang':12} {'ms':>7} {'over empty':>11}")
    for name, ms in host.items():
        print(f"{name:12} {ms:7.1f} {ms - host['empty']:+11.1f}")

    if options.save:
        results = options.source / "bench" / "results"
        results.mkdir(exist_ok=True)
        date = datetime.date.today().isoformat()
        report = {"date": date, "cpu": processor(), "nvrtc": nvrtc.version(),
                  "clang": first_line([options.clang, "--version"]), "arch": ARCH, "runs": options.runs,
                  "nvrtc_ms": milliseconds, "instantiations": counts, "clang_ms": host}
        file = results / f"compile_cost-{date}.json"
        file.write_text(json.dumps(report, indent=2) + "\n")
        print("written:", file)


if __name__ == "__main__":
    main()
