# Measures CUDA Python on a GPU: launches, new kernels, and the examples beside the same in CUDA C++.
# SPDX-License-Identifier: Apache-2.0
"""measure.py RESULTS.json [NAME=VALUE...]

Needs PyTorch, the package spio, and nvcc or a library that it has made of examples.cu, which SPIO_EXAMPLES names. The
words NAME=VALUE are kept in the results. SPIO_LAUNCHES names the program bench_cuda_python, if launches from C++ are to
be measured, too.
"""
import array
import ctypes
import json
import os
import pathlib
import re
import runpy
import statistics
import subprocess
import sys
import tempfile
import time

from spio import cuda

folder_of_bench = pathlib.Path(__file__).resolve().parent
examples = folder_of_bench.parents[1] / "examples/cuda_python"
if "--first-calls" not in sys.argv:
    import torch


# A grid or a block, as examples.cu takes it.
class Sizes(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint)]


def compiled_examples(folder):
    """The examples in CUDA C++, as a library that nvcc compiles, or that SPIO_EXAMPLES names."""
    if "SPIO_EXAMPLES" in os.environ:
        return ctypes.CDLL(os.environ["SPIO_EXAMPLES"])
    library = pathlib.Path(folder) / "examples.so"
    major, minor = torch.cuda.get_device_capability()
    options = ["-O3", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC"]
    subprocess.run(["nvcc", *options, folder_of_bench / "examples.cu", "-o", library], check=True)
    return ctypes.CDLL(library)


def milliseconds_of(launch, rounds):
    """The GPU's time of each of some rounds of 10 launches, per launch."""
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(10):
            launch()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 10)
    return times


def example_problems():
    """For each example: grid, block, the arguments of Python, and those that CUDA C++ takes after the arrays."""
    def single(*shape):
        return torch.rand(shape, device="cuda")

    def double(*shape):
        return torch.rand(shape, device="cuda", dtype=torch.float64)

    n = 1 << 26
    yield "axpy", (n // 256, 1), (256, 1), [2.5, single(n), single(n)], [n]
    m = 2048
    yield "matmul", (m // 8, m // 8), (8, 8), [single(m, m), single(m, m), single(m, m)], [m, m, m]
    n = 1 << 20
    # The results for call and put; then price, strike and years.
    prices = [double(n), double(n), 20 + 10 * double(n), 25 + 10 * double(n), 1 + double(n)]
    yield "black_scholes", (n // 256, 1), (256, 1), prices, [n]
    rows, columns = 2048, 3072
    image = torch.zeros(rows, columns, device="cuda", dtype=torch.uint16)
    left, bottom, width, most_steps = -2.0, -1.0, 3.0, 1000
    yield "mandelbrot", (columns // 32, rows // 8), (32, 8), [left, bottom, width, most_steps, image], [rows, columns]
    side = 8192
    grids = [double(side, side), double(side, side), double(side // 8, side // 8)]
    yield "laplace", (side // 8, side // 8), (8, 8), grids, [side, side]


def words_of_c(name, value):
    """An argument of a kernel as the library takes it; axpy alone has single precision."""
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    if isinstance(value, float):
        return ctypes.c_float(value) if name == "axpy" else ctypes.c_double(value)
    return ctypes.c_int(value)


def measure_examples():
    """The times of each example in CUDA Python and in CUDA C++, and how far their results differ."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        library = compiled_examples(folder)
        for name, grid, block, arguments, sizes in example_problems():
            kernel = runpy.run_path(str(examples / f"{name}.py"))[name][grid, block]
            peer = getattr(library, f"launch_{name}")
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            tensors = [value for value in arguments if isinstance(value, torch.Tensor)]
            words = [Sizes(*grid), Sizes(*block), stream] + [words_of_c(name, value) for value in arguments + sizes]
            originals = [tensor.clone() for tensor in tensors]
            outcomes = []
            for launch in (lambda: kernel(*arguments), lambda: peer(*words)):
                for tensor, original in zip(tensors, originals):
                    tensor.copy_(original)
                launch()
                torch.cuda.synchronize()
                outcomes.append([tensor.to(torch.float64) for tensor in tensors])
            difference = max(float((a - b).abs().max() / (1 + b.abs().max())) for a, b in zip(*outcomes))
            spio_times, cuda_times = [], []
            for _ in range(7):
                spio_times += milliseconds_of(lambda: kernel(*arguments), rounds=1)
                cuda_times += milliseconds_of(lambda: peer(*words), rounds=1)
            result = {
                "name": name,
                "spio_us": 1000 * statistics.median(spio_times),
                "cuda_us": 1000 * statistics.median(cuda_times),
                "difference": difference,
            }
            result["ratio"] = result["spio_us"] / result["cuda_us"]
            results.append(result)
            print(f"figure: example {name}: {result}", flush=True)
    return results


def microseconds_of(launch):
    """The least time that the processor takes for a launch, of 50 rounds of 500."""
    best = 1e9
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(500):
            launch()
        best = min(best, (time.perf_counter() - start) / 500)
        torch.cuda.synchronize()
    return 1e6 * best


def measure_launches():
    """The host's time of launches of kernels that do nothing, by the kind and the number of arguments,
    and with the brackets of the launch, which choose the grid and the block, evaluated each time."""
    kernels = {0: nothing, 1: takes_1, 2: takes_2, 4: takes_4, 8: takes_8}
    values = {
        "device arrays": cuda.device_array(100, "float32"),
        "tensors of PyTorch": torch.zeros(100, device="cuda"),
        "numbers": 2.5,
        "__cuda_array_interface__": Interface(torch.zeros(100, device="cuda").__cuda_array_interface__),
    }
    results = []
    for kind, value in values.items():
        for count, kernel in kernels.items():
            arguments = (value,) * count
            launch = kernel[1, 32]
            result = {
                "kind": kind,
                "arguments": count,
                "us": microseconds_of(lambda: launch(*arguments)),
                "with_brackets_us": microseconds_of(lambda: kernel[1, 32](*arguments)),
            }
            results.append(result)
            print(f"figure: launch {result}", flush=True)
    return results


def measure_launches_by_cpp():
    """The same times from C++, as the program that SPIO_LAUNCHES names prints them."""
    printed = subprocess.run([os.environ["SPIO_LAUNCHES"]], check=True, capture_output=True, text=True).stdout
    pairs = re.findall(r"with (\d+) arrays: ([\d.]+) us", printed)
    return [{"arguments": int(count), "us": float(time)} for count, time in pairs]


class Interface:
    """An object that says where its array lies, and is no array itself."""

    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


# Kernels that do nothing: the time of their launches is that of passing the arguments.
@cuda.jit
def nothing():
    pass


@cuda.jit
def takes_1(a):
    pass


@cuda.jit
def takes_2(a, b):
    pass


@cuda.jit
def takes_4(a, b, c, d):
    pass


@cuda.jit
def takes_8(a, b, c, d, e, f, g, h):
    pass


operations = {
    "a + b of int32": ("i", "a[i] + b[i]"),
    "a // b of int32": ("i", "a[i] // b[i]"),
    "a % b of int32": ("i", "a[i] % b[i]"),
    "a // b of int64": ("q", "a[i] // b[i]"),
    "a + b of float64": ("d", "a[i] + b[i]"),
    "a // b of float64": ("d", "a[i] // b[i]"),
    "a % b of float64": ("d", "a[i] % b[i]"),
    "a % b of float32": ("f", "a[i] % b[i]"),
}


def first_calls(folder):
    """Milliseconds of the first call of new kernels. The very first opens the driver and the compiler, too."""
    results = {}
    for name, (letter, expression) in operations.items():
        for floor in (False, True):
            times = []
            for number in range(3):
                file = pathlib.Path(folder) / f"kernel_{len(results)}_{number}.py"
                file.write_text(
                    f"from spio import cuda\n@cuda.jit(floor={floor})\ndef kernel(a, b, o):\n"
                    f"    i = cuda.grid(1)\n    o[i] = {expression} + {number}\n"
                )
                kernel = runpy.run_path(str(file))["kernel"]
                arrays = [cuda.to_device(array.array(letter, [1] * 32)) for _ in range(3)]
                cuda.synchronize()
                start = time.perf_counter()
                kernel[1, 32](*arrays)
                cuda.synchronize()
                times.append(1000 * (time.perf_counter() - start))
            results[name + (", floor" if floor else "")] = times
    return results


def measure_first_calls():
    """Milliseconds of first calls, in a process that compiles and in one that finds kernels on disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"SPIO_CACHE_DIR": f"{folder}/cache", "PYTHONPATH": os.pathsep.join(sys.path)}
        results = {}
        for occasion in ("compiled", "from disk"):
            command = [sys.executable, __file__, "--first-calls", folder]
            run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            results[occasion] = json.loads(run.stdout)
            for name, times in results[occasion].items():
                print(f"figure: first call, {occasion}, {name}: {[round(t, 2) for t in times]} ms", flush=True)
    return results


def main():
    if sys.argv[1:2] == ["--first-calls"]:
        print(json.dumps(first_calls(sys.argv[2])))
        return
    named = dict(word.split("=", 1) for word in sys.argv[2:])
    results = {"gpu": torch.cuda.get_device_name(), "pytorch": torch.__version__, **named}
    parts = [("launches_by_cpp", measure_launches_by_cpp)] if "SPIO_LAUNCHES" in os.environ else []
    parts += [("launches", measure_launches), ("first_calls", measure_first_calls), ("examples", measure_examples)]
    for name, measure in parts:
        try:
            results[name] = measure()
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        pathlib.Path(sys.argv[1]).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
