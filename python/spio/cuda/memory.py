# Arrays in the memory of the device, and their way there and back.
# SPDX-License-Identifier: Apache-2.0
#
# spio.dialect.Array, in C++, has the address, shape, strides and element type of an array, and its place: the
# number of a GPU, or -1 for the CPU. The classes here add what NumPy and other libraries look for.
import math

from spio import dialect
from spio.cuda.arguments import array_of
from spio.cuda.errors import Error
from spio.cuda.types import element_of, formats, typestrings


def find_numpy():
    """NumPy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


class DeviceArray(dialect.Array):
    """An array in the memory of the device."""

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def dtype(self):
        numpy = find_numpy()
        return numpy.dtype(typestrings[self.element]) if numpy else self.element

    @property
    def __cuda_array_interface__(self):
        if self.place < 0:
            raise AttributeError("the array is in the memory of the interpreter")
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": typestrings[self.element],
            "data": (self.address, False),
            "version": 3,
            "stream": None,
        }

    def copy_to_host(self, array=None, stream=None):
        """The elements, in `array` if there is one, else in a new array of NumPy, or a memoryview without NumPy."""
        result = empty_on_host(self.shape, self.element) if array is None else array
        target = array_of(result)
        if target is None:
            raise Error(f"a {type(array).__name__} is no array to copy to")
        dialect.copy(target, self, stream)
        return result

    def copy_to_device(self, array, stream=None):
        """Stores the elements of an array of the same shape and type."""
        dialect.copy(self, source_of(array), stream)

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<device array of {self.element}, {' x '.join(map(str, self.shape))}>"


class PinnedMemory(dialect.Array):
    """An array in memory of the CPU that a GPU copies to and from by itself."""

    @property
    def __array_interface__(self):
        return {"shape": self.shape, "typestr": typestrings[self.element], "data": (self.address, False), "version": 3}


# A new array in the CPU's memory: of NumPy, or a memoryview where there is no NumPy.
def empty_on_host(shape, element):
    numpy = find_numpy()
    if numpy:
        return numpy.empty(shape, typestrings[element])
    if formats[element] is None:
        raise Error(f"an array of {element} in the CPU's memory needs NumPy", "unsupported")
    bytes_of = math.prod(shape) * int(typestrings[element][2:])
    return memoryview(bytearray(bytes_of)).cast(formats[element], shape)


# The array of an object that must have one.
def source_of(value):
    found = array_of(value)
    if found is None:
        raise Error(f"a {type(value).__name__} is no array: numpy.asarray() makes one of a list")
    return found


def shape_of(shape):
    """A shape as a tuple; a number alone is the length of a vector."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


def device_array(shape, dtype="float64"):
    """A new array in the device's memory, without values."""
    return dialect.allocate(DeviceArray, shape_of(shape), element_of(dtype), False)


def device_array_like(array):
    """A new array in the device's memory, of the shape and the type of another one, without values."""
    model = source_of(array)
    return device_array(model.shape, model.element)


def to_device(array, stream=None):
    """A copy of an array in the device's memory."""
    source = source_of(array)
    result = device_array(source.shape, source.element)
    dialect.copy(result, source, stream)
    return result


def pinned_array(shape, dtype="float64"):
    """A new array of NumPy in memory that the GPU reads and writes by itself."""
    numpy = find_numpy()
    if numpy is None:
        raise Error("cuda.pinned_array() makes an array of NumPy, and there is no NumPy", "not_found")
    return numpy.asarray(dialect.allocate(PinnedMemory, shape_of(shape), element_of(dtype), True))
