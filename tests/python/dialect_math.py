# The 28 functions of math on a GPU: how far they are from the exact value.
# SPDX-License-Identifier: Apache-2.0
"""dialect_math.py [OUTPUT]

Each function of CUDA Python is computed for about a million float32 and a million float64: bits by chance, and numbers of
the ranges where functions curve. NumPy computes them in a longer type. Where CUDA documents a distance of N units in the last
place from the rounded exact value, that from the exact value must be at most N and a half. OUTPUT gets the greatest as JSON.
"""
import json
import math
import pathlib
import sys

import numpy

from spio import cuda

# The greatest distances for float32 and float64, of section "Mathematical functions" in the CUDA C++ Programming Guide.
documented = {
    "acos": (2, 2), "asin": (2, 2), "atan": (2, 2), "arctan": (2, 2), "acosh": (4, 3), "asinh": (3, 3), "atanh": (3, 2),
    "cos": (2, 2), "sin": (2, 2), "tan": (4, 2), "cosh": (2, 1), "sinh": (3, 2), "tanh": (2, 1), "atan2": (3, 2),
    "exp": (2, 1), "expm1": (1, 1), "fabs": (0, 0), "log": (1, 1), "log10": (2, 1), "log1p": (1, 1), "sqrt": (0, 0),
    "pow": (4, 2), "ceil": (0, 0), "floor": (0, 0), "copysign": (0, 0), "fmod": (0, 0), "isnan": (0, 0), "isinf": (0, 0),
}  # fmt: skip
binary = {"atan2": numpy.arctan2, "pow": numpy.power, "copysign": numpy.copysign, "fmod": numpy.fmod}
other_names = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh"}
count = 1 << 18  # of each of the four kinds of arguments that inputs() returns

unary_text = "def {0}_unary(o, x):\n    i = cuda.grid(1)\n    if i < o.size:\n        o[i] = math.{0}(x[i])\n"
binary_text = "def {0}_binary(o, x, y):\n    i = cuda.grid(1)\n    if i < o.size:\n        o[i] = math.{0}(x[i], y[i])\n"


def kernels(folder):
    """The kernel of each function, from a file, since a kernel is what its source says."""
    text = "import math\nfrom spio import cuda\n"
    for name in documented:
        text += "\n\n@cuda.jit\n" + (binary_text if name in binary else unary_text).format(name)
    file = folder / "functions.py"
    file.write_text(text)
    names = {}
    exec(compile(text, str(file), "exec"), names)
    return {name: names[f"{name}_{'binary' if name in binary else 'unary'}"] for name in documented}


def inputs(kind, random):
    """A million arguments: random bits, numbers near 0, in a wide range, and positive ones of all sizes."""
    bits = random.integers(0, 1 << (8 * kind.itemsize), count, dtype=f"u{kind.itemsize}").view(kind)
    near = random.uniform(-1, 1, count).astype(kind)
    wide = random.uniform(-30, 30, count).astype(kind)
    positive = numpy.exp(random.uniform(-20, 20, count)).astype(kind)
    return numpy.concatenate([bits, near, wide, positive])


def distance(found, exact):
    """The greatest distance in units of the last place of the rounded exact value; infinite where only one is a number."""
    wanted = exact.astype(found.dtype)
    finite = numpy.isfinite(found) & numpy.isfinite(wanted)
    same = (found == wanted) | (numpy.isnan(found) & numpy.isnan(wanted))
    if not (finite | same).all():
        return math.inf
    units = numpy.abs(found[finite].astype(exact.dtype) - exact[finite]) / numpy.spacing(numpy.abs(wanted[finite])).astype(exact.dtype)
    return float(units.max(initial=0))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve().parent if len(sys.argv) > 1 else pathlib.Path.cwd()
    random = numpy.random.default_rng(28)
    found, faults = {}, []
    with numpy.errstate(all="ignore"):
        for name, kernel in kernels(folder).items():
            for kind, longer, bound in zip(("float32", "float64"), ("float64", "longdouble"), documented[name]):
                x = inputs(numpy.dtype(kind), random)
                operands = (x, numpy.roll(x, 12345)) if name in binary else (x,)  # any shift pairs different numbers
                is_predicate = name.startswith("is")
                result = numpy.zeros(x.size, "bool" if is_predicate else kind)
                kernel[(x.size + 255) // 256, 256](result, *operands)
                function = binary.get(name) or getattr(numpy, other_names.get(name, name))
                exact = function(*(a if is_predicate else a.astype(longer) for a in operands))
                worst = float((result != exact).any()) if is_predicate else distance(result, exact)
                found[f"{name} of {kind}"] = {"units": round(worst, 3), "documented": bound}
                print(f"{name:9}{kind:9}{worst:6.3f}, {bound} documented")
                if worst > bound + 0.51:  # a half, and what the longer type rounds
                    faults.append(f"{name} of {kind}: {worst} units, and {bound} are documented")
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(json.dumps({"arguments_of_each": 4 * count, "functions": found}, indent=1) + "\n")
    print("\n".join(faults) or f"{len(found)} functions, each within what is documented")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
