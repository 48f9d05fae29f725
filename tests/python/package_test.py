# The package: imported without PyTorch, and libraries that need nothing of CUDA and show nothing more than they must.
# SPDX-License-Identifier: Apache-2.0
#
# Parts of the package need PyTorch, and say so; spio.cuda does not. A library shows a symbol if other libraries of the
# process can see it. sys.modules['torch'] = None makes `import torch` fail. spio.cuda is CUDA Python, a statically
# typed Python whose functions become kernels; its interpreter runs them on the CPU. The host device simulates a GPU.
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import spio
from spio import nvrtc

library = pathlib.Path(spio.__file__).with_name("spio_operators.so")
root = pathlib.Path(__file__).resolve().parents[2]
dialect = pathlib.Path(spio.__file__).with_name("dialect.abi3.so")


@spio.cuda.jit
def scaled(x, y):
    i = spio.cuda.grid(1)
    y[i] = 2 * x[i]


def printed(*command):
    """What a command prints, which must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def python(program):
    """What a program in Python prints."""
    return printed(sys.executable, "-c", program)


class Package(unittest.TestCase):
    def test_without_pytorch(self):
        words = python(
            "import sys; sys.modules['torch'] = None\n"
            "import spio; print('nn' in dir(spio))\n"
            "try: spio.nn\n"
            "except ImportError as error: print(error)"
        )
        self.assertEqual(words, "True\nthis part of spio needs PyTorch 2.10 or newer; 'pip install torch' brings it\n")

    def test_old_pytorch(self):
        words = python(
            "import sys, types; sys.modules['torch'] = types.SimpleNamespace(__version__='2.9.1')\n"
            "import spio\n"
            "try: spio.functional\n"
            "except ImportError as error: print(error)"
        )
        self.assertEqual(words, "this part of spio needs PyTorch 2.10 or newer, and this is 2.9.1\n")

    def test_doctor(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "SPIO_CACHE_DIR": folder}
            run = subprocess.run([sys.executable, "-m", "spio", "doctor"], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for line in (r"PyTorch +2\.\d+", r"generic .*\d+ for sm_90a", r"trial +a convolution on (the host device|cuda:\d+) is right$",
                     r"kernel +one of CUDA Python (in the interpreter|on GPU \d+) is right$", r"cache +/"):
            self.assertRegex(run.stdout, f"(?m)^{line}")
        if "SPIO_NVRTC" not in os.environ and nvrtc.installed() is not None:
            self.assertRegex(run.stdout, r"(?m)^NVRTC +/.*, PyTorch's$")
        words = python(
            "import sys; sys.modules['torch'] = None; sys.argv = ['spio', 'doctor']\n"
            "from spio import __main__; print(__main__.main())"
        )
        self.assertRegex(words, r"(?m)^PyTorch +this part of spio needs PyTorch 2.10 or newer.*\n1$")
        self.assertEqual(subprocess.run([sys.executable, "-m", "spio", "docter"], capture_output=True).returncode, 2)

    def test_doctor_without_a_home(self):
        # Nothing can be written there. On a GPU the cache of compiled kernels says so in the log, and all goes on.
        environment = {name: value for name, value in os.environ.items() if name not in ("SPIO_CACHE_DIR", "XDG_CACHE_HOME")}
        environment |= {"SPIO_LOG": "on", "HOME": "/proc/nowhere"}
        run = subprocess.run([sys.executable, "-m", "spio", "doctor"], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("Traceback", run.stderr)
        self.assertRegex(run.stdout, r"(?m)^cache +compiled kernels are not kept: .*/proc/nowhere")
        self.assertRegex(run.stdout, r"(?m)^SPIO_LOG +on$")

    def test_doctor_with_a_wrong_compiler(self):
        environment = {**os.environ, "SPIO_NVRTC": "/etc/hostname", "SPIO_LIVE_TUNING": "off"}
        run = subprocess.run([sys.executable, "-m", "spio", "doctor"], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(?m)^NVRTC +/etc/hostname, which cannot be loaded: ")
        self.assertRegex(run.stdout, r"(?m)^SPIO_LIVE_TUNING off$")  # the longest name, and a space

    def test_warning_of_a_cache_that_is_not_kept(self):
        from spio import operators, support

        words, lines = ("", "SPIO_CACHE is off", "tried /nowhere: no"), []
        for refusal in words + words:
            with unittest.mock.patch.object(operators, "cache_folder", lambda: ("/nowhere", refusal)), \
                 unittest.mock.patch.object(operators, "gpu_architecture", lambda _: 90), unittest.mock.patch("torch.version.cuda", "13.0"), \
                 unittest.mock.patch.dict(support._architectures, clear=True), unittest.mock.patch.object(support.logger, "warning", lambda text, *rest: lines.append(text % rest)):
                support.architecture_of(types.SimpleNamespace(index=0))
        self.assertEqual(lines, ["compiled kernels are not kept, so each process compiles them again: tried /nowhere: no; SPIO_CACHE_DIR names another folder"])

    def test_version(self):
        self.assertRegex(spio.__version__, r"^\d+\.\d+\.\d+$")

    def test_operators_come_with_the_package(self):
        # If PyTorch is there already; the package itself does not import it.
        words = python("import torch, spio; print(torch.ops.spio.conv2d.default._schema.name, 'spio.functional' in __import__('sys').modules)")
        self.assertEqual(words, "spio::conv2d False\n")

    def test_lazily(self):
        self.assertEqual(python("import spio, sys; print('torch' in sys.modules)"), "False\n")
        with self.assertRaises(AttributeError):
            spio.nothing

    def test_imported_within_modes(self):
        # The module of functions calls one when it is imported: no mode of PyTorch hinders that, nor sees a word of it.
        words = python(
            "import os, logging, sys, torch\n"
            "os.environ['SPIO_STRICT'] = '1'\n"
            "for mode in (torch.inference_mode(), torch.autocast('cpu', torch.bfloat16), torch.device('meta'),\n"
            "             torch._subclasses.FakeTensorMode(), torch.no_grad()):\n"
            "    for name in [name for name in sys.modules if name == 'spio.functional']: del sys.modules[name]\n"
            "    with mode: import spio.functional\n"
            "print(spio.functional.conv2d(torch.ones(1, 8, 4, 4), torch.ones(8, 8, 3, 3)).sum().item())"
        )
        self.assertEqual(words, "2304.0\n")

    def test_tensors_in_kernels_of_python(self):
        import torch

        x, y = torch.arange(6, dtype=torch.float32), torch.zeros(2, 6)[:, ::2]
        scaled[1, 3](x[::2], y[1])
        self.assertEqual(y.tolist(), [[0, 0, 0], [0, 4, 8]])
        with self.assertRaisesRegex(spio.cuda.Error, "no type for its elements of 16 bits"):
            scaled[1, 1](x, y[1].half())
        with self.assertRaisesRegex(spio.cuda.Error, "it has 0 dimensions"):
            scaled[1, 1](x, torch.tensor(1.0))

    def test_what_the_libraries_need(self):
        known = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"}
        for file, more in ((library, {"libtorch_cpu.so"}), (dialect, set())):
            words = printed("readelf", "-d", file)
            needed = [line.split("[")[1].rstrip("]\n") for line in words.splitlines() if "(NEEDED)" in line]
            self.assertLessEqual(set(needed), known | more)
            self.assertNotIn("(RUNPATH)", words)

    def test_no_folder_of_the_build(self):
        # Files are named as the project and PyTorch name them, wherever the libraries were built.
        for file in (library, dialect):
            paths = re.findall(rb"(?<![\w./-])/[\w.+-]+/[\w./+-]*\.(?:cppm?|cuh?|hpp|h|py)\b", file.read_bytes())
            self.assertEqual(sorted(set(paths)), [], file.name)
            # Nor is the root of the build, if these are its tests, in the name of a file without an extension or of a folder.
            self.assertNotIn(bytes(root) + b"/", file.read_bytes(), file.name)

    def test_what_the_libraries_show(self):
        self.assertEqual(printed("nm", "-D", "--defined-only", library), "")
        self.assertRegex(printed("nm", "-D", "--defined-only", dialect), r"^\w+ T PyInit_dialect\n$")
        print(f"summary: python.package: a library of {library.stat().st_size} bytes")


if __name__ == "__main__":
    unittest.main()
