# The types of CUDA Python as objects, and what they mean to NumPy and other libraries.
# SPDX-License-Identifier: Apache-2.0
#
# A type object stands for a type of kernels: float32 is one of numbers, float32[:, :] one of arrays, and
# calling a type makes a signature. NumPy and the struct module have names of their own for the types of
# elements.
from spio.cuda.errors import Error


class Signature:
    """The types of a function's parameters, and of its result: float32(float32, int32[:])."""

    def __init__(self, result, parameters):
        self.result = result
        self.parameters = tuple(parameters)

    def __repr__(self):
        return f"{self.result!r}({', '.join(map(repr, self.parameters))})"


class Type:
    """A type of numbers, or of arrays: float32, and float32[:, :]."""

    def __init__(self, name, element=None):
        self.name = name
        self.element = element  # of an array

    def __getitem__(self, index):
        slices = index if isinstance(index, tuple) else (index,)
        if self.element or self.name == "void" or any(part != slice(None) for part in slices):
            raise Error(f"{self.name}[{index!r}] is no type: float32[:, :] is an array of two dimensions")
        return Type(f"{self.name}[{', '.join(':' for _ in slices)}]", element=self.name)

    def __call__(self, *parameters):
        for parameter in parameters:
            if not isinstance(parameter, Type):
                raise Error(
                    f"{self.name}({parameter!r}) is no signature: outside of kernels a type is called with types"
                )
        return Signature(self, parameters)

    def __eq__(self, other):
        return isinstance(other, Type) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


# The letter and the size of NumPy's names for types, and the letter of the struct module.
_numbers = {
    "bool_": ("b1", "?"),
    "int8": ("i1", "b"),
    "int16": ("i2", "h"),
    "int32": ("i4", "i"),
    "int64": ("i8", "q"),
    "uint8": ("u1", "B"),
    "uint16": ("u2", "H"),
    "uint32": ("u4", "I"),
    "uint64": ("u8", "Q"),
    "float32": ("f4", "f"),
    "float64": ("f8", "d"),
    "complex64": ("c8", None),
    "complex128": ("c16", None),
}
names = ("void", *_numbers, "intp")
types = {name: Type("bool" if name == "bool_" else name) for name in names}
typestrings = {types[name].name: "<" + text for name, (text, _) in _numbers.items()}
formats = {types[name].name: letter for name, (_, letter) in _numbers.items()}
_elements = {text[1:]: name for name, text in typestrings.items()}
# The struct module and its sizes on this platform, where l is 8 bytes.
_letters = {letter: name for name, letter in formats.items() if letter} | {"l": "int64", "L": "uint64", "n": "int64", "N": "uint64"}


def element_of_typestring(text):
    """The name of a type by NumPy's, such as <f4."""
    element = _elements.get(text[1:])
    if element is None or text[0] not in "<|=":
        raise Error(f"CUDA Python has no type for elements of {text!r}", "unsupported")
    return element


def element_of_format(letter):
    """The name of a type by that of the struct module, as memoryview has it."""
    element = _letters.get(letter.lstrip("@=<"))
    if element is None:
        raise Error(f"CUDA Python has no type for elements of the format {letter!r}", "unsupported")
    return element


def element_of(dtype):
    """The name of a type by a type object, a type of NumPy, a string, or a type of Python."""
    if isinstance(dtype, Type) and dtype.name in typestrings:
        return dtype.name
    if isinstance(dtype, Type) and dtype.name == "intp":
        return "int64"
    if isinstance(dtype, str):
        name = {"bool_": "bool", "intp": "int64"}.get(dtype, dtype)
        return name if name in typestrings else element_of_typestring(dtype)
    if dtype in (bool, int, float, complex):
        return {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[dtype]
    text = getattr(dtype, "str", None)
    if isinstance(text, str):
        return element_of_typestring(text)
    if isinstance(dtype, type) and dtype.__module__ == "numpy":
        return element_of(dtype.__name__)
    raise Error(f"{dtype!r} is no type of numbers: cuda.float32, numpy.float32 and 'float32' are")
