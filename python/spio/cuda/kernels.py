# Kernels and device functions: what the decorators make of Python's functions.
# SPDX-License-Identifier: Apache-2.0
#
# A decorator turns a function into a Kernel, which is compiled for the types of its arguments and launched
# over a grid, or into a DeviceFunction, which kernels call. spio.dialect is the part that is written in C++:
# it launches, and asks a Kernel for the program of new argument types.
import functools

from spio import dialect
from spio.cuda.errors import Error
from spio.cuda.sources import fragments_of
from spio.cuda.types import Signature, Type


class Kernel(dialect.Kernel):
    """A kernel: kernel[grid, block](…) and kernel[grid, block, stream](…) launch it."""

    decorator = "@cuda.jit"

    def __new__(cls, function, signature, *options):
        return super().__new__(cls, signature is not None)

    def __init__(self, function, signature, *options):
        self.function = function
        self.signature = signature  # of the decorator, or None
        self.options = options  # whether // floors, and whether products are fused
        self.programs = {}
        functools.update_wrapper(self, function)
        if signature is not None:
            self.program()

    def program(self, signature=None):
        """The kernel for arguments of these types: it has the members `text`, which is CUDA C++, `signature`,
        `symbol` and `shared_bytes`. Compiles the text of the function when it is first asked for."""
        signature = spelled(signature) if signature is not None else self.signature
        if signature is None:
            raise Error(f"the decorator of '{self.__name__}' has no signature, and none is passed")
        found = self.programs.get(signature)
        if found is None:
            found = dialect.compile(fragments_of(self), self.function.__name__, signature, *self.options)
            self.programs[signature] = found
        return found

    _specialize = program  # the library calls it with the types of arguments

    def __call__(self, *arguments):
        raise Error(f"a kernel is launched over a grid of blocks: {self.__name__}[grid, block](…)")

    def __repr__(self):
        return f"<kernel {self.__name__}({self.signature or '…'})>"


class DeviceFunction:
    """A function that kernels call."""

    is_device_function = True

    def __init__(self, function, signature):
        self.function = function
        text = f'"{signature}", ' if signature is not None else ""
        self.decorator = f"@cuda.jit({text}device=True)"
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        raise Error(f"'{self.__name__}' is a device function: kernels call it")


def spelled(signature):
    """A signature in one line: of "void(float32, int32[:])", of void(float32, int32[:]), or of a sequence of types."""
    if isinstance(signature, (Signature, Type)):
        signature = repr(signature)
    elif not isinstance(signature, str):
        signature = ", ".join(map(repr, signature))
    names, result = dialect.parse_signature(signature)
    types = ", ".join(names)
    return types or "()" if result is None else f"{result}({types})"


def jit(signature=None, *, argtypes=None, restype=None, device=False, floor=False, fused=True, **rest):
    """Makes a function a kernel, or with device=True a device function.

        @cuda.jit("void(float32, float32[:])")    # for arguments of these types
        @cuda.jit(argtypes=[float32, float32[:]])
        @cuda.jit                                 # for whatever arguments it is called with

    A kernel with a signature is compiled to CUDA C++ at once. With floor=True, // and % round as Python does. With
    fused=False a product is rounded before it is added on a GPU too, as the interpreter does.
    """
    unknown = [name for name in rest if name not in ("inline", "target")]
    if unknown:
        raise Error(f"cuda.jit has no argument '{unknown[0]}'")
    if callable(signature) and not isinstance(signature, Type):
        return jit()(signature)
    if argtypes is not None:
        signature = ", ".join(map(repr, argtypes))
        signature = f"{restype!r}({signature})" if restype is not None else signature
    text = None if signature is None else spelled(signature)
    if text is not None and not device and dialect.parse_signature(text)[1] not in (None, "void"):
        raise Error(f"a kernel returns nothing, and its signature is {text}: it begins with void")

    def decorate(function):
        if not hasattr(function, "__code__"):
            raise Error(f"cuda.jit decorates functions, and {function!r} is none")
        if device:
            return DeviceFunction(function, text)
        return Kernel(function, text, floor, fused)

    return decorate


def autojit(function=None, **options):
    """cuda.jit without a signature: there is a kernel for each list of argument types."""
    return jit(**options) if function is None else jit(**options)(function)
