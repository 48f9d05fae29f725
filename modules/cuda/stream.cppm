// Streams of work, events and graphs in them, and memory that they copy and fill.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

export module spio.cuda:stream;

import :abi;
import :driver;

export namespace spio::cuda {

class event_ref;

// A stream that something else owns. A queue of work, run in order.
class stream_ref {
  public:
    // The handle must not be null: the two default streams are made by the functions below.
    stream_ref(context_ref context, abi::stream handle);
    static stream_ref legacy(context_ref context) { return {context, legacy_handle()}; }
    static stream_ref per_thread(context_ref context) { return {context, per_thread_handle()}; }
    // A reference to a stream of another library, with the context that the stream belongs to. A
    // null handle is the legacy stream of the current context.
    static stream_ref of(cuda::driver const&, abi::stream);

    context_ref const& context() const { return home; }
    cuda::driver const& driver() const { return home.driver(); }
    abi::stream handle() const { return stream_handle; }
    // Whether this is a default stream, whose handle has a meaning in a current context only.
    bool is_default() const {
        return stream_handle == legacy_handle() || stream_handle == per_thread_handle();
    }

    void synchronize() const;
    bool is_done() const;
    // Work that is put into the stream later waits for the event.
    void wait(event_ref const&) const;
    // Whether work in the stream is captured into a graph instead of being run.
    abi::capture_status capture() const;

  private:
    context_ref home;
    abi::stream stream_handle;

    // CU_STREAM_LEGACY and CU_STREAM_PER_THREAD of cuda.h.
    static abi::stream legacy_handle() { return reinterpret_cast<abi::stream>(std::size_t{1}); }
    static abi::stream per_thread_handle() { return reinterpret_cast<abi::stream>(std::size_t{2}); }
};

// A stream that does not synchronize with the default stream. A lower number is a higher priority.
class stream {
  public:
    explicit stream(context_ref, int priority = 0);

    operator stream_ref() const { return {owned.get_deleter().home, owned.get()}; }
    void synchronize() const { stream_ref(*this).synchronize(); }
    bool is_done() const { return stream_ref(*this).is_done(); }

  private:
    std::unique_ptr<abi::stream_object, release_in<"cuStreamDestroy">> owned;
};

// An event that something else owns.
class event_ref {
  public:
    event_ref(context_ref context, abi::event handle);

    context_ref const& context() const { return home; }
    abi::event handle() const { return event_handle; }

    // Records the event in the stream, after all work that was begun there.
    void record(stream_ref const&) const;
    void synchronize() const;
    bool is_done() const;
    float milliseconds_since(event_ref const&) const;

  private:
    context_ref home;
    abi::event event_handle;
};

enum class timing : bool { off, on };

class event {
  public:
    explicit event(context_ref, timing = timing::off);

    operator event_ref() const { return {owned.get_deleter().home, owned.get()}; }

  private:
    std::unique_ptr<abi::event_object, release_in<"cuEventDestroy">> owned;
};

// A captured graph.
class graph {
  public:
    graph(context_ref context, abi::graph handle);

    context_ref const& context() const { return owned.get_deleter().home; }
    abi::graph handle() const { return owned.get(); }

  private:
    std::unique_ptr<abi::graph_object, release_in<"cuGraphDestroy">> owned;
};

// A graph that was instantiated to be launched. The graph that it was made from may end before it.
class executable_graph {
  public:
    explicit executable_graph(graph const&);

    void launch(stream_ref const&) const;

  private:
    std::unique_ptr<abi::executable_graph_object, release_in<"cuGraphExecDestroy">> owned;
};

// Begins a capture: work in the stream is captured until end_capture().
void begin_capture(stream_ref const&, abi::capture_mode = abi::capture_mode::thread_local_only);
graph end_capture(stream_ref const&);

// The microseconds of a launch among many: a graph has the launches that launch(0), launch(1), …
// add to the stream, and is launched once and then `replays` times, of which this is the median.
double microseconds_of_launch(stream_ref const&, unsigned launches, unsigned replays,
                              std::function<void(unsigned)> const& launch);

// While it lives, this thread may query events although some thread captures work into a graph.
// Without it, the driver would refuse the query and invalidate the capture.
class capture_exemption {
  public:
    explicit capture_exemption(cuda::driver const&);
    capture_exemption(capture_exemption const&) = delete;
    ~capture_exemption();

  private:
    cuda::driver const* own_driver;
    abi::capture_mode mode = abi::capture_mode::relaxed; // exchanged for the thread's own mode

    void exchange() noexcept;
};

// A range of bytes in the memory of a device.
class memory_ref {
  public:
    // The address must not be null.
    memory_ref(abi::pointer address, std::size_t bytes);

    abi::pointer address() const { return first; }
    std::size_t size() const { return count; }
    // The part of the given size that begins at the offset. It must lie inside the range.
    memory_ref part(std::size_t offset, std::size_t bytes) const;

  private:
    abi::pointer first;
    std::size_t count;
};

// Memory of a device, given back by the destructor.
class memory {
  public:
    memory(context_ref, std::size_t bytes);

    operator memory_ref() const { return {address(), count}; }
    abi::pointer address() const { return reinterpret_cast<abi::pointer>(owned.get()); }
    std::size_t size() const { return count; }

  private:
    struct release {
        context_ref home;
        std::size_t bytes;
        void operator()(void* address) const noexcept;
    };
    // A device address, which the host never reads through.
    std::unique_ptr<void, release> owned;
    std::size_t count;
};

// Pinned memory of the host: copies from and to it are asynchronous.
class host_memory {
  public:
    host_memory(context_ref, std::size_t bytes);

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(owned.get()), count}; }
    std::size_t size() const { return count; }

  private:
    std::unique_ptr<void, release_in<"cuMemFreeHost">> owned;
    std::size_t count;
};

// Copies bytes, in the order of the stream. Both sides must have the same size, and must live until
// the copy has been made.
void copy(stream_ref const&, memory_ref destination, std::span<std::byte const> source);
void copy(stream_ref const&, std::span<std::byte> destination, memory_ref source);
void copy(stream_ref const&, memory_ref destination, memory_ref source);
void fill(stream_ref const&, memory_ref, std::byte value);
// Fills memory with a value in words of four bytes, in the order of the stream.
void fill_words(stream_ref const&, memory_ref, unsigned value);

} // namespace spio::cuda
