// Streams of work, events and graphs in them, and memory that they copy and fill.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <memory>
#include <span>

export module spio.cuda:stream;

import :abi;
import :driver;

export namespace spio::cuda {

class event_ref;

class stream_ref {
  public:
    // Not of a null handle: the streams without one are these two.
    stream_ref(context_ref context, abi::stream handle);
    static stream_ref legacy(context_ref context) { return {context, default_handle(1)}; }
    static stream_ref per_thread(context_ref context) { return {context, default_handle(2)}; }
    // Another library's, with the context that it belongs to. A null handle is the legacy stream of
    // the current context.
    static stream_ref of(cuda::driver const&, abi::stream);

    context_ref const& context() const { return home; }
    cuda::driver const& driver() const { return home.driver(); }
    abi::stream handle() const { return stream_handle; }
    // Whether the handle means something in a current context only.
    bool is_default() const {
        return stream_handle == default_handle(1) || stream_handle == default_handle(2);
    }

    void synchronize() const;
    bool is_done() const;
    // Work that comes later waits for the event.
    void wait(event_ref const&) const;
    // Whether work is captured into a graph here, instead of being done.
    abi::capture_status capture() const;

  private:
    context_ref home;
    abi::stream stream_handle;

    static abi::stream default_handle(std::size_t number) {
        return reinterpret_cast<abi::stream>(number);
    }
};

// A stream that does not wait for the default one. A lesser priority comes first.
class stream {
  public:
    explicit stream(context_ref, int priority = 0);

    operator stream_ref() const { return {owned.get_deleter().home, owned.get()}; }
    void synchronize() const { stream_ref(*this).synchronize(); }
    bool is_done() const { return stream_ref(*this).is_done(); }

  private:
    std::unique_ptr<abi::stream_object, release_in<"cuStreamDestroy">> owned;
};

class event_ref {
  public:
    event_ref(context_ref context, abi::event handle);

    context_ref const& context() const { return home; }
    abi::event handle() const { return event_handle; }

    // Marks the place in the stream after all that was begun in it.
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

// What was captured.
class graph {
  public:
    graph(context_ref context, abi::graph handle);

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

// Some bytes of a device's memory.
class memory_ref {
  public:
    // Not of a null address.
    memory_ref(abi::pointer address, std::size_t bytes);

    abi::pointer address() const { return first; }
    std::size_t size() const { return count; }
    // Those from here on, so many; they must all be in it.
    memory_ref part(std::size_t offset, std::size_t bytes) const;

  private:
    abi::pointer first;
    std::size_t count;
};

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
    // An address of the device; never looked at here.
    std::unique_ptr<void, release> owned;
    std::size_t count;
};

// Memory of the host that stays where it is: copies from and to it need not be waited for.
class host_memory {
  public:
    host_memory(context_ref, std::size_t bytes);

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(owned.get()), count}; }
    std::size_t size() const { return count; }

  private:
    std::unique_ptr<void, release_in<"cuMemFreeHost">> owned;
    std::size_t count;
};

// In the stream's order. Both sides must be of one size, and stay until the copy has been made.
void copy(stream_ref const&, memory_ref destination, std::span<std::byte const> source);
void copy(stream_ref const&, std::span<std::byte> destination, memory_ref source);
void copy(stream_ref const&, memory_ref destination, memory_ref source);
void fill(stream_ref const&, memory_ref, std::byte value);
// The memory in words of four bytes.
void fill_words(stream_ref const&, memory_ref, unsigned value);

} // namespace spio::cuda
