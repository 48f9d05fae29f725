# Draws layers of networks at groups of 8 channels, for run.py.
# SPDX-License-Identifier: Apache-2.0
"""drawn.py [--seed N] [--count N] [--networks NAME...] > LAYERS

The channels, filters, strides and images are those of EfficientNet, ConvNeXt, RegNet, ResNeXt and MobileNet, the batches from 1
to 512, each as likely as the others. The first line says how the layers were drawn. plan.py lists for each network its kinds of
layers, (taps, stride), and the (channels, side of the image) that it has of each.
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
import plan

NETWORKS = {"efficientnet": plan.EFFICIENTNET, "convnext": plan.CONVNEXT, "regnet": plan.REGNET, "resnext": plan.RESNEXT,
            "mobilenet": plan.MOBILENET}


def drawn_layer(draw, networks):
    """A problem of conv2d as text; its tensors have at most plan.MOST_BYTES."""
    while True:
        network = NETWORKS[draw.choice(networks)]
        (taps, stride), (channels, side) = draw.choice([(kind, layer) for kind, layers in network.items() for layer in layers])
        batch = draw.choice(plan.BATCHES)
        if plan.moved(batch, channels, side, side, stride) <= plan.MOST_BYTES:
            steps = f" stride_h={stride} stride_w={stride}" if stride > 1 else ""
            return f"n={batch} c={channels} h={side} w={side} r={taps} s={taps} pad_h={taps // 2} pad_w={taps // 2}{steps}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    options = parser.parse_args()
    draw = random.Random(options.seed)
    print(f"# drawn.py --seed {options.seed} --count {options.count} --networks {' '.join(options.networks)}")
    layers = []
    while len(layers) < options.count:
        layer = drawn_layer(draw, options.networks)
        if layer not in layers:
            layers.append(layer)
    print("\n".join(layers))


if __name__ == "__main__":
    main()
