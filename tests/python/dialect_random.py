# Random programs through spio.cuda: the GPU stores the bits that the interpreter stores.
# SPDX-License-Identifier: Apache-2.0
#
# spio.cuda is CUDA Python, a statically typed Python whose functions become kernels; its interpreter runs
# them on the CPU.
"""dialect_random.py FILE SECONDS

The file is what print_cuda_python_programs of tests/cuda_python prints. Programs run in as many processes as there are processors,
until the time is over. Without a GPU, or with SPIO_ON_HOST=1, they are compiled and interpreted alone.
"""
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time
import zlib

import numpy

from spio import cuda

prelude = "import math\nfrom spio import cuda\nfrom spio.cuda import *\n"
interesting = (0, 1, -1, 2, 7, -8, 100, 127, -128, 255, 1.5, -0.25, 1e10, -3e38, float("inf"), float("nan"))


def programs_of(file):
    """The programs of the file: name, signature, threads, whether // rounds down, and text."""
    for chunk in pathlib.Path(file).read_text().split("#### ")[1:]:
        head, text = chunk.split("\n", 1)
        name, signature, threads, floors = head.split(" | ")
        yield name, signature, int(threads), floors == "1", text


def array_of(element, count, random):
    """Random numbers of a type: interesting reals; integers of all sizes, or small ones."""
    with numpy.errstate(all="ignore"):
        if numpy.dtype(element).kind == "f":
            return random.choice(interesting, count).astype(element)
        return random.integers(-(2**62), 2**62, count).astype(element) if random.random() < 0.5 else random.integers(0, 100, count).astype(element)


def results_of(program, folder, has_gpu):
    """The arrays after the kernel, by the interpreter and by the GPU."""
    name, signature, threads, floors, text = program
    file = folder / f"{name}.py"
    file.write_text(prelude + text)
    names = {"__name__": name}
    exec(compile(prelude + text, str(file), "exec"), names)
    kernel = cuda.jit(f"void({signature})", floor=floors, fused=False)(names[name].function)
    random = numpy.random.default_rng(zlib.crc32(name.encode()))
    types = signature.split(", ")
    values = [array_of(t[:-3], threads, random) if t.endswith("[:]") else int(random.integers(0, 100)) for t in types]
    values = [float(v) if isinstance(v, int) and t.startswith("float") else v for t, v in zip(types, values)]
    results = []
    for device in ("host", 0) if has_gpu else ("host",):
        cuda.select_device(device)
        copies = [v.copy() if isinstance(v, numpy.ndarray) else v for v in values]
        kernel[1, threads](*copies)
        results.append([c for c in copies if isinstance(c, numpy.ndarray)])
    file.unlink()
    return results


def is_equal(left, right):
    """Whether two arrays have the same bits, where any two NaNs count as equal."""
    if left.dtype.kind == "f":
        unordered = numpy.isnan(left) & numpy.isnan(right)
        left, right = numpy.where(unordered, 0, left), numpy.where(unordered, 0, right)
    return left.tobytes() == right.tobytes()


def work(number, count, programs, end, has_gpu, answers):
    """One of `count` processes: runs each count-th program until the time `end`, and puts the number done and the faults."""
    done, faults = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs[number::count]:
            if time.monotonic() > end:
                break
            try:
                results = results_of(program, pathlib.Path(folder), has_gpu)
                if len(results) == 2 and not all(map(is_equal, *results)):
                    faults.append(f"{program[0]}: the GPU stores other bits")
            except Exception as error:
                faults.append(f"{program[0]}: {type(error).__name__}: {str(error)[:300]}")
            done += 1
    answers.put((done, faults))


def main():
    programs = list(programs_of(sys.argv[1]))
    end = time.monotonic() + float(sys.argv[2])
    has_gpu = os.path.exists("/dev/nvidiactl") and os.environ.get("SPIO_ON_HOST") != "1"
    count = os.cpu_count()
    answers = multiprocessing.Queue()
    arguments = [(number, count, programs, end, has_gpu, answers) for number in range(count)]
    workers = [multiprocessing.Process(target=work, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    found = [answers.get() for _ in workers]
    faults = [fault for _, some in found for fault in some]
    print(f"figure: random programs: {sum(done for done, _ in found)}, {len(faults)} differ", "" if has_gpu else "(no GPU)")
    print("\n".join(faults[:10]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
