# What the operators compute on a GPU: results within the bounds of their arithmetic, graphs, streams, no leaks.
# SPDX-License-Identifier: Apache-2.0
#
# The operators are functions of PyTorch that launch Spio's kernels: convolutions in groups of 8 channels,
# LayerNorm, matrix products. Exact results are computed in double, on the CPU's side or by PyTorch; a bound
# says how far float sums and the last rounding may be from them. aten is PyTorch's own library of operators.
import contextlib
import itertools
import random
import resource
import time

import torch
from torch.nn import functional as aten

import spio
from cases import check_sums, layouts, tensor, unit
from spio import functional, operators, support

half = torch.float16


class Assertions:
    """Stands for the TestCase that check_sums() asserts by."""

    def assertLessEqual(self, value, most, words):
        if not value <= most:
            raise AssertionError(words)


def random_layers(count, seed=3):
    """Convolutions: n, c, h, w of the input, then of rows and columns the filter, padding, stride and dilation."""
    draw = random.Random(seed)
    for _ in range(count):
        c = 8 * draw.choice((1, 2, 3, 8, 12, 16))
        r, s = draw.choice(((3, 3), (3, 3), (5, 5), (1, 1), (4, 1), (7, 7), (2, 5)))
        h, w = draw.randint(r, 40), draw.randint(s, 40)
        steps = draw.choice(((1, 1), (1, 1), (2, 2), (2, 1))), draw.choice(((1, 1), (1, 1), (2, 2), (1, 2)))
        yield draw.randint(1, 9), c, h, w, (r, s), (draw.randint(0, r - 1), draw.randint(0, s - 1)), *steps


def sums_of_taps(values, stride, padding, dilation):
    """A convolution of groups of 8 channels, and its bias: a product for each tap, which takes less time in double than aten's."""
    x, weight, *bias = values
    (n, c, h, w), (r, s) = x.shape, weight.shape[2:]
    p, q = operators.output_sizes((h, w), (r, s), (*stride, *padding, *dilation))
    padded = aten.pad(x, (padding[1], padding[1], padding[0], padding[0])).unflatten(1, (c // 8, 8))
    filters = weight.unflatten(0, (c // 8, 8))
    rows, columns = (1 + (count - 1) * step for count, step in zip((p, q), stride))
    y = sum(
        torch.einsum("ngchw,gkc->ngkhw", padded[..., i * dilation[0] :, j * dilation[1] :][..., : rows : stride[0], : columns : stride[1]], filters[..., i, j])
        for i, j in itertools.product(range(r), range(s))
    )
    return y.flatten(1, 2) + (bias[0].reshape(-1, 1, 1) if bias else 0)


@contextlib.contextmanager
def spoiled_memory():
    """Within it, PyTorch fills each new tensor with NaN: an element that no kernel writes is seen. Layers keep the kernels that they
    begin with.
    """
    assert torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def check_convolution(x, weight, bias, gradient, keywords, mode=contextlib.nullcontext):
    """Checks the result and the gradients of a convolution, under autocast where the weight is float32; returns how many were
    checked, and the largest part of the bound. The convolution is computed in a mode of PyTorch.
    """
    short, (r, s) = x.dtype, weight.shape[2:]
    values = [v for v in (x, weight, bias) if v is not None]
    for value in values:
        value.grad = None
    with mode():
        with spio.strict(), torch.autocast("cuda", short, enabled=weight.dtype != short):
            y = functional.conv2d(x, weight, bias, **keywords)
        y.backward(gradient)
    window = [keywords.get(name, (1, 1)) for name in ("stride", "padding", "dilation")]
    exact, magnitudes = [], []
    for sums, part in ((exact, torch.clone), (magnitudes, torch.abs)):
        wide = [part(v.detach().double()).requires_grad_() for v in values]
        sums.append(sums_of_taps(wide, *window))
        sums += torch.autograd.grad(sums[0], wide, part(gradient.double()))
        sums[0] = sums[0].detach()
    pixels = y.shape[0] * y.shape[2] * y.shape[3]
    counts = (8 * r * s + 1, 8 * r * s, pixels, pixels)
    results = [y.detach(), *(value.grad for value in values)]
    parts = [check_sums(Assertions(), *rest) for rest in zip(results, exact, magnitudes, counts)]
    return len(parts), max(parts)


def convolutions(seconds=75):
    """Checks results and gradients of random convolutions, until so many seconds have passed."""
    start, checked, worst = time.monotonic(), 0, 0
    for index, (n, c, h, w, (r, s), padding, stride, dilation) in enumerate(random_layers(60)):
        if time.monotonic() - start > seconds:
            break
        keywords = {"padding": padding, "stride": stride, "dilation": dilation, "groups": c // 8}
        p, q = operators.output_sizes((h, w), (r, s), (*stride, *padding, *dilation))
        if min(p, q) < 1:
            continue
        # The last batch is smaller, and takes the same kernels.
        for images in (n, max(1, n // 2)):
            short = (half, torch.bfloat16)[index // 2 % 2]
            layout, dtype = layouts[index % 3], (short, torch.float32)[index % 2]
            x = tensor((images, c, h, w), short, layout, device="cuda").requires_grad_()
            weight = tensor((c, 8, r, s), short, device="cuda").to(dtype).requires_grad_()
            bias = tensor((c,), short, device="cuda").to(dtype).requires_grad_()
            gradient = tensor((images, c, p, q), short, layouts[(index + 1) % 3], device="cuda")
            count, part = check_convolution(x, weight, bias, gradient, keywords)
            checked, worst = checked + count, max(worst, part)
    return {"results": checked, "worst of the bound": round(worst, 3)}


def norms():
    """Checks LayerNorm, for several numbers of channels."""
    worst = 0
    for channels, dtype in itertools.product((8, 24, 64, 96, 384, 768, 2048), (half, torch.bfloat16)):
        x = tensor((2, channels, 9, 7), dtype, "channels_last", device="cuda").requires_grad_()
        weight, bias = (tensor((channels,), dtype, device="cuda").requires_grad_() for _ in range(2))
        with spio.strict():
            y = functional.layernorm_2d(x, weight, bias)
        y.sum().backward()
        values = [v.detach().double() for v in (x, weight, bias)]
        exact = aten.layer_norm(values[0].permute(0, 2, 3, 1), (channels,), *values[1:], eps=1e-6).permute(0, 3, 1, 2)
        worst = max(worst, ((y.double() - exact).abs() / (1e-5 + unit(dtype) * exact.abs())).max().item())
        assert x.grad is not None and weight.grad is not None and torch.isfinite(x.grad).all()
    assert worst < 1.01, worst
    return {"worst of the bound": round(worst, 3)}


# Large matrices too. (GPU.matmul)
def products():
    """Checks matrix products and their gradients."""
    checked, worst = 0, 0
    for index, (m, n, k) in enumerate(((64, 32, 48), (512, 256, 1024), (100, 72, 200), (1, 128, 64), (2048, 1024, 512), (8192, 1024, 1024))):
        dtype = (half, torch.bfloat16)[index % 2]
        a = tensor((m, k), dtype, device="cuda").requires_grad_()
        b = tensor((n, k), dtype, device="cuda").mT.detach().requires_grad_() if index % 3 == 0 else tensor((k, n), dtype, device="cuda").requires_grad_()
        with spio.strict():
            result = functional.matmul(a, b)
        values = [v.detach().double() for v in (a, b)]
        magnitudes = values[0].abs() @ values[1].abs()
        worst = max(worst, check_sums(Assertions(), result.detach(), values[0] @ values[1], magnitudes, k))
        checked += 1
        if m % 8 == 0:
            gradient = tensor((m, n), dtype, device="cuda")
            result.backward(gradient)
            wide = gradient.double()
            for value, exact, sizes in ((a.grad, wide @ values[1].mT, wide.abs() @ values[1].abs().mT), (b.grad, values[0].mT @ wide, values[0].abs().mT @ wide.abs())):
                worst = max(worst, check_sums(Assertions(), value, exact, sizes, max(m, n)))
                checked += 1
    return {"results": checked, "worst of the bound": round(worst, 3)}


def graphs():
    """Captures convolutions in CUDA graphs, one of them with a kernel that is not loaded yet (cold), and runs some on a
    second stream.
    """
    x = torch.randn(2, 64, 16, 16, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(64, 8, 3, 3, device="cuda", dtype=half)
    with torch.no_grad(), spio.strict():
        call = lambda: functional.conv2d(x, weight, padding=1, groups=8)
        expected = call()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = call()
        graph.replay()
        assert torch.equal(y, expected)
        # A kernel that is met first while a graph is captured.
        graph, words = torch.cuda.CUDAGraph(), None
        with torch.cuda.graph(graph):
            try:
                functional.conv2d(x, weight[:, :, :2, :1], padding=(1, 0), groups=8)
            except RuntimeError as error:
                words = str(error).splitlines()[0]
            y = call()
        graph.replay()
        torch.cuda.synchronize()
        assert words is not None and torch.equal(y, expected)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            others = [call() for _ in range(20)]
        stream.synchronize()
        assert all(torch.equal(other, expected) for other in others)
    return {"cold kernel": words}


def deterministic(seconds=8):
    """Checks that a layer has the same bits in deterministic mode before and after a better kernel takes over, which
    a background thread compiles within these seconds.
    """
    x = torch.randn(16, 64, 28, 28, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last).requires_grad_()
    weight = torch.randn(64, 8, 3, 3, device="cuda", dtype=half, requires_grad=True)

    def results():
        x.grad = weight.grad = None
        with spio.strict():
            y = functional.conv2d(x, weight, padding=1, groups=8)
        y.backward(torch.ones_like(y))
        return y.detach(), x.grad, weight.grad

    compiled = torch.compile(lambda: functional.conv2d(x, weight, padding=1, groups=8), fullgraph=True)
    torch.use_deterministic_algorithms(True)
    try:
        first = results()
        compiled()
        torch.use_deterministic_algorithms(False)
        start = time.monotonic()
        changed = False
        while time.monotonic() - start < seconds:
            others = results()
            changed = changed or not all(map(torch.equal, first, others))
            torch.use_deterministic_algorithms(True)
            assert all(map(torch.equal, first, results()))
            assert torch.equal(first[0], compiled())
            torch.use_deterministic_algorithms(False)
            time.sleep(0.1)
    finally:
        torch.use_deterministic_algorithms(False)
    return {"bits changed outside of the mode": changed}


def leaks(count=100_000):
    """Checks that `count` calls of the operator and of the function, some with gradients, leave no more memory in use, on the host
    and on the GPU.
    """
    x = torch.randn(1, 16, 8, 8, device="cuda", dtype=half).contiguous(memory_format=torch.channels_last).requires_grad_()
    weight = torch.randn(16, 8, 3, 3, device="cuda", dtype=half, requires_grad=True)
    gradient = torch.ones_like(x)
    sizes = []
    for _ in range(3):
        for _ in range(count // 2):
            operators.conv2d(x, weight, None, 1, 1, 1, 1, 1, 1)  # stride, padding and dilation of rows and columns
        for call in range(count // 2):
            y = functional.conv2d(x, weight, padding=1, groups=2)
            if call % 20 == 0:
                y.backward(gradient)
                x.grad = weight.grad = None
        torch.cuda.synchronize()
        sizes.append((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, torch.cuda.memory_allocated()))
    assert sizes[1][1] == sizes[2][1] and sizes[2][0] - sizes[1][0] < 1024, sizes
    return {"KiB of the process and bytes of the GPU": sizes}


def compiled():
    """Compiled by Inductor, with gradients, against eager; what is compiled asks first which GPU there is."""
    torch.manual_seed(1)
    support._architectures.clear()
    model = torch.nn.Sequential(spio.nn.Conv2d(64, 64, 3, padding=1, groups=8), spio.nn.LayerNorm2d(64)).cuda().to(half)
    x = torch.randn(4, 64, 20, 20, device="cuda", dtype=half)
    results = []
    for run in (torch.compile(model, fullgraph=True), model):
        model.zero_grad()
        y = run(x)
        y.float().square().sum().backward()
        results.append([y.detach(), *(p.grad.clone() for p in model.parameters())])
    torch.testing.assert_close(*results, rtol=5e-3, atol=5e-2)
    return {"tensors": len(results[0])}
