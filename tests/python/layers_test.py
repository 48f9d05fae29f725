# The layers and model surgery: equal state_dicts, equal results, and layers that are left alone.
# SPDX-License-Identifier: Apache-2.0
#
# Model surgery is spio.convert(), which turns the layers of a model that have kernels into spio's; spio.scan()
# only reports which.
import copy
import importlib.util
import re
import unittest
from unittest import mock

import torch
from torch import nn

import spio
from cases import tensor


class Subclass(nn.Conv2d):
    """A layer that may do something else than its base, and so is left alone."""


class Scaled(nn.Conv2d):
    """A layer that takes more than a tensor, and returns more."""

    def forward(self, scale, x=None, *, offset=0):
        return None if x is None else (scale, super().forward(x) * scale + offset)


class Event:
    """Stands for torch.cuda.Event: a point in the work of the GPU whose number is the stream, and the number of the point."""

    points = []

    def __init__(self, enable_timing):
        self.is_complete = False

    def record(self, stream=0):
        self.stream, self.number = stream, len(self.points)
        self.points.append(stream)

    def synchronize(self):
        self.is_complete = True

    def elapsed_time(self, other):
        assert other.is_complete and self.stream == other.stream
        return (other.number - self.number) * 0.125


def on_gpu(x, number):
    """The tensor, which stays on the CPU, but says that it is on the GPU of this number."""
    kind = type("TensorOnGpu", (torch.Tensor,), {"is_cuda": True, "device": torch.device("cuda", number)})
    return x.as_subclass(kind)


def convolution(channels=16, size=3, groups=None, **keywords):
    """A layer of PyTorch with filters of size x size; its groups have 8 channels unless their number is given."""
    return nn.Conv2d(channels, channels, size, groups=groups or channels // 8, **keywords)


class Layers(unittest.TestCase):
    def test_layers_without_memory(self):
        x = torch.empty(2, 16, 6, 5, device="meta", dtype=torch.float16, requires_grad=True)
        for layer in (spio.nn.Conv2d(16, 16, 3, groups=2), spio.nn.LayerNorm2d(16)):
            y = layer.to("meta", torch.float16)(x)
            self.assertEqual((y.device.type, y.dtype), ("meta", torch.float16))
            self.assertEqual(tuple(y.shape), (2, 16, 4, 3) if isinstance(layer, nn.Conv2d) else tuple(x.shape))

    def test_drop_in(self):
        for keywords in ({}, {"padding": 1, "bias": False}, {"padding": 1, "padding_mode": "reflect"}, {"stride": 2}, {"stride": 3}):
            layer, twin = convolution(**keywords), spio.nn.Conv2d(16, 16, 3, groups=2, **keywords)
            twin.load_state_dict(layer.state_dict())
            self.assertEqual(layer.extra_repr(), twin.extra_repr())
            x = tensor((2, 16, 6, 5), torch.float32)
            torch.testing.assert_close(twin(x), layer(x))
        norm, twin = nn.LayerNorm(16, eps=1e-3), spio.nn.LayerNorm2d(16, eps=1e-3)
        nn.init.normal_(norm.weight)
        twin.load_state_dict(norm.state_dict())
        torch.testing.assert_close(twin(x), norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2))


class Surgery(unittest.TestCase):
    def test_what_is_replaced(self):
        model = nn.Sequential(convolution(padding=1), nn.BatchNorm2d(16), nn.Sequential(convolution(24, (5, 1)), nn.ReLU()))
        model[2].shared = model[2][0]
        original, keys = copy.deepcopy(model), list(model.state_dict())
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        report = spio.convert(model)
        self.assertEqual([layer.name for layer in report.replaced], ["0", "2.0"])
        self.assertEqual(report.kept, [])
        self.assertIs(type(model[0]), spio.nn.Conv2d)
        self.assertIs(model[2].shared, model[2][0])
        self.assertEqual(list(model.state_dict()), keys)
        original.load_state_dict(model.state_dict())
        self.assertEqual({id(p) for p in model.parameters()}, {id(p) for p in optimizer.param_groups[0]["params"]})
        x = tensor((2, 16, 8, 8), torch.float32)
        torch.testing.assert_close(model[:2](x), original[:2](x))

    def test_what_is_converted_already(self):
        """It is counted apart; a layer of spio.nn that no kernel computes stays, with the reason."""
        pointwise = spio.nn.Conv2d(16, 16, 1)
        model = nn.Sequential(convolution(padding=1), spio.nn.LayerNorm2d(16), spio.nn.Conv2d(16, 16, 3, groups=2, padding=1, padding_mode="reflect"), pointwise)
        first, x = spio.convert(model), tensor((2, 16, 8, 8), torch.float32)
        self.assertIn("3 of 4 layers take kernels of Spio, 2 of them already converted", str(first))
        for report in (spio.convert(model), spio.scan(model, x)):
            self.assertEqual([layer.name for layer in report.converted], ["0", "1", "2"])
            self.assertEqual(report.replaced, [])
            self.assertEqual([layer.reason for layer in report.kept], ["16 channels in 1 groups to 16, where kernels take groups of 8 to 8"])
            self.assertIn("3 of 4 layers take kernels of Spio, 3 of them already converted", str(report))
            self.assertIn("padding=(1, 1), groups=2): is converted already", str(report))
        self.assertEqual([" us on sm_90a" in layer.calls[0] for layer in report.layers], [True, False, True, False])
        double = spio.convert(nn.Sequential(spio.nn.Conv2d(16, 16, 3, groups=2).double()))
        self.assertEqual(double.kept[0].reason, "its parameters are torch.float64")

    def test_memory_format(self):
        for memory_format in (torch.channels_last, torch.contiguous_format):
            model = nn.Sequential(convolution())
            spio.convert(model, memory_format=memory_format)
            self.assertTrue(model[0].weight.is_contiguous(memory_format=memory_format))

    def test_what_is_left_alone(self):
        hooked, patched = convolution(), convolution()
        hooked.register_forward_hook(lambda *_: None)
        patched.forward = lambda x: x
        cases = {
            "reflect": convolution(padding=1, padding_mode="reflect"),
            "stride": convolution(stride=3),
            "dilation": convolution(dilation=3),
            "groups": convolution(groups=1),
            "groups of 8": nn.Conv2d(16, 32, 3, groups=2),
            "float64": convolution().double(),
            "larger than 7": convolution(size=9),
            "even filter": convolution(size=2, padding="same"),
            "hooks": hooked,
            "hooks (weight norm": nn.utils.weight_norm(convolution()),
            "parametr": nn.utils.parametrizations.weight_norm(convolution()),
            "Subclass": Subclass(16, 16, 3, groups=2),
            "forward was replaced": patched,
        }
        for words, layer in cases.items():
            kind = type(layer)
            (entry,) = spio.convert(nn.Sequential(layer)).layers
            self.assertIn(words, entry.reason or "replaced", words)
            self.assertIs(type(layer), kind)

    def test_scan_changes_nothing(self):
        model = nn.Sequential(convolution(padding=1), nn.BatchNorm2d(16), nn.Dropout()).train()
        model[2].eval()
        state = copy.deepcopy(model.state_dict())
        spio.scan(model, tensor((2, 16, 8, 8), torch.float32))
        self.assertEqual([module.training for module in model.modules()], [True, True, True, False])
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, state[name]), name)
        with self.assertRaises(RuntimeError):
            spio.scan(model, tensor((2, 3, 8, 8), torch.float32))
        self.assertEqual([module.training for module in model.modules()], [True, True, True, False])
        self.assertFalse(model[0]._forward_hooks or model[0]._forward_pre_hooks)

    def test_models_as_installed(self):
        """Models of timm and torchvision, where these are installed: converted, they compute what they did."""
        found = 0
        for library, names in {"timm": ("convnext_atto", "regnetx_002"), "torchvision": ("regnet_y_400mf", "convnext_tiny")}.items():
            if importlib.util.find_spec(library) is None:
                continue
            module = importlib.import_module(library)
            make = module.create_model if library == "timm" else module.models.get_model
            for name in names:
                torch.manual_seed(1)
                model, x = make(name).eval(), torch.randn(1, 3, 64, 64)
                with torch.no_grad():
                    expected, scanned = model(x), spio.scan(model, x)
                    keys = list(model.state_dict())
                    report = spio.convert(model)
                    self.assertEqual([layer.reason for layer in scanned.layers], [layer.reason for layer in report.layers])
                    self.assertGreater(len(report.replaced), 4, name)
                    self.assertEqual(list(model.state_dict()), keys)
                    torch.testing.assert_close(model(x), expected, rtol=1e-4, atol=1e-5)
                found += 1
        if not found:
            self.skipTest("there is neither timm nor torchvision")

    def test_libraries(self):
        """A class of another library is known by its module and name."""
        for module, name in (("timm.layers.norm", "LayerNorm2d"), ("torchvision.models.convnext", "LayerNorm2d")):
            kind = type(name, (nn.LayerNorm,), {"__module__": module})
            model = nn.Sequential(kind(16), kind(12))
            report = spio.convert(model)
            self.assertEqual([layer.name for layer in report.replaced], ["0"])
            self.assertIn("12 channels", report.kept[0].reason)
            x = tensor((1, 16, 2, 2), torch.float32)
            torch.testing.assert_close(model[0](x).mean(1), torch.zeros(1, 2, 2), atol=1e-5, rtol=0)

    def test_scan(self):
        model = nn.Sequential(convolution(padding=1), convolution(stride=3))
        report = spio.scan(model, tensor((2, 16, 8, 8), torch.float32))
        self.assertIs(type(model[0]), nn.Conv2d)
        self.assertFalse(model[0]._forward_hooks)
        self.assertEqual([len(layer.calls) for layer in report.layers], [1, 1])
        text = str(report)
        self.assertIn("2 x 16 x 8 x 8 of torch.float32", text)
        self.assertTrue(text.endswith("1 of 2 layers take kernels of Spio"))
        self.assertNotIn("now ", text)  # times are measured on a GPU alone
        # Twice the images take longer, and an A100 longer than an H200.
        times = [
            float(re.search(r"kernels ([\d.]+),.* on sm_", str(spio.scan(model, tensor((n, 16, 64, 64), torch.float32), arch=arch)))[1])
            for n, arch in ((64, "sm_90a"), (128, "sm_90a"), (128, "sm_80"))
        ]
        self.assertEqual(times, sorted(times))

    # (Stats.fprop)
    def test_bytes_of_a_layer(self):
        """Input, weight and result are counted once each, at the size of their type; a bias too."""
        x = torch.empty(16, 128, 32, 64, dtype=torch.float16, device="meta")
        for has_bias in (False, True):
            model = convolution(128, padding=1, bias=has_bias).to("meta", torch.float16)
            (call,) = spio.scan(model, x).layers[0].calls
            count = 2 * x.numel() + 128 * 8 * 9 + 128 * has_bias
            self.assertIn(f"16 x 128 x 32 x 64 of torch.float16: {2 * count / 1e6:.3f} MB", call)
        # A layer of halves whose factors and result are floats.
        x, model = torch.empty(1, 2048, 2, 2, dtype=torch.float16, device="meta"), spio.nn.LayerNorm2d(2048).to("meta")
        model.forward = lambda x: x.float()
        (call,) = spio.scan(model, x).layers[0].calls
        self.assertIn(f"{((2 + 4) * x.numel() + 4 * 2 * 2048) / 1e6:.3f} MB", call)

    def test_scan_of_layers_with_other_arguments(self):
        """A layer of another class is called as it is, whatever it takes and returns."""

        class Network(nn.Sequential):
            def forward(self, x):
                x = self[0](2, x, offset=1)[1]
                self[1](3)
                return self[2](x=x, scale=x)

        model, x = Network(*(Scaled(16, 16, 3, groups=2, padding=1) for _ in range(3))), tensor((2, 16, 8, 8), torch.float32)
        calls = [layer.calls for layer in spio.scan(model, x).layers]
        words = "2 x 16 x 8 x 8 of torch.float32: 0.021 MB if each tensor is read or written once"
        self.assertEqual(calls, [[words], ["no tensor goes in"], [words]])

    def test_scan_of_nested_inputs(self):
        """Tensors in dicts, lists and tuples are found, in what goes into a model, into a layer and comes out; each layer is timed."""

        class Nested(nn.Conv2d):
            def forward(self, batch, *, scale=None):
                (x,) = batch["images"] if scale is None else scale
                return {"maps": [super().forward(x)], "count": 1}

        class Network(nn.Sequential):
            def forward(self, batch):
                maps = self[0]({"images": batch["images"]})
                return self[1](None, scale=(batch["images"][0],)), self[2](batch["images"][0]), maps

        Event.points.clear()
        layers = (kind(16, 16, 3, groups=2, padding=1) for kind in (Nested, Nested, nn.Conv2d))
        model, x = Network(*layers), tensor((2, 16, 8, 8), torch.float32)
        words = "2 x 16 x 8 x 8 of torch.float32: 0.021 MB"
        for number, batch in enumerate(({"images": [x]}, {"labels": 0, "images": (on_gpu(x, 1),)})):
            with mock.patch("torch.cuda.Event", Event), mock.patch("torch.cuda.current_stream", lambda device: device.index):
                calls = [call for layer in spio.scan(model, batch, arch="sm_90a").layers for call in layer.calls]
            self.assertEqual([call[: len(words)] for call in calls], [words] * 3)
            self.assertEqual(["now 125.0 us" in call for call in calls], [number == 1] * 3)
        self.assertEqual(Event.points, [1] * 6)

    def test_scan_of_several_gpus(self):
        """A layer is timed in the stream of its own GPU, which is not the current one; a layer on the CPU is not timed."""

        class Network(nn.Sequential):
            def forward(self, x, y):
                return self[0](x), self[1](input=y), self[2](x.as_subclass(torch.Tensor))

        def current_stream(device):
            return torch.device(device).index

        Event.points.clear()
        model, x = Network(*(convolution() for _ in range(3))), tensor((2, 16, 8, 8), torch.float32)
        with mock.patch("torch.cuda.Event", Event), mock.patch("torch.cuda.current_stream", current_stream):
            report = spio.scan(model, on_gpu(x, 1), on_gpu(x, 2), arch="sm_90a")
        self.assertEqual(Event.points, [1, 1, 2, 2])
        self.assertEqual(["now 125.0 us" in str(layer.calls) for layer in report.layers], [True, True, False])
        self.assertEqual([len(layer.calls) for layer in report.layers], [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
