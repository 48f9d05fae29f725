# Trains a small network of ConvFirst blocks on synthetic images, as it is and converted to Spio's layers.
# SPDX-License-Identifier: Apache-2.0
#
#     python examples/pytorch/train.py [--steps N] [--channels C]
#
# On a GPU it trains in half precision by autocast, where the converted layers take Spio's kernels.
import argparse
import copy
import time

import spio
import torch
from torch import nn
from torch.nn import functional


class ConvFirst(nn.Module):
    """A grouped convolution, then an expansion and a projection of the channels of each pixel."""

    def __init__(self, channels, expansion=4):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding="same", groups=channels // 8, bias=False),
            nn.BatchNorm2d(channels),
            nn.Conv2d(channels, expansion * channels, 1),
            nn.SiLU(),
            nn.Conv2d(expansion * channels, channels, 1),
        )

    def forward(self, x):
        return x + self.layers(x)


def network(channels, classes=4, depth=3):
    """A small classifier of images."""
    return nn.Sequential(
        nn.Conv2d(3, channels, 4, stride=4),
        *(ConvFirst(channels) for _ in range(depth)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(channels, classes),
    )


def batches(steps, device, images=16, size=32, classes=4):
    """Random images; the class is in their brightness."""
    generator = torch.Generator().manual_seed(7)
    for _ in range(steps):
        labels = torch.randint(classes, (images,), generator=generator)
        noise = torch.randn(images, 3, size, size, generator=generator)
        x = (noise + labels.view(-1, 1, 1, 1)).to(device, memory_format=torch.channels_last)
        yield x, labels.to(device)


def train(model, steps, device):
    """Trains the model; returns the losses, and the seconds that it took."""
    model = model.to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
    losses, start = [], time.perf_counter()
    for x, labels in batches(steps, device):
        with torch.autocast(device, torch.float16, enabled=device == "cuda"):
            loss = functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--channels", type=int, default=32)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    model = network(options.channels)
    converted = copy.deepcopy(model)

    report = spio.convert(converted)
    print(report)
    for name, candidate in (("as it was", model), ("converted", converted)):
        losses, seconds = train(candidate, options.steps, device)
        print(f"{name}: the loss went from {losses[0]:.3f} to {losses[-1]:.3f} in {seconds:.2f} s on {device}")


if __name__ == "__main__":
    main()
