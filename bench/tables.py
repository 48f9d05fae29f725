# Draws the tables of the documentation from the results that bench/results keeps.
# SPDX-License-Identifier: Apache-2.0
#
# The passes of a convolution are fprop (forward), dgrad (the gradient of the input) and wgrad (that of the
# filter). CUDA Python is a statically typed Python whose functions become kernels.
"""tables.py [--write]

A table stands between the lines <!-- table NAME --> and <!-- end -->. Without --write, one that is not of the newest results is an error."""
import argparse
import collections
import json
import pathlib
import re
import statistics
import sys
import cuda_python_tables
import drawn_table
import models_table
import pytorch_tables

root = pathlib.Path(__file__).resolve().parent.parent


def newest(name):
    """The newest file of results of that name, and its content."""
    files = sorted((root / "bench" / "results").glob(f"{name}-[0-9]*.json"))
    return files[-1], json.loads(files[-1].read_text())


def microseconds(value):
    """The time as text, with a decimal where that is not lost in noise."""
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}"


def layer_name(problem):
    """A short name of a problem of conv2d, made of its sizes."""
    return "N{n} C{c} {h} x {w}, {r} x {s}".format(**dict(word.split("=") for word in problem.split()))


def chosen_time(layer):
    """The time of the configuration that Spio chooses, in microseconds, with tensors from memory."""
    return min(kernel["cold"] for kernel in layer["kernels"] if kernel["chosen"])


def conv2d_rows(results):
    """Each layer's name, the time of its copy, and the results of its three passes."""
    passes = collections.defaultdict(dict)
    for layer in results["layers"]:
        passes[layer_name(layer["problem"])][layer["pass"]] = layer
    for name, layers in passes.items():
        if any("bias=true" in layer["problem"] for layer in layers.values()):
            name += ", bias"
        copy = sum(layer["copy"] for layer in layers.values()) / len(layers)
        yield name, copy, [layers[each] for each in ("fprop", "dgrad", "wgrad")]


def conv2d(name, count=None):
    """The layers, those first that are nearest to the time of a copy; all of them or `count`."""
    file, results = newest(name)
    rows = [drawn_table.source(root, file, results), "",
            "| layer | copy | fprop | dgrad | wgrad | cuDNN: fprop, dgrad, wgrad |", "|---|---|---|---|---|---|"]
    layers = sorted(conv2d_rows(results), key=lambda row: sum(chosen_time(each) / each["copy"] for each in row[2]))
    for layer, copy, passes in layers[:count]:
        ours = " | ".join(f"{chosen_time(each) / each['copy']:.2f}" for each in passes)
        cudnn = ", ".join(microseconds(each["pytorch"]) for each in passes)
        rows.append(f"| {layer} | {microseconds(copy)} us | {ours} | {cudnn} us |")
    return rows


def pytorch_blocks():
    """Steps of networks in PyTorch, over a step of the same network compiled by PyTorch."""
    file, results = newest("pytorch_blocks")
    rows = [f"[{results['gpu']}, PyTorch {results['pytorch']}, {results['date']}]({{root}}{file.relative_to(root)})", "",
            "| blocks | torch.compile | eager | converted | converted and compiled |", "|---|---|---|---|---|"]
    for block in results["blocks"]:
        options, steps = block["options"], {way: result["step_ms"] for way, result in block["results"].items()}
        name = "{name}: {depth} of {channels} channels, N{images} {size} x {size}, {dtype}".format(**options)
        ratios = " | ".join(f"{steps[way] / steps['compiled']:.2f}" for way in ("eager", "converted", "both"))
        rows.append(f"| {name} | {steps['compiled']:.1f} ms | {ratios} |")
    return rows


def conv2d_ablation():
    """The time of a kernel when one part of its work is left out."""
    file, results = newest("conv2d_ablation")
    rows = [drawn_table.source(root, file, results), "",
            "| layer | left out | time over a copy |", "|---|---|---|"]
    for layer in results["layers"]:
        for part, time in layer["microseconds"].items():
            rows.append(f"| {layer_name(layer['problem'])} | {'nothing' if part == 'all' else part} | "
                        f"{time / layer['copy']:.2f} |")
    return rows


def conv2d_steps():
    """Layers with a stride or a dilation of 2, whose copy has the bytes of their own tensors."""
    file, results = newest("conv2d_steps_sm90a")
    rows = [drawn_table.source(root, file, results), "",
            "| layer | copy | fprop | dgrad | wgrad | cuDNN: fprop, dgrad, wgrad |", "|---|---|---|---|---|---|"]
    layers = collections.defaultdict(dict)
    for layer in results["layers"]:
        fields = dict(word.split("=") for word in layer["problem"].split())
        step = f"stride {fields['stride_h']}" if "stride_h" in fields else f"dilation {fields['dilation_h']}"
        layers[f"{layer_name(layer['problem'])}, {step}, {fields.get('type', 'fp16')}"][layer["pass"]] = layer
    for name, passes in layers.items():
        passes = [passes[each] for each in ("fprop", "dgrad", "wgrad")]
        ours = " | ".join(f"{chosen_time(each) / each['copy']:.2f}" for each in passes)
        cudnn = ", ".join(microseconds(each["pytorch"]) for each in passes)
        rows.append(f"| {name} | {microseconds(sum(each['copy'] for each in passes) / 3)} us | {ours} | {cudnn} us |")
    return rows


def tuned_conv2d():
    """The rows of a table: the times of the configurations that the family chooses and of measured ones."""
    file, results = newest("tuned_conv2d_sm90a")
    rows = [f"[{results['gpu']}, {results['date']}]({{root}}{file.relative_to(root)})", "",
            "| layer | pass | the family's choice | measured choice | configurations |", "|---|---|---|---|---|"]
    for problem in results["problems"]:
        fields = dict(word.split("=") for word in problem["problem"].split()[1:])
        own = problem["candidates"][0]["microseconds"]
        rows.append(f"| {layer_name(problem['problem'].removeprefix('conv2d '))} | {fields['pass']} | {own:.1f} us | "
                    f"{problem['microseconds']:.1f} us | {len(problem['candidates'])} |")
    return rows


def records_named(results, name):
    """The records of one kind in the results of a benchmark."""
    return [record for record in results["records"] if record["name"] == name]


def first_result():
    """The rows of a table: the milliseconds until the first result of a kernel, by where its image is from."""
    file, results = newest("launch")
    rows = [f"[{records_named(results, 'machine')[0]['gpu']}, {results['date']}]({{root}}{file.relative_to(root)})",
            "", "| kernel | image from | find | load | launch and wait | together | image |",
            "|---|---|---|---|---|---|---|"]
    records = records_named(results, "first_result")
    for kernel, source in dict.fromkeys((record["kernel"], record["from"]) for record in records):
        same = [each for each in records if (each["kernel"], each["from"]) == (kernel, source)]
        keys = ("find_ms", "load_ms", "launch_ms")
        times = [statistics.median_high([each[key] for each in same]) for key in keys]
        times.append(statistics.median_high([sum(each[key] for key in keys) for each in same]))
        rows.append(f"| {kernel} | {source} | " + " | ".join(f"{time:.2f} ms" for time in times) +
                    f" | {same[0]['image_bytes']} bytes |")
    return rows


def bandwidth():
    """The rows of a table: the bandwidth of kernels, and their time over that of a copy of the same bytes."""
    file, results = newest("launch")
    rows = [f"[{records_named(results, 'machine')[0]['gpu']}, {results['date']}]({{root}}{file.relative_to(root)})",
            "", "| kernel | problem | size | GB/s | time over a copy |", "|---|---|---|---|---|"]
    for record in records_named(results, "bandwidth"):
        rows.append(f"| {record['kernel']} | {record['problem']} | {record['mib']} MiB | {record['gb_s']:.0f} | "
                    f"{record['ratio']:.3f} |")
    return rows


def matmul_records():
    """The results of the newest matrix products, their heading, and their records by set, shape and kernel."""
    file, results = newest("matmul_shapes_sm90a")
    version = f"cuBLAS {results['cublas'] // 10000}.{results['cublas'] // 100 % 100}"
    head = f"[{results['gpu']}, {version}, {results['date']}]({{root}}{file.relative_to(root)})"
    products = collections.defaultdict(dict)
    for record in records_named(results, "product"):
        if record["chosen"]:
            products[record["set"], record["shape"]][record["kernel"]] = record
    return results, head, products


def matmul():
    """TFLOP/s of squares: sustained, and in a burst, which begins after a rest and is too short for heat or power to slow it."""
    results, head, products = matmul_records()
    rows = [head, "", "| size | wgmma | cuBLAS | cuBLASLt | wgmma over cuBLAS | mma.sync | a burst: wgmma, cuBLAS | wgmma draws |",
            "|---|---|---|---|---|---|---|---|"]
    rate = lambda record: f"{record['tflops']:.0f}"
    # A round is [microseconds, watts, megahertz]; the last one is drawn, when the card is warm.
    drawn = lambda watts=None, clock=None: f"{watts} W, {clock} MHz" if watts else ""
    for (name, shape), kernels in products.items():
        if name != "squares":
            continue
        ours, cublas = kernels["wgmma"], kernels["cublas"]
        rows.append(f"| {shape} | {rate(ours)} | {rate(cublas)} | {rate(kernels['cublaslt'])} | "
                    f"{ours['tflops'] / cublas['tflops']:.2f} | {rate(kernels['cp_async'])} | {ours['burst_tflops']:.0f}, "
                    f"{cublas['burst_tflops']:.0f} | {drawn(*ours['rounds'][-1][1:])} |")
    for record in records_named(results, "ceiling"):
        rows.append(f"| only products, {record['kernel']} | {record['tflops']:.0f} | | | | | {record['burst_tflops']:.0f} | "
                    f"{drawn(record.get('watts'), record.get('megahertz'))} |")
    return rows


def matmul_layers():
    """The rows of a table: the products of a network's layers, and cuBLAS's time over ours."""
    _, head, products = matmul_records()
    rows = [head, "", "| layer | m x n x k | wgmma | cuBLAS | cuBLAS over wgmma |", "|---|---|---|---|---|"]
    for (name, shape), kernels in products.items():
        if name == "layers":
            ours, cublas = kernels["wgmma"], kernels["cublas"]
            rows.append(f"| {shape} | {ours['m']} x {ours['n']} x {ours['k']} | {microseconds(ours['us'])} us | "
                        f"{microseconds(cublas['us'])} us | {cublas['us'] / ours['us']:.2f} |")
    return rows


def matmul_random():
    """The time of cuBLAS over ours, for groups of random sizes."""
    _, head, products = matmul_records()
    groups = collections.defaultdict(list)
    for (name, _), kernels in products.items():
        if name == "random":
            ours = kernels["wgmma"]
            tiles = -(-ours["m"] // 128) * -(-ours["n"] // 128)
            size = "at most 16" if tiles <= 16 else "17 to 132" if tiles <= 132 else "more than 132"
            depth = "k < 512" if ours["k"] < 512 else "k < 2048" if ours["k"] < 2048 else "k >= 2048"
            for group in ((size, depth), ("all", "all")):
                groups[group].append(kernels["cublas"]["us"] / ours["us"])
    rows = [head, "", "| tiles of 128 x 128 | k | products | cuBLAS over wgmma, geometric mean | below 0.95 |", "|---|---|---|---|---|"]
    for group in sorted(groups):
        values = groups[group]
        rows.append(f"| {group[0]} | {group[1]} | {len(values)} | {statistics.geometric_mean(values):.2f} | "
                    f"{sum(value < 0.95 for value in values)} |")
    return rows


tables = {
    "conv2d": lambda: conv2d("conv2d_goals_sm90a"),
    "conv2d_three": lambda: conv2d("conv2d_goals_sm90a", count=3),
    "conv2d_ptx": lambda: conv2d("conv2d_goals_compute80"),
    "pytorch_blocks": pytorch_blocks,
    "pytorch_calls": lambda: pytorch_tables.calls(root, *newest("pytorch_calls")),
    "conv2d_ablation": conv2d_ablation,
    "conv2d_steps": conv2d_steps,
    "conv2d_drawn": lambda: drawn_table.rows(root, *newest("conv2d_drawn_sm90a")),
    "conv2d_classes": lambda: drawn_table.classes(root, *newest("conv2d_drawn_sm90a")),
    "tuned_conv2d": tuned_conv2d,
    "models_conv2d": lambda: models_table.rows(root, *newest("models_conv2d_sm90a")),
    "models_matmul": lambda: models_table.rows(root, *newest("models_matmul_sm90a")),
    "first_result": first_result,
    "bandwidth": bandwidth,
    "matmul": matmul,
    "matmul_layers": matmul_layers,
    "matmul_random": matmul_random,
    "cuda_python_launches": lambda: cuda_python_tables.launches(root, *newest("cuda_python")),
    "cuda_python_examples": lambda: cuda_python_tables.examples(root, *newest("cuda_python")),
    "cuda_python_math": lambda: cuda_python_tables.functions(root, *newest("cuda_python_math")),
}


def redrawn(page, text):
    """The page's text with all tables drawn from the newest results."""
    to_root = "" if page.parent == root else "../"

    def table(match):
        rows = "\n".join(tables[match[1]]()).replace("{root}", to_root)
        return f"<!-- table {match[1]} -->\n{rows}\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->", table, text, flags=re.S)


def main():
    """Compares or, with --write, draws the tables of all pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    stale, count = [], 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = page.read_text()
        count += text.count("<!-- table ")
        if redrawn(page, text) != text:
            stale.append(page.relative_to(root).as_posix())
            if options.write:
                page.write_text(redrawn(page, text))
    if stale and not options.write:
        sys.exit(f"not what bench/results has: {', '.join(stale)}; bench/tables.py --write draws them again")
    print(f"summary: docs.tables: {count} tables")


if __name__ == "__main__":
    main()
