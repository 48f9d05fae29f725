# Launches kernels on tensors of PyTorch, in its context, by the shared library of launcher.cpp.
# SPDX-License-Identifier: Apache-2.0
#
# A description is an object of kernels.json, which conv2d_export wrote: the kernels of one configuration, each
# with its grid, its block and the bytes of its parameters. A tensor map describes a tensor, and a box of it,
# to the TMA engine.
"""The library is libconv2d_launcher.so, in the folder where conv2d_export wrote its kernels or in
SPIO_BENCH_LAUNCHER. It is built where clang is, and needs nothing but the driver here."""
import ctypes
import os


# The structures are those of the same names in C++.
class Extent(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("z", ctypes.c_int)]


# The structures of launcher.cpp's functions, field by field.
class BlockShape(ctypes.Structure):
    _fields_ = [("block", Extent), ("cluster", Extent), ("shared_bytes", ctypes.c_int),
                ("overlaps_previous", ctypes.c_bool)]


class LaunchShape(ctypes.Structure):
    _fields_ = [("grid", Extent), ("shape", BlockShape)]


class TensorMapPlan(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("element_bytes", ctypes.c_int), ("sizes", ctypes.c_longlong * 5),
                ("strides", ctypes.c_longlong * 5), ("box", ctypes.c_int * 5), ("swizzle", ctypes.c_int),
                ("fetched", ctypes.c_int)]


class Figures(ctypes.Structure):
    _fields_ = [("registers", ctypes.c_int), ("local_bytes", ctypes.c_int), ("blocks_per_multiprocessor", ctypes.c_int)]


class Library:
    """The shared library, by its path."""

    def __init__(self, path):
        self.functions = ctypes.CDLL(str(path))
        self.functions.launcher_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        """Calls a function of the library; its error becomes an exception."""
        if getattr(self.functions, name)(*arguments):
            raise RuntimeError(self.functions.launcher_error().decode())

    def tensor_map(self, plan, address):
        """The 128 bytes that describe a tensor at this address, and its TMA box, to the TMA engine."""
        rank = len(plan["sizes"])
        words = ctypes.create_string_buffer(128)
        self.call("launcher_encode", ctypes.byref(TensorMapPlan(
            rank, plan["strides"][0], (ctypes.c_longlong * 5)(*plan["sizes"]), (ctypes.c_longlong * 5)(*plan["strides"]),
            (ctypes.c_int * 5)(*plan["box"]), plan["swizzle"], plan["fetched"])), ctypes.c_uint64(address), words)
        return words.raw


class Kernel:
    """A kernel of an image, and a launch of it, as conv2d_export describes them."""

    def __init__(self, library, description, image):
        self.library, self.description = library, description
        # Whether a launch overlaps the previous kernel is said at each launch, so not here.
        shape = LaunchShape(Extent(*description["grid"]),
                            BlockShape(Extent(*description["block"]), Extent(*description["cluster"]),
                                       description["shared_bytes"], False))
        self.handle = ctypes.c_void_p()
        library.call("launcher_load", str(image).encode(), description["symbol"].encode(), ctypes.byref(shape),
                     ctypes.byref(self.handle))

    def figures(self):
        """What the driver says of the loaded kernel: its registers, local bytes and blocks on a multiprocessor."""
        figures = Figures()
        self.library.call("launcher_figures", self.handle, ctypes.byref(figures))
        return figures

    def params(self, tensors):
        """The parameters of a launch, with the addresses of these tensors by their names."""
        data = bytearray.fromhex(self.description["params"])
        for name, offset in self.description["pointers"].items():
            data[offset:offset + 8] = tensors[name].data_ptr().to_bytes(8, "little")
        for plan in self.description["maps"]:
            words = self.library.tensor_map(plan, tensors[plan["tensor"]].data_ptr())
            data[plan["offset"]:plan["offset"] + 128] = words
        return (ctypes.c_char * len(data)).from_buffer(data)

    def launch(self, params, stream):
        """Launches on a stream, given as its handle, with what params() made."""
        self.library.call("launcher_launch", self.handle, params, ctypes.c_void_p(stream),
                          int(self.description["overlaps"]))


class Launch:
    """The kernels of a configuration, one after the other."""

    def __init__(self, folder, description, built):
        library = Library(os.environ.get("SPIO_BENCH_LAUNCHER", folder / "libconv2d_launcher.so"))
        self.kernels = [Kernel(library, kernel, folder / built[kernel["symbol"]]["file"])
                        for kernel in description["kernels"]]
        self.description = description

    def params(self, tensors):
        """The parameters of each kernel, for tensors by their names."""
        return [kernel.params(tensors) for kernel in self.kernels]

    def launch(self, params, stream):
        """Launches all kernels on a stream, given as its handle, with what params() made."""
        for kernel, kernel_params in zip(self.kernels, params):
            kernel.launch(kernel_params, stream)
