# Model surgery: layers that have kernels take them, and a report says which, and why others do not.
# SPDX-License-Identifier: Apache-2.0
#
# A layer's twin is the class of spio.nn that computes the same by kernels. convert() changes the class of
# each layer that is equal to its twin in every respect, and leaves the others with a reason; scan() runs a
# model and reports what convert() would do.
import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from spio import nn, operators, reasons


@dataclass
class Layer:
    """A layer of a model: its name, what it is, why it does not take a kernel, if so, and whether it is one of spio.nn already."""

    name: str
    description: str
    reason: str | None = None
    is_converted: bool = False
    calls: list = field(default_factory=list)  # what scan() saw


@dataclass
class Report:
    """The layers of a model that are of a kind that Spio has kernels for."""

    layers: list

    @property
    def replaced(self):
        """The layers that convert() gives kernels."""
        return [layer for layer in self.layers if layer.reason is None and not layer.is_converted]

    @property
    def converted(self):
        """The layers of spio.nn that took kernels before."""
        return [layer for layer in self.layers if layer.reason is None and layer.is_converted]

    @property
    def kept(self):
        """The layers that stay as they are."""
        return [layer for layer in self.layers if layer.reason is not None]

    def __str__(self):
        lines = []
        for layer in self.layers:
            fate = "is converted already" if layer.is_converted else "takes a kernel"
            if layer.reason is not None:
                fate = f"stays: {layer.reason}"
            lines.append(f"{layer.name or '(model)'}: {layer.description}: {fate}")
            lines += [f"    {call}" for call in layer.calls]
        count = len(self.replaced) + len(self.converted)
        words = f", {len(self.converted)} of them already converted" if self.converted else ""
        return "\n".join([*lines, f"{count} of {len(self.layers)} layers take kernels of Spio{words}"])


# Layers of other libraries that compute what nn.LayerNorm2d computes.
equal_norms = {
    ("timm.layers.norm", "LayerNorm2d"),
    ("torchvision.models.convnext", "LayerNorm2d"),
}
layer_types = (torch.float16, torch.bfloat16, torch.float32)


def convert(model, memory_format=torch.channels_last):
    """Replaces each layer of a model that has an exact equivalent in spio.nn, in place.

    Parameters, buffers and names stay as they are, and so do optimizers that hold them. Returns a report.
    Weights of convolutions get the memory format: channels_last, which kernels read, so that no call copies
    them, or torch.contiguous_format, the only one that FSDP2 accepts.
    """
    if memory_format not in (torch.channels_last, torch.contiguous_format):
        raise ValueError(f"the memory format of weights is {memory_format}, but must be torch.channels_last or torch.contiguous_format")
    report = Report([])
    for name, module, twin in candidates(model):
        layer = judged(name, module, twin)
        if layer.reason is None:
            for parameter in module.parameters(recurse=False):
                if parameter.dim() == 4:
                    parameter.data = parameter.data.contiguous(memory_format=memory_format)
            module.__class__ = twin
        report.layers.append(layer)
    return report


def scan(model, *inputs, arch=None, **keywords):
    """Runs a model in evaluation mode without gradients, and reports which of its layers convert() would replace.

    It reports what each of them computes. For each convolution that kernels compute, these are the estimated times of
    its kernels in half precision: of the forward pass, the gradient of the input and the gradient of the weight; on the
    GPU of the layer's input, or on `arch`. If that input is on a GPU, the time that the layer takes there now is measured.
    """
    if arch is not None and int((re.fullmatch(r"sm_(\d+)[af]?", arch) or [0, 0])[1]) < 80:
        raise ValueError(f"the architecture is {arch}, where kernels are for sm_80 and newer")
    report, hooks = Report([]), []
    # Hooks of this function are no reason to leave a layer alone, so all are judged before any is hooked.
    layers = [(module, judged(name, module, twin)) for name, module, twin in candidates(model)]
    with evaluation(model), torch.no_grad():
        if any(tensor.is_cuda for tensor in (*model.parameters(), *tensors_in((inputs, keywords)))):
            model(*inputs, **keywords)  # first calls take longer
        try:
            for module, layer in layers:
                report.layers.append(layer)
                watch = Recorder(layer, arch)
                hooks.append(module.register_forward_pre_hook(watch.begin, with_kwargs=True))
                hooks.append(module.register_forward_hook(watch.end, with_kwargs=True))
            model(*inputs, **keywords)
        finally:
            for hook in hooks:
                hook.remove()
    for layer in report.layers:
        layer.calls = [call() for call in layer.calls]
    return report


@contextlib.contextmanager
def evaluation(model):
    """Within it, no layer trains: running statistics of norms, which a forward pass in training changes, stay as they are."""
    flags = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, is_training in flags:
            module.training = is_training


def architecture(x):
    """The architecture of a tensor's GPU as kernels are compiled for it; that of an H200 where there is none."""
    if not x.is_cuda:
        return "sm_90a"
    major, minor = torch.cuda.get_device_capability(x.device)
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


def estimates(module, x, arch):
    """The microseconds of a convolution's kernels, in words."""
    n, c, h, w = x.shape
    padding = reasons.numeric_padding(module.padding, module.kernel_size, module.dilation)
    if module.padding_mode != "zeros":  # the layer pads before it calls kernels
        left, right, top, bottom = module._reversed_padding_repeated_twice
        h, w, padding = h + top + bottom, w + left + right, (0, 0)
    sizes = (n, c, h, w, *module.kernel_size, *module.stride, *padding, *module.dilation, module.bias is not None)
    times = [operators.conv2d_microseconds(*sizes, direction, arch) for direction in ("fprop", "dgrad", "wgrad")]
    return "; kernels {:.1f}, {:.1f} and {:.1f} us on {}".format(*times, arch)


class Recorder:
    """Hooks that record each call of a layer: its sizes, and the times measured, and estimated for an architecture.

    A call is recorded as a function that words it, because the GPU knows its time only later.
    """

    def __init__(self, layer, arch):
        self.layer, self.arch, self.start = layer, arch, None

    def begin(self, module, arguments, keywords):
        x = first_tensor((arguments, keywords))
        self.start = event(x.device) if x is not None and x.is_cuda else None

    def end(self, module, arguments, keywords, output):
        # A layer of another class, which stays as it is, may take and return more than a tensor, or something else.
        x, result = first_tensor((arguments, keywords)), first_tensor(output)
        if x is None or result is None:
            self.layer.calls.append(lambda: "no tensor goes in" if x is None else "no tensor comes out")
            return
        start, stop = self.start, None if self.start is None else event(x.device)
        megabytes = sum(tensor.numel() * tensor.element_size() for tensor in (x, result, *module.parameters(recurse=False))) / 1e6
        counts = (x.numel(), result.numel())
        is_indexed = 0 < min(counts) and max(counts) <= reasons.most_elements
        is_estimated = self.layer.reason is None and isinstance(module, torch.nn.Conv2d) and x.dim() == 4 and is_indexed
        words = f"{' x '.join(map(str, x.shape))} of {x.dtype}: {megabytes:.3f} MB if each tensor is read or written once"
        estimated = estimates(module, x, self.arch or architecture(x)) if is_estimated else ""

        def text():
            if start is None:
                return words + estimated
            stop.synchronize()
            return f"{words}; now {start.elapsed_time(stop) * 1e3:.1f} us{estimated}"

        self.layer.calls.append(text)


def tensors_in(value):
    """The tensors in a value: itself, or those in a list, a tuple or a dict of such values."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(part)


def first_tensor(value):
    """The first tensor in a value, or None."""
    return next(tensors_in(value), None)


def event(device):
    """A point in the work of a GPU's current stream, of which that GPU, current or not, tells the time."""
    point = torch.cuda.Event(enable_timing=True)
    point.record(torch.cuda.current_stream(device))
    return point


def candidates(model):
    """The layers that may have a twin in spio.nn: their names, themselves and the twin."""
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Conv2d):
            yield name, module, nn.Conv2d
        elif type(module) is nn.LayerNorm2d or (type(module).__module__, type(module).__name__) in equal_norms:
            yield name, module, nn.LayerNorm2d


def judged(name, module, twin):
    """The layer of this name in the report: what becomes of it, and why."""
    return Layer(name, describe(module), why_not(module, twin), is_converted=type(module) is twin)


def describe(module):
    """A layer as PyTorch prints it: its class and its options."""
    return f"{type(module).__name__}({module.extra_repr()})"


def why_not(module, twin):
    """Why a layer is not replaced by its twin, or None."""
    kind = type(module)
    if kind is twin:  # it may be one that kernels do not support
        return why_not_parameters(module, twin)
    is_known = kind is torch.nn.Conv2d or (kind.__module__, kind.__name__) in equal_norms
    if not is_known:
        return f"it is a {kind.__module__}.{kind.__qualname__}, whose forward may be another"
    if "forward" in vars(module) or "_conv_forward" in vars(module):
        return "its forward was replaced"
    if any(getattr(module, name) for name in hook_names):
        return "it has hooks (weight norm is one), which may change what it computes"
    if hasattr(module, "parametrizations"):
        return "it has parametrizations"
    return why_not_parameters(module, twin)


def why_not_parameters(module, twin):
    """The reason in a layer's parameters and options, or None."""
    dtypes = {parameter.dtype for parameter in module.parameters(recurse=False)}
    if not dtypes <= set(layer_types):
        return f"its parameters are {', '.join(sorted(map(str, dtypes)))}"
    return why_not_conv2d(module) if twin is nn.Conv2d else why_not_norm(module)


hook_names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def why_not_conv2d(module):
    """The reason why no kernel takes this convolution, as a sentence; None if one does."""
    if module.padding_mode != "zeros" and type(module) is not nn.Conv2d:  # which pads before it calls kernels
        return f"the padding is {module.padding_mode}"
    width = reasons.group_width
    if module.in_channels != module.out_channels or module.groups * width != module.in_channels:
        return (
            f"{module.in_channels} channels in {module.groups} groups to {module.out_channels}, "
            f"where kernels take groups of {width} to {width}"
        )
    reason = reasons.why_not_layer(module.kernel_size, module.stride, module.dilation)
    if reason is None and module.padding_mode == "zeros" and None in reasons.numeric_padding(module.padding, module.kernel_size, module.dilation):
        return "the padding is 'same' with an even filter" if module.padding == "same" else f"the padding is {module.padding}"
    return reason


def why_not_norm(module):
    """The reason why no kernel takes this LayerNorm, as a sentence; None if one does."""
    channels = module.normalized_shape[0]
    if channels % 8 != 0 or channels > 2048:
        return f"there are {channels} channels, where kernels take multiples of 8 up to 2048"
    if (module.weight is None) != (module.bias is None):
        return "it has a weight or a bias alone"
    return None
