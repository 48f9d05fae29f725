# Measures convolutions on a GPU: ours, a copy of the same bytes, and PyTorch's, in one run.
# SPDX-License-Identifier: Apache-2.0
#
# A configuration is a choice of tiles and stages that gives one kernel, or two for the gradient of the filter;
# the chosen one is what Spio would take. kernels.json, which conv2d_export wrote, describes them.
"""measure.py FOLDER --out FILE.json [--repeat 100] [--alone] [--brief] [--part I/N]

FOLDER is what conv2d_export and build.py left, with libconv2d_launcher.so. Every result is checked against sums in double, and
all configurations of a layer must give the same bits; the chosen one is run many times. With --alone nothing of PyTorch's
is timed. With --brief nothing is timed with a hot cache. With --part 0/2 or 1/2 only every second layer is measured.
"""
import argparse
import datetime
import itertools
import json
import pathlib
import subprocess
import sys

import torch

import launcher
import timing
from layer import Layer


def machine():
    """What measured: the date, the GPU and the versions of software."""
    query = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                           stdout=subprocess.PIPE, text=True)
    return {"date": datetime.date.today().isoformat(), "gpu": torch.cuda.get_device_name(),
            "driver": query.stdout.strip(), "pytorch": torch.__version__,
            "cudnn": torch.backends.cudnn.version()}


def run(launch, layer):
    """Runs the pass once over poisoned outputs, and returns their bits."""
    for name in layer.makes:
        layer.tensors[0][name].fill_(float("nan"))
    launch.launch(launch.params(layer.tensors[0]), torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    return [layer.tensors[0][name].contiguous().clone().view(torch.uint8) for name in layer.makes]


def same(tensors, others):
    """Whether tensors have the same elements as others, in order."""
    return all(bool((a == b).all()) for a, b in zip(tensors, others))


def timed(launch, layer, sets):
    """Microseconds of a launch that takes the sets of tensors in turn."""
    params = [launch.params(tensors) for tensors in layer.tensors]
    return timing.microseconds(lambda number, stream: launch.launch(params[number], stream), sets)


def measure_layer(folder, built, described, options):
    """The report on one pass of a layer; `described` has its configurations, from kernels.json."""
    first = described[0]
    workspace = max(each["workspace_floats"] for each in described)
    sets = timing.sets_for(Layer(first).bytes())
    layer = Layer(first, sets, workspace)
    cold = lambda work: timing.microseconds(work, sets)
    report = {"problem": first["problem"], "pass": first["pass"], "n": first["n"], "bytes": layer.bytes(),
              "copy": cold(lambda number, _: layer.copy(number)), "kernels": []}
    if not options.brief:
        report["copy_hot"] = timing.microseconds(lambda *_: layer.copy(0), 1)
    if not options.alone:
        report["pytorch"] = cold(lambda number, _: layer.peer(number))
        if not options.brief:
            report["pytorch_hot"] = timing.microseconds(lambda *_: layer.peer(0), 1)
    bits = None
    for kernel in described:
        launch = launcher.Launch(folder, kernel, built)
        figures, images = launch.kernels[0].figures(), [built[part["symbol"]] for part in kernel["kernels"]]
        outputs = run(launch, layer)
        # Gradients of the filter are added up in another order by each configuration.
        bits = outputs if bits is None or first["pass"] == "wgrad" else bits
        result = {key: kernel[key] for key in ("config", "chosen", "estimate")}
        result |= {"symbol": kernel["kernels"][0]["symbol"], "arch": images[0]["arch"],
                  "registers": figures.registers, "local_bytes": figures.local_bytes,
                  "image_bytes": [image["bytes"] for image in images],
                  "blocks_per_processor": figures.blocks_per_multiprocessor, "worst": layer.worst(),
                  "same_bits": same(outputs, bits)}
        if kernel["chosen"]:
            is_steady = all(same(run(launch, layer), outputs) for _ in range(options.repeat))
            result |= {"runs_with_the_same_bits": options.repeat if is_steady else 0}
        result |= {"cold": timed(launch, layer, sets)}
        if not options.brief:
            result |= {"hot": timed(launch, layer, 1)}
        report["kernels"].append(result)
    return report


def tell(report):
    """Prints the times of a layer: of a copy, of PyTorch, and of the fastest kernels and the chosen one."""
    kernels = sorted(report["kernels"], key=lambda kernel: kernel["cold"])
    hot = lambda times, name: f", hot {times[name]:.1f}" if name in times else ""
    peer = f"; PyTorch {report['pytorch']:.1f} us{hot(report, 'pytorch_hot')}" if "pytorch" in report else ""
    print(f"{report['problem']}\n  copy {report['copy']:.1f} us{hot(report, 'copy_hot')}{peer}")
    for place, kernel in enumerate(kernels):
        if place < 6 or kernel["chosen"]:
            print(f"  {kernel['cold']:7.1f} us, {kernel['cold'] / report['copy']:.3f} of the copy{hot(kernel, 'hot')},"
                  f" estimated {kernel['estimate']:.1f}, {kernel['registers']} registers, {kernel['local_bytes']} local,"
                  f" {kernel['blocks_per_processor']} blocks: {kernel['config']}{' (chosen)' if kernel['chosen'] else ''}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--part", default="0/1")
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    kernels = json.loads((options.folder / "kernels.json").read_text())
    built = json.loads((options.folder / "built.json").read_text())
    report = machine() | {"layers": []}
    part, parts = map(int, options.part.split("/"))
    groups = [list(group) for _, group in itertools.groupby(kernels, lambda kernel: kernel["problem"])]
    for group in groups[part::parts]:
        report["layers"].append(measure_layer(options.folder, built, group, options))
        tell(report["layers"][-1])
        options.out.write_text(json.dumps(report, indent=1) + "\n")
    wrong = [each["symbol"] for layer in report["layers"] for each in layer["kernels"]
             if each["worst"] > 1 or not each["same_bits"] or each.get("runs_with_the_same_bits") == 0]
    count = sum(len(layer["kernels"]) for layer in report["layers"])
    print(f"summary: conv2d: {count} kernels of {len(report['layers'])} layers measured, {len(wrong)} wrong", *wrong)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
