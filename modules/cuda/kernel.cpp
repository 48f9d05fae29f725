// Loads images and launches their kernels.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a cubin, a fatbin or PTX. call<NAME>(for_what, …) calls the driver's function of that
// name, and throws an error about the text that for_what() returns if it fails; call_in() makes a
// context current for the call, and release() counts a failure instead. A scope makes a context
// current while it lives. A keeper owns the memory that something refers to.
module;

#include "spio/launch_values.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

module spio.cuda;

namespace spio::cuda {

namespace {

// Whether the driver can tell where an image ends, since it is told no size: a binary has its size
// in its header, a text ends with a zero.
bool has_end(std::span<std::byte const> image) {
    std::uint32_t magic = 0;
    if (image.size() > sizeof magic) std::memcpy(&magic, image.data(), sizeof magic);
    constexpr std::uint32_t elf = 0x464c457f, fatbin = 0xba55ed50;
    return magic == elf || magic == fatbin || (!image.empty() && image.back() == std::byte(0));
}

// An attribute of a kernel in the words of messages.
std::string spelled(abi::function_attribute attribute_id, std::string const& name) {
    return "attribute " + std::to_string(static_cast<unsigned>(attribute_id)) + " of kernel " +
           name;
}

// The launch configuration that the driver reads, with the attributes that it points to.
struct launch_request {
    abi::launch_attribute attributes[2];
    abi::launch_config config;

    launch_request(launch_shape const& launch, abi::stream stream)
        : config{.grid_x = static_cast<unsigned>(launch.grid.x),
                 .grid_y = static_cast<unsigned>(launch.grid.y),
                 .grid_z = static_cast<unsigned>(launch.grid.z),
                 .block_x = static_cast<unsigned>(launch.shape.block.x),
                 .block_y = static_cast<unsigned>(launch.shape.block.y),
                 .block_z = static_cast<unsigned>(launch.shape.block.z),
                 .shared_bytes = static_cast<unsigned>(launch.shape.shared_bytes),
                 .stream = stream,
                 .attributes = attributes,
                 .attribute_count = 0} {
        if (extent const cluster = launch.shape.cluster; cluster != extent{}) {
            auto& attribute = attributes[config.attribute_count++];
            attribute.id = abi::launch_attribute_id::cluster_dimension;
            attribute.value.cluster = {static_cast<unsigned>(cluster.x),
                                       static_cast<unsigned>(cluster.y),
                                       static_cast<unsigned>(cluster.z)};
        }
        if (launch.shape.overlaps_previous) {
            auto& attribute = attributes[config.attribute_count++];
            attribute.id = abi::launch_attribute_id::programmatic_stream_serialization;
            attribute.value.allowed = 1;
        }
    }
    launch_request(launch_request const&) = delete;
};

// A launch in the words of messages.
std::string spelled(launch_shape const& launch, function_ref const& function) {
    auto const text_of = [](extent size) {
        return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
    };
    return "kernel " + function.name() + " as " + text_of(launch.grid) + " blocks of " +
           text_of(launch.shape.block) + " threads with " +
           std::to_string(launch.shape.shared_bytes) + " bytes of shared memory, clusters of " +
           text_of(launch.shape.cluster) + ", on " + function.context().device().spelled();
}

} // namespace

library::library(cuda::driver const& driver, std::span<std::byte const> image, std::string name,
                 std::shared_ptr<void const> keeper)
    : image_keeper(std::move(keeper)), owned(nullptr, release{&driver, std::move(name)}) {
    auto const for_what = [&] {
        return "image " + this->name() + " (" + std::to_string(image.size()) + " bytes)";
    };
    if (!has_end(image)) {
        throw error(error_kind::invalid, "cuLibraryLoadData", for_what(),
                    "no image: it is no cubin, no fatbin, and no text with a zero at its end");
    }
    auto option = abi::library_option::binary_is_preserved;
    void* enabled = reinterpret_cast<void*>(std::uintptr_t{1});
    abi::library handle = nullptr;
    driver.call<"cuLibraryLoadData">(for_what, &handle, static_cast<void const*>(image.data()),
                                     nullptr, nullptr, 0u, // no options of the JIT
                                     &option, &enabled, 1u);
    owned.reset(handle);
}

void library::release::operator()(abi::library handle) const noexcept {
    driver->release<"cuLibraryUnload">([&] { return "image " + name; }, handle);
}

kernel_ref library::kernel(std::string symbol) const {
    abi::kernel handle = nullptr;
    driver().call<"cuLibraryGetKernel">([&] { return "kernel " + symbol + " of image " + name(); },
                                        &handle, this->handle(), symbol.c_str());
    return {driver(), handle, std::move(symbol)};
}

kernel_ref::kernel_ref(cuda::driver const& driver, abi::kernel handle, std::string name)
    : driver_pointer(&driver), kernel_handle(handle), symbol(std::move(name)) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "kernel_ref", "kernel " + symbol, "null kernel");
}

parameter kernel_ref::first_parameter(context_ref const& context) const {
    scope const entered(context);
    parameter first = {};
    driver().call<"cuKernelGetParamInfo">([&] { return "parameter 0 of kernel " + symbol; },
                                          kernel_handle, std::size_t{0}, &first.offset,
                                          &first.size);
    return first;
}

int kernel_ref::attribute(abi::function_attribute attribute_id, device_ref const& device) const {
    int value = 0;
    driver().call<"cuKernelGetAttribute">(
        [&] { return spelled(attribute_id, symbol) + " on " + device.spelled(); }, &value,
        attribute_id, kernel_handle, device.handle());
    return value;
}

void kernel_ref::set_attribute(abi::function_attribute attribute_id, int value,
                               device_ref const& device) const {
    driver().call<"cuKernelSetAttribute">(
        [&] {
            return spelled(attribute_id, symbol) + " = " + std::to_string(value) + " on " +
                   device.spelled();
        },
        attribute_id, value, kernel_handle, device.handle());
}

void kernel_ref::allow_dynamic_shared(int bytes, device_ref const& device) const {
    set_attribute(abi::function_attribute::max_dynamic_shared_bytes, bytes, device);
}

void kernel_ref::allow_large_clusters(device_ref const& device) const {
    set_attribute(abi::function_attribute::non_portable_cluster_size_allowed, 1, device);
}

function_ref kernel_ref::load(context_ref const& context) const {
    scope const entered(context);
    auto const for_what = [&] { return "kernel " + symbol + " on " + context.device().spelled(); };
    abi::function handle = nullptr;
    driver().call<"cuKernelGetFunction">(for_what, &handle, kernel_handle);
    driver().call<"cuFuncLoad">(for_what, handle);
    return {context, handle, symbol};
}

function_ref::function_ref(context_ref context, abi::function handle, std::string name)
    : home(context), function_handle(handle), symbol(std::move(name)) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "function_ref", "kernel " + symbol, "null function");
}

int function_ref::attribute(abi::function_attribute attribute_id) const {
    int value = 0;
    call_in<"cuFuncGetAttribute">(
        home, [&] { return spelled(attribute_id, symbol); }, &value, attribute_id, function_handle);
    return value;
}

int function_ref::blocks_per_multiprocessor(int threads, std::size_t dynamic_shared) const {
    int blocks = 0;
    call_in<"cuOccupancyMaxActiveBlocksPerMultiprocessor">(
        home, [&] { return "kernel " + symbol; }, &blocks, function_handle, threads,
        dynamic_shared);
    return blocks;
}

void launch(function_ref const& function, launch_shape const& shape, stream_ref const& stream,
            void** parameters) {
    launch_request const request(shape, stream.handle());
    auto const subject = [&] { return spelled(shape, function); };
    auto const& driver = stream.driver();
    if (!stream.is_default()) {
        // The stream's handle implies its context.
        driver.call<"cuLaunchKernelEx">(subject, &request.config, function.handle(), parameters,
                                        nullptr);
        return;
    }
    scope const entered(stream.context());
    driver.call<"cuLaunchKernelEx">(subject, &request.config, function.handle(), parameters,
                                    nullptr);
}

int active_clusters(function_ref const& function, launch_shape const& shape,
                    stream_ref const& stream) {
    launch_request const request(shape, stream.handle());
    int clusters = 0;
    scope const entered(stream.context());
    stream.driver().call<"cuOccupancyMaxActiveClusters">(
        [&] { return spelled(shape, function); }, &clusters, function.handle(), &request.config);
    return clusters;
}

} // namespace spio::cuda
