// Begins and ends captures, and knows which threads have one.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <utility>

module spio.launch;

namespace spio {

namespace {

thread_local int captures_here = 0;

} // namespace

bool is_capturing_here() { return captures_here > 0; }

capturing::capturing(work_queue& in) : queue(&in) {
    queue->begin_capture();
    ++captures_here;
}

capturing::~capturing() {
    if (queue == nullptr) return;
    --captures_here;
    try {
        queue->end_capture();
    } catch (...) { // it had been ended for another reason
    }
}

std::unique_ptr<work_graph const> capturing::end() {
    --captures_here;
    return std::exchange(queue, nullptr)->end_capture();
}

} // namespace spio
