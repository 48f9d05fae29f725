# Model surgery: what convert() and scan() refuse, before they change or run anything, and paddings of every kind.
# SPDX-License-Identifier: Apache-2.0
import unittest

import torch

import spio
from cases import tensor


class Surgery(unittest.TestCase):
    def test_memory_format_that_is_none_of_weights(self):
        layer = torch.nn.Conv2d(16, 16, 3, groups=2)
        for memory_format in (torch.channels_last_3d, torch.preserve_format):
            with self.assertRaisesRegex(ValueError, "must be torch.channels_last or torch.contiguous_format"):
                spio.convert(layer, memory_format=memory_format)
            self.assertIs(type(layer), torch.nn.Conv2d)

    def test_padding(self):
        wrong = torch.nn.Conv2d(16, 16, 3, padding=(1, 1, 2), groups=2)
        self.assertEqual(spio.convert(wrong).kept[0].reason, "the padding is (1, 1, 2)")
        # A layer of spio that pads before it convolves takes kernels with each padding.
        layer, x = spio.nn.Conv2d(16, 16, 4, padding="same", padding_mode="circular", groups=2), tensor((2, 16, 6, 6), torch.float32)
        self.assertEqual([len(spio.convert(layer).converted), len(spio.convert(layer).kept)], [1, 0])
        self.assertRegex(str(spio.scan(layer, x)), r"kernels \d+\.\d, ")
        with spio.strict():
            self.assertEqual(layer(x).shape, x.shape)

    def test_norm_with_one_factor(self):
        # A stand-in for torchvision's class, which may have it.
        kind = type("LayerNorm2d", (spio.nn.LayerNorm2d,), {"__module__": "torchvision.models.convnext"})
        layer = kind(16)
        layer.bias = None
        self.assertEqual(spio.convert(layer).kept[0].reason, "it has a weight or a bias alone")
        self.assertIs(type(layer), kind)

    def test_scan_for_an_architecture_without_kernels(self):
        layer, x = torch.nn.Conv2d(16, 16, 3, groups=2), tensor((2, 16, 6, 6), torch.float32)
        for arch in ("sm_70", "sm_75", "90"):
            with self.assertRaisesRegex(ValueError, "kernels are for sm_80 and newer"):
                spio.scan(layer, x, arch=arch)
        self.assertIn("us on sm_80", str(spio.scan(layer, x, arch="sm_80")))


if __name__ == "__main__":
    unittest.main()
