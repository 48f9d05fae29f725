// The functions of the driver that we call, each with its name, its version and its type.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>

export module spio.cuda:entries;

export import :abi;

export namespace spio::cuda::abi {

// A function's name as a template argument.
template <std::size_t Size> struct name {
    char text[Size];
    consteval name(char const (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

// One function of the driver. The version is that of CUDA in which it got this type, so that every
// driver since then gives the same function for it.
template <name Name, int Version, class Signature> struct entry;

template <name Name, int Version, class... Ts> struct entry<Name, Version, result(Ts...)> {
    using signature = result(Ts...);
    static constexpr char const* spelling = Name.text;
    static constexpr int version = Version;

    signature* function = nullptr;
};

template <name Name, int Version, class Signature>
constexpr auto& entry_of(entry<Name, Version, Signature>& e) {
    return e;
}
template <name Name, int Version, class Signature>
constexpr auto const& entry_of(entry<Name, Version, Signature> const& e) {
    return e;
}

template <class... Entries> struct table_of : Entries... {
    static constexpr int size = sizeof...(Entries);

    template <name Name> constexpr auto function() const { return entry_of<Name>(*this).function; }
    // f(entry) for each of them, in their order here.
    template <class F> constexpr void for_each(F f) { (f(static_cast<Entries&>(*this)), ...); }
    template <class F> constexpr void for_each(F f) const {
        (f(static_cast<Entries const&>(*this)), ...);
    }
};

// What the driver is asked for by name; the only function that is looked up in its file.
using get_proc_address = result(char const* name, void** function, int version, std::uint64_t flags,
                                address_query* found);

using table = table_of<
    entry<"cuInit", 2000, result(unsigned flags)>,
    entry<"cuDriverGetVersion", 2020, result(int* version)>,
    entry<"cuGetErrorName", 6000, result(result error, char const** name)>,
    entry<"cuGetErrorString", 6000, result(result error, char const** words)>,

    entry<"cuDeviceGetCount", 2000, result(int* count)>,
    entry<"cuDeviceGet", 2000, result(device*, int ordinal)>,
    entry<"cuDeviceGetName", 2000, result(char* name, int size, device)>,
    entry<"cuDeviceGetUuid", 11040, result(uuid*, device)>,
    entry<"cuDeviceGetAttribute", 2000, result(int* value, device_attribute, device)>,
    entry<"cuDeviceTotalMem", 3020, result(std::size_t* bytes, device)>,

    entry<"cuDevicePrimaryCtxRetain", 7000, result(context*, device)>,
    entry<"cuDevicePrimaryCtxRelease", 11000, result(device)>,
    entry<"cuCtxPushCurrent", 4000, result(context)>,
    entry<"cuCtxPopCurrent", 4000, result(context*)>,
    entry<"cuCtxGetCurrent", 4000, result(context*)>,
    entry<"cuCtxGetDevice", 2000, result(device*)>, entry<"cuCtxSynchronize", 2000, result()>,
    entry<"cuMemGetInfo", 3020, result(std::size_t* free, std::size_t* total)>,

    entry<"cuLibraryLoadData", 12000,
          result(library*, void const* image, jit_option* names, void** values, unsigned count,
                 library_option* library_names, void** library_values, unsigned library_count)>,
    entry<"cuLibraryUnload", 12000, result(library)>,
    entry<"cuLibraryGetKernel", 12000, result(kernel*, library, char const* name)>,
    entry<"cuKernelGetFunction", 12000, result(function*, kernel)>,
    entry<"cuKernelGetAttribute", 12000, result(int* value, function_attribute, kernel, device)>,
    entry<"cuKernelSetAttribute", 12000, result(function_attribute, int value, kernel, device)>,
    entry<"cuKernelGetParamInfo", 12040,
          result(kernel, std::size_t index, std::size_t* offset, std::size_t* size)>,
    entry<"cuFuncLoad", 12040, result(function)>,
    entry<"cuFuncGetAttribute", 2020, result(int* value, function_attribute, function)>,
    entry<"cuLaunchKernelEx", 11060,
          result(launch_config const*, function, void** parameters, void** extra)>,
    entry<"cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050,
          result(int* blocks, function, int block_size, std::size_t shared_bytes)>,
    entry<"cuOccupancyMaxActiveClusters", 11070,
          result(int* clusters, function, launch_config const*)>,

    entry<"cuMemAlloc", 3020, result(pointer*, std::size_t bytes)>,
    entry<"cuMemFree", 3020, result(pointer)>,
    entry<"cuMemHostAlloc", 2020, result(void**, std::size_t bytes, unsigned flags)>,
    entry<"cuMemFreeHost", 2000, result(void*)>,
    entry<"cuMemcpyHtoDAsync", 3020, result(pointer, void const*, std::size_t bytes, stream)>,
    entry<"cuMemcpyDtoHAsync", 3020, result(void*, pointer, std::size_t bytes, stream)>,
    entry<"cuMemcpyDtoDAsync", 3020, result(pointer, pointer, std::size_t bytes, stream)>,
    entry<"cuMemsetD8Async", 3020, result(pointer, unsigned char, std::size_t count, stream)>,
    entry<"cuMemsetD32Async", 3020, result(pointer, unsigned, std::size_t count, stream)>,

    entry<"cuStreamCreateWithPriority", 5050, result(stream*, stream_flags, int priority)>,
    entry<"cuStreamDestroy", 4000, result(stream)>,
    entry<"cuStreamSynchronize", 2000, result(stream)>,
    entry<"cuStreamQuery", 2000, result(stream)>,
    entry<"cuStreamWaitEvent", 3020, result(stream, event, unsigned flags)>,
    entry<"cuStreamGetCtx", 9020, result(stream, context*)>,
    entry<"cuStreamIsCapturing", 10000, result(stream, capture_status*)>,
    entry<"cuStreamBeginCapture", 10010, result(stream, capture_mode)>,
    entry<"cuStreamEndCapture", 10000, result(stream, graph*)>,

    entry<"cuEventCreate", 2000, result(event*, event_flags)>,
    entry<"cuEventDestroy", 4000, result(event)>,
    entry<"cuEventRecord", 2000, result(event, stream)>,
    entry<"cuEventSynchronize", 2000, result(event)>, entry<"cuEventQuery", 2000, result(event)>,
    entry<"cuEventElapsedTime", 2000, result(float* milliseconds, event from, event to)>,

    entry<"cuGraphInstantiateWithFlags", 11040,
          result(executable_graph*, graph, unsigned long long flags)>,
    entry<"cuGraphLaunch", 10000, result(executable_graph, stream)>,
    entry<"cuGraphDestroy", 10000, result(graph)>,
    entry<"cuGraphExecDestroy", 10000, result(executable_graph)>,

    entry<"cuTensorMapEncodeTiled", 12000,
          result(void* map, tensor_element, std::uint32_t rank, void* address,
                 std::uint64_t const* sizes, std::uint64_t const* strides, std::uint32_t const* box,
                 std::uint32_t const* steps, tensor_interleave, tensor_swizzle, tensor_promotion,
                 tensor_fill)>>;

} // namespace spio::cuda::abi
