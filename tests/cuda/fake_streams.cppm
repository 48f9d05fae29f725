// Streams, events and graphs of the fake driver.
// SPDX-License-Identifier: Apache-2.0
//
// answer(to<NAME>, ...) is what the fake does for the driver's function NAME. gpus holds the
// objects behind handles; in_context() and in_stream() fail where the driver would, and say()
// stores a result. `entered` has the contexts that this thread has made current. What a stream
// captures is its `work`, which a graph takes and runs. ends_captures() invalidates captures that
// forbid a call to this thread, unless its capture_mode is relaxed, and says whether there are any.
module;

#include "tests/cuda/fake_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

export module spio.fake_driver:streams;

import spio.cuda;
import :base;

export namespace fake {

inline result answer(to<"cuStreamCreateWithPriority">, abi::stream* handle, abi::stream_flags flags,
                     int priority) {
    gpus.request = "priority " + std::to_string(priority);
    if (flags != abi::stream_flags::non_blocking) return result::invalid_value;
    return in_context(
        [&](int device) { return add(handle, {.kind = kind::stream, .device = device}); });
}
inline result answer(to<"cuStreamDestroy">, abi::stream handle) {
    return removed(kind::stream, handle);
}
inline result answer(to<"cuStreamSynchronize">, abi::stream handle) {
    return in_stream(handle, [](object*) { return result::success; });
}
inline result answer(to<"cuStreamQuery">, abi::stream handle) {
    return in_stream(handle, [](object*) { return result::success; });
}
inline result answer(to<"cuStreamWaitEvent">, abi::stream handle, abi::event event,
                     unsigned flags) {
    gpus.request = "flags " + std::to_string(flags);
    if (gpus.find(kind::event, event) == nullptr) return result::invalid_handle;
    return in_stream(handle, [](object*) { return result::success; });
}
inline result answer(to<"cuStreamGetCtx">, abi::stream handle, abi::context* context) {
    return in_stream(handle, [&](object* stream) {
        if (stream == nullptr) {
            return say(context, reinterpret_cast<abi::context>(entered.back()));
        }
        for (auto const& [id, o] : gpus.objects) {
            if (o.kind == kind::context && o.device == stream->device) {
                return say(context, reinterpret_cast<abi::context>(id));
            }
        }
        return result::invalid_context;
    });
}
inline result answer(to<"cuStreamIsCapturing">, abi::stream handle, abi::capture_status* status) {
    return in_stream(handle, [&](object* stream) {
        bool const active = stream != nullptr && stream->capturing;
        return say(status, active ? abi::capture_status::active : abi::capture_status::none);
    });
}
inline result answer(to<"cuStreamBeginCapture">, abi::stream handle, abi::capture_mode mode) {
    return in_stream(handle, [mode](object* stream) {
        if (stream == nullptr) return result::stream_capture_unsupported;
        stream->capturing = true;
        stream->captured_by =
            mode == abi::capture_mode::global ? std::thread::id() : std::this_thread::get_id();
        return result::success;
    });
}
inline result answer(to<"cuStreamEndCapture">, abi::stream handle, abi::graph* graph) {
    return in_stream(handle, [&](object* stream) {
        if (stream == nullptr || !stream->capturing) return result::invalid_value;
        stream->capturing = false;
        if (std::exchange(stream->invalidated, false)) {
            stream->work.clear();
            return result::stream_capture_invalidated;
        }
        return add(graph, {.kind = kind::graph,
                           .device = stream->device,
                           .work = std::exchange(stream->work, {})});
    });
}

inline result answer(to<"cuThreadExchangeStreamCaptureMode">, abi::capture_mode* mode) {
    auto const former = std::exchange(capture_mode, static_cast<unsigned>(*mode));
    return say(mode, static_cast<abi::capture_mode>(former));
}

inline result answer(to<"cuEventCreate">, abi::event* handle, abi::event_flags flags) {
    gpus.request = "flags " + std::to_string(static_cast<unsigned>(flags));
    return in_context(
        [&](int device) { return add(handle, {.kind = kind::event, .device = device}); });
}
inline result answer(to<"cuEventDestroy">, abi::event handle) {
    return removed(kind::event, handle);
}
inline result answer(to<"cuEventRecord">, abi::event event_handle, abi::stream handle) {
    object* const event = gpus.find(kind::event, event_handle);
    if (event == nullptr) return result::invalid_handle;
    return in_stream(handle, [&](object* stream) {
        bool const agree = stream == nullptr || stream->device == event->device;
        event->recorded = gpus.clock;
        return agree ? result::success : result::invalid_handle;
    });
}
inline result answer(to<"cuEventSynchronize">, abi::event handle) {
    return gpus.find(kind::event, handle) ? result::success : result::invalid_handle;
}
inline result answer(to<"cuEventQuery">, abi::event handle) {
    bool const is_strict = capture_mode != static_cast<unsigned>(abi::capture_mode::relaxed);
    if (is_strict && gpus.ends_captures()) return result::stream_capture_unsupported;
    if (gpus.find(kind::event, handle) == nullptr) return result::invalid_handle;
    return gpus.are_events_late ? result::not_ready : result::success;
}
inline result answer(to<"cuEventElapsedTime">, float* milliseconds, abi::event start,
                     abi::event end) {
    object const *const first = gpus.find(kind::event, start), *const last =
                                                                   gpus.find(kind::event, end);
    if (first == nullptr || last == nullptr) return result::invalid_handle;
    bool const has_clock = static_cast<bool>(gpus.milliseconds_of_kernel);
    return say(milliseconds,
               has_clock ? static_cast<float>(last->recorded - first->recorded) : 0.5f);
}

inline result answer(to<"cuGraphInstantiateWithFlags">, abi::executable_graph* executable,
                     abi::graph handle, unsigned long long flags) {
    gpus.request = "flags " + std::to_string(flags);
    object* const graph = gpus.find(kind::graph, handle);
    if (graph == nullptr) return result::invalid_handle;
    return add(executable,
               {.kind = kind::executable, .device = graph->device, .work = graph->work});
}
inline result answer(to<"cuGraphLaunch">, abi::executable_graph graph, abi::stream stream) {
    object* const executable = gpus.find(kind::executable, graph);
    if (executable == nullptr) return result::invalid_handle;
    return in_stream(stream, [&](object*) {
        for (auto const& f : executable->work) f();
        return result::success;
    });
}
inline result answer(to<"cuGraphDestroy">, abi::graph handle) {
    return removed(kind::graph, handle);
}
inline result answer(to<"cuGraphExecDestroy">, abi::executable_graph handle) {
    return removed(kind::executable, handle);
}

} // namespace fake
