// Graphs: work that was captured from a stream, to be done many times.
// SPDX-License-Identifier: Apache-2.0
module;

#include <memory>

export module spio.cuda:graph;

import :abi;
import :entries;
import :driver;
import :device;
import :stream;

export namespace spio::cuda {

// What was captured.
class graph {
  public:
    graph(context_ref of, abi::graph is);

    context_ref const& context() const { return owned.get_deleter().home; }
    abi::graph handle() const { return owned.get(); }

  private:
    std::unique_ptr<abi::graph_object, release_in<"cuGraphDestroy">> owned;
};

// A graph made ready to be launched; the graph itself is not needed any more.
class executable_graph {
  public:
    explicit executable_graph(graph const&);

    void launch(stream_ref const&) const;

  private:
    std::unique_ptr<abi::executable_graph_object, release_in<"cuGraphExecDestroy">> owned;
};

// From here on work in the stream is captured, until the capture is ended.
void begin_capture(stream_ref const&, abi::capture_mode = abi::capture_mode::thread_local_only);
graph end_capture(stream_ref const&);

} // namespace spio::cuda
