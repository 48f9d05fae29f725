# Runs the program `spio` on kernels of CUDA Python, right ones and wrong ones.
# SPDX-License-Identifier: Apache-2.0
#
# CUDA Python is a statically typed Python whose functions become kernels; `spio run-python` runs one on
# random arrays, and with --check compares it with an interpreter of the same text. In asking.py, expect()
# records a check, expect_code() checks the exit status (2 misuse, 3 not found) and that the error has the words
# `says`, and object_of() returns the JSON that spio prints. A pack is a file of compiled kernels, a manifest a
# list of those to compile.
import pathlib

from asking import ask, expect, expect_code, object_of, work


def test_python():
    axpy = str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "cuda_python" / "axpy.py")
    shown = object_of("show", axpy, "axpy")
    expect(shown["signature"] == "float32, float32[:], float32[:]", "a signature")
    expect(shown["symbol"] in shown["source"], "the CUDA C++ that it becomes")
    sizes = ["x=300", "y=300"]
    got = object_of("run-python", axpy, "axpy", "a=2.5", *sizes, "--check", "--device", "host")
    expect(got["checked"] == 600 and got["wrong"] == 0, "the interpreter agrees on x and y")
    expect_code(2, "run-python", axpy, "axpy", *sizes, says="'a' is missing: it is float32")
    expect_code(2, "run-python", axpy, "axpy", "a=x", *sizes, says="'x' is no float32")
    expect_code(2, "run-python", axpy, "axpy", "a=1", "x=3x3", "y=3", says="'3x3' are 2 sizes")
    expect_code(2, "run-python", axpy, "axpy", "a=1", *sizes, "z=1", says="no parameter 'z'")
    for option, shape, says in (("--block", "2048", "is 2048 along x, but must be at most 1024"),
                                ("--block", "1x1x65", "is 65 along z, but must be at most 64"),
                                ("--block", "64x32", "has more than 1024 threads"),
                                ("--grid", "1x65536", "is 65536 along y, but must be at most 65535"),
                                ("--grid", "2147483648", "has a size that is 0 or too large")):
        expect_code(2, "run-python", axpy, "axpy", "a=1", *sizes, option, shape,
                    says=f"{option} {says}")
    for size in ("536870913", "2147483647"):  # 2^29 + 1 floats, and the largest int
        expect_code(2, "run-python", axpy, "axpy", "a=1", f"x={size}", "y=1",
                    says="x is too large to try: the arrays have more than 2147483648 bytes")
    expect_code(2, "run-python", axpy, "axpy", "a=1", "x=1", "y=536870912",
                says="y is too large to try")
    expect_code(2, "run-python", axpy, "axpy", "a=1e39", *sizes,
                says="a is '1e39', which is not a value of float32")
    expect_code(2, "show", axpy, says="name a kernel: the file has axpy")
    expect_code(3, "show", axpy, "axpi", says="no function of this name")
    expect_code(3, "show", "absent.py", "axpy", says="there is no file")
    got = ask("show", axpy, "axpy", "--signature", "bool, float32[:], float32[:]")
    expect(got.returncode == 2, "a refused program", got)
    expect(b"operators: '*' of bool and float32" in got.stderr and b"^" in got.stderr, "a caret", got)


def test_numbers():
    """Numbers that a type does not have are refused, and results may be infinite."""
    numbers = work / "numbers.py"
    numbers.write_text("import math\n\nfrom numba import cuda\n\n\n@cuda.jit\ndef fill(n, y):\n"
                       "    i = cuda.grid(1)\n    if i < y.size:\n        y[i] = n\n\n\n"
                       "@cuda.jit\ndef grow(y):\n    i = cuda.grid(1)\n    if i < y.size:\n"
                       "        y[i] = math.exp(1000 * y[i])\n")
    for type_name, number in (("int8", "300"), ("int8", "-129"), ("uint8", "-1"), ("int32", "nan"),
                              ("int32", "0.5"), ("int64", "1e19"), ("uint64", "2e19"),
                              ("int64", "inf"), ("bool", "2"), ("float64", "inf")):
        expect_code(2, "run-python", numbers, "fill", f"n={number}", "y=3",
                    "--signature", f"{type_name}, {type_name}[:]",
                    says=f"n is '{number}', which is not a value of {type_name}")
    got = object_of("run-python", numbers, "grow", "y=3", "--signature", "float64[:]", "--check",
                    "--device", "host")
    expect(got["checked"] == 3 and got["wrong"] == 0, "infinite results are as the interpreter's")


def test_python_pack():
    """A manifest names a file, a kernel, and its types where the decorator has none; a pack is built of it."""
    file, manifest, pack = work / "kernels.py", work / "python.manifest", work / "python.spiopack"
    text = "from spio import cuda\n\n\n@cuda.jit\ndef scale(x, a):\n    x[cuda.grid(1)] *= a\n"
    file.write_text(text)
    manifest.write_text(f"cuda_python {file} scale(float32[:], float32)  # of one type\n"
                        f"cuda_python {file} scale(float64[:], float64)\naxpby n=7\n")
    built = object_of("pack", "build", str(manifest), "--arch", "sm_80", "--output", str(pack))
    expect(len(built["images"]) == 3, "three images", built)
    lines = [image["line"] for image in object_of("pack", "list", str(pack))["packs"][0]["images"]]
    expect(f"cuda_python {file} scale(float64[:], float64)" in lines, "the lines", lines)
    expect(object_of("pack", "verify", str(pack))["packs"][0]["is_good"], "whole")
    # Whoever has written a pack could name any file in it, so none is opened.
    file.write_text(text.replace("*=", "+="))
    file.write_text("a secret\n")
    found = object_of("pack", "verify", str(pack))["packs"][0]
    expect(found["is_good"] and not found["stale"] and len(found["unknown"]) == 2, "not compared", found)
    got = ask("pack", "verify", str(pack))
    expect(b"secret" not in got.stdout + got.stderr and b"no file that a pack names is opened" in got.stdout, "told", got)
    file.write_text(text)
    manifest.write_text(f"\ncuda_python {file} scale(float32)\n")
    got = ask("pack", "build", str(manifest))
    expect(got.returncode == 2 and f"{manifest}:2: ".encode() in got.stderr, "its line", got)
    expect(b"has 1 parameters, and the function 2" in got.stderr and b"^" in got.stderr, "a caret", got)
    for line, says in (("scale(float32", "its types do not end with a bracket"),
                       ("scale", "its decorator has no signature, and none is passed"),
                       ("", "a line is such as: cuda_python axpy.py axpy"),
                       ("shrink(float32)", "has no function of this name")):
        manifest.write_text(f"cuda_python {file} {line}\n")
        expect_code(2, "pack", "build", str(manifest), says=says)
    manifest.write_text("cuda_python nowhere.py scale\n")
    expect_code(2, "pack", "build", str(manifest), says="nowhere.py: it cannot be opened")
