// Captures graphs, launches them, and measures their launches.
// SPDX-License-Identifier: Apache-2.0
//
// call<NAME>(for_what, …) calls the driver's function of that name, and throws an error about the
// text that for_what() returns if it fails; call_in() makes a context current for the call. A scope
// makes a context current while it lives.
module;

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

module spio.cuda;

namespace spio::cuda {

namespace {

// The subject of error messages about a capture.
std::string a_capture() { return "capture of a stream"; }

} // namespace

graph::graph(context_ref context, abi::graph handle) : owned(handle, {context, "graph"}) {
    if (handle == nullptr)
        throw error(error_kind::invalid, "graph", context.device().spelled(), "null graph");
}

executable_graph::executable_graph(graph const& graph)
    : owned(nullptr, {graph.context(), "executable graph"}) {
    abi::executable_graph handle = nullptr;
    auto const& context = graph.context();
    scope const entered(context);
    context.driver().call<"cuGraphInstantiateWithFlags">(
        [&] { return "a graph on " + context.device().spelled(); }, &handle, graph.handle(), 0ull);
    owned.reset(handle);
}

void executable_graph::launch(stream_ref const& stream) const {
    call_in<"cuGraphLaunch">(
        stream.context(), [] { return std::string("executable graph"); }, owned.get(),
        stream.handle());
}

void begin_capture(stream_ref const& stream, abi::capture_mode mode) {
    call_in<"cuStreamBeginCapture">(stream.context(), a_capture, stream.handle(), mode);
}

capture_exemption::capture_exemption(cuda::driver const& driver) : own_driver(&driver) {
    exchange();
}
// Restores the thread's own mode. If the driver refused the first exchange, or the mode was
// `relaxed` anyway, there is nothing to restore.
capture_exemption::~capture_exemption() {
    if (mode != abi::capture_mode::relaxed) exchange();
}

// Exchanges `mode` and the thread's capture mode. A failure is ignored: the thread then keeps its
// mode.
void capture_exemption::exchange() noexcept {
    static_cast<void>(own_driver->ask<"cuThreadExchangeStreamCaptureMode">(&mode));
}

graph end_capture(stream_ref const& stream) {
    abi::graph handle = nullptr;
    auto const& context = stream.context();
    scope const entered(context);
    context.driver().call<"cuStreamEndCapture">(
        [&] { return a_capture() + " on " + context.device().spelled(); }, stream.handle(),
        &handle);
    return graph(context, handle);
}

double microseconds_of_launch(stream_ref const& stream, unsigned launches, unsigned replays,
                              std::function<void(unsigned)> const& launch) {
    begin_capture(stream);
    for (unsigned i = 0; i < launches; ++i) launch(i);
    executable_graph const graph(end_capture(stream));
    event const start(stream.context(), timing::on), end(stream.context(), timing::on);
    std::vector<double> times(replays);
    graph.launch(stream);
    for (auto& microseconds : times) {
        event_ref(start).record(stream);
        graph.launch(stream);
        event_ref(end).record(stream);
        event_ref(end).synchronize();
        microseconds = 1e3 * event_ref(end).milliseconds_since(start) / launches;
    }
    std::ranges::sort(times);
    return (times.at((times.size() - 1) / 2) + times.at(times.size() / 2)) / 2;
}

} // namespace spio::cuda
