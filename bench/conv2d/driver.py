# Loads kernels and launches them, through the driver, on the stream and in the context of PyTorch.
# SPDX-License-Identifier: Apache-2.0
import ctypes

MAX_DYNAMIC_SHARED_BYTES = 8
LOCAL_BYTES, REGISTERS = 3, 4

cuda = ctypes.CDLL("libcuda.so.1")


def check(result, what):
    if result:
        words = ctypes.c_char_p()
        cuda.cuGetErrorString(result, ctypes.byref(words))
        raise RuntimeError(f"{what}: {(words.value or b'an unknown error').decode()}")


class Kernel:
    """A kernel of an image, as conv2d_export describes it."""

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
        return (ctypes.c_char * len(data)).from_buffer(data)

    def launch(self, params, stream):
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(params))
        check(cuda.cuLaunchKernel(self.function, *self.described["grid"], *self.described["block"],
                                  self.described["shared_bytes"], ctypes.c_void_p(stream), arguments, None),
              f"launch {self.described['symbol']}")
