# GPUs that have no kernels: old ones, those of others, a missing driver, and the parent's in a forked process. Each is said in words.
# SPDX-License-Identifier: Apache-2.0
#
# A driver that does nothing stands for CUDA's, so that the library opens a GPU on any machine. It is compiled here, and
# found by LD_LIBRARY_PATH in a process of its own. A tensor that says that it is on a GPU stands for one that is.
import contextlib
import ctypes
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import torch

import spio
from spio import __main__ as doctor
from spio import functional, operators, support

# Every function of the driver succeeds. One GPU of sm_90 answers.
driver = """
#include <cstring>
namespace {
int answer(...) { return 0; }
int count(int* value) { return *value = 1, 0; }
int version(int* value) { return *value = 13000, 0; }
// The two numbers of the architecture are attributes 75 and 76.
int attribute(int* value, int which, int) { return *value = which == 75 ? 9 : which == 76 ? 0 : 1, 0; }
int name(char* text, int, int) { return std::strcpy(text, "nothing"), 0; }
int handle(void** value, ...) { return *value = value, 0; }
}
extern "C" int cuGetProcAddress_v2(char const* name_of, void** address, int, unsigned long long, void* status) {
    auto const is = [&](char const* other) { return std::strcmp(name_of, other) == 0; };
    *address = is("cuDeviceGetCount")           ? reinterpret_cast<void*>(count)
               : is("cuDriverGetVersion")       ? reinterpret_cast<void*>(version)
               : is("cuDeviceGetAttribute")     ? reinterpret_cast<void*>(attribute)
               : is("cuDeviceGetName")          ? reinterpret_cast<void*>(name)
               : is("cuDevicePrimaryCtxRetain") ? reinterpret_cast<void*>(handle)
                                                : reinterpret_cast<void*>(answer);
    if (status != nullptr) *static_cast<int*>(status) = 0;
    return 0;
}
"""

program = """
import os, sys, types
import torch
import spio
from spio import functional, operators

kind = type("TensorOnGpu", (torch.Tensor,), {"is_cuda": True})
x, weight = torch.ones(2, 16, 4, 4), torch.ones(16, 8, 3, 3)
a = torch.ones(16, 16)
on_gpu = lambda tensor: tensor.as_subclass(kind)


def report(place):
    def conv2d_under_autocast(x):
        with torch.autocast("cpu", torch.bfloat16):
            return functional.conv2d(x, weight, groups=2)

    calls = {
        "conv2d under autocast": lambda part: conv2d_under_autocast(part(x)),
        "layernorm_2d": lambda part: functional.layernorm_2d(part(x)),
        "LayerNorm2d": lambda part: spio.nn.LayerNorm2d(16)(part(x)),
        "matmul": lambda part: functional.matmul(part(a), part(a)),
    }
    print(place, operators.is_without_gpus_of_parent(), flush=True)
    for name, call in calls.items():
        call(lambda tensor: tensor)  # on the CPU
        try:
            call(on_gpu)
            words = "no error"
        except Exception as error:
            words = str(error)
        if "forked" in words or place != "parent":
            print(place, name, words, sep=": ", flush=True)


def forked(place):
    child = os.fork()
    if child == 0:
        try:
            report(place)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


forked("early child")  # before a GPU was opened
print(operators.gpu_architecture(0), flush=True)
report("parent")
forked("child")
report("parent")
"""
opening = """
import sys
import torch
from spio import functional, operators, support

torch.version.cuda, operators.gpu_architecture = "13.0", lambda gpu: 90
loaded = set(sys.modules)
print(support.architecture_of(torch.device("cuda", 0)), sorted(set(sys.modules) - loaded))
"""
words = "spio: this process was forked after its parent had opened a GPU, which works in the parent alone: start processes by spawn"


class Gpus(unittest.TestCase):
    def test_gpus_without_kernels(self):
        # A tensor on a GPU that is older than sm_80, and on one that nobody knows yet.
        for architecture, reason in ((75, "the GPU is older than sm_80"), (130, None)):
            x = types.SimpleNamespace(is_cuda=True, dtype=torch.float16, device=torch.device("cuda", 0))
            with unittest.mock.patch.dict(support._architectures, clear=True), unittest.mock.patch("torch.version.cuda", "13.0"), \
                 unittest.mock.patch.object(operators, "gpu_architecture", lambda _: architecture):
                self.assertEqual(support.why_not_device("conv2d", x), reason)
        # A PyTorch for another kind of GPU calls those "cuda" too.
        for hip, reason in (("7.0", "this PyTorch is built for GPUs of AMD (ROCm), and kernels are for CUDA"),
                            (None, "this PyTorch is built for another kind of GPU, and kernels are for CUDA")):
            with unittest.mock.patch.dict(support._architectures, clear=True), unittest.mock.patch("torch.version.cuda", None), \
                 unittest.mock.patch("torch.version.hip", hip):
                self.assertEqual(support.why_not_device("conv2d", x), reason)
        x.dtype = torch.float32
        self.assertEqual(support.why_not_device("matmul", x), "there are no kernels for torch.float32")
        for gpu in (-1, 64, 2**40):
            with self.assertRaisesRegex(RuntimeError, f"there is no GPU {gpu}"):
                operators.gpu_architecture(gpu)

    def test_what_doctor_says(self):
        def why_not_gpu(device):
            if device.index == 1:
                raise RuntimeError("cuInit for this process: no\nlog")
            return "the GPU is older than sm_80" if device.index == 0 else None

        output, names = io.StringIO(), {"is_available": True, "device_count": 3, "get_device_capability": (7, 5), "get_device_name": "Some"}
        with contextlib.ExitStack() as stack:
            for name, value in names.items():
                stack.enter_context(unittest.mock.patch(f"torch.cuda.{name}", lambda *_, value=value: value))
            stack.enter_context(unittest.mock.patch.object(support, "why_not_gpu", why_not_gpu))
            stack.enter_context(contextlib.redirect_stdout(output))
            first, are_open = doctor.report_gpus()
            status = []
            for answer in (why_not_gpu, lambda _: "the GPU is older than sm_80"):
                with unittest.mock.patch.object(support, "why_not_gpu", answer), \
                     unittest.mock.patch.object(doctor, "try_convolution", lambda _: True), contextlib.redirect_stdout(io.StringIO()):
                    status.append(doctor.doctor())
        self.assertEqual((first, are_open, status), ("cuda:2", False, [1, 0]))
        self.assertEqual(output.getvalue().splitlines(), [
            "GPU 0            Some, 7.5: the GPU is older than sm_80, so operators run by aten",
            "GPU 1            Some, 7.5: it cannot be opened, so operators fail there: cuInit for this process: no",
            "GPU 2            Some, 7.5",
        ])

    def test_opening_a_gpu_imports_nothing(self):
        # The first call of a convolution opens it, and is not to wait for files of PyTorch.
        run = subprocess.run([sys.executable, "-c", opening], capture_output=True, text=True)
        self.assertEqual((run.stdout, run.returncode), ("90 []\n", 0), run.stderr)

    def test_without_a_driver(self):
        # One sentence says it; convolutions of tensors on the CPU go on.
        try:
            ctypes.CDLL("libcuda.so.1")
            self.skipTest("there is a CUDA driver")
        except OSError:
            pass
        with self.assertRaises(RuntimeError) as raised:
            operators.gpu_architecture(0)
        self.assertEqual(str(raised.exception).splitlines()[0], "dlopen for libcuda.so.1: there is no CUDA driver")
        x, weight = torch.rand(2, 16, 9, 8), torch.rand(16, 8, 3, 3)
        with spio.strict():
            torch.testing.assert_close(functional.conv2d(x, weight, groups=2), torch.nn.functional.conv2d(x, weight, groups=2))


class Fakes(unittest.TestCase):
    def test_export_for_a_gpu_that_is_not_here(self):
        # Tensors without memory stand for those of a GPU. Functions take them to kernels, as if it were sm_80.
        if torch.cuda.is_available():
            # PyTorch remembers which GPUs it sees, so a process that sees none runs this.
            test = [sys.executable, __file__, f"{type(self).__name__}.{self._testMethodName}"]
            run = subprocess.run(test, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True, text=True)
            return self.assertEqual(run.returncode, 0, run.stderr)
        names = []
        with unittest.mock.patch("torch.version.cuda", "13.0"), unittest.mock.patch("torch.cuda.device_count", lambda: 0), \
             unittest.mock.patch.dict(support._architectures, clear=True), \
             torch._subclasses.FakeTensorMode(), torch.device("cuda"), torch.no_grad():
            model = spio.nn.Conv2d(16, 16, 3, padding=1, groups=2, dtype=torch.float16)
            x = torch.empty(2, 16, 9, 8, dtype=torch.float16)
            # One that asks another operator, which may not show in the graph, and has no answer.
            def architecture(gpu):
                operators.generic_kernels()
                raise RuntimeError("there is no GPU")

            with unittest.mock.patch.object(operators, "gpu_architecture", architecture):
                self.assertEqual(model(x).shape, (2, 16, 9, 8))
                for is_strict in (False, True):
                    graph = torch.export.export(model, (x,), strict=is_strict).graph
                    names += [str(node.target) for node in graph.nodes if str(node.target).startswith("spio.")]
                # A GPU that is there and cannot be opened is an error all the same.
                with unittest.mock.patch("torch.cuda.device_count", lambda: 1), self.assertRaisesRegex(RuntimeError, "there is no GPU"):
                    support.architecture_of(x.device)
        self.assertEqual(names, ["spio.conv2d.default"] * 2)


class Forks(unittest.TestCase):
    def test_every_function_says_so(self):
        compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++", "clang++-19"))), None)
        if compiler is None:
            self.skipTest("there is no compiler for the driver that does nothing")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "driver.cpp")
            source.write_text(driver)
            subprocess.run([compiler, "-shared", "-fPIC", "-o", source.with_name("libcuda.so.1"), source], check=True)
            libraries = os.pathsep.join(filter(None, (folder, os.environ.get("LD_LIBRARY_PATH"))))
            environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "SPIO_CACHE_DIR": folder}
            run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = run.stdout.splitlines()
        early = [line for line in lines if line.startswith("early child")]
        self.assertEqual(early[0], "early child False")
        self.assertEqual(len(early), 5)
        self.assertNotIn("forked", "".join(early))
        self.assertEqual([line for line in lines if not line.startswith("early child")], [
            "90", "parent False", "child True",
            *(f"child: {name}: {words}" for name in ("conv2d under autocast", "layernorm_2d", "LayerNorm2d", "matmul")),
            "parent False",
        ])


if __name__ == "__main__":
    unittest.main()
