# Runs the program `spio` on kernels of CUDA Python, right ones and wrong ones.
# SPDX-License-Identifier: Apache-2.0
import pathlib

from asking import ask, expect, expect_code, object_of


def test_python():
    axpy = str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "cuda_python" / "axpy.py")
    shown = object_of("show", axpy, "axpy")
    expect(shown["signature"] == "float32, float32[:], float32[:]", "a signature")
    expect(shown["symbol"] in shown["source"], "a text")
    sizes = ["x=300", "y=300"]
    got = object_of("run-python", axpy, "axpy", "a=2.5", *sizes, "--check", "--device", "host")
    expect(got["checked"] == 600 and got["wrong"] == 0, "the interpreter agrees")
    expect_code(2, "run-python", axpy, "axpy", *sizes, says="'a' is missing: it is float32")
    expect_code(2, "run-python", axpy, "axpy", "a=x", *sizes, says="'x' is no float32")
    expect_code(2, "run-python", axpy, "axpy", "a=1", "x=3x3", "y=3", says="'3x3' are 2 sizes")
    expect_code(2, "run-python", axpy, "axpy", "a=1", *sizes, "z=1", says="no parameter 'z'")
    expect_code(2, "run-python", axpy, "axpy", "a=1", *sizes, "--block", "2048")
    expect_code(2, "show", axpy, says="name a kernel: the file has axpy")
    expect_code(3, "show", axpy, "axpi", says="no function of this name")
    expect_code(3, "show", "absent.py", "axpy", says="there is no file")
    got = ask("show", axpy, "axpy", "--signature", "bool, float32[:], float32[:]")
    expect(got.returncode == 2, "a refused program", got)
    expect(b"operators: '*' of bool and float32" in got.stderr and b"^" in got.stderr, "a caret", got)
