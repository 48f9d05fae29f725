# What a GPU computes for layers that are easily got wrong, checks of the operators there, and a fork after their use.
# SPDX-License-Identifier: Apache-2.0
#
# check_convolution() compares a convolution and its gradients with sums in double. opcheck() is PyTorch's own check of
# operators. A forked process has the memory of its parent, but not its GPU.
import concurrent.futures
import contextlib
import itertools
import json
import os
import time

import torch
from torch.profiler import ProfilerActivity, profile

import spio
from cases import check_sums, layouts, tensor
from gpu_results import Assertions, check_convolution, half, spoiled_memory, sums_of_taps
from operators_test import checked_calls, checks
from spio import functional, operators


# The sizes of filters, paddings, channels and images of which kernels have cases of their own. (Convolution.sanity_1,
# sanity_2, sanity_3, weight_gradient_sanity, weight_gradient_resources, functional_gradient_sanity, Function.results, gradients)
def layers():
    """Convolutions: n, c, h, w, and for rows and columns the filter and the padding."""
    three, unit_padding = (3, 3), (1, 1)
    yield 4, 64, 16, 32, three, unit_padding
    yield 4, 48, 32, 32, three, unit_padding  # six groups, no power of two
    yield 1, 64, 8, 16, three, unit_padding
    yield 64, 1632, 10, 10, (5, 5), (2, 2)
    yield 4, 128, 32, 32, (4, 1), (2, 0)
    for r, s in itertools.product(range(1, 6), repeat=2):
        yield 1, 128, 32, 32, (r, s), (r // 2, s // 2)
    for padding in (0, 2, 7):
        yield 1, 128, 32, 32, three, (padding, padding)
    for c in range(8, 129, 8):
        yield 1, c, 20, 19, three, unit_padding
    for n, h, w in ((1, 49, 33), (3, 6, 5), (4, 16, 48), (5, 20, 19), (6, 32, 32), (128, 7, 7)):
        yield n, 64, h, w, three, unit_padding


def type_of(index):
    """The type that the layer of this number is checked with."""
    return (half, torch.bfloat16)[index % 2]


def compile_kernels(index, layer):
    """Calls a convolution and its gradients once, in this thread: kernels of many filters are compiled by their first call."""
    n, c, h, w, (r, s), padding = layer
    dtype = type_of(index)
    for has_bias in (True, False):
        x, weight = (torch.ones(shape, device="cuda", dtype=dtype, requires_grad=True) for shape in ((n, c, h, w), (c, 8, r, s)))
        bias = torch.ones(c, device="cuda", dtype=dtype, requires_grad=True) if has_bias else None
        with torch.autograd.set_multithreading_enabled(False):
            functional.conv2d(x, weight, bias, padding=padding, groups=c // 8).sum().backward()


def compile_share(rank, count):
    """Calls every count-th layer from number `rank` on, in threads: their kernels are then in the cache on disk."""
    shares = list(enumerate(layers()))[rank::count]
    with concurrent.futures.ThreadPoolExecutor(8) as pool, spoiled_memory():  # as many as NVRTC takes at once
        list(pool.map(lambda share: compile_kernels(*share), shares))


def fills_of_new_tensors():
    """How many tensors PyTorch fills in a convolution and its gradients: the results, which the library asks PyTorch for, are among them."""
    x, weight, bias = (torch.ones(shape, device="cuda", dtype=half, requires_grad=True) for shape in ((4, 64, 9, 9), (64, 8, 3, 3), (64,)))
    gradient = torch.ones(4, 64, 9, 9, device="cuda", dtype=half)
    call = lambda: functional.conv2d(x, weight, bias, padding=1, groups=8).backward(gradient)
    counts = []
    for mode in (contextlib.nullcontext, spoiled_memory):
        with mode(), profile(activities=[ProfilerActivity.CUDA]) as trace:
            call()
            torch.cuda.synchronize()
        counts.append(sum(event.count for event in trace.key_averages() if "FillFunctor" in event.key))
        x.grad = weight.grad = bias.grad = None
    return counts[1] - counts[0]


def named_layers(seconds=180, processes=2):
    """Checks these layers, with a bias and without, until so many seconds have passed. New tensors hold NaN: each element of each result is written."""
    start, checked, worst, layer_count = time.monotonic(), 0, 0, 0
    fills = fills_of_new_tensors()
    assert fills >= 4, f"{fills} new tensors were filled, but the result and three gradients are new"
    torch.multiprocessing.spawn(compile_share, (processes,), nprocs=processes)
    compiled = time.monotonic()
    named = list(layers())
    for index, (n, c, h, w, (r, s), padding) in enumerate(named):
        if time.monotonic() - start > seconds:
            break
        short, layout = type_of(index), layouts[index // 2 % 2]
        keywords = {"padding": padding, "groups": c // 8}
        p, q = h + 2 * padding[0] - r + 1, w + 2 * padding[1] - s + 1
        x, gradient = tensor((n, c, h, w), short, layout, device="cuda"), tensor((n, c, p, q), short, layout, device="cuda")
        weight, bias = tensor((c, 8, r, s), short, device="cuda"), tensor((c,), short, device="cuda")
        for factor in (bias.requires_grad_(), None):
            count, part = check_convolution(x.requires_grad_(), weight.requires_grad_(), factor, gradient, keywords, spoiled_memory)
            checked, worst = checked + count, max(worst, part)
        layer_count += 1
    return {"layers": layer_count, "of": len(named), "results": checked, "seconds of compilation": round(compiled - start, 1),
            "new tensors filled in one layer": fills, "worst of the bound": round(worst, 3)}


# (Layer.eager, compiled)
def modules(seconds=60):
    """Checks every third of these layers as a module under autocast, eager and compiled, until so many seconds have passed."""
    start, count, worst = time.monotonic(), 0, 0
    named = list(layers())[::3]
    for n, c, h, w, size, padding in named:
        if time.monotonic() - start > seconds:
            break
        torch.manual_seed(count)
        layer = spio.nn.Conv2d(c, c, size, padding=padding, groups=c // 8, bias=count % 2 == 0).half().float().cuda()
        x = tensor((n, c, h, w), half, device="cuda")
        values = [v.detach().double() for v in (x, *layer.parameters())]
        exact, magnitudes = (sums_of_taps([part(v) for v in values], (1, 1), padding, (1, 1)) for part in (torch.clone, torch.abs))
        torch._dynamo.reset()
        for run in (layer, torch.compile(layer, fullgraph=True, backend="aot_eager")):
            with spio.strict(), torch.autocast("cuda", half):
                y = run(x.float())
            worst = max(worst, check_sums(Assertions(), y.detach(), exact, magnitudes, 8 * size[0] * size[1] + 1))
            layer.zero_grad()
            y.float().sum().backward()
            assert all(v.grad is not None and v.grad.dtype == torch.float32 and v.grad.isfinite().all() for v in layer.parameters())
        count += 1
    return {"layers": count, "of": len(named), "worst of the bound": round(worst, 3)}


# (Operator.opcheck_on_a_gpu)
def checked_operators():
    """Runs opcheck on tensors of a GPU, in each layout, with gradients and without."""
    count = 0
    for layout, requires_grad in itertools.product(layouts, (False, True)):
        for operator, arguments in checked_calls(layout, half, requires_grad):
            on_gpu = [v.detach().cuda().requires_grad_(v.requires_grad) if isinstance(v, torch.Tensor) else v for v in arguments]
            torch.library.opcheck(operator, on_gpu, test_utils=checks)
            count += 1
    return {"calls": count}


def words_of(call):
    """What a call raises, or that it raises nothing."""
    try:
        call()
    except BaseException as error:
        return str(error).splitlines()[0]
    return "no error"


def forked():
    """Checks that a process which is forked after the GPU was used gets an error that says so, from every function and operator,
    and that its parent goes on.
    """
    x = torch.randn(2, 64, 16, 16, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(64, 8, 3, 3, device="cuda", dtype=half)
    wide, wide_weight, differentiated = x.float(), weight.float(), weight.clone().requires_grad_()
    a = torch.randn(64, 64, device="cuda", dtype=half)
    wide_a = a.float()
    norm = spio.nn.LayerNorm2d(64).cuda()

    def under_autocast(function, *arguments, **keywords):
        with torch.autocast("cuda", half):
            return function(*arguments, **keywords)

    calls = {
        "conv2d": lambda: functional.conv2d(x, weight, padding=1, groups=8),
        "conv2d with gradients": lambda: functional.conv2d(x, differentiated, padding=1, groups=8),
        "conv2d under autocast": lambda: under_autocast(functional.conv2d, wide, wide_weight, padding=1, groups=8),
        "conv2d of a half under autocast": lambda: under_autocast(functional.conv2d, x, wide_weight, padding=1, groups=8),
        "LayerNorm2d": lambda: norm(wide),
        "LayerNorm2d under autocast": lambda: under_autocast(norm, wide),
        "matmul": lambda: functional.matmul(a, a),
        "matmul under autocast": lambda: under_autocast(functional.matmul, wide_a, wide_a),
        "operator conv2d": lambda: operators.conv2d(x, weight, None, 1, 1, 1, 1, 1, 1),
        "operator layernorm_2d": lambda: operators.layernorm_2d(x, None, None, 1e-6),
        "operator matmul": lambda: operators.matmul(a, a, None, "none", None, False),
    }
    expected = calls["conv2d"]()
    torch.cuda.synchronize()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps({name: words_of(call) for name, call in calls.items()}).encode())
        finally:  # the child must not go on as its parent
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    words = json.loads(os.read(reader, 60_000))
    assert torch.equal(calls["conv2d"](), expected)
    others = {name: text for name, text in words.items() if "spio: this process was forked after its parent had opened a GPU" not in text}
    assert not others, others
    return {"calls": len(words), "words": words["conv2d under autocast"]}
