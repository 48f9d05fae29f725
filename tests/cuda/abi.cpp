// The types of the driver that spio.cuda declares agree with cuda.h; this file alone includes it.
// SPDX-License-Identifier: Apache-2.0
//
// The ABI is how calls pass their arguments. Spio declares the driver's functions by hand, because
// it is built where there is no CUDA; `entry` is one of them, with the CUDA version of its
// signature.
#include <doctest/doctest.h>

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <iostream>
#include <type_traits>
#include <utility>

import spio.cuda;

namespace abi = spio::cuda::abi;

namespace {

// Whether a caller passes both types in the same way: pointers, or numbers of one size, kind and
// sign.
template <class T> constexpr bool is_unsigned() {
    if constexpr (std::is_enum_v<T>) {
        return std::is_unsigned_v<std::underlying_type_t<T>>;
    } else {
        return std::is_unsigned_v<T>;
    }
}
template <class Ours, class Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
    (std::is_pointer_v<Ours> || is_unsigned<Ours>() == is_unsigned<Theirs>());
template <class Ours, class Theirs> constexpr bool same_call = false;
template <class R, class S, class... Ts, class... Us>
    requires(sizeof...(Ts) == sizeof...(Us))
constexpr bool same_call<R(Ts...), S (*)(Us...)> = alike<R, S> && (alike<Ts, Us> && ...);

int compared = 0;

// An entry's version is that of the type whose name ends in it.
template <abi::name Name, class Theirs, int Version> constexpr bool agrees() {
    using entry = std::remove_cvref_t<decltype(abi::entry_of<Name>(std::declval<abi::table&>()))>;
    static_assert(entry::version == Version, "the entry got this type in another version of CUDA");
    static_assert(same_call<typename entry::signature, Theirs>, "the entry is called otherwise");
    return true;
}

// Asserts that Spio's entry for a function has the type that cudaTypedefs.h has for this version.
#define AGREES(entry, version)                                                                     \
    static_assert(agrees<#entry, PFN_##entry##_v##version, version>());                            \
    ++compared

template <class Ours, class Theirs> constexpr bool same_number(Ours value, Theirs cuda_value) {
    return static_cast<unsigned>(value) == static_cast<unsigned>(cuda_value);
}

// Asserts that a number of Spio's is that of cuda.h.
#define SAME(ours, theirs) static_assert(same_number(abi::ours, theirs))

SAME(result::success, CUDA_SUCCESS);
SAME(result::invalid_value, CUDA_ERROR_INVALID_VALUE);
SAME(result::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(result::deinitialized, CUDA_ERROR_DEINITIALIZED);
SAME(result::no_device, CUDA_ERROR_NO_DEVICE);
SAME(result::invalid_device, CUDA_ERROR_INVALID_DEVICE);
SAME(result::invalid_image, CUDA_ERROR_INVALID_IMAGE);
SAME(result::invalid_context, CUDA_ERROR_INVALID_CONTEXT);
SAME(result::invalid_handle, CUDA_ERROR_INVALID_HANDLE);
SAME(result::not_found, CUDA_ERROR_NOT_FOUND);
SAME(result::not_ready, CUDA_ERROR_NOT_READY);
SAME(result::stream_capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(result::stream_capture_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

#define DEVICE(ours, theirs) SAME(device_attribute::ours, CU_DEVICE_ATTRIBUTE_##theirs)
DEVICE(l2_cache_bytes, L2_CACHE_SIZE);
DEVICE(compute_capability_major, COMPUTE_CAPABILITY_MAJOR);
DEVICE(compute_capability_minor, COMPUTE_CAPABILITY_MINOR);

#define FUNCTION(ours, theirs) SAME(function_attribute::ours, CU_FUNC_ATTRIBUTE_##theirs)
FUNCTION(local_bytes, LOCAL_SIZE_BYTES);
FUNCTION(registers, NUM_REGS);
FUNCTION(max_dynamic_shared_bytes, MAX_DYNAMIC_SHARED_SIZE_BYTES);
FUNCTION(non_portable_cluster_size_allowed, NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(pointer_attribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);

SAME(library_option::binary_is_preserved, CU_LIBRARY_BINARY_IS_PRESERVED);
SAME(address_query::success, CU_GET_PROC_ADDRESS_SUCCESS);
SAME(address_query::not_found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME(address_query::too_new, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
SAME(stream_flags::non_blocking, CU_STREAM_NON_BLOCKING);
SAME(event_flags::disable_timing, CU_EVENT_DISABLE_TIMING);
SAME(capture_status::active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(capture_status::invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(capture_mode::global, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(capture_mode::thread_local_only, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(capture_mode::relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(tensor_element::uint8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME(tensor_element::uint16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
SAME(tensor_element::uint32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
SAME(tensor_element::uint64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
SAME(tensor_interleave::none, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME(tensor_swizzle::bytes_32, CU_TENSOR_MAP_SWIZZLE_32B);
SAME(tensor_swizzle::bytes_128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME(tensor_promotion::bytes_256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(tensor_fill::zero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

SAME(launch_attribute_id::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(launch_attribute_id::programmatic_stream_serialization,
     CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

// Asserts that a member of a struct has the same offset and size as that of cuda.h's.
#define SAME_PLACE(ours, our_member, theirs, their_member)                                         \
    static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member) &&                  \
                  sizeof(ours::our_member) == sizeof(theirs::their_member))

static_assert(sizeof(abi::uuid) == sizeof(CUuuid));
static_assert(sizeof(spio::tensor_map_words) == sizeof(CUtensorMap));
static_assert(sizeof(abi::launch_attribute) == sizeof(CUlaunchAttribute));
static_assert(sizeof(abi::launch_attribute_value) == sizeof(CUlaunchAttributeValue));
static_assert(sizeof(abi::cluster_dimension) == sizeof(CUlaunchAttributeValue::clusterDim));
static_assert(sizeof(abi::launch_config) == sizeof(CUlaunchConfig));
SAME_PLACE(abi::launch_attribute, id, CUlaunchAttribute, id);
SAME_PLACE(abi::launch_attribute, value, CUlaunchAttribute, value);
SAME_PLACE(abi::launch_attribute_value, allowed, CUlaunchAttributeValue,
           programmaticStreamSerializationAllowed);
SAME_PLACE(abi::launch_config, grid_x, CUlaunchConfig, gridDimX);
SAME_PLACE(abi::launch_config, block_z, CUlaunchConfig, blockDimZ);
SAME_PLACE(abi::launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(abi::launch_config, stream, CUlaunchConfig, hStream);
SAME_PLACE(abi::launch_config, attributes, CUlaunchConfig, attrs);
SAME_PLACE(abi::launch_config, attribute_count, CUlaunchConfig, numAttrs);
static_assert(same_call<abi::get_proc_address, PFN_cuGetProcAddress_v12000>);

} // namespace

TEST_CASE("each entry has the type that cuda.h gives it in its version") {
    AGREES(cuInit, 2000);
    AGREES(cuDriverGetVersion, 2020);
    AGREES(cuGetErrorName, 6000);
    AGREES(cuGetErrorString, 6000);
    AGREES(cuDeviceGetCount, 2000);
    AGREES(cuDeviceGet, 2000);
    AGREES(cuDeviceGetName, 2000);
    AGREES(cuDeviceGetUuid, 11040);
    AGREES(cuDeviceGetAttribute, 2000);
    AGREES(cuDeviceTotalMem, 3020);
    AGREES(cuDevicePrimaryCtxRetain, 7000);
    AGREES(cuDevicePrimaryCtxRelease, 11000);
    AGREES(cuCtxPushCurrent, 4000);
    AGREES(cuCtxPopCurrent, 4000);
    AGREES(cuCtxGetCurrent, 4000);
    AGREES(cuCtxGetDevice, 2000);
    AGREES(cuCtxSynchronize, 2000);
    AGREES(cuMemGetInfo, 3020);
    AGREES(cuLibraryLoadData, 12000);
    AGREES(cuLibraryUnload, 12000);
    AGREES(cuLibraryGetKernel, 12000);
    AGREES(cuKernelGetFunction, 12000);
    AGREES(cuKernelGetAttribute, 12000);
    AGREES(cuKernelSetAttribute, 12000);
    AGREES(cuKernelGetParamInfo, 12040);
    AGREES(cuFuncLoad, 12040);
    AGREES(cuFuncGetAttribute, 2020);
    AGREES(cuLaunchKernelEx, 11060);
    AGREES(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050);
    AGREES(cuOccupancyMaxActiveClusters, 11070);
    AGREES(cuMemAlloc, 3020);
    AGREES(cuMemFree, 3020);
    AGREES(cuMemHostAlloc, 2020);
    AGREES(cuMemFreeHost, 2000);
    AGREES(cuPointerGetAttribute, 4000);
    AGREES(cuMemcpyHtoDAsync, 3020);
    AGREES(cuMemcpyDtoHAsync, 3020);
    AGREES(cuMemcpyDtoDAsync, 3020);
    AGREES(cuMemsetD8Async, 3020);
    AGREES(cuMemsetD32Async, 3020);
    AGREES(cuStreamCreateWithPriority, 5050);
    AGREES(cuStreamDestroy, 4000);
    AGREES(cuStreamSynchronize, 2000);
    AGREES(cuStreamQuery, 2000);
    AGREES(cuStreamWaitEvent, 3020);
    AGREES(cuStreamGetCtx, 9020);
    AGREES(cuStreamIsCapturing, 10000);
    AGREES(cuStreamBeginCapture, 10010);
    AGREES(cuThreadExchangeStreamCaptureMode, 10010);
    AGREES(cuStreamEndCapture, 10000);
    AGREES(cuEventCreate, 2000);
    AGREES(cuEventDestroy, 4000);
    AGREES(cuEventRecord, 2000);
    AGREES(cuEventSynchronize, 2000);
    AGREES(cuEventQuery, 2000);
    AGREES(cuEventElapsedTime, 2000);
    AGREES(cuGraphInstantiateWithFlags, 11040);
    AGREES(cuGraphLaunch, 10000);
    AGREES(cuGraphDestroy, 10000);
    AGREES(cuGraphExecDestroy, 10000);
    AGREES(cuTensorMapEncodeTiled, 12000);
    CHECK(compared == abi::table::size);
    std::cout << "summary: cuda.abi: " << compared << " entries agree with cuda.h "
              << CUDA_VERSION / 1000 << '.' << CUDA_VERSION % 1000 / 10 << '\n';
}
