# What a GPU computes for layers that are easily got wrong, checks of the operators there, and a fork after their use.
# SPDX-License-Identifier: Apache-2.0
#
# check_convolution() compares a convolution and its gradients with sums in double. opcheck() is PyTorch's own check of
# operators. A forked process has the memory of its parent, but not its GPU.
import concurrent.futures
import itertools
import os
import time
import warnings

import torch

import spio
from cases import check_sums, layouts, tensor
from gpu_results import Assertions, check_convolution, half, sums_of_taps
from operators_test import conv2d_arguments, matmul_arguments
from spio import functional


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


def spoil(*shapes, dtype):
    """Leaves NaN in memory that the next tensors of these shapes get; returns the addresses."""
    spoiled = [torch.full(shape, torch.nan, device="cuda", dtype=dtype) for shape in shapes]
    return {value.data_ptr() for value in spoiled}


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


def named_layers(seconds=180):
    """Checks these layers, with a bias and without, until so many seconds have passed. Some results are in memory that had NaN: their elements are all written."""
    start, checked, worst, layer_count, spoiled_count = time.monotonic(), 0, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:  # as many as NVRTC takes at once
        list(pool.map(compile_kernels, itertools.count(), layers()))
    compiled = time.monotonic()
    named = list(layers())
    for index, (n, c, h, w, (r, s), padding) in enumerate(named):
        short, layout = type_of(index), layouts[index // 2 % 2]
        keywords = {"padding": padding, "groups": c // 8}
        p, q = h + 2 * padding[0] - r + 1, w + 2 * padding[1] - s + 1
        x, gradient = tensor((n, c, h, w), short, layout, device="cuda"), tensor((n, c, p, q), short, layout, device="cuda")
        weight, bias = tensor((c, 8, r, s), short, device="cuda"), tensor((c,), short, device="cuda")
        if time.monotonic() - start > seconds:
            break
        for factor in (bias.requires_grad_(), None):
            addresses = spoil(*[x.shape, (n, c, p, q)] * 2, dtype=short)
            count, part, results = check_convolution(x.requires_grad_(), weight.requires_grad_(), factor, gradient, keywords)
            checked, worst = checked + count, max(worst, part)
            spoiled_count += len(addresses.intersection(results))
        layer_count += 1
    assert spoiled_count >= layer_count, f"{spoiled_count} results had memory with NaN"
    return {"layers": layer_count, "of": len(named), "results": checked, "seconds of compilation": round(compiled - start, 1),
            "in memory that had NaN": spoiled_count, "worst of the bound": round(worst, 3)}


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
    warnings.filterwarnings("ignore", "spio::.*an autograd kernel was not registered")
    tests = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_static", "test_aot_dispatch_dynamic")
    count = 0
    for layout, requires_grad in itertools.product(layouts, (False, True)):
        for operator, arguments in [*conv2d_arguments(layout, half, requires_grad), *matmul_arguments(half, requires_grad)]:
            on_gpu = [v.detach().cuda().requires_grad_(v.requires_grad) if isinstance(v, torch.Tensor) else v for v in arguments]
            torch.library.opcheck(operator, on_gpu, test_utils=tests)
            count += 1
    return {"calls": count}


def forked():
    """Checks that a process which is forked after the GPU was used gets an error that says so, and that its parent goes on."""
    x = torch.randn(2, 64, 16, 16, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(64, 8, 3, 3, device="cuda", dtype=half)
    with torch.no_grad(), spio.strict():
        call = lambda: functional.conv2d(x, weight, padding=1, groups=8)
        expected = call()
        torch.cuda.synchronize()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            words = "no error"
            try:
                call()
            except BaseException as error:
                words = str(error).splitlines()[0]
            finally:  # the child must not go on as its parent
                os.write(writer, words.encode())
                os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        words = os.read(reader, 10_000).decode()
        assert torch.equal(call(), expected)
    assert "this process was forked after its parent" in words, words
    return {"words": words[words.index("spio:"):]}  # without the file that PyTorch names before them
