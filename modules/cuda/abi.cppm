// The driver's types, as far as we use them, declared by hand.
// SPDX-License-Identifier: Apache-2.0
//
// By hand, because Spio is built where there is no CUDA, because cuda.h renames functions by
// macros, which no module can export, and because this page is all of its 25 000 lines that we
// need. That it agrees with cuda.h is asserted by tests/cuda/abi.cpp.
module;

#include <cstddef>
#include <cstdint>

export module spio.cuda:abi;

export namespace spio::cuda::abi {

// Any number may come from a newer driver; those that we look at have names.
enum class result : unsigned {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    launch_failed = 719,
    not_supported = 801,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    unknown = 999,
};

struct context_object;
struct stream_object;
struct event_object;
struct graph_object;
struct executable_graph_object;
struct node_object;
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
    max_threads_per_block = 1,
    max_shared_memory_per_block = 8,
    warp_size = 10,
    max_registers_per_block = 12,
    clock_rate_khz = 13,
    multiprocessor_count = 16,
    memory_clock_rate_khz = 36,
    memory_bus_bits = 37,
    l2_cache_bytes = 38,
    max_threads_per_multiprocessor = 39,
    compute_capability_major = 75,
    compute_capability_minor = 76,
    max_shared_memory_per_multiprocessor = 81,
    max_shared_memory_per_block_optin = 97,
    cluster_launch = 120,
};

enum class function_attribute : unsigned {
    max_threads_per_block = 0,
    shared_bytes = 1,
    const_bytes = 2,
    local_bytes = 3,
    registers = 4,
    ptx_version = 5,
    binary_version = 6,
    max_dynamic_shared_bytes = 8,
    preferred_shared_carveout = 9,
    non_portable_cluster_size_allowed = 14,
};

enum class library_option : unsigned { binary_is_preserved = 1 };
enum class jit_option : unsigned {};
enum class address_query : unsigned { success = 0, not_found = 1, too_new = 2 };

enum class stream_flags : unsigned { none = 0, non_blocking = 1 };
enum class event_flags : unsigned { none = 0, blocking_sync = 1, disable_timing = 2 };
enum class capture_status : unsigned { none = 0, active = 1, invalidated = 2 };
enum class capture_mode : unsigned { global = 0, thread_local_only = 1, relaxed = 2 };

enum class launch_attribute_id : unsigned {
    cooperative = 2,
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

enum class tensor_element : unsigned {
    uint8 = 0,
    uint16,
    uint32,
    int32,
    uint64,
    int64,
    float16,
    float32,
    float64,
    bfloat16,
    float32_ftz,
    tfloat32,
    tfloat32_ftz,
};
enum class tensor_interleave : unsigned { none = 0, bytes_16, bytes_32 };
enum class tensor_swizzle : unsigned { none = 0, bytes_32, bytes_64, bytes_128 };
enum class tensor_promotion : unsigned { none = 0, bytes_64, bytes_128, bytes_256 };
enum class tensor_fill : unsigned { zero = 0, nan = 1 };

} // namespace spio::cuda::abi
