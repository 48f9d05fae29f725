# Spio for Python: CUDA Python, and operators, layers and model surgery for PyTorch, loaded when asked for.
# SPDX-License-Identifier: Apache-2.0
"""GPU kernels of Spio as operators of PyTorch, and kernels written in Python: see spio.cuda.

    import spio

    report = spio.convert(model)      # layers that have kernels take them
    y = spio.functional.conv2d(x, weight, bias, padding="same", groups=x.shape[1] // 8)

The package can be imported without a GPU and without PyTorch. Its parts but spio.cuda need PyTorch 2.10 or newer.
"""
import contextlib
import importlib
import sys

# The module that has a name, or is the name itself.
_homes = {
    "convert": "surgery",
    "count_kernels": "support",
    "finish_compilations": "support",
    "functional": "functional",
    "host_device": "support",
    "nn": "nn",
    "scan": "surgery",
    "strict": "support",
    "Unsupported": "support",
}
__all__ = sorted([*_homes, "cuda"])

# A program that has PyTorch gets the operators with the package: models that were exported with them can be loaded. Where
# they cannot be had, the first use of them says why.
if getattr(sys.modules.get("torch"), "ops", None) is not None:
    with contextlib.suppress(ImportError, OSError):
        importlib.import_module("spio.operators")


def __getattr__(name):
    if name == "cuda":
        return importlib.import_module("spio.cuda")
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("spio")
    if name not in _homes:
        raise AttributeError(f"module 'spio' has no attribute {name!r}")
    importlib.import_module("spio.operators")  # says what PyTorch is needed
    module = importlib.import_module(f"spio.{_homes[name]}")
    return module if _homes[name] == name else getattr(module, name)


def __dir__():
    return sorted({*globals(), *__all__})
