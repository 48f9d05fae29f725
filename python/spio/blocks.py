# Networks of one kind of block, as convolutions of groups are used: the subjects of spio.bench.
# SPDX-License-Identifier: Apache-2.0
#
# A convolution of groups of 8 channels mixes the pixels of a channel's neighbourhood, pointwise ones mix
# channels. Each block adds its input to its result.
import torch
from torch import nn

from spio.nn import LayerNorm2d

group_width = 8


class Residual(nn.Sequential):
    """Adds its input to what its layers make of it."""

    def forward(self, x):
        return x + super().forward(x)


# A convolution in groups of 8 channels that keeps the size of images.
def grouped(channels, size):
    return nn.Conv2d(channels, channels, size, padding=size // 2, groups=channels // group_width, bias=False)


# A convolution of 1 x 1: each pixel by itself.
def pointwise(channels, width):
    return nn.Conv2d(channels, width, 1, bias=False)


def convfirst(channels, expansion):
    """A grouped convolution, then an expansion and a projection of each pixel."""
    width = channels * expansion
    return Residual(
        grouped(channels, 3), nn.BatchNorm2d(channels),
        pointwise(channels, width), nn.BatchNorm2d(width), nn.SiLU(),
        pointwise(width, channels), nn.BatchNorm2d(channels),
    )


def mbconv(channels, expansion):
    """A grouped convolution of the expanded channels, as in MobileNet and EfficientNet."""
    width = channels * expansion
    return Residual(
        pointwise(channels, width), nn.BatchNorm2d(width), nn.SiLU(),
        grouped(width, 3), nn.BatchNorm2d(width), nn.SiLU(),
        pointwise(width, channels), nn.BatchNorm2d(channels),
    )


class PlainNorm2d(nn.LayerNorm):
    """LayerNorm over the channels of images, by PyTorch's own operators."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext(channels, expansion):
    """A grouped convolution of 7 x 7, a LayerNorm over channels, then an expansion and a projection."""
    width = channels * expansion
    return Residual(
        grouped(channels, 7), PlainNorm2d(channels, eps=1e-6),
        pointwise(channels, width), nn.GELU(), pointwise(width, channels),
    )


blocks = {"convfirst": convfirst, "mbconv": mbconv, "convnext": convnext}


def stack(name, channels, depth, expansion, classes=10):
    """A network that is the stack of `depth` blocks between a stem and a classifier, the same for each seed."""
    make = blocks[name]
    return nn.Sequential(
        pointwise(3, channels), *(make(channels, expansion) for _ in range(depth)),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes),
    )


def take_kernels(model):
    """Replaces the norms of these networks by spio.nn's; convolutions are spio.convert()'s work."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child) is PlainNorm2d:
                twin = LayerNorm2d(child.normalized_shape[0], eps=child.eps)
                twin.load_state_dict(child.state_dict())
                setattr(module, name, twin.to(next(child.parameters()).device))
    return model


def random_images(images, size, device):
    """Random images of three channels, in the channels-last layout."""
    x = torch.randn(images, 3, size, size, device=device)
    return x.contiguous(memory_format=torch.channels_last)
