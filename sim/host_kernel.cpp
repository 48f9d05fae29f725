// Lists the kernels that were compiled into the program.
// SPDX-License-Identifier: Apache-2.0
//
// The host device, a simulated GPU, finds these kernels by their symbols. A kernel is registered by
// an object that lives as long as the program.
#include "sim/host_kernel.h"

#include <mutex>

namespace spio::sim {

namespace {

// The head of a linked list of all kernels. Kernels are static objects in many files, whose order
// of initialisation is undefined, so the list itself is constant-initialised.
constinit host_kernel* first_kernel = nullptr;
constinit std::mutex list_mutex;

} // namespace

host_kernel::host_kernel(char const* symbol, std::uint64_t text_digest, std::size_t params_bytes,
                         run_function run)
    : symbol_(symbol),
      text_digest_(text_digest),
      params_bytes_(params_bytes),
      run_(run),
      next_(nullptr) {
    std::lock_guard const lock(list_mutex);
    next_ = first_kernel;
    first_kernel = this;
}

host_kernel::~host_kernel() {
    std::lock_guard const lock(list_mutex);
    for (host_kernel** link = &first_kernel; *link != nullptr; link = &(*link)->next_) {
        if (*link == this) {
            *link = next_;
            return;
        }
    }
}

host_kernel const* host_kernel::find(std::string_view symbol, std::uint64_t text_digest) {
    std::lock_guard const lock(list_mutex);
    for (host_kernel const* kernel = first_kernel; kernel != nullptr; kernel = kernel->next_) {
        if (kernel->symbol_ == symbol && kernel->text_digest_ == text_digest) return kernel;
    }
    return nullptr;
}

} // namespace spio::sim
