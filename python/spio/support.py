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
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _disable_current_modes

from spio import operators

logger = logging.getLogger("spio")

with _disable_current_modes():
    pass  # it imports modules when it is first called, for which no convolution is to wait

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

    is_strict = os.environ.get("SPIO_STRICT", "").lower() not in ("", "off", "0", "false", "no")
    uses_host_device = False
    is_forked = False  # this process was forked after the import


def note_fork():
    """Called in each process that is forked, which may not ask the library yet: other libraries are not ready for calls."""
    settings.is_forked = True


os.register_at_fork(after_in_child=note_fork)


def check_process(x):
    """Raises an error for a tensor on a GPU in a process that was forked after its parent had opened one.

    The operators ask too; a function asks in a forked process before it calls PyTorch, whose own error would be another.
    """
    if not torch.compiler.is_compiling() and x.is_cuda and operators.is_without_gpus_of_parent():
        raise RuntimeError(
            "spio: this process was forked after its parent had opened a GPU, which works in the parent alone: "
            "start processes by spawn"
        )


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

    It has kernels for a few calls, in float16 unless it says otherwise: convolutions of 16 channels with filters of 3 x 3 and
    a padding of 1, in the forward pass, for the gradient of the input, for that of a float32 weight (autocast), and for that
    of a float16 weight together with a bias's, in bfloat16 the forward pass with a bias; LayerNorm of 16 channels, in bfloat16
    too, whose gradients are aten's; and matrix products of n = 32 and k = 48 without bias, activation and residual.
    """
    previous = settings.uses_host_device
    settings.uses_host_device = True
    operators.use_host_device(True)
    try:
        yield
    finally:
        settings.uses_host_device = previous
        operators.use_host_device(previous)


def finish_compilations():
    """Waits until the kernels that layers have asked for are compiled; the next call of each layer takes its own.

    A layer that began with a generic kernel asks for a better one in its second call.
    """
    operators.finish_compilations()


def count_kernels():
    """Counts what layers have begun with: a dict of numbers, over all GPUs of this process.

    Problems that `begun` with a generic kernel, and how many of them stay `unchanged`; better kernels that were `compiled`
    or found, those that were `taken`, and those that `failed`. A problem is a pass of a convolution with its sizes.
    """
    return dict(zip(("begun", "unchanged", "compiled", "taken", "failed"), operators.count_tiers()))


def autocast_kind(x):
    """The device whose autocast counts for a tensor that is on no GPU; tensors without memory take the CPU's."""
    return "cpu" if x.device.type == "meta" else x.device.type


def why_not_device(family, x):
    """Why tensors like x do not go to the family's operator, in words; None if they do."""
    if x.is_cuda:
        if x.dtype not in kernel_types[family]:
            return f"there are no kernels for {x.dtype}"
        return why_not_gpu(x.device)
    if x.device.type not in ("cpu", "meta"):
        return f"there are no kernels for {x.device.type}"
    if x.dtype not in (kernel_types[family] if settings.uses_host_device else aten_types):
        return f"there are no kernels for {x.dtype}"
    return None


def why_not_tensor(x):
    """Why a tensor is none that kernels can read, in words; None if it is."""
    if x.layout is not torch.strided:
        return f"a tensor has the layout {x.layout}"
    return "a tensor is a DTensor" if type(x).__name__ == "DTensor" else None


def why_not_transformed():
    """Why operators without derivatives of their own do not compute a call, in words: torch.func or forward derivatives; or None."""
    if torch._C._are_functorch_transforms_active():
        return "torch.func transforms the call"
    return "a forward derivative is wanted" if forward_ad._current_level >= 0 else None


def transforms():
    """The names of the transforms of torch.func around a call: vmap, grad and jvp. A forward derivative is jvp, too."""
    stack = torch._C._functorch.get_interpreter_stack() or ()
    names = [interpreter.key().name.lower() for interpreter in stack]
    return (*names, "jvp") if forward_ad._current_level >= 0 else tuple(names)


_logged = set()


gradients_of_exports = "an exported graph keeps gradients of aten's operators alone; torch.no_grad() around the export keeps kernels"


def why_not_exported(family):
    """Why an operator without gradients is not exported, in words; logged once for each family."""
    if (family, gradients_of_exports) not in _logged:
        _logged.add((family, gradients_of_exports))
        logger.warning("%s is exported as aten's: %s", family, gradients_of_exports)
    return gradients_of_exports


def note_compiled(family):
    """Logs, once for each family, that a graph has calls that no kernel takes. Sizes may be open there, so no reason is named."""
    if not {(family, None), (family, gradients_of_exports)} & _logged:
        _logged.add((family, None))
        logger.warning("%s in a compiled graph is by aten: called without torch.compile, it logs the reason", family)


# torch.compile calls them while it traces, and guards what they read itself.
note_compiled._dynamo_marked_constant = True
why_not_exported._dynamo_marked_constant = True
why_not_transformed._dynamo_marked_constant = True
transforms._dynamo_marked_constant = True


_architectures = {}


def why_not_gpu(device):
    """Why a GPU has no kernels, or None: they are for CUDA and for sm_80 and newer."""
    if architecture_of(device) >= 80:
        return None
    if torch.version.cuda is None:
        return "this PyTorch is built for " + ("GPUs of AMD (ROCm)" if torch.version.hip else "another kind of GPU") + ", and kernels are for CUDA"
    return "the GPU is older than sm_80"


def architecture_of(device):
    """The number of a GPU's architecture, 0 if there can be none; asked once for each GPU.

    The library is asked, which opens the GPU for its kernels anyway: PyTorch takes 0.19 ms for its first answer. One that
    the process does not have counts as sm_80."""
    gpu = device.index
    architecture = _architectures.get(gpu)
    if architecture is None:
        with _disable_current_modes():  # a tracer would record what is asked
            try:
                architecture = _architectures[gpu] = 0 if torch.version.cuda is None else operators.gpu_architecture(gpu)
            except RuntimeError:
                # Tensors on a GPU that the process does not have are fakes, by which PyTorch traces and exports.
                if operators.is_without_gpus_of_parent() or gpu is None or gpu < torch.cuda.device_count():
                    raise
                return 80
            warn_of_cache()
    return architecture


def warn_of_cache():
    """Logs that compiled kernels are not kept, if their folder cannot be written; called once for each GPU."""
    folder, refusal = operators.cache_folder()
    if refusal and refusal != "SPIO_CACHE is off" and refusal not in _logged:
        _logged.add(refusal)
        logger.warning("compiled kernels are not kept, so each process compiles them again: %s; SPIO_CACHE_DIR names another folder", refusal)


# torch.compile, whose graphs have no such operator, calls it while it traces. This is what
# torch.compiler.assume_constant_result() does, which imports the compiler for it.
architecture_of._dynamo_marked_constant = True


def refuse(family, reason, *tensors):
    """In strict mode raises; otherwise logs the reason, once for these shapes."""
    if settings.is_strict:
        raise Unsupported(f"spio has no kernel for this {family}: {reason}")
    if torch.compiler.is_compiling():
        note_compiled(family)
        return
    shapes = tuple(tuple(getattr(tensor, "shape", ())) for tensor in tensors if tensor is not None)
    if (family, reason, shapes) not in _logged:
        if len(_logged) < 10000:
            _logged.add((family, reason, shapes))
        text = " and ".join(" x ".join(map(str, shape)) for shape in shapes)
        logger.warning("%s of %s by aten: %s", family, text, reason)
