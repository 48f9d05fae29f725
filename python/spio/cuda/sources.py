# The texts of Python's functions, and what the names in them mean, for the compiler.
# SPDX-License-Identifier: Apache-2.0
#
# A kernel is compiled from the text of its Python function. fragments_of() collects the texts of the function
# and of all device functions that it calls; imports and values say what each text's free names mean: a
# module, a number, a type or another fragment.
import ast
import inspect
import math
import types as python_types

from spio.cuda.errors import Error, raise_in_source
from spio.cuda.types import Type, element_of

# Modules that the language knows, by their names in Python.
modules = {"math": "math", "numpy": "numpy", "spio": "spio", "spio.cuda": "spio.cuda"}


class Intrinsic:
    """A name that has a meaning in kernels alone."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments):
        raise Error(f"cuda.{self.name} is for kernels: Python does not run it")

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return Intrinsic(f"{self.name}.{attribute}")


class Text:
    """The text of a function from its line 'def' on, without the indentation of that line."""

    def __init__(self, function):
        self.function = function
        self.file = function.__code__.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise Error(
                f"there is no source of '{function.__name__}' in {self.file!r}: kernels are compiled from their text, "
                "so they stand in a file, or in a shell that keeps what is typed, such as IPython"
            ) from None
        indentation = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        # Comments and strings may stand further left.
        lines = [line[len(indentation) :] if line.startswith(indentation) else line.lstrip() for line in lines]
        self.column = len(indentation) + 1
        try:
            (self.tree,) = ast.parse("".join(lines)).body
        except (SyntaxError, ValueError):
            self.tree = None
        if not isinstance(self.tree, ast.FunctionDef):
            raise Error(f"'{function.__name__}' in {self.file}:{first} is no function that is defined by 'def'")
        self.line = first + self.tree.lineno - 1
        self.lines = lines[self.tree.lineno - 1 :]

    def fail(self, node, rule, message):
        """Raises the error that a rule is broken at a node of the syntax tree, with its line."""
        number = node.lineno - self.tree.lineno
        text = self.lines[number].rstrip()
        column = len(text.encode()[: node.col_offset].decode()) + 1
        lead = " " * (self.column - 1)
        raise_in_source(rule, message, self.file, self.line + number, self.column - 1 + column, lead + text)

    def free_names(self):
        """The names that the function reads and does not define, each with the place of its first use."""
        names, stored = {}, {argument.arg for argument in ast.walk(self.tree.args) if isinstance(argument, ast.arg)}
        for statement in self.tree.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name):
                    if isinstance(node.ctx, ast.Load):
                        names.setdefault(node.id, node)
                    else:
                        stored.add(node.id)
        return {name: node for name, node in names.items() if name not in stored}

    def meanings(self):
        """The values of the free names that have one outside of the function, and their places."""
        closure = inspect.getclosurevars(self.function).nonlocals
        for name, node in self.free_names().items():
            if name in closure:
                yield name, node, closure[name]
            elif name in self.function.__globals__:
                yield name, node, self.function.__globals__[name]


def text_of_number(value):
    """A number as an expression of the language; None for what is no number."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        # Classes derived from int and float, such as those of NumPy and enum, have spellings of their own.
        number = int.__int__(value)
        if 2**63 <= number < 2**64:
            return f"uint64({number >> 1}) * uint64(2) + uint64({number & 1})"
        return int.__repr__(number) if number != -(2**63) else f"-{2**63 - 1} - 1"
    if isinstance(value, float):
        if math.isfinite(value):
            return float.__repr__(value)
        infinity = "1e308 * 10.0"
        return f"{infinity} - {infinity}" if math.isnan(value) else infinity if value > 0 else f"-({infinity})"
    if isinstance(value, complex):
        return f"{text_of_number(float(value.real))} + ({text_of_number(float(value.imag))}) * 1j"
    if hasattr(value, "dtype") and getattr(value, "shape", None) == () and type(value).__module__ == "numpy":
        return f"{element_of(value.dtype)}({text_of_number(value.item())})"
    return None


def import_of(name, value):
    """The import that gives a name its meaning; None if none does."""
    if isinstance(value, python_types.ModuleType):
        path = modules.get(value.__name__)
        if path is None:
            return None
        return f"import {path}" + (f" as {name}" if path != name else "")
    if isinstance(value, Intrinsic):
        return None if "." in value.name else f"from spio.cuda import {value.name} as {name}"
    if getattr(value, "__module__", None) == "math":
        return f"from math import {value.__name__} as {name}"
    return None


# The language's name of a type that is a value of Python; None for what is no type.
def type_name(value):
    if isinstance(value, Type):
        return value.name if value.element is None else None
    is_of_numpy = isinstance(value, type) and value.__module__ == "numpy"
    try:
        return element_of(value) if is_of_numpy else None
    except Error:
        return None


def fragments_of(kernel):
    """What the compiler takes for a kernel: its function, and the device functions that it calls."""
    fragments, numbers = [], {}

    def add(owner):
        """Adds a function's text, and those of the functions that it calls, each once; returns its number."""
        number = numbers.setdefault(owner, len(fragments))
        if number < len(fragments):
            return number
        fragments.append(None)
        text = Text(owner.function)
        imports, values = [], []
        for name, node, value in text.meanings():
            if getattr(type(value), "is_device_function", False):
                values.append((name, value.function.__name__, add(value)))
                continue
            line = import_of(name, value)
            expression = type_name(value) or text_of_number(value)
            if line is not None:
                imports.append(line + "\n")
            elif expression is not None:
                values.append((name, expression, -1))
            else:
                kind = "a Python function without cuda.jit(device=True)" if inspect.isfunction(value) else f"a {type(value).__name__}"
                text.fail(node, "globals", f"'{name}' is {kind}: a kernel uses numbers, types, math, and device functions")
        decorator = owner.decorator + "\n"
        fragments[number] = (
            text.file, decorator + "".join(text.lines), text.line - 1, text.column, "".join(imports), values
        )
        return number

    add(kernel)
    return fragments
