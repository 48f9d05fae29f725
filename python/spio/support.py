# What kernels support, and what happens to the rest: aten computes it, or it is an error.
# SPDX-License-Identifier: Apache-2.0
#
# An operator of spio runs kernels of a family: conv2d, layernorm_2d or matmul. aten is PyTorch's own library
# of operators. In strict mode a call that no kernel takes is an error; otherwise aten computes it, and the
# reason is logged once. A family is the kernels of one operation.
import contextlib
import logging
import os

import torch

from spio import operators

logger = logging.getLogger("spio")

# The types of elements that each family has kernels for on a GPU. Another type is one word more.
kernel_types = {
    "conv2d": (torch.float16, torch.bfloat16),
    "layernorm_2d": (torch.float16, torch.bfloat16),
    "matmul": (torch.float16, torch.bfloat16),
}
# On the CPU, operators compute by aten.
aten_types = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class Unsupported(RuntimeError):
    """Raised in strict mode for what no kernel supports."""


class settings:
    """What a program has switched on: errors in place of PyTorch's own layers, and kernels on the CPU."""

    is_strict = os.environ.get("SPIO_STRICT", "0") not in ("", "0")
    uses_host_device = False


@contextlib.contextmanager
def strict(is_strict=True):
    """Within it, what no kernel supports is an error; the environment variable SPIO_STRICT=1 makes it the rule."""
    previous = settings.is_strict
    settings.is_strict = is_strict
    try:
        yield
    finally:
        settings.is_strict = previous


@contextlib.contextmanager
def host_device():
    """Within it, operators on CPU tensors run the GPU's kernels on Spio's host device, which checks each access.

    It has kernels for a few sizes: convolutions of 16 channels with filters of 3 x 3 and padding 1,
    LayerNorm of 16 channels, and matrix products of n = 32 and k = 48.
    """
    previous = settings.uses_host_device
    settings.uses_host_device = True
    operators.use_host_device(True)
    try:
        yield
    finally:
        settings.uses_host_device = previous
        operators.use_host_device(previous)


def autocast_kind(x):
    """The device whose autocast counts for a tensor that is on no GPU; tensors without memory take the CPU's."""
    return "cpu" if x.device.type == "meta" else x.device.type


def why_not_device(family, x):
    """Why tensors like x do not go to the family's operator, in words; None if they do."""
    if x.is_cuda:
        if x.dtype not in kernel_types[family]:
            return f"there are no kernels for {x.dtype}"
        if is_old(x.device):
            return "the GPU is older than sm_80"
        return None
    if x.device.type not in ("cpu", "meta"):
        return f"there are no kernels for {x.device.type}"
    if x.dtype not in (kernel_types[family] if settings.uses_host_device else aten_types):
        return f"there are no kernels for {x.dtype}"
    return None


_architectures = {}


def is_old(device):
    """Whether a GPU is older than sm_80, the oldest that has kernels."""
    return architecture_of(device) < 80


def architecture_of(device):
    """The number of a GPU's architecture, 0 if there can be none; asked once for each GPU.

    The library is asked, which opens the GPU for its kernels anyway: PyTorch takes 0.19 ms for its first answer."""
    gpu = device.index
    architecture = _architectures.get(gpu)
    if architecture is None:
        architecture = _architectures[gpu] = 0 if torch.version.cuda is None else operators.gpu_architecture(gpu)
    return architecture


# torch.compile, whose graphs have no such operator, calls it while it traces. This is what
# torch.compiler.assume_constant_result() does, which imports the compiler for it.
architecture_of._dynamo_marked_constant = True


_logged = set()


def refuse(family, reason, *tensors):
    """In strict mode raises; otherwise logs the reason, once for these shapes."""
    if settings.is_strict:
        raise Unsupported(f"spio has no kernel for this {family}: {reason}")
    if torch.compiler.is_compiling():
        return
    shapes = tuple(tuple(tensor.shape) for tensor in tensors if tensor is not None)
    if (family, reason, shapes) not in _logged:
        if len(_logged) < 10000:
            _logged.add((family, reason, shapes))
        text = " and ".join(" x ".join(map(str, shape)) for shape in shapes)
        logger.warning("%s of %s by aten: %s", family, text, reason)
