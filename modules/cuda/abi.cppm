// The driver's types and functions, as far as we use them, declared by hand.
// SPDX-License-Identifier: Apache-2.0
//
// They are declared by hand for three reasons: Spio is built where there is no CUDA; cuda.h renames
// functions by macros, which no module can export; and of its 25 000 lines Spio needs only what is
// in this file. tests/cuda/abi.cpp asserts that the declarations agree with cuda.h.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>

export module spio.cuda:abi;

export namespace spio::cuda::abi {

// Results of calls. A newer driver may return any number; only those that Spio tests have names.
enum class result : unsigned {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    deinitialized = 4,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
};

struct context_object;
struct stream_object;
struct event_object;
struct graph_object;
struct executable_graph_object;
struct library_object;
struct kernel_object;
struct function_object;

using device = int;
using pointer = std::uint64_t;
using context = context_object*;
using stream = stream_object*;
using event = event_object*;
using graph = graph_object*;
using executable_graph = executable_graph_object*;
using library = library_object*;
using kernel = kernel_object*;
using function = function_object*;

struct uuid {
    unsigned char bytes[16];
};

enum class device_attribute : unsigned {
    l2_cache_bytes = 38,
    compute_capability_major = 75,
    compute_capability_minor = 76,
};

enum class function_attribute : unsigned {
    local_bytes = 3,
    registers = 4,
    max_dynamic_shared_bytes = 8,
    non_portable_cluster_size_allowed = 14,
};

enum class pointer_attribute : unsigned { device_ordinal = 9 };

enum class library_option : unsigned { binary_is_preserved = 1 };
enum class jit_option : unsigned {};
enum class address_query : unsigned { success = 0, not_found = 1, too_new = 2 };

enum class stream_flags : unsigned { none = 0, non_blocking = 1 };
enum class event_flags : unsigned { none = 0, disable_timing = 2 };
enum class capture_status : unsigned { none = 0, active = 1, invalidated = 2 };
enum class capture_mode : unsigned { global = 0, thread_local_only = 1, relaxed = 2 };

enum class launch_attribute_id : unsigned {
    cluster_dimension = 4,
    programmatic_stream_serialization = 6,
};
struct cluster_dimension {
    unsigned x, y, z;
};
union launch_attribute_value {
    std::uint64_t padding[8];
    cluster_dimension cluster;
    int allowed;
};
struct launch_attribute {
    launch_attribute_id id;
    launch_attribute_value value;
};
struct launch_config {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    abi::stream stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};

enum class tensor_element : unsigned { uint8 = 0, uint16 = 1, uint32 = 2, uint64 = 4 };
enum class tensor_interleave : unsigned { none = 0 };
enum class tensor_swizzle : unsigned { none = 0, bytes_32, bytes_64, bytes_128 };
enum class tensor_promotion : unsigned { none = 0, bytes_64, bytes_128, bytes_256 };
enum class tensor_fill : unsigned { zero = 0 };

// A function's name as a template argument.
template <std::size_t Size> struct name {
    char text[Size];
    consteval name(char const (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

// One function of the driver. Version is the CUDA version in which the function got this signature;
// every later driver still returns it for that version.
template <name Name, int Version, class Signature> struct entry;

template <name Name, int Version, class... Ts> struct entry<Name, Version, result(Ts...)> {
    using signature = result(Ts...);
    static constexpr char const* spelling = Name.text;
    static constexpr int version = Version;

    signature* function = nullptr;
};

// The entry of this name in a table, which derives from all of its entries.
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
    // Calls f(entry) for each entry, in the order of the list.
    template <class F> constexpr void for_each(F f) { (f(static_cast<Entries&>(*this)), ...); }
    template <class F> constexpr void for_each(F f) const {
        (f(static_cast<Entries const&>(*this)), ...);
    }
};

// The function that finds all others by name. It is the only one that is looked up in the driver's
// file.
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
    entry<"cuPointerGetAttribute", 4000, result(void* value, pointer_attribute, pointer)>,
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
    entry<"cuThreadExchangeStreamCaptureMode", 10010, result(capture_mode*)>,

    entry<"cuEventCreate", 2000, result(event*, event_flags)>,
    entry<"cuEventDestroy", 4000, result(event)>,
    entry<"cuEventRecord", 2000, result(event, stream)>,
    entry<"cuEventSynchronize", 2000, result(event)>, entry<"cuEventQuery", 2000, result(event)>,
    entry<"cuEventElapsedTime", 2000, result(float* milliseconds, event start, event end)>,

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
