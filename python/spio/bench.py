# Times networks on this machine: as they are, compiled by PyTorch, and with Spio's kernels.
# SPDX-License-Identifier: Apache-2.0
"""python -m spio.bench block convfirst|mbconv|convnext    a stack of such blocks
python -m spio.bench timm MODEL                         a model of timm, with random weights

Each way of running the same network is timed in turn: eager, compiled (torch.compile), converted
(spio.convert) and both. A table says how long a step takes, how much of it kernels on the GPU take,
and the kernels that take most of that."""
import argparse
import copy
import datetime
import json
import statistics
import sys
import time

ways = ("eager", "compiled", "converted", "both")


def options(arguments):
    """The options of the command, read from its arguments."""
    parser = argparse.ArgumentParser(prog="python -m spio.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("block", "timm"), help="what kind of network")
    parser.add_argument("name", help="the block, or timm's name of the model")
    parser.add_argument("--images", type=int, default=64, help="images of a batch (%(default)s)")
    parser.add_argument("--size", type=int, default=32, help="rows and columns of an image (%(default)s)")
    parser.add_argument("--channels", type=int, default=64, help="channels of a block (%(default)s)")
    parser.add_argument("--depth", type=int, default=8, help="blocks of a stack (%(default)s)")
    parser.add_argument("--expansion", type=int, default=4, help="times the channels inside a block (%(default)s)")
    parser.add_argument("--dtype", choices=("bfloat16", "float16"), default="bfloat16", help="autocast's type (%(default)s)")
    parser.add_argument("--pass", dest="direction", choices=("forward", "training"), default="training", help="what a step is (%(default)s)")
    parser.add_argument("--ways", nargs="+", choices=ways, default=list(ways), help="the ways to run it (all)")
    parser.add_argument("--steps", type=int, default=20, help="steps that are timed (%(default)s)")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="where it runs (the GPU, if there is one)")
    parser.add_argument("--json", metavar="FILE", help="writes what was measured")
    parser.add_argument("--plot", metavar="FILE", help="draws the times of the steps as SVG")
    parsed = parser.parse_args(arguments)
    for name in ("images", "size", "channels", "depth", "expansion", "steps"):
        if getattr(parsed, name) < 1:
            parser.error(f"--{name} must be 1 or more")
    if parsed.channels % 8:
        parser.error("--channels must be a multiple of 8, the channels of a group")
    return parser, parsed


def network(parser, parsed):
    """The network, the same for each call."""
    import torch

    from spio import blocks

    torch.manual_seed(1)
    if parsed.kind == "block":
        if parsed.name not in blocks.blocks:
            parser.error(f"there is no block {parsed.name}: {', '.join(blocks.blocks)}")
        return blocks.stack(parsed.name, parsed.channels, parsed.depth, parsed.expansion)
    try:
        import timm
    except ImportError:
        parser.error("there is no timm here; 'pip install timm' brings it")
    try:
        return timm.create_model(parsed.name)
    except RuntimeError as error:
        parser.error(f"timm has no such model: {error}")


def variant(model, way):
    """A copy of the network that runs in this way."""
    import torch

    import spio
    from spio import blocks

    model = copy.deepcopy(model)
    if way in ("converted", "both"):
        spio.convert(blocks.take_kernels(model))
    if way in ("compiled", "both"):
        torch.compiler.reset()  # a graph that broke in another way would break in this one, too
        return torch.compile(model)
    return model


def step_of(model, x, parsed):
    """A function that does one step with the model."""
    import torch

    kind, dtype = x.device.type, getattr(torch, parsed.dtype)
    labels = torch.arange(len(x), device=x.device) % 10
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def forward():
        with torch.no_grad(), torch.autocast(kind, dtype):
            return model(x)

    def train():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, dtype):
            loss = torch.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()

    model.train(parsed.direction == "training")
    return train if parsed.direction == "training" else forward


def measure(step, device, steps):
    """Milliseconds of a step, and microseconds of each kernel in a step, by its name."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for _ in range(3):
        step()
    times = []
    for _ in range(steps):
        wait()
        start = time.perf_counter()
        step()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    if device != "cuda":
        return {"step_ms": statistics.median(times), "kernels_us": {}}
    profiled = min(steps, 5)
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(profiled):
            step()
        wait()
    kernels = {}
    for event in trace.key_averages():
        if event.self_device_time_total > 0:
            kernels[event.key] = kernels.get(event.key, 0) + event.self_device_time_total / profiled
    return {"step_ms": statistics.median(times), "kernels_us": kernels}


def table(results):
    """What was measured, as lines."""
    first = next(iter(results.values()))["step_ms"]
    yield f"{'way':<11}{'step':>10}{'of the first':>14}{'kernels':>11}"
    for way, result in results.items():
        kernels = sum(result["kernels_us"].values()) / 1e3
        told = f"{kernels:>8.2f} ms" if kernels else f"{'-':>11}"
        yield f"{way:<11}{result['step_ms']:>7.2f} ms{result['step_ms'] / first:>14.3f}{told}"
    for way, result in results.items():
        longest = sorted(result["kernels_us"].items(), key=lambda kernel: -kernel[1])[:8]
        if longest:
            yield f"\n{way}: the kernels of a step that take longest"
            yield from (f"{microseconds:>10.1f} us  {name[:90]}" for name, microseconds in longest)


def drawing(results, title):
    """The times of the steps as bars, in SVG."""
    from xml.sax.saxutils import escape

    longest = max(result["step_ms"] for result in results.values())
    bars = []
    for row, (way, result) in enumerate(results.items()):
        top, width = 36 + 28 * row, 400 * result["step_ms"] / longest
        bars.append(f'<text x="90" y="{top + 15}" text-anchor="end">{way}</text>')
        bars.append(f'<rect x="100" y="{top}" width="{width:.1f}" height="20" fill="#4878a8"/>')
        bars.append(f'<text x="{106 + width:.1f}" y="{top + 15}">{result["step_ms"]:.2f} ms</text>')
    height = 50 + 28 * len(results)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="{height}" font-family="sans-serif" font-size="13">'
    return "\n".join([head, f'<text x="10" y="20">{escape(title)}</text>', *bars, "</svg>", ""])


def main(arguments=None):
    parser, parsed = options(arguments)
    import torch

    from spio import blocks

    device = parsed.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda" and not torch.cuda.is_available():
        parser.error("there is no GPU that PyTorch can use")
    for path in filter(None, (parsed.json, parsed.plot)):
        try:
            open(path, "a").close()  # before anything is measured
        except OSError as error:
            parser.error(f"{path} cannot be written: {error.strerror}")
    model = network(parser, parsed).to(device, memory_format=torch.channels_last)
    x = blocks.random_images(parsed.images, parsed.size, device)
    try:
        with torch.no_grad():
            copy.deepcopy(model).eval()(x[:1])
    except Exception as error:  # of the network's own kind: a model may have one size of images, or need more pixels
        parser.error(f"{parsed.name} does not take images of {parsed.size} x {parsed.size} (--size): {str(error).splitlines()[0] or type(error).__name__}")
    results = {}
    for way in parsed.ways:
        print(f"{way}: warming up, then {parsed.steps} steps …", file=sys.stderr, flush=True)
        results[way] = measure(step_of(variant(model, way), x, parsed), device, parsed.steps)
    name = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
    title = f"{parsed.name}, {parsed.direction}, {parsed.images} images of {parsed.size} x {parsed.size}, {parsed.dtype}, on {name}"
    print(title)
    print("\n".join(table(results)))
    if parsed.json:
        facts = {"date": datetime.date.today().isoformat(), "device": name, "pytorch": torch.__version__, "options": vars(parsed)}
        with open(parsed.json, "w") as file:
            json.dump({**facts, "results": results}, file, indent=1)
    if parsed.plot:
        with open(parsed.plot, "w") as file:
            file.write(drawing(results, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
