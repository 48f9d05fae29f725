// Asks devices what they are, and enters and leaves contexts.
// SPDX-License-Identifier: Apache-2.0
//
// call<NAME>(for_what, …) calls the driver's function of that name, and throws an error about the
// text that for_what() returns if it fails; call_in() makes a context current for the call, and
// release() counts a failure instead.
module;

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

module spio.cuda;

namespace spio::cuda {

std::string device_ref::name() const {
    char text[256] = {};
    driver().call<"cuDeviceGetName">([&] { return spelled(); }, text, int{sizeof text - 1},
                                     device_handle);
    return text;
}

std::array<unsigned char, 16> device_ref::uuid() const {
    abi::uuid uuid = {};
    driver().call<"cuDeviceGetUuid">([&] { return spelled(); }, &uuid, device_handle);
    return std::to_array(uuid.bytes);
}

int device_ref::attribute(abi::device_attribute attribute_id) const {
    int value = 0;
    driver().call<"cuDeviceGetAttribute">(
        [&] {
            auto const number = std::to_string(static_cast<unsigned>(attribute_id));
            return "attribute " + number + " of " + spelled();
        },
        &value, attribute_id, device_handle);
    return value;
}

capability device_ref::capability() const {
    return {attribute(abi::device_attribute::compute_capability_major),
            attribute(abi::device_attribute::compute_capability_minor)};
}

std::size_t device_ref::memory_bytes() const {
    std::size_t bytes = 0;
    driver().call<"cuDeviceTotalMem">([&] { return spelled(); }, &bytes, device_handle);
    return bytes;
}

context_ref::context_ref(device_ref device, abi::context handle)
    : home(device), context_handle(handle) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "context_ref", device.spelled(), "null context");
}

std::optional<context_ref> context_ref::current(cuda::driver const& driver) {
    auto const for_what = [] { return "the caller's current context"; };
    abi::context handle = nullptr;
    driver.call<"cuCtxGetCurrent">(for_what, &handle);
    if (handle == nullptr) return {};
    // A device's handle is its ordinal.
    abi::device device = 0;
    driver.call<"cuCtxGetDevice">(for_what, &device);
    return context_ref(device_ref(driver, device, device), handle);
}

void context_ref::synchronize() const {
    call_in<"cuCtxSynchronize">(*this, [] { return std::string("all work"); });
}

context_ref::bytes context_ref::memory() const {
    bytes result = {};
    call_in<"cuMemGetInfo">(
        *this, [] { return std::string("memory"); }, &result.free, &result.total);
    return result;
}

scope::scope(context_ref context) : entered(context) {
    entered.driver().call<"cuCtxPushCurrent">(
        [&] { return "context of " + entered.device().spelled(); }, entered.handle());
}

scope::~scope() {
    abi::context left = nullptr;
    entered.driver().release<"cuCtxPopCurrent">(
        [&] { return "context of " + entered.device().spelled(); }, &left);
}

context::context(device_ref device) : owned(nullptr, release{device}) {
    abi::context handle = nullptr;
    device.driver().call<"cuDevicePrimaryCtxRetain">([&] { return device.spelled(); }, &handle,
                                                     device.handle());
    owned.reset(handle);
}

void context::release::operator()(abi::context) const noexcept {
    home.driver().release<"cuDevicePrimaryCtxRelease">([&] { return home.spelled(); },
                                                       home.handle());
}

} // namespace spio::cuda
