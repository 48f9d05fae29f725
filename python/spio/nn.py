# Layers that take Spio's kernels, in place of PyTorch's, with the same parameters by the same names.
# SPDX-License-Identifier: Apache-2.0
#
# aten is PyTorch's own library of operators. spio.functional calls kernels where there are some, and aten for
# the rest.
import torch
from torch.nn import functional as aten

from spio import functional


class Conv2d(torch.nn.Conv2d):
    """torch.nn.Conv2d; what no kernel supports is computed by aten."""

    def _conv_forward(self, input, weight, bias):
        """What torch.nn.Conv2d calls to convolve: here by the kernels of Spio where they can."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = aten.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return functional.conv2d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class LayerNorm2d(torch.nn.LayerNorm):
    """LayerNorm over the channels of images n c h w, as timm and torchvision have it."""

    def __init__(self, num_channels, eps=1e-6, elementwise_affine=True, device=None, dtype=None):
        super().__init__(num_channels, eps=eps, elementwise_affine=elementwise_affine, device=device, dtype=dtype)

    def forward(self, input):
        return functional.layernorm_2d(input, self.weight, self.bias, self.eps)
