# Answers on the command line what the wheel finds on this machine.
# SPDX-License-Identifier: Apache-2.0
"""python -m spio doctor      what there is of PyTorch, GPUs and compilers, and what is missing"""
import array
import ctypes
import os
import platform
import sys

variables = ("SPIO_POLICY", "SPIO_TIER_UP", "SPIO_LIVE_TUNING", "SPIO_CACHE_DIR", "SPIO_CACHE", "SPIO_TUNED", "SPIO_NVRTC",
             "SPIO_LOG", "SPIO_STRICT")


def tell(name, words):
    """Prints a line: a name, and in a second column what was found."""
    print(f"{name:<17}{words}")


def why_not_loaded(file):
    """Why a library cannot be loaded, as the end of a line; nothing if it can."""
    try:
        ctypes.CDLL(file)
    except OSError as error:
        return f", which cannot be loaded: {error}"
    return ""


def report_pytorch(named):
    """Reports PyTorch, the library of operators and NVRTC, which the user may have named. Returns the operators, or None."""
    try:
        from spio import operators
    except (ImportError, OSError) as error:
        tell("PyTorch", str(error))
        return None
    import torch

    tell("PyTorch", f"{torch.__version__}, built for CUDA {torch.version.cuda or '(none)'}")
    tell("operators", f"torch.ops.{operators.library.name} of {operators.library_file}")
    tell("generic", operators.generic_kernels() or "no kernels: the first call of a layer waits for a compiler")
    nvrtc = os.environ.get("SPIO_NVRTC")
    if named is None and nvrtc is not None:
        tell("NVRTC", f"{nvrtc}, PyTorch's{why_not_loaded(nvrtc)}")
    else:
        tell("NVRTC", f"{named}{why_not_loaded(named)}" if named else "looked for in the folders that CUDA_HOME, PATH and others name")
    folder, refusal = operators.cache_folder()
    tell("cache", f"compiled kernels are not kept: {refusal}" if refusal else folder)
    return operators


def report_gpus():
    """Reports the GPUs. Returns PyTorch's name of the first one that has kernels, or None, and whether all could be opened."""
    import torch

    if not torch.cuda.is_available():
        tell("GPU", "none that PyTorch can use: operators run on the CPU, by aten")
        return None, True
    from spio import support

    first, are_open = None, True
    for number in range(torch.cuda.device_count()):
        major, minor = torch.cuda.get_device_capability(number)
        try:
            reason = support.why_not_gpu(torch.device("cuda", number))
            fate = "" if reason is None else f": {reason}, so operators run by aten"
            if reason is None and first is None:
                first = f"cuda:{number}"
        except RuntimeError as error:
            fate, are_open = f": it cannot be opened, so operators fail there: {str(error).splitlines()[0]}", False
        tell(f"GPU {number}", f"{torch.cuda.get_device_name(number)}, {major}.{minor}{fate}")
    return first, are_open


def try_convolution(device):
    """Whether the kernels of a convolution are right on the GPU, or else on the host device."""
    import torch

    import spio

    x = torch.arange(16 * 36).reshape(1, 16, 6, 6).remainder(7).sub(3).to(device, torch.float16)
    weight = torch.arange(16 * 72).reshape(16, 8, 3, 3).remainder(5).sub(2).to(device, torch.float16)
    exact = torch.nn.functional.conv2d(x.double(), weight.double(), padding=1, groups=2)
    try:
        if device == "cpu":
            with spio.host_device():
                y = spio.functional.conv2d(x, weight, padding=1, groups=2)
        else:
            with spio.strict():
                y = spio.functional.conv2d(x, weight, padding=1, groups=2)
    except RuntimeError as error:
        tell("trial", f"a convolution fails: {error}")
        return False
    is_right = torch.equal(y.double(), exact)
    tell("trial", f"a convolution on {'the host device' if device == 'cpu' else device} is {'right' if is_right else 'wrong'}")
    return is_right


def try_kernel():
    """Whether a kernel of CUDA Python is right, on the first GPU or in the interpreter."""
    try:
        from spio import cuda

        @cuda.jit
        def square(y, x):
            y[cuda.threadIdx.x] = x[cuda.threadIdx.x] * x[cuda.threadIdx.x]

        x, y = array.array("d", range(8)), array.array("d", [0] * 8)
        square[1, 8](y, x)
        place = "in the interpreter" if cuda.current_device() < 0 else f"on GPU {cuda.current_device()}"
    except (ImportError, RuntimeError) as error:
        tell("kernel", f"one of CUDA Python fails: {error}")
        return False
    is_right = y.tolist() == [i * i for i in range(8)]
    tell("kernel", f"one of CUDA Python {place} is {'right' if is_right else 'wrong'}")
    return is_right


def doctor():
    """Reports what the package finds on this machine, and returns the exit status."""
    tell("Python", f"{platform.python_version()} on {platform.platform()}")
    for name in variables:
        if name in os.environ:
            tell(name, os.environ[name])
    named = os.environ.get("SPIO_NVRTC")  # the package sets it, too
    is_right = try_kernel()
    if report_pytorch(named) is None:
        return 1
    first, are_open = report_gpus()
    nvrtc = os.environ.get("SPIO_NVRTC")
    is_loaded = not nvrtc or not why_not_loaded(nvrtc)
    return 0 if try_convolution(first or "cpu") and is_right and are_open and is_loaded else 1


def main():
    if sys.argv[1:] != ["doctor"]:
        print(__doc__, file=sys.stderr if len(sys.argv) > 1 else sys.stdout)
        return 2 if len(sys.argv) > 1 and sys.argv[1:] != ["--help"] else 0
    return doctor()


if __name__ == "__main__":
    sys.exit(main())
