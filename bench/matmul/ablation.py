# Times the body cp_async of the matrix product with parts of its loop left out, to see what binds it.
# SPDX-License-Identifier: Apache-2.0
#
# The body cp_async is a kernel template; blocks share a product as a configuration says.
"""ablation.py --out FILE.json [--include KERNELS MP11] [--sizes 4096,8192] [--compile-only]

On a machine with a GPU, nvcc and PyTorch. MP11 is a folder with the headers of Boost. The results of a kernel that lacks a part
are wrong; only its time counts.
"""
import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.parent
LOOP = "#pragma unroll 1"
COPY = ["if (has_next) block.copy(step, steps - 1, writing.stage());"]
LOADS = ["load_step((step + 1) % 2, reading.stage(), step + 1);", "load_step((step + 1) % 2, reading.stage(), 0);"]
BARRIERS = ["if (has_next || !Config.has_mbarriers()) copied();", "block.wait_for_tiles(reading);"]
# What each variant leaves out of the loop over k.
VARIANTS = {"nothing": [], "copies": COPY, "ldmatrix": LOADS, "copies and ldmatrix": COPY + LOADS, "barriers": BARRIERS}
# The fields of a configuration: m and n of a block's tile, warps along m and along n, stages of its ring, and rows of tiles in a
# band, whose blocks run at the same time.
CONFIGS = {"wide": (128, 256, 2, 4, 4, 8), "high": (256, 128, 4, 2, 4, 4), "pair": (128, 128, 2, 2, 3, 8)}
KERNEL = """constexpr spio::matmul::cp_async::config {name}_config = {{{values}}};
extern "C" __global__ void __launch_bounds__({name}_config.threads(), 1)
    {name}(__grid_constant__ spio::matmul::cp_async::params const p) {{
    spio::matmul::cp_async::run<problem, {name}_config>(p);
}}
"""
TEXT = """#include "matmul/cp_async.cuh"
constexpr spio::matmul::problem problem = {.m = 0, .n = 0, .k = 0, .b = spio::matmul::order::columns,
                                           .made_for = spio::matmul::known_sizes::none};
"""


def build(folder, options):
    """Compiles each variant to FOLDER/NUMBER.cubin."""
    kernels, mp11 = options.include
    source = folder / "kernels.cu"
    source.write_text(TEXT + "".join(KERNEL.format(name=name, values=", ".join(map(str, values))) for name, values in CONFIGS.items()))
    running = []
    for number, parts in enumerate(VARIANTS.values()):
        text = folder / str(number)
        shutil.copytree(kernels / "spio", text / "spio")
        shutil.copytree(kernels / "machine", text / "machine")
        shutil.copytree(kernels / "matmul", text / "matmul")
        body = text / "matmul" / "cp_async.cuh"
        prologue, _, loop = body.read_text().partition(LOOP)
        for part in parts:
            if part not in loop:
                sys.exit(f"{kernels}/matmul/cp_async.cuh has no longer: {part}")
            loop = loop.replace(part, "", 1)
        body.write_text(prologue + LOOP + loop)
        running.append(subprocess.Popen(["nvcc", "-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_90a", "-O3", "-cubin", f"-I{text}",
                                         f"-I{mp11}", source, "-o", folder / f"{number}.cubin"]))
    if any(process.wait() for process in running):
        sys.exit("nvcc failed")


def called(status, call):
    """Ends the program if a call of the driver has failed."""
    if status:
        sys.exit(f"{call} returned {status}")


def milliseconds(function, config, size, driver, torch, matrices):
    """The median time of a product of squares of this size, of 8 launches through the driver."""
    m, n, warps_m, warps_n, stages, _ = config
    shared = stages * 2 * 64 * (m + n) + (16 * -(-stages // 2) if stages >= 4 else 0)  # tiles, and an mbarrier of each stage
    max_dynamic_shared_bytes = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    called(driver.cuFuncSetAttribute(function, max_dynamic_shared_bytes, shared), "cuFuncSetAttribute")
    # The struct of the kernel's arguments: m, n, k and the batch; of each matrix its address, the distance of its lines and that
    # of the batch's matrices. Between b and d are a bias and a matrix to be added, here none: 32 zero bytes.
    a, b, d = (struct.pack("Qqq", matrix.data_ptr(), size, 0) for matrix in matrices)
    params = ctypes.create_string_buffer(struct.pack("4i", size, size, size, 1) + a + b + bytes(32) + d)
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(params, ctypes.c_void_p))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    times = []
    for _ in range(8):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        called(driver.cuLaunchKernel(function, -(-size // m) * -(-size // n), 1, 1, 32 * warps_m * warps_n, 1, 1, shared, stream,
                                     arguments, None), "cuLaunchKernel")
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def measure(folder, sizes):
    """The times of each variant (a kernel with a part left out) in each configuration and size."""
    import torch
    driver = ctypes.CDLL("libcuda.so.1")
    records = []
    for size in sizes:
        matrices = [torch.randn(size, size, device="cuda").bfloat16() for _ in range(3)]
        for number, left_out in enumerate(VARIANTS):
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            called(driver.cuModuleLoad(ctypes.byref(module), str(folder / f"{number}.cubin").encode()), "cuModuleLoad")
            for name, config in CONFIGS.items():
                called(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), "cuModuleGetFunction")
                time = milliseconds(function, config, size, driver, torch, matrices)
                records.append({"left_out": left_out, "config": config, "size": size, "ms": round(time, 4),
                                "tflops": round(2e-9 * size**3 / time, 1)})
                print(records[-1], flush=True)
    return {"what": "products by cp.async with parts left out", "gpu": torch.cuda.get_device_name(), "records": records}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--include", nargs=2, type=pathlib.Path, default=[ROOT / "kernels", ROOT / "build" / "boost_only"])
    parser.add_argument("--sizes", default="4096,8192")
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        build(folder, options)
        if not options.compile_only:
            options.out.write_text(json.dumps(measure(folder, map(int, options.sizes.split(","))), indent=1) + "\n")
    print(f"summary: bench.matmul.ablation: {len(VARIANTS) * len(CONFIGS)} kernels")


if __name__ == "__main__":
    main()
