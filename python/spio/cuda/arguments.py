# Turns arguments of kernels into what the library takes: arrays in memory, and numbers with a type.
# SPDX-License-Identifier: Apache-2.0
#
# Numbers of Python, arrays of Spio, tensors of libraries with the newest DLPack and arrays with
# __cuda_array_interface__ that no stream must be waited for are read in C++ (spio.dialect).
# For any other object C++ calls adapt(), which knows the protocols __cuda_array_interface__, __array_interface__
# and __dlpack__, and Python's buffers. Functions of dialect take their arguments by position:
#     from_interface(interface, is_on_gpu, owner)
#     view(address, shape, strides, element, place, is_writable, owner)
import ctypes

from spio import dialect
from spio.cuda.errors import Error
from spio.cuda.types import element_of_format, element_of_typestring

host = -1  # the device of memory that is the CPU's, as dialect numbers them


def wait_for_owner(interface, stream):
    """Work that the owner of an array has begun in another stream ends before the kernel begins."""
    # The protocol has 1 for the default stream, which the dialect has as 0.
    owner = interface.get("stream")
    if owner is None or owner in (stream, 1 if stream == 0 else None):
        return
    dialect.new_stream(0 if owner == 1 else owner).synchronize()


def array_of_buffer(value, memory):
    """The array of an object with Python's buffer protocol, such as array.array."""
    if not memory.c_contiguous:
        raise Error("a buffer with gaps is passed as a NumPy array", "unsupported")
    if memory.nbytes == 0:
        return dialect.view(0, memory.shape, None, element_of_format(memory.format), host, not memory.readonly, value)
    if memory.readonly:
        raise Error(f"a {type(value).__name__} is only read: copy it to a bytearray or an array", "unsupported")
    # As long as this lives, the object refuses to change its size.
    held = (ctypes.c_char * memory.nbytes).from_buffer(memory.cast("B"))
    return dialect.view(ctypes.addressof(held), memory.shape, None, element_of_format(memory.format), host, True, held)


def array_of(value, stream=0):
    """The array of an object that has one; None if it has none."""
    if isinstance(value, dialect.Array):
        return value
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        wait_for_owner(interface, stream)
        return dialect.from_interface(interface, True, value)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return dialect.from_interface(interface, False, value)
    if hasattr(value, "__dlpack__"):
        kind, _ = value.__dlpack_device__()
        on_gpu = kind in (2, 13)  # DLPack's CUDA memory, and managed memory
        return dialect.from_dlpack(value.__dlpack__(stream=stream or 1) if on_gpu else value.__dlpack__())
    try:
        memory = memoryview(value)
    except TypeError:
        return None
    return array_of_buffer(value, memory)


def adapt(value, stream):
    """An argument that the library does not read by itself: an array, or a number and the name of its type."""
    interface = getattr(value, "__array_interface__", None)
    if interface is not None and interface["shape"] == ():
        return value.item(), element_of_typestring(interface["typestr"])
    found = array_of(value, stream)
    if found is not None:
        return found
    for converted, element in ((int, "int64"), (float, "float64"), (complex, "complex128")):
        method = {int: "__index__", float: "__float__", complex: "__complex__"}[converted]
        if hasattr(value, method):
            return (value.__index__() if converted is int else converted(value)), element
    raise Error(
        f"a {type(value).__name__} is no argument of a kernel: those are numbers, and arrays with "
        "__cuda_array_interface__, __dlpack__, __array_interface__ or a buffer"
    )
