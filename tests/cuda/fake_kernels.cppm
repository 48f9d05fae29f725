// Images (files of kernels), kernels and launches of the fake of CUDA's driver.
// SPDX-License-Identifier: Apache-2.0
//
// answer(to<NAME>, ...) is what the fake does for the driver's function NAME. gpus holds the
// objects behind handles; in_context() and in_stream() fail where the driver would, and say()
// stores a result.
module;

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

export module spio.fake_driver:kernels;

import spio.cuda;
import :base;

export namespace fake {

// An image is the magic number of a cubin and then the names of its kernels, each with a space
// behind it. All of them add: y = a x + b y. PTX may be an image too, of one kernel that copies.
template <class T> struct vector {
    T* data;
    int size;
};
struct addition {
    float a;
    vector<float const> x;
    float b;
    vector<float> y;
};
struct copy {
    abi::pointer destination, source;
    std::uint64_t vectors; // of 16 bytes, one for each thread
};
inline constexpr char const* copy_name = "copy_vectors";

// No image is loaded, and no kernel made ready, while work is captured.
inline result unless_captured() {
    return gpus.ends_captures() ? result::stream_capture_unsupported : result::success;
}

inline result answer(to<"cuLibraryLoadData">, abi::library* library, void const* image,
                     abi::jit_option*, void**, unsigned, abi::library_option* option, void** value,
                     unsigned count) {
    std::string text = static_cast<char const*>(image);
    if (text.find(std::string(".entry ") + copy_name) != text.npos) {
        text = std::string("\177ELF") + copy_name + " ";
    }
    if (!text.starts_with("\177ELF")) return result::invalid_image;
    if (count != 1 || *option != abi::library_option::binary_is_preserved || *value == nullptr) {
        return result::invalid_value;
    }
    if (auto const r = unless_captured(); r != result::success) return r;
    return add(library, {.kind = kind::library, .name = text.substr(4)});
}
inline result answer(to<"cuLibraryUnload">, abi::library library) {
    return removed(kind::library, library);
}
inline result answer(to<"cuLibraryGetKernel">, abi::kernel* kernel, abi::library handle,
                     char const* name) {
    object* const library = gpus.find(kind::library, handle);
    if (library == nullptr) return result::invalid_handle;
    if (library->name.find(std::string(name) + " ") == std::string::npos) return result::not_found;
    add(kernel, {.kind = kind::kernel, .name = name});
    library->children.push_back(reinterpret_cast<std::uintptr_t>(*kernel));
    return result::success;
}
inline result answer(to<"cuKernelGetFunction">, abi::function* function, abi::kernel handle) {
    object* const kernel = gpus.find(kind::kernel, handle);
    if (kernel == nullptr) return result::invalid_handle;
    return in_context([&](int device) {
        add(function, {.kind = kind::function, .device = device, .name = kernel->name});
        // The function is unloaded with the library of its kernel.
        for (auto& [id, o] : gpus.objects) {
            auto const kernel_id = reinterpret_cast<std::uintptr_t>(handle);
            if (o.kind == kind::library && std::erase(o.children, kernel_id) > 0) {
                o.children.push_back(kernel_id);
                o.children.push_back(reinterpret_cast<std::uintptr_t>(*function));
            }
        }
        gpus.find(kind::function, *function)->dynamic_shared = kernel->dynamic_shared;
        return result::success;
    });
}
inline result answer(to<"cuKernelGetAttribute">, int* value, abi::function_attribute attribute,
                     abi::kernel handle, abi::device ordinal) {
    object* const kernel = gpus.find(kind::kernel, handle);
    if (kernel == nullptr || !is_device(ordinal)) return result::invalid_handle;
    switch (attribute) {
    case abi::function_attribute::max_dynamic_shared_bytes:
        return say(value, kernel->dynamic_shared);
    case abi::function_attribute::non_portable_cluster_size_allowed:
        return say(value, int(kernel->allows_large_clusters));
    default:
        return say(value, 32); // registers of a thread
    }
}
inline result answer(to<"cuKernelSetAttribute">, abi::function_attribute attribute, int value,
                     abi::kernel handle, abi::device ordinal) {
    object* const kernel = gpus.find(kind::kernel, handle);
    if (kernel == nullptr || !is_device(ordinal)) return result::invalid_handle;
    if (attribute == abi::function_attribute::max_dynamic_shared_bytes)
        kernel->dynamic_shared = value;
    if (attribute == abi::function_attribute::non_portable_cluster_size_allowed)
        kernel->allows_large_clusters = value != 0;
    return result::success;
}
inline result answer(to<"cuKernelGetParamInfo">, abi::kernel kernel, std::size_t index,
                     std::size_t* offset, std::size_t* size) {
    return in_context([&](int) {
        object* const found = gpus.find(kind::kernel, kernel);
        if (found == nullptr) return result::invalid_handle;
        // Kernels have one parameter. compute-sanitizer reports a program that asks for more.
        if (index > 0) std::abort();
        bool const is_set = static_cast<bool>(gpus.params_bytes);
        return *offset = 0, say(size, is_set ? gpus.params_bytes(found->name) : sizeof(addition));
    });
}
inline result answer(to<"cuFuncLoad">, abi::function handle) {
    object* const function = gpus.find(kind::function, handle);
    if (function == nullptr) return result::invalid_handle;
    function->loaded = true;
    return unless_captured();
}
inline result answer(to<"cuFuncGetAttribute">, int* value, abi::function_attribute,
                     abi::function handle) {
    return gpus.find(kind::function, handle) ? say(value, 32) : result::invalid_handle;
}
inline result answer(to<"cuOccupancyMaxActiveBlocksPerMultiprocessor">, int* blocks,
                     abi::function handle, int threads, std::size_t bytes) {
    gpus.request = "shared " + std::to_string(bytes);
    return gpus.find(kind::function, handle) ? say(blocks, 2048 / threads) : result::invalid_handle;
}
// The numbers and the attributes of a launch, as text.
inline std::string described(abi::launch_config const& config) {
    std::string text;
    auto const add = [&](char const* name, auto... numbers) {
        text += name;
        ((text += " " + std::to_string(numbers)), ...);
    };
    add("grid", config.grid_x, config.grid_y, config.grid_z);
    add(", block", config.block_x, config.block_y, config.block_z);
    add(", shared", config.shared_bytes);
    for (unsigned i = 0; i < config.attribute_count; ++i) {
        auto const& [id, value] = config.attributes[i];
        if (id == abi::launch_attribute_id::cluster_dimension) {
            add(", cluster", value.cluster.x, value.cluster.y, value.cluster.z);
        } else {
            add(", attribute", static_cast<unsigned>(id), value.allowed);
        }
    }
    return text;
}
inline result answer(to<"cuOccupancyMaxActiveClusters">, int* clusters, abi::function handle,
                     abi::launch_config const* config) {
    gpus.request = described(*config);
    if (config->attribute_count == 0) return result::invalid_value;
    return gpus.find(kind::function, handle) ? say(clusters, 16) : result::invalid_handle;
}
inline result answer(to<"cuLaunchKernelEx">, abi::launch_config const* config, abi::function handle,
                     void** parameters, void** extra) {
    gpus.request = described(*config);
    object* const function = gpus.find(kind::function, handle);
    if (function == nullptr || extra != nullptr) return result::invalid_handle;
    if (config->shared_bytes > static_cast<unsigned>(function->dynamic_shared)) {
        return result::invalid_value;
    }
    for (unsigned a = 0; a < config->attribute_count; ++a) {
        auto const& attribute = config->attributes[a];
        bool const divides = attribute.id != abi::launch_attribute_id::cluster_dimension ||
                             config->grid_x % attribute.value.cluster.x == 0;
        bool const is_allowed =
            attribute.id != abi::launch_attribute_id::programmatic_stream_serialization ||
            attribute.value.allowed == 1;
        if (!divides || !is_allowed) return result::invalid_value;
    }
    return in_stream(config->stream, [&](object* stream) {
        if (stream != nullptr && stream->device != function->device) return result::invalid_handle;
        if (!function->loaded) {
            if (auto const r = unless_captured(); r != result::success) return r;
            function->loaded = true;
        }
        auto const pass_time = [name = function->name] {
            if (gpus.milliseconds_of_kernel) gpus.clock += gpus.milliseconds_of_kernel(name);
        };
        if (function->name == copy_name) {
            auto const [destination, source, vectors] = *static_cast<copy*>(parameters[0]);
            auto const bytes = static_cast<std::size_t>(16 * vectors);
            if (config->grid_x != (vectors + config->block_x - 1) / config->block_x ||
                !gpus.holds(destination, bytes) || !gpus.holds(source, bytes)) {
                return result::invalid_value;
            }
            gpus.copied_bytes = bytes;
            return work(config->stream, pass_time);
        }
        // What takes other parameters computes nothing.
        bool const is_addition =
            !gpus.params_bytes || gpus.params_bytes(function->name) == sizeof(addition);
        if (!is_addition) return work(config->stream, pass_time);
        return work(config->stream, [pass_time, p = *static_cast<addition*>(parameters[0])] {
            pass_time();
            for (int i = 0; i < p.y.size; ++i) {
                auto const sum = std::fma(p.a, p.x.data[i], p.b * p.y.data[i]);
                p.y.data[i] = sum + gpus.deviation;
            }
        });
    });
}
// Keeps arguments in the map, from which tests read them. Unlike CUDA's driver, this one refuses a
// tensor of one dimension, so that a test can have a refusal.
inline result answer(to<"cuTensorMapEncodeTiled">, void* map, abi::tensor_element element,
                     std::uint32_t rank, void* address, std::uint64_t const* sizes,
                     std::uint64_t const* strides, std::uint32_t const* box,
                     std::uint32_t const* steps, abi::tensor_interleave,
                     abi::tensor_swizzle swizzle, abi::tensor_promotion promotion,
                     abi::tensor_fill) {
    if (current_context() == nullptr) return result::invalid_context;
    if (rank < 2 || reinterpret_cast<std::uintptr_t>(map) % 64 != 0) return result::invalid_value;
    std::uint64_t const words[16] = {reinterpret_cast<std::uintptr_t>(address),
                                     sizes[0],
                                     sizes[1],
                                     strides[0],
                                     box[0],
                                     box[1],
                                     steps[0],
                                     static_cast<unsigned>(element),
                                     static_cast<unsigned>(swizzle),
                                     static_cast<unsigned>(promotion)};
    std::memcpy(map, words, sizeof words);
    return result::success;
}

} // namespace fake
