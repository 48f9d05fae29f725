// Begins and ends captures, and knows which threads have one.
// SPDX-License-Identifier: Apache-2.0
//
// A captured launch becomes a node of a CUDA graph instead of being run. A cold kernel is one that
// is not loaded yet. A work queue runs the work of a stream on its device, and a backend is the
// implementation of a device.
module;

#include <memory>
#include <string>
#include <utility>

module spio.launch;

import spio.spec;

namespace spio {

namespace {

thread_local int capture_count = 0;

} // namespace

error cold_kernel_error(std::string const& kernel) {
    return error(error_kind::cold_kernel, "load", "kernel " + kernel,
                 "a graph is being captured, and it is not loaded yet: prepare() it before");
}

bool is_capturing_thread() { return capture_count > 0; }

capture::capture(work_queue& work) : queue(&work) {
    queue->begin_capture();
    queue->captured_kernels = &kernels;
    ++capture_count;
}

capture::~capture() {
    if (queue == nullptr) return;
    --capture_count;
    queue->captured_kernels = nullptr;
    try {
        queue->end_capture();
    } catch (...) { // the capture had ended already
    }
}

graph capture::end(std::shared_ptr<backend> device) {
    --capture_count;
    queue->captured_kernels = nullptr;
    auto work = std::exchange(queue, nullptr)->end_capture();
    return {std::move(device), std::move(kernels), std::move(work)};
}

} // namespace spio
