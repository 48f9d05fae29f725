// Takes memory, gives it back, copies and fills it.
// SPDX-License-Identifier: Apache-2.0
//
// call<NAME>(for_what, …) calls the driver's function of that name, and throws an error about the
// text that for_what() returns if it fails; call_in() makes a context current for the call, ask()
// returns the driver's result, and release() counts a failure. A scope makes a context current
// while it lives.
module;

#include <cstddef>
#include <span>
#include <string>

module spio.cuda;

namespace spio::cuda {

namespace {

std::string spelled(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

// Throws if the two sides of a copy, in bytes, differ; `tried` is the driver's function.
void check_sizes(char const* tried, std::size_t destination, std::size_t source) {
    if (destination == source) return;
    throw error(error_kind::invalid, tried, spelled(destination),
                "sizes differ: the other side has " + spelled(source));
}

} // namespace

memory_ref::memory_ref(abi::pointer address, std::size_t bytes) : first(address), count(bytes) {
    if (address == 0)
        throw error(error_kind::invalid, "memory_ref", spelled(bytes), "null address");
}

memory_ref memory_ref::part(std::size_t offset, std::size_t bytes) const {
    if (offset > count || bytes > count - offset) {
        throw error(error_kind::invalid, "memory_ref::part",
                    spelled(bytes) + " from " + std::to_string(offset),
                    "out of bounds: there are " + spelled(count));
    }
    return {first + offset, bytes};
}

memory::memory(context_ref context, std::size_t bytes)
    : owned(nullptr, release{context, bytes}), count(bytes) {
    abi::pointer address = 0;
    scope const entered(context);
    context.driver().call<"cuMemAlloc">(
        [&] { return spelled(bytes) + " on " + context.device().spelled(); }, &address, bytes);
    owned.reset(reinterpret_cast<void*>(address));
}

void memory::release::operator()(void* address) const noexcept {
    auto const& driver = home.driver();
    auto const for_what = [&] { return spelled(bytes) + " on " + home.device().spelled(); };
    bool const entered = driver.ask<"cuCtxPushCurrent">(home.handle()) == abi::result::success;
    driver.release<"cuMemFree">(for_what, reinterpret_cast<abi::pointer>(address));
    abi::context left = nullptr;
    if (entered) driver.release<"cuCtxPopCurrent">(for_what, &left);
}

host_memory::host_memory(context_ref context, std::size_t bytes)
    : owned(nullptr, {context, "host memory"}), count(bytes) {
    void* address = nullptr;
    scope const entered(context);
    context.driver().call<"cuMemHostAlloc">(
        [&] { return spelled(bytes) + " of the host for " + context.device().spelled(); }, &address,
        bytes, 0u);
    owned.reset(address);
}

void copy(stream_ref const& stream, memory_ref destination, std::span<std::byte const> source) {
    check_sizes("cuMemcpyHtoDAsync", destination.size(), source.size());
    call_in<"cuMemcpyHtoDAsync">(
        stream.context(), [&] { return spelled(destination.size()); }, destination.address(),
        static_cast<void const*>(source.data()), source.size(), stream.handle());
}

void copy(stream_ref const& stream, std::span<std::byte> destination, memory_ref source) {
    check_sizes("cuMemcpyDtoHAsync", destination.size(), source.size());
    call_in<"cuMemcpyDtoHAsync">(
        stream.context(), [&] { return spelled(destination.size()); },
        static_cast<void*>(destination.data()), source.address(), destination.size(),
        stream.handle());
}

void copy(stream_ref const& stream, memory_ref destination, memory_ref source) {
    check_sizes("cuMemcpyDtoDAsync", destination.size(), source.size());
    call_in<"cuMemcpyDtoDAsync">(
        stream.context(), [&] { return spelled(destination.size()); }, destination.address(),
        source.address(), destination.size(), stream.handle());
}

void fill(stream_ref const& stream, memory_ref destination, std::byte value) {
    call_in<"cuMemsetD8Async">(
        stream.context(), [&] { return spelled(destination.size()); }, destination.address(),
        static_cast<unsigned char>(value), destination.size(), stream.handle());
}

void fill_words(stream_ref const& stream, memory_ref destination, unsigned value) {
    if (destination.size() % 4 != 0 || destination.address() % 4 != 0) {
        throw error(error_kind::invalid, "cuMemsetD32Async", spelled(destination.size()),
                    "not whole words");
    }
    call_in<"cuMemsetD32Async">(
        stream.context(), [&] { return spelled(destination.size()); }, destination.address(), value,
        destination.size() / 4, stream.handle());
}

} // namespace spio::cuda
