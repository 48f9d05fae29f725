// A fake of CUDA's driver that needs no GPU: strict about handles and contexts.
// SPDX-License-Identifier: Apache-2.0
//
// A fault is the one call of the driver that is made to fail; an object has what is behind a
// handle. With has_effect the call that fails does its work all the same; has_stubs says that a
// driver that is too old has functions of the names. answer(to<"name">(), …) is what the fake does
// in a function.
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

export module spio.fake_driver;

import spio.cuda;
import :base;
import :devices;
import :kernels;
import :streams;

namespace fake {

// What is called in place of the driver's function NAME: it counts the call, and fails or answers.
template <abi::name Name, class Signature> struct gate;
template <abi::name Name, class... Ts> struct gate<Name, result(Ts...)> {
    static result call(Ts... arguments) {
        std::lock_guard const lock(gpus.mutex);
        auto const code = static_cast<result>(gpus.fault.code);
        bool const fails = gpus.fails(Name.text);
        if (fails && !gpus.fault.has_effect) return code;
        result const answered = answer(to<Name>(), arguments...);
        return fails ? code : answered;
    }
};
template <abi::name Name, int Version, class Signature>
void* gate_of(abi::entry<Name, Version, Signature> const&) {
    return reinterpret_cast<void*>(&gate<Name, Signature>::call);
}

// Finds the functions of the fake, for the version in which they got their type.
export result find(char const* name, void** function, int version, std::uint64_t,
                   abi::address_query* found) {
    std::lock_guard const lock(gpus.mutex);
    if (gpus.fails("cuGetProcAddress")) return static_cast<result>(gpus.fault.code);
    *function = nullptr;
    *found = abi::address_query::not_found;
    abi::table().for_each([&]<class Entry>(Entry const& entry) {
        if (std::strcmp(Entry::spelling, name) != 0 || Entry::version != version) return;
        bool const is_there = version <= gpus.driver_version;
        *found = is_there ? abi::address_query::success : abi::address_query::too_new;
        *function = is_there || gpus.has_stubs ? gate_of(entry) : nullptr;
    });
    return result::success;
}

} // namespace fake
