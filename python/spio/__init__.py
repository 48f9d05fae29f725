# Spio for PyTorch: operators, layers and model surgery, each loaded when it is first asked for.
# SPDX-License-Identifier: Apache-2.0
"""GPU kernels of Spio as operators of PyTorch.

    import spio

    report = spio.convert(model)      # layers that have kernels take them
    y = spio.functional.conv2d(x, weight, bias, padding="same", groups=x.shape[1] // 8)

The package can be imported without a GPU and without PyTorch. Its parts need PyTorch 2.10 or newer.
"""
import importlib

# The module that has a name, or is the name itself.
_homes = {
    "convert": "surgery",
    "functional": "functional",
    "host_device": "support",
    "nn": "nn",
    "scan": "surgery",
    "strict": "support",
    "Unsupported": "support",
}
__all__ = sorted(_homes)


def __getattr__(name):
    if name not in _homes:
        raise AttributeError(f"module 'spio' has no attribute {name!r}")
    importlib.import_module("spio.operators")  # says what PyTorch is needed
    module = importlib.import_module(f"spio.{_homes[name]}")
    return module if _homes[name] == name else getattr(module, name)


def __dir__():
    return sorted({*globals(), *__all__})
