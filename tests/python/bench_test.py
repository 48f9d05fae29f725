# spio.bench on the CPU: its networks are the same with kernels and without, and what it writes can be read.
# SPDX-License-Identifier: Apache-2.0
#
# spio.bench times a network as it is (eager) and with layers that take Spio's kernels (converted).
import contextlib
import functools
import io
import json
import pathlib
import tempfile
import unittest
import xml.dom.minidom
from unittest import mock

import torch

import spio
from spio import bench, blocks

# A network so small that the CPU computes it in moments.
small = "--device cpu --images 2 --size 8 --channels 16 --depth 1 --expansion 2 --steps 2 --ways eager converted".split()


class Breaking(torch.nn.Module):
    """A layer that may do what the compiler has no graph for."""

    def __init__(self, breaks):
        super().__init__()
        self.breaks = breaks

    def forward(self, x):
        if self.breaks:
            torch._dynamo.graph_break()
        return 2 * x


class Bench(unittest.TestCase):
    """The command is called as main(): words of a command line, and what it prints."""

    def test_networks_are_the_same(self):
        for name in blocks.blocks:
            model = blocks.stack(name, channels=16, depth=2, expansion=2)
            converted = bench.variant(model, "converted")
            kinds = {type(module) for module in converted.modules()}
            self.assertIn(spio.nn.Conv2d, kinds)
            self.assertEqual(spio.nn.LayerNorm2d in kinds, name == "convnext")
            self.assertNotIn(blocks.PlainNorm2d, kinds)
            x = blocks.random_images(2, 8, "cpu")
            torch.testing.assert_close(converted(x), model(x), rtol=1e-4, atol=1e-4)

    def test_ways_are_compiled_apart(self):
        # The graph of the first network breaks in a loop, where the compiler gives up; that of the second is whole.
        counts, x = [], torch.ones(2)
        compile_by_counter = functools.partial(torch.compile, backend=lambda graph, _: counts.append(len(graph.graph.nodes)) or graph)
        for breaks in (True, False):
            counts.clear()
            model = torch.nn.Sequential(*(Breaking(breaks) for _ in range(3)))
            with mock.patch("torch.compile", compile_by_counter):
                self.assertEqual(bench.variant(model, "compiled")(x).tolist(), [8, 8])
            nodes = [5]  # the input, three products and the result
            self.assertEqual(counts == nodes, not breaks, counts)

    def test_what_it_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, name) for name in ("times.json", "times.svg")]
            told = io.StringIO()
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
                bench.main(["block", "convfirst", *small, "--json", str(files[0]), "--plot", str(files[1])])
            self.assertRegex(told.getvalue(), r"(?m)^eager +\d+\.\d\d ms +1\.000")
            self.assertRegex(told.getvalue(), r"(?m)^converted +\d+\.\d\d ms +\d+\.\d{3}")
            results = json.loads(files[0].read_text())["results"]
            self.assertEqual(list(results), ["eager", "converted"])
            bars = xml.dom.minidom.parse(str(files[1])).getElementsByTagName("rect")
            self.assertAlmostEqual(max(float(bar.getAttribute("width")) for bar in bars), 400)  # the longest fills the picture

    def test_files_that_cannot_be_written(self):
        for option in ("--json", "--plot"):
            told = io.StringIO()
            with contextlib.redirect_stderr(told), self.assertRaises(SystemExit) as end, mock.patch.object(bench, "measure") as measure:
                bench.main(["block", "convfirst", *small, option, "/no/such/folder/file"])
            self.assertEqual((end.exception.code, measure.called), (2, False))
            self.assertIn("/no/such/folder/file cannot be written: No such file or directory", told.getvalue())

    def test_size_that_a_network_does_not_take(self):
        told, model = io.StringIO(), torch.nn.Linear(5, 5)
        with mock.patch.object(bench, "network", lambda *_: model), contextlib.redirect_stderr(told), self.assertRaises(SystemExit) as end:
            bench.main(["timm", "some_vit", "--device", "cpu"])
        self.assertEqual(end.exception.code, 2)
        self.assertIn("some_vit does not take images of 32 x 32 (--size): ", told.getvalue())

    def test_mistakes(self):
        for words, arguments in {
            "there is no block mbconf: convfirst, mbconv, convnext": ["block", "mbconf"],
            "--channels must be a multiple of 8": ["block", "mbconv", "--channels", "12"],
            "--steps must be 1 or more": ["block", "mbconv", "--steps", "0"],
            "timm": ["timm", "no_such_model"],
        }.items():
            told = io.StringIO()
            with contextlib.redirect_stderr(told), self.assertRaises(SystemExit) as end:
                bench.main([*arguments, *(["--device", "cpu"] if "--channels" not in arguments else [])])
            self.assertEqual(end.exception.code, 2)
            self.assertIn(words, told.getvalue())


if __name__ == "__main__":
    unittest.main()
