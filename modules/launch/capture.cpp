// Begins and ends captures, and knows which threads have one.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <string>
#include <utility>

module spio.launch;

import spio.spec;

namespace spio {

namespace {

thread_local int captures_here = 0;

} // namespace

error cold_kernel_error(std::string const& kernel) {
    return error(error_kind::cold_kernel, "load", "kernel " + kernel,
                 "a graph is being captured, and it is not loaded yet: prepare() it before");
}

bool is_capturing_here() { return captures_here > 0; }

capturing::capturing(work_queue& in) : queue(&in) {
    queue->begin_capture();
    queue->keeping = &kernels;
    ++captures_here;
}

capturing::~capturing() {
    if (queue == nullptr) return;
    --captures_here;
    queue->keeping = nullptr;
    try {
        queue->end_capture();
    } catch (...) { // it had been ended for another reason
    }
}

graph capturing::end(std::shared_ptr<backend> on) {
    --captures_here;
    queue->keeping = nullptr;
    auto work = std::exchange(queue, nullptr)->end_capture();
    return {std::move(on), std::move(kernels), std::move(work)};
}

} // namespace spio
