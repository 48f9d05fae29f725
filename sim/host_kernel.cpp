// The table of kernels that were compiled in.
// SPDX-License-Identifier: Apache-2.0
#include "sim/host_kernel.h"

#include <mutex>

namespace spio::sim {

namespace {

// Made before any kernel is, for those are made before main() in any order.
constinit host_kernel* first = nullptr;
constinit std::mutex table;

} // namespace

host_kernel::host_kernel(char const* symbol, std::size_t params_bytes, run_function run)
    : symbol_(symbol), params_bytes_(params_bytes), run_(run), next_(nullptr) {
    std::lock_guard const lock(table);
    next_ = first;
    first = this;
}

host_kernel::~host_kernel() {
    std::lock_guard const lock(table);
    for (host_kernel** at = &first; *at != nullptr; at = &(*at)->next_) {
        if (*at == this) {
            *at = next_;
            return;
        }
    }
}

host_kernel const* host_kernel::find(std::string_view symbol) {
    std::lock_guard const lock(table);
    for (host_kernel const* at = first; at != nullptr; at = at->next_) {
        if (at->symbol_ == symbol) return at;
    }
    return nullptr;
}

} // namespace spio::sim
