# Times the layer inside networks that train, where the caches are as other layers left them.
# SPDX-License-Identifier: Apache-2.0
"""in_situ.py FOLDER --out FILE.json [--batches 32 64 128 256]

FOLDER has the kernels of `in_situ.txt` for these batches, in all passes. A stack of blocks trains with PyTorch's convolution and with ours; the
profiler tells how long the grouped convolutions took.
"""
import argparse
import json
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function, schedule

import launcher
from measure import machine

PASSES = ("fprop", "dgrad", "wgrad")


class Peer:
    """PyTorch's passes, for a layer whose padding and groups `like` tells."""

    def __init__(self, like):
        self.padding, self.groups = like["padding"], like["groups"]

    def fprop(self, x, weight):
        return F.conv2d(x, weight, padding=self.padding, groups=self.groups)

    def backward(self, dy, x, weight, mask):
        return torch.ops.aten.convolution_backward(dy, x, weight, None, (1, 1), self.padding, (1, 1), False,
                                                   (0, 0), self.groups, mask)

    def dgrad(self, dy, x, weight):
        return self.backward(dy, x, weight, (True, False, False))[0]

    def wgrad(self, dy, x, weight):
        return self.backward(dy, x, weight, (False, True, False))[1]


class Ours(Peer):
    """Spio's passes; `launches` has one Launch for each."""

    def __init__(self, like, launches):
        super().__init__(like)
        self.launches = launches
        # Two kernels must not overlap: the profiler would count the second while it waits for the first.
        for kernel in launches["wgrad"].kernels:
            kernel.description["overlaps"] = False
        self.workspace = torch.empty(launches["wgrad"].description["workspace_floats"], device="cuda")

    def run(self, direction, tensors, outputs):
        """Launches a pass. Inputs that are not channels-last are copied."""
        launch = self.launches[direction]
        inputs = {name: t.contiguous(memory_format=torch.channels_last) for name, t in tensors.items()}
        launch.launch(launch.params(inputs | outputs), torch.cuda.current_stream().cuda_stream)

    def images(self, direction, x, shape, weight):
        """The result of fprop or dgrad, which has this shape."""
        images = torch.empty(shape, dtype=torch.half, device="cuda", memory_format=torch.channels_last)
        self.run(direction, {"input": x, "filter": weight}, {"output": images})
        return images

    def fprop(self, x, weight):
        sizes = self.launches["fprop"].description
        return self.images("fprop", x, (x.shape[0], x.shape[1], sizes["p"], sizes["q"]), weight)

    def dgrad(self, dy, x, weight):
        return self.images("dgrad", dy, x.shape, weight)

    def wgrad(self, dy, x, weight):
        dw = torch.empty(weight.shape, device="cuda", memory_format=torch.channels_last)
        self.run("wgrad", {"input": x, "dy": dy}, {"dw": dw, "workspace": self.workspace})
        return dw.half()


class Passes(torch.autograd.Function):
    """The passes as a function of autograd, each under a name that the profiler reports."""

    @staticmethod
    def forward(context, x, weight, passes):
        context.save_for_backward(x, weight)
        context.passes = passes
        with record_function("grouped fprop"):
            return passes.fprop(x, weight)

    @staticmethod
    def backward(context, dy):
        x, weight = context.saved_tensors
        with record_function("grouped dgrad"):
            dx = context.passes.dgrad(dy, x, weight)
        with record_function("grouped wgrad"):
            dw = context.passes.wgrad(dy, x, weight)
        return dx, dw, None


class Grouped(torch.nn.Module):
    """A convolution with groups of 8 channels and filters of `taps` x `taps`."""

    def __init__(self, channels, taps, passes):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(channels, 8, taps, taps) / (8 * taps * taps) ** 0.5)
        self.passes = passes

    def forward(self, x):
        half = self.weight.half().contiguous(memory_format=torch.channels_last)
        return Passes.apply(x.half(), half, self.passes)


class ConvFirst(torch.nn.Module):
    """Grouped convolution, then two pointwise ones around an activation, added to what came in."""

    def __init__(self, channels, expansion, taps, passes):
        super().__init__()
        wide = channels * expansion
        self.layers = torch.nn.Sequential(
            Grouped(channels, taps, passes), torch.nn.BatchNorm2d(channels),
            torch.nn.Conv2d(channels, wide, 1, bias=False), torch.nn.BatchNorm2d(wide), torch.nn.SiLU(),
            torch.nn.Conv2d(wide, channels, 1, bias=False), torch.nn.BatchNorm2d(channels))

    def forward(self, x):
        return x + self.layers(x)


class MBConv(torch.nn.Module):
    """The grouped convolution between two pointwise ones, on the channels that the first one added."""

    def __init__(self, channels, expansion, taps, passes):
        super().__init__()
        wide = channels * expansion
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(channels, wide, 1, bias=False), torch.nn.BatchNorm2d(wide), torch.nn.SiLU(),
            Grouped(wide, taps, passes), torch.nn.BatchNorm2d(wide), torch.nn.SiLU(),
            torch.nn.Conv2d(wide, channels, 1, bias=False), torch.nn.BatchNorm2d(channels))

    def forward(self, x):
        return x + self.layers(x)


# The blocks, their channels, their expansion; the grouped layer of each has these channels and sides.
STACKS = {"ConvFirst": (ConvFirst, 64, 6, 64, 64), "MBConv": (MBConv, 256, 4, 1024, 16)}


def train(block, channels, expansion, passes, batch, side, depth=4):
    """Device microseconds of each pass of one grouped layer, and of a whole step."""
    torch.manual_seed(1)
    stack = torch.nn.Sequential(*(block(channels, expansion, 3, passes) for _ in range(depth))).cuda()
    stack = stack.to(memory_format=torch.channels_last)
    inputs = [torch.randn(batch, channels, side, side, device="cuda").to(memory_format=torch.channels_last)
              for _ in range(4)]
    steps = 5
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 schedule=schedule(wait=1, warmup=4, active=steps)) as profiler:
        for step in range(5 + steps):
            with torch.autocast("cuda", torch.float16):
                loss = stack(inputs[step % len(inputs)]).float().square().mean()
            (loss * 1024).backward()
            stack.zero_grad(set_to_none=True)
            torch.cuda.synchronize()
            profiler.step()
    events = profiler.events()
    times = {}
    for direction in PASSES:
        ours = [e.device_time_total for e in events if e.name.startswith(f"conv2d_{direction}_")]
        peer = [e.device_time_total for e in events
                if e.name == f"grouped {direction}" and e.device_type == torch.autograd.DeviceType.CPU]
        times[direction] = sum(ours if ours else peer) / (steps * depth)
    kernels = [e.device_time_total for e in events if e.device_type == torch.autograd.DeviceType.CUDA
               and not e.name.startswith(("grouped", "ProfilerStep"))]
    return times | {"step": sum(kernels) / steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--batches", type=int, nargs="+", default=[32, 64, 128, 256])
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.zeros(1, device="cuda")  # makes the context in which kernels are loaded
    described = json.loads((options.folder / "kernels.json").read_text())
    built = json.loads((options.folder / "built.json").read_text())
    report = machine() | {"stacks": []}
    for name, (block, channels, expansion, grouped, side) in STACKS.items():
        for batch in options.batches:
            kernels = {each["pass"]: launcher.Launch(options.folder, each, built)
                       for each in described if each["chosen"] and
                       (each["n"], each["c"], each["h"]) == (batch, grouped, side)}
            like = {"padding": (1, 1), "groups": grouped // 8}
            result = {"stack": name, "batch": batch, "bytes": 2 * 2 * batch * grouped * side * side}
            for library, passes in (("pytorch", Peer(like)), ("ours", Ours(like, kernels))):
                result[library] = train(block, channels, expansion, passes, batch, side)
                times = ", ".join(f"{key} {value:.1f}" for key, value in result[library].items())
                print(f"{name} batch {batch} {library}: {times} us", flush=True)
            report["stacks"].append(result)
            options.out.write_text(json.dumps(report, indent=1) + "\n")
    print(f"summary: conv2d in situ: {len(report['stacks'])} stacks trained")


if __name__ == "__main__":
    sys.exit(main())
