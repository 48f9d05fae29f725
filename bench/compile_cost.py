# Measures what the algebra costs the compilers: milliseconds of NVRTC, clang and g++, instantiations.
# SPDX-License-Identifier: Apache-2.0
"""NVRTC gets its headers in memory, as a JIT hands them over. The runs of all kernels are
interleaved, and medians of the processor's time are reported: it counts no waiting for other programs.
--save writes bench/results/compile_cost-DATE.json."""
import argparse
import collections
import ctypes
import datetime
import json
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

# Texts of bench/compile_cost: nothing; the headers alone; small and large kernels in ints and typed; twenty tensors.
KERNELS = ["empty", "dims", "small_raw", "small_typed", "large_raw", "large_typed", "twenty_tensors"]
ARCH = "compute_90a"


class Nvrtc:
    """libnvrtc, with the headers of some folders kept in memory."""

    def __init__(self, library, folders, flags):
        self.library = ctypes.CDLL(library)
        texts = {str(file.relative_to(folder)).encode(): file.read_bytes()
                 for folder in folders for file in folder.rglob("*") if file.is_file()}
        self.count = len(texts)
        self.names = (ctypes.c_char_p * self.count)(*texts.keys())
        self.texts = (ctypes.c_char_p * self.count)(*texts.values())
        options = [*flags.read_bytes().splitlines(), b"-arch=" + ARCH.encode()]
        self.options = (ctypes.c_char_p * len(options))(*options)

    def version(self):
        """The version of NVRTC, such as 13.0."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def milliseconds(self, source):
        """The time of compiling a kernel's text."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(
            ctypes.byref(program), source, b"kernel.cu", self.count, self.texts, self.names)
        start = time.process_time()
        failed = self.library.nvrtcCompileProgram(program, len(self.options), self.options)
        spent = time.process_time() - start
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
    return {name: statistics.median(samples) for name, samples in times.items()}


def milliseconds(words):
    """The time of a command."""
    def spent():
        """CPU seconds of all processes that were started and have ended."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    start = spent()
    subprocess.run(words, check=True)
    return 1000 * (spent() - start)


def instantiations(clang, source, builtins, folder):
    """How many class and function templates clang instantiates for a kernel."""
    file, trace = folder / "kernel.cpp", folder / "trace.json"
    file.write_bytes(source)
    subprocess.run([*clang, "-include", builtins, "-c", file, "-o", folder / "kernel.o",
                    f"-ftime-trace={trace}", "-ftime-trace-granularity=0"], check=True)
    events = collections.Counter(event["name"] for event in json.loads(trace.read_text())["traceEvents"])
    return {"classes": events["InstantiateClass"], "functions": events["InstantiateFunction"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvrtc", required=True, help="libnvrtc.so")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--save", action="store_true")
    options, _ = parser.parse_known_args()

    # The kernels' texts, and one that includes the same headers of Mp11 alone.
    kernels = options.source / "kernels"
    texts = options.source / "bench" / "compile_cost"
    boost = options.build / "device_include" / "mp11"
    sources = {name: (texts / f"{name}.cu").read_bytes() for name in KERNELS}
    headers = "".join(file.read_text() for file in (kernels / "spio").glob("*.h"))
    mp11 = "\n".join(sorted(set(re.findall(r"^#include <boost/.*>$", headers, re.M)))) + "\n"
    sources["mp11"] = mp11.encode() + sources["empty"]

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in (boost / "boost" / "mp11").rglob("*.hpp"):
            copy = folder / file.relative_to(boost)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())

        # The time of NVRTC, and how many templates each text instantiates.
        nvrtc = Nvrtc(options.nvrtc, [kernels, folder], options.build / "flags/nvrtc")
        nvrtc_ms = medians({name: lambda text=text: nvrtc.milliseconds(text) for name, text in sources.items()},
                           options.runs)

        clang = [options.clang, "-std=c++20", f"-I{kernels}", f"-I{boost}"]
        alone = [*clang, "-nostdinc++"]
        counts = {name: instantiations(alone, text, texts / "builtins.h", folder)
                  for name, text in sources.items()}

        # The time of clang: an import of the module, and an include of its header.
        bmi = folder / "spio.dims.pcm"
        subprocess.run([*clang, "--precompile", options.source / "modules" / "dims.cppm", "-o", bmi], check=True)
        units = {"empty": "", "import": "import spio.dims;\n", "include": '#include "spio/dims.h"\n'}
        measures = {}
        for name, text in units.items():
            file = folder / f"{name}.cpp"
            file.write_text(text)
            measures[name] = lambda words=[*clang, "-fsyntax-only", f"-fmodule-file=spio.dims={bmi}", file]: (
                milliseconds(words))
        clang_ms = medians(measures, options.runs)

        kernel = folder / "kernel.cpp"
        kernel.write_bytes(sources["twenty_tensors"])
        reading = ["-nostdinc++", "-include", texts / "builtins.h", "-fsyntax-only", kernel]
        kernel_ms = medians(
            {name: lambda words=[*compiler, *reading]: milliseconds(words) for name, compiler in
             {"clang": clang, "g++": ["g++", *clang[1:]]}.items()}, options.runs // 3 + 1)

    print(f"{'NVRTC':12} {'ms':>7} {'over empty':>11} {'classes':>8} {'functions':>10}   instantiated, by clang")
    for name in sorted(nvrtc_ms, key=nvrtc_ms.get):
        print(f"{name:12} {nvrtc_ms[name]:7.1f} {nvrtc_ms[name] - nvrtc_ms['empty']:+11.1f} "
              f"{counts[name]['classes']:8} {counts[name]['functions']:10}")
    print(f"{'clang':12} {'ms':>7} {'over empty':>11}")
    for name, ms in clang_ms.items():
        print(f"{name:12} {ms:7.1f} {ms - clang_ms['empty']:+11.1f}")
    print("20 tensors, read on the host:", ", ".join(f"{name} {ms:.0f} ms" for name, ms in kernel_ms.items()))
    print(f"summary: including the algebra adds {nvrtc_ms['dims'] - nvrtc_ms['empty']:.1f} ms of NVRTC")

    if options.save:
        version = subprocess.run([options.clang, "--version"], capture_output=True, text=True, check=True)
        cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        date = datetime.date.today().isoformat()
        report = {"date": date, "cpu": cpu[1] if cpu else "unknown", "nvrtc": nvrtc.version(),
                  "clang": version.stdout.splitlines()[0], "arch": ARCH, "runs": options.runs,
                  "nvrtc_ms": nvrtc_ms, "instantiations": counts, "clang_ms": clang_ms,
                  "twenty_tensors_ms": kernel_ms}
        file = options.source / "bench" / "results" / f"compile_cost-{date}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(report, indent=2) + "\n")
        print("written:", file)


if __name__ == "__main__":
    main()
