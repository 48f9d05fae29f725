# CUDA Python v0.2: kernels written in Python. docs/cuda_python.md describes the language.
# SPDX-License-Identifier: Apache-2.0
"""Kernels of CUDA Python.

    from spio import cuda

    @cuda.jit("void(float32, float32[:], float32[:])")
    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    axpy[blocks, 256](2.5, x, y)      # NumPy arrays, tensors of PyTorch, cuda.to_device(x)

Without a GPU the interpreter runs kernels, slowly, and finds accesses outside of arrays. PyTorch is not needed.
"""
import os

from spio import nvrtc

nvrtc.use_installed()

from spio import dialect  # noqa: E402: the library reads the environment when it is first used
from spio.cuda.errors import Error  # noqa: E402
from spio.cuda.kernels import DeviceFunction, Kernel, autojit, jit  # noqa: E402
from spio.cuda.memory import DeviceArray, device_array, device_array_like, pinned_array, to_device  # noqa: E402
from spio.cuda.sources import Intrinsic  # noqa: E402
from spio.cuda.types import Type, names, types  # noqa: E402

globals().update(types)
threadIdx, blockIdx, blockDim, gridDim = map(Intrinsic, ("threadIdx", "blockIdx", "blockDim", "gridDim"))
grid, syncthreads, shared = map(Intrinsic, ("grid", "syncthreads", "shared"))

current_device = dialect.current_device
synchronize = dialect.synchronize


def select_device(device):
    """Chooses the device of kernels that are launched without a stream: the number of a GPU, or "host" for the
    interpreter. Returns its name. By default it is GPU 0, or the interpreter if there is no GPU."""
    return dialect.select_device(None if device == "host" else device)


def use_pack(file):
    """Takes kernels from this file, which 'spio pack build' has made, where it has them, and compiles only the others.
    It must be called before the first kernel is launched."""
    dialect.use_pack(os.fspath(file))


def stream():
    """A new stream of the device, for kernel[grid, block, stream](…)."""
    return dialect.new_stream(None)


def external_stream(handle):
    """A stream of another library, whose CUstream is passed as an integer."""
    return dialect.new_stream(handle)


__all__ = [
    *("DeviceArray", "DeviceFunction", "Error", "Kernel", "Type", "autojit", "current_device", "device_array"),
    *("device_array_like", "external_stream", "jit", "pinned_array", "select_device", "stream", "synchronize", "to_device", "use_pack"),
    *("blockDim", "blockIdx", "grid", "gridDim", "shared", "syncthreads", "threadIdx", *names),
]
