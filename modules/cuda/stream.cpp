// Makes streams and events, and waits for them.
// SPDX-License-Identifier: Apache-2.0
//
// call<NAME>(for_what, …) calls the driver's function of that name, and throws an error about the
// text that for_what() returns if it fails; call_in() makes a context current for the call, and
// ask() returns the driver's result. A scope makes a context current while it lives.
module;

#include <string>

module spio.cuda;

namespace spio::cuda {

namespace {

// What messages call the object of a failed call.
std::string a_stream() { return "stream"; }
std::string an_event() { return "event"; }

// Whether a stream or event is done. That it is not ready is an answer; any other failure is an
// error.
template <abi::name Name, class Handle>
bool is_done(context_ref const& context, char const* object, Handle handle) {
    scope const entered(context);
    auto const result = context.driver().ask<Name>(handle);
    if (result != abi::result::success && result != abi::result::not_ready) {
        context.driver().fail(Name.text, result, object + (" on " + context.device().spelled()));
    }
    return result == abi::result::success;
}

} // namespace

stream_ref::stream_ref(context_ref context, abi::stream handle)
    : home(context), stream_handle(handle) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "stream_ref", context.device().spelled(), "null stream");
}

stream_ref stream_ref::of(cuda::driver const& driver, abi::stream handle) {
    auto const for_what = [] { return "a stream from elsewhere"; };
    abi::context context = nullptr;
    driver.call<"cuStreamGetCtx">(for_what, handle, &context);
    if (context == nullptr)
        throw error(error_kind::invalid, "cuStreamGetCtx", for_what(), "no context");
    // The device of the current context is asked from the context; until then any device serves as
    // a placeholder.
    constexpr int first = 0; // the handle, and the ordinal
    device_ref const any(driver, first, first);
    scope const entered(context_ref(any, context));
    auto const home = context_ref::current(driver);
    if (!home) throw error(error_kind::invalid, "cuCtxGetCurrent", for_what(), "no context");
    return handle == nullptr ? legacy(*home) : stream_ref(*home, handle);
}

void stream_ref::synchronize() const {
    call_in<"cuStreamSynchronize">(home, a_stream, stream_handle);
}

bool stream_ref::is_done() const {
    return cuda::is_done<"cuStreamQuery">(home, "stream", stream_handle);
}

void stream_ref::wait(event_ref const& event) const {
    call_in<"cuStreamWaitEvent">(home, a_stream, stream_handle, event.handle(), 0u);
}

abi::capture_status stream_ref::capture() const {
    auto status = abi::capture_status::none;
    call_in<"cuStreamIsCapturing">(home, a_stream, stream_handle, &status);
    return status;
}

stream::stream(context_ref context, int priority) : owned(nullptr, {context, "stream"}) {
    abi::stream handle = nullptr;
    scope const entered(context);
    context.driver().call<"cuStreamCreateWithPriority">(
        [&] { return "a stream on " + context.device().spelled(); }, &handle,
        abi::stream_flags::non_blocking, priority);
    owned.reset(handle);
}

event_ref::event_ref(context_ref context, abi::event handle) : home(context), event_handle(handle) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "event_ref", context.device().spelled(), "null event");
}

void event_ref::record(stream_ref const& stream) const {
    call_in<"cuEventRecord">(home, an_event, event_handle, stream.handle());
}

void event_ref::synchronize() const { call_in<"cuEventSynchronize">(home, an_event, event_handle); }

bool event_ref::is_done() const {
    return cuda::is_done<"cuEventQuery">(home, "event", event_handle);
}

float event_ref::milliseconds_since(event_ref const& earlier) const {
    float milliseconds = 0;
    call_in<"cuEventElapsedTime">(
        home, [] { return std::string("two events"); }, &milliseconds, earlier.handle(),
        event_handle);
    return milliseconds;
}

event::event(context_ref context, timing timing) : owned(nullptr, {context, "event"}) {
    abi::event handle = nullptr;
    scope const entered(context);
    context.driver().call<"cuEventCreate">(
        [&] { return "an event on " + context.device().spelled(); }, &handle,
        timing == cuda::timing::on ? abi::event_flags::none : abi::event_flags::disable_timing);
    owned.reset(handle);
}

} // namespace spio::cuda
