# What the operators take on a GPU: the host's time of a call, first calls, and steps of training.
# SPDX-License-Identifier: Apache-2.0
#
# It asserts nothing: it prints times for people. The operators are functions of PyTorch that launch Spio's
# kernels; spio.functional chooses between them and PyTorch's own. aten is PyTorch's own library of operators.
# operators.conv2d() takes x, the weight, the bias, and by rows and columns the stride, the padding and the dilation;
# operators.matmul() a, b, the bias, the activation, the residual, and whether the result is float.
import copy
import json
import os
import subprocess
import sys
import tempfile
import time

import torch
from torch.nn import functional as aten

import spio
from spio import functional, operators

half = torch.float16


def microseconds(call, count=2000):
    """The host's time of a call, the least of five rounds."""
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
        torch.cuda.synchronize()
    return round(best * 1e6, 2)


def host_times():
    """Microseconds of the host for calls of operators, of spio's functions and of PyTorch's."""
    x = torch.randn(2, 64, 16, 16, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(64, 8, 3, 3, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    wide = weight.float()
    times = {}
    with torch.no_grad():
        times["spio operator"] = microseconds(lambda: operators.conv2d(x, weight, None, 1, 1, 1, 1, 1, 1))
        times["spio function"] = microseconds(lambda: functional.conv2d(x, weight, padding=1, groups=8))
        times["torch function"] = microseconds(lambda: aten.conv2d(x, weight, padding=1, groups=8))
        times["empty_like"] = microseconds(lambda: torch.empty_like(x))
        times["clone"] = microseconds(lambda: torch.clone(x))
    a, b = torch.randn(64, 64, device="cuda", dtype=half), torch.randn(64, 64, device="cuda", dtype=half)
    times["spio matmul operator"] = microseconds(lambda: operators.matmul(a, b, None, "none", None, False))
    times["torch matmul"] = microseconds(lambda: a @ b)
    times["spio layernorm_2d operator"] = microseconds(lambda: operators.layernorm_2d(x, None, None, 1e-6))
    x.requires_grad_(), weight.requires_grad_(), wide.requires_grad_()
    gradient = torch.ones_like(x)

    def both(function, filters):
        function(x, filters, padding=1, groups=8).backward(gradient)
        x.grad = filters.grad = None

    def both_of_clone():
        torch.clone(x).backward(gradient)
        x.grad = None

    times["clone forward and backward"] = microseconds(both_of_clone, count=500)
    times["spio function with gradients"] = microseconds(lambda: functional.conv2d(x, weight, padding=1, groups=8))
    times["torch function with gradients"] = microseconds(lambda: aten.conv2d(x, weight, padding=1, groups=8))
    times["spio forward and backward"] = microseconds(lambda: both(functional.conv2d, weight), count=500)
    times["torch forward and backward"] = microseconds(lambda: both(aten.conv2d, weight), count=500)
    # A backward pass runs in a thread of its own unless a program says otherwise.
    with torch.autograd.set_multithreading_enabled(False):
        times["clone forward and backward, in one thread"] = microseconds(both_of_clone, count=500)
        times["spio forward and backward, in one thread"] = microseconds(lambda: both(functional.conv2d, weight), count=500)
        times["torch forward and backward, in one thread"] = microseconds(lambda: both(aten.conv2d, weight), count=500)
    with torch.autocast("cuda", half):
        times["spio forward and backward, autocast"] = microseconds(lambda: both(functional.conv2d, wide), count=500)
        times["torch forward and backward, autocast"] = microseconds(lambda: both(aten.conv2d, wide), count=500)
    return times


first_call = """
import json, time, torch, spio
from spio import functional
half = torch.float16
# Images, channels, size and filter of each layer.
layers = (4, 40, 24, 3), (4, 40, 24, 3), (3, 56, 30, 3), (3, 48, 17, 5), (3, 64, 33, 7), (3, 64, 20, 1), (3, 64, 9, 1)
tensors = []
for n, c, size, taps in layers:
    x = torch.randn(n, c, size, size, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    tensors.append((x.requires_grad_(), torch.randn(c, 8, taps, taps, device="cuda", dtype=half).requires_grad_()))
# What PyTorch itself does first, in a layer of its own.
x, weight = tensors[0]
torch.nn.functional.conv2d(x, weight, padding=1, groups=5).sum().backward()
x.grad = weight.grad = None
torch.cuda.synchronize()
times = []
def timed(call):
    start = time.perf_counter()
    result = call()
    called = time.perf_counter()
    torch.cuda.synchronize()
    times[-1] += round((called - start) * 1e3, 3), round((time.perf_counter() - start) * 1e3, 3)
    return result
for (x, weight), (n, c, size, taps) in zip(tensors, layers):
    times.append([])
    y = timed(lambda: functional.conv2d(x, weight, padding=taps // 2, groups=c // 8))
    loss = y.sum()  # the first call of backward() with a gradient would import many of PyTorch's modules
    torch.cuda.synchronize()
    timed(loss.backward)
print(json.dumps(times))
"""


def first_calls(rounds=3):
    """Milliseconds of the first forward and backward of seven layers in fresh processes: until the call returns, and until the GPU is done."""
    ways = {"as installed": {}, "without NVRTC": {"SPIO_NVRTC": "/nowhere"}}
    if not operators.generic_kernels():  # without these the first process compiles, and the second finds the results
        ways = {"compiled": {}, "from disk": {}}
    results = {way: [] for way in ways}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            for way, variables in ways.items():
                environment = {**os.environ, "SPIO_CACHE_DIR": cache, **variables}
                run = subprocess.run([sys.executable, "-c", first_call], env=environment, capture_output=True, text=True)
                results[way].append(json.loads(run.stdout) if run.returncode == 0 else run.stderr[-800:])
    return results


first_step = """
import json, sys, time, torch
if sys.argv[1] == "spio":
    import spio
half = torch.float16
# Images, channels, size and filter of each layer.
layers = (8, 40, 24, 3), (8, 56, 30, 3), (3, 48, 17, 5), (3, 64, 33, 7)
def training(n, c, size, taps, is_converted):
    layer = torch.nn.Conv2d(c, c, taps, padding=taps // 2, groups=c // 8).to("cuda", memory_format=torch.channels_last)
    if is_converted:
        assert len(spio.convert(layer).replaced) == 1
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    x = torch.randn(n, c, size, size, device="cuda").contiguous(memory_format=torch.channels_last).requires_grad_()
    def step():
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", half):
            loss = layer(x).sum()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        return round((time.perf_counter() - start) * 1e3, 3)
    return step
warm = training(2, 24, 12, 3, False)  # what PyTorch itself does first, in a layer of its own
warm(), warm()
steps = [training(*layer, sys.argv[1] == "spio") for layer in layers]
print(json.dumps(list(zip(*([step() for step in steps] for _ in range(3))))))
"""


def first_steps(rounds=3):
    """Milliseconds of the first three training steps of single layers under autocast, until the GPU is done: the first layer is that
    of a fresh process, whose PyTorch has trained a layer of its own, the others come to a warm one.
    """
    ways = {"spio": ("spio", {}), "spio without NVRTC": ("spio", {"SPIO_NVRTC": "/nowhere"}), "aten": ("aten", {})}
    results = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (name, variables) in ways.items():
            with tempfile.TemporaryDirectory() as cache:
                environment = {**os.environ, "SPIO_CACHE_DIR": cache, **variables}
                run = subprocess.run([sys.executable, "-c", first_step, name], env=environment, capture_output=True, text=True)
            results[way].append(json.loads(run.stdout) if run.returncode == 0 else run.stderr[-800:])
    return results


class ConvFirst(torch.nn.Module):
    """A block: grouped convolution, norm, and two pointwise convolutions around an activation, added to its input."""
    def __init__(self, channels):
        super().__init__()
        self.convolution = torch.nn.Conv2d(channels, channels, 3, padding=1, groups=channels // 8, bias=False)
        self.norm = torch.nn.BatchNorm2d(channels)
        self.expand, self.project = torch.nn.Conv2d(channels, 4 * channels, 1), torch.nn.Conv2d(4 * channels, channels, 1)

    def forward(self, x):
        return x + self.project(aten.silu(self.expand(self.norm(self.convolution(x)))))


def network(channels=64, depth=4):
    """A small classifier of images with `depth` blocks."""
    layers = [torch.nn.Conv2d(3, channels, 2, stride=2), *(ConvFirst(channels) for _ in range(depth))]
    return torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(channels, 8))


def scanned():
    """What spio.scan() says of the layers of a network, as it is and converted: their times on this GPU and the estimates."""
    model = network(channels=128).to("cuda", half, memory_format=torch.channels_last)
    x = torch.randn(64, 3, 112, 112, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    reports = {"as it is": spio.scan(model, x)}
    spio.convert(model)
    reports["converted"] = spio.scan(model, x)
    lines = {way: [f"{layer.name}: {call}" for layer in report.layers for call in layer.calls if "groups=16" in layer.description] for way, report in reports.items()}
    assert all(len(calls) == 4 for calls in lines.values())
    return lines


def train(model, steps, seed, images=64, size=64):
    """Trains a model on random images of size x size, and says its loss and the time of a step."""
    generator = torch.Generator("cuda").manual_seed(seed)
    model = model.to("cuda", memory_format=torch.channels_last)
    optimizer, scaler = torch.optim.AdamW(model.parameters(), 1e-3, fused=True), torch.amp.GradScaler("cuda")
    losses, times = [], []
    for _ in range(steps):
        labels = torch.randint(8, (images,), generator=generator, device="cuda")
        x = torch.randn(images, 3, size, size, generator=generator, device="cuda") + 0.2 * labels.view(-1, 1, 1, 1)
        x = x.contiguous(memory_format=torch.channels_last)
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", half):
            loss = aten.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    losses = torch.stack(losses).tolist()
    return {"loss of the last 20": round(sum(losses[-20:]) / 20, 4), "ms a step": round(sorted(times)[len(times) // 2] * 1e3, 3),
            "ms of the first steps": [round(t * 1e3, 1) for t in times[:3]]}


def training(steps=200):
    """Trains networks with PyTorch's convolutions and with spio's, from equal parameters."""
    results = {}
    for seed in (1, 2, 3):
        torch.manual_seed(seed)
        model = network()
        converted = copy.deepcopy(model)
        report = spio.convert(converted)
        assert len(report.replaced) == 4
        results[f"aten {seed}"] = train(model, steps, seed)
        results[f"spio {seed}"] = train(converted, steps, seed)
    for name in ("spio compiled", "aten compiled"):
        torch.manual_seed(1)
        model = network()
        if name == "spio compiled":
            spio.convert(model)
        results[name] = train(torch.compile(model), steps=60, seed=1)
    return results
