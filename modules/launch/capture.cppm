// Graphs of launches, and what must not happen while one is captured.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>
#include <string>
#include <utility>

export module spio.launch:capture;

import spio.spec;
import :backend;

export namespace spio {

// The error of a kernel that is not loaded and is asked for while a graph is captured: to compile
// it would hold the capture up, to load it would end it. The capture stays as it was.
error cold_kernel_error(std::string const& kernel);

// Whether this thread has begun a capture by stream::capture() that has not ended.
bool is_capturing_here();

// What was captured in a stream, ready to be launched in any stream of its device. It keeps its
// kernels, not the arrays that they work on.
class graph {
  public:
    graph(std::shared_ptr<backend> on, kept_kernels its, std::unique_ptr<work_graph const> is)
        : home(std::move(on)), kernels(std::move(its)), owned(std::move(is)) {}

    work_graph const& work() const { return *owned; }
    backend const& on() const { return *home; }

  private:
    std::shared_ptr<backend> home;
    kept_kernels kernels;
    std::unique_ptr<work_graph const> owned;
};

// From its beginning to its end, work in the queue is captured. What was captured is thrown away if
// nobody ends it.
class capturing {
  public:
    explicit capturing(work_queue&);
    capturing(capturing const&) = delete;
    ~capturing();

    graph end(std::shared_ptr<backend> on);

  private:
    work_queue* queue;
    kept_kernels kernels;
};

} // namespace spio
