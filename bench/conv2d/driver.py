# Loads kernels and launches them, through the driver, on the stream and in the context of PyTorch.
# SPDX-License-Identifier: Apache-2.0
import ctypes

MAX_DYNAMIC_SHARED_BYTES = 8
LOCAL_BYTES, REGISTERS = 3, 4
FLOAT16 = 6
OVERLAPS_PREVIOUS = 6
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
FETCHED = {0: 0, 64: 1, 128: 2, 256: 3}

cuda = ctypes.CDLL("libcuda.so.1")


def check(result, what):
    if result:
        words = ctypes.c_char_p()
        cuda.cuGetErrorString(result, ctypes.byref(words))
        raise RuntimeError(f"{what}: {(words.value or b'an unknown error').decode()}")


def tensor_map(described, address):
    """The 128 bytes that tell the copy engine of a tensor, and of boxes in it."""
    rank = len(described["sizes"])
    memory = ctypes.create_string_buffer(128 + 64)
    at = (ctypes.addressof(memory) + 63) // 64 * 64
    check(cuda.cuTensorMapEncodeTiled(
        ctypes.c_void_p(at), FLOAT16, rank, ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*described["sizes"]), (ctypes.c_uint64 * rank)(*described["strides"][1:]),
        (ctypes.c_uint32 * rank)(*described["box"]), (ctypes.c_uint32 * rank)(*[1] * rank),
        0, SWIZZLES[described["swizzle"]], FETCHED[described["fetched"]], 0), "encode a tensor map")
    return ctypes.string_at(at, 128)


class Attribute(ctypes.Structure):
    """One of a launch: here, that it may begin before the kernel before it has ended."""
    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_int), ("rest", ctypes.c_char * 60)]


class Configuration(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


class Kernel:
    """A kernel of an image, and a launch of it, as conv2d_export describes them."""

    def __init__(self, folder, described, image):
        self.described = described
        data = (folder / image).read_bytes() + b"\0"
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), data), f"load {image}")
        self.function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, described["symbol"].encode()),
              f"find {described['symbol']}")
        check(cuda.cuFuncSetAttribute(self.function, MAX_DYNAMIC_SHARED_BYTES, described["shared_bytes"]),
              "give shared memory")
        self.overlap = Attribute(id=OVERLAPS_PREVIOUS, value=1)

    def attribute(self, which):
        value = ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(value), which, self.function), "ask for an attribute")
        return value.value

    def blocks_per_processor(self):
        blocks = ctypes.c_int()
        check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            ctypes.byref(blocks), self.function, self.described["block"][0],
            ctypes.c_size_t(self.described["shared_bytes"])), "ask for the occupancy")
        return blocks.value

    def params(self, tensors):
        """The parameters of a launch, with the addresses of these tensors by their names."""
        data = bytearray.fromhex(self.described["params"])
        for name, at in self.described["pointers"].items():
            data[at:at + 8] = tensors[name].data_ptr().to_bytes(8, "little")
        for each in self.described["maps"]:
            data[each["at"]:each["at"] + 128] = tensor_map(each, tensors[each["of"]].data_ptr())
        return (ctypes.c_char * len(data)).from_buffer(data)

    def launch(self, params, stream):
        is_of = self.described
        how = Configuration((ctypes.c_uint * 3)(*is_of["grid"]), (ctypes.c_uint * 3)(*is_of["block"]),
                            is_of["shared_bytes"], stream, ctypes.pointer(self.overlap), int(is_of["overlaps"]))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(params))
        check(cuda.cuLaunchKernelEx(ctypes.byref(how), self.function, arguments, None), f"launch {is_of['symbol']}")


class Launch:
    """The kernels of a configuration, one after the other."""

    def __init__(self, folder, described, built):
        self.kernels = [Kernel(folder, each, built[each["symbol"]]["file"]) for each in described["kernels"]]
        self.described = described

    def params(self, tensors):
        return [kernel.params(tensors) for kernel in self.kernels]

    def launch(self, params, stream):
        for kernel, of_kernel in zip(self.kernels, params):
            kernel.launch(of_kernel, stream)
