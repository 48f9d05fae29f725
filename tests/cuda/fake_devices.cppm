// Devices, contexts and memory of the fake driver.
// SPDX-License-Identifier: Apache-2.0
//
// answer(to<NAME>, ...) is what the fake does for the driver's function NAME. gpus holds the
// objects behind handles; add() makes one and removed() removes it. `entered` is this thread's
// stack of contexts; in_context() fails where the driver would without one. work() runs a function
// in the order of a stream, and say() stores a result. The GPUs have capability 9.0, 132
// multiprocessors and a GiB of memory.
module;

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

export module spio.fake_driver:devices;

import spio.cuda;
import :base;

export namespace fake {

inline result answer(to<"cuInit">, unsigned flags) {
    return flags == 0 ? result::success : result::invalid_value;
}
inline result answer(to<"cuDriverGetVersion">, int* version) {
    return say(version, gpus.driver_version);
}
inline result answer(to<"cuGetErrorName">, result code, char const** name) {
    return say<char const*>(name, code == result::out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
                                                                : "CUDA_ERROR_OF_THE_FAKE");
}
inline result answer(to<"cuGetErrorString">, result, char const** words) {
    return say<char const*>(words, "words of the fake");
}

inline result answer(to<"cuDeviceGetCount">, int* count) { return say(count, gpus.counted); }
inline result answer(to<"cuDeviceGet">, abi::device* device, int ordinal) {
    return is_device(ordinal) ? say(device, ordinal) : result::invalid_device;
}
inline result answer(to<"cuDeviceGetName">, char* name, int size, abi::device ordinal) {
    if (!is_device(ordinal)) return result::invalid_device;
    // A long name fills all the room, and is cut off without a final zero.
    auto const text = gpus.name + std::to_string(ordinal);
    std::strncpy(name, text.c_str(), static_cast<std::size_t>(size));
    return result::success;
}
inline result answer(to<"cuDeviceGetUuid">, abi::uuid* uuid, abi::device ordinal) {
    *uuid = {};
    uuid->bytes[15] = static_cast<unsigned char>(ordinal + 1);
    return is_device(ordinal) ? result::success : result::invalid_device;
}
inline result answer(to<"cuDeviceGetAttribute">, int* value, abi::device_attribute attribute,
                     abi::device ordinal) {
    if (!is_device(ordinal)) return result::invalid_device;
    return say(value, attribute == abi::device_attribute::compute_capability_major   ? gpus.major
                      : attribute == abi::device_attribute::compute_capability_minor ? 0
                                                                                     : 132);
}
inline result answer(to<"cuDeviceTotalMem">, std::size_t* bytes, abi::device ordinal) {
    return is_device(ordinal) ? say(bytes, std::size_t{1} << 30) : result::invalid_device;
}

inline result answer(to<"cuDevicePrimaryCtxRetain">, abi::context* context, abi::device ordinal) {
    if (!is_device(ordinal)) return result::invalid_device;
    for (auto const& [handle, o] : gpus.objects) {
        if (o.kind == kind::context && o.device == ordinal) {
            *context = reinterpret_cast<abi::context>(handle);
        }
    }
    if (gpus.retained[ordinal]++ == 0)
        return add(context, {.kind = kind::context, .device = ordinal});
    return result::success;
}
inline result answer(to<"cuDevicePrimaryCtxRelease">, abi::device ordinal) {
    if (!is_device(ordinal) || gpus.retained[ordinal] == 0) return result::invalid_context;
    if (--gpus.retained[ordinal] > 0) return result::success;
    std::erase_if(gpus.objects, [&](auto const& pair) {
        return pair.second.kind == kind::context && pair.second.device == ordinal;
    });
    return result::success;
}
inline result answer(to<"cuCtxPushCurrent">, abi::context handle) {
    if (gpus.find(kind::context, handle) == nullptr) return result::invalid_context;
    entered.push_back(reinterpret_cast<std::uintptr_t>(handle));
    return result::success;
}
inline result answer(to<"cuCtxPopCurrent">, abi::context* handle) {
    if (entered.empty()) return result::invalid_context;
    *handle = reinterpret_cast<abi::context>(entered.back());
    entered.pop_back();
    return result::success;
}
inline result answer(to<"cuCtxGetCurrent">, abi::context* handle) {
    return say(handle,
               current_context() ? reinterpret_cast<abi::context>(entered.back()) : nullptr);
}
inline result answer(to<"cuCtxGetDevice">, abi::device* ordinal) {
    return in_context([&](int device) { return say(ordinal, device); });
}
inline result answer(to<"cuCtxSynchronize">) {
    return in_context([](int) { return result::success; });
}
inline result answer(to<"cuMemGetInfo">, std::size_t* free, std::size_t* total) {
    return in_context([&](int) { return *free = 1, say(total, std::size_t{2}); });
}

inline result answer(to<"cuMemAlloc">, abi::pointer* address, std::size_t bytes) {
    if (bytes == 0) return result::invalid_value;
    return in_context([&](int device) {
        return add(address, {.kind = kind::memory, .device = device, .bytes = bytes});
    });
}
inline result answer(to<"cuMemFree">, abi::pointer address) {
    return removed(kind::memory, reinterpret_cast<void*>(address));
}
inline result answer(to<"cuMemHostAlloc">, void** address, std::size_t bytes, unsigned flags) {
    gpus.request = "flags " + std::to_string(flags);
    if (bytes == 0) return result::invalid_value;
    return in_context([&](int) { return add(address, {.kind = kind::memory, .bytes = bytes}); });
}
inline result answer(to<"cuMemFreeHost">, void* address) { return removed(kind::memory, address); }
inline result answer(to<"cuPointerGetAttribute">, void* value, abi::pointer_attribute,
                     abi::pointer address) {
    auto const* const memory = gpus.memory_with(address);
    return memory ? say(static_cast<int*>(value), memory->device) : result::invalid_value;
}
// Copies bytes in the order of a stream.
inline result move(void* destination, void const* source, std::size_t bytes, abi::stream stream) {
    return work(stream, [=] { std::memcpy(destination, source, bytes); });
}
inline result answer(to<"cuMemcpyHtoDAsync">, abi::pointer destination, void const* source,
                     std::size_t bytes, abi::stream stream) {
    if (!gpus.holds(destination, bytes)) return result::invalid_value;
    return move(reinterpret_cast<void*>(destination), source, bytes, stream);
}
inline result answer(to<"cuMemcpyDtoHAsync">, void* destination, abi::pointer source,
                     std::size_t bytes, abi::stream stream) {
    if (!gpus.holds(source, bytes)) return result::invalid_value;
    return move(destination, reinterpret_cast<void*>(source), bytes, stream);
}
inline result answer(to<"cuMemcpyDtoDAsync">, abi::pointer destination, abi::pointer source,
                     std::size_t bytes, abi::stream stream) {
    gpus.copied_bytes = bytes;
    if (!gpus.holds(destination, bytes) || !gpus.holds(source, bytes)) return result::invalid_value;
    return move(reinterpret_cast<void*>(destination), reinterpret_cast<void*>(source), bytes,
                stream);
}
inline result answer(to<"cuMemsetD8Async">, abi::pointer address, unsigned char value,
                     std::size_t bytes, abi::stream stream) {
    if (!gpus.holds(address, bytes)) return result::invalid_value;
    return work(stream, [=] { std::memset(reinterpret_cast<void*>(address), value, bytes); });
}
inline result answer(to<"cuMemsetD32Async">, abi::pointer address, unsigned word, std::size_t words,
                     abi::stream stream) {
    if (!gpus.holds(address, 4 * words)) return result::invalid_value;
    return work(stream, [=] { std::fill_n(reinterpret_cast<unsigned*>(address), words, word); });
}

} // namespace fake
