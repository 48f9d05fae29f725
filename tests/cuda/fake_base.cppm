// Functions that all entries (functions) of the fake of CUDA's driver share.
// SPDX-License-Identifier: Apache-2.0
//
// The fake stands for CUDA's driver in tests: spio.cuda is given a function that finds these
// entries instead of the driver's. A handle that the fake gives out stands for an object that it
// keeps, such as a context or a stream. A fault is the one call of the driver that is made to fail.
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

export module spio.fake_driver:base;

import spio.cuda;

export namespace fake {

namespace abi = spio::cuda::abi;
using abi::result;

// The fake answers the driver's function NAME by an overload answer(to<NAME>, …).
template <abi::name> struct to {};
inline auto& gpus = the_machine();

// Keeps an object, and stores its handle.
template <class Handle> result add(Handle* handle, object added) {
    *handle = reinterpret_cast<Handle>(gpus.add(std::move(added)));
    return result::success;
}
// Removes the object behind a handle; an invalid handle is the driver's error.
inline result removed(kind removed_kind, void const* handle) {
    return gpus.remove(removed_kind, handle) ? result::success : result::invalid_handle;
}
inline bool is_device(abi::device ordinal) { return ordinal >= 0 && ordinal < machine::devices; }
inline object* current_context() {
    return entered.empty() ? nullptr
                           : gpus.find(kind::context, reinterpret_cast<void*>(entered.back()));
}
// Calls f with the device of the current context; fails if there is none.
template <class F> result in_context(F f) {
    object* const context = current_context();
    return context == nullptr ? result::invalid_context : f(context->device);
}
// The handles of the default streams, which are the same in every context: 0, 1 for the legacy one
// and 2 for that of each thread.
inline bool is_default(abi::stream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }
// Calls f with the object of a stream, null for a default one; fails if there is none.
template <class F> result in_stream(abi::stream handle, F f) {
    if (is_default(handle)) return in_context([&](int) { return f(nullptr); });
    object* const stream = gpus.find(kind::stream, handle);
    return stream == nullptr ? result::invalid_handle : f(stream);
}
// Runs f at once, or appends it to the graph that the stream is captured into.
inline result work(abi::stream handle, std::function<void()> f) {
    return in_stream(handle, [&](object* stream) {
        if (stream != nullptr && stream->capturing) {
            stream->work.push_back(f);
        } else {
            f();
        }
        return result::success;
    });
}
// Stores an answer where the caller wants it.
template <class T> result say(T* output, T value) {
    *output = value;
    return result::success;
}

} // namespace fake
