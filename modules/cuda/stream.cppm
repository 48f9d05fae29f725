// Streams of work, and events that mark places in them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <memory>

export module spio.cuda:stream;

import :abi;
import :entries;
import :driver;
import :device;

export namespace spio::cuda {

class event_ref;

class stream_ref {
  public:
    // Not of a null handle: the streams without one are these two.
    stream_ref(context_ref of, abi::stream is);
    static stream_ref legacy(context_ref of) { return {of, default_handle(1)}; }
    static stream_ref per_thread(context_ref of) { return {of, default_handle(2)}; }
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
    event_ref(context_ref of, abi::event is);

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

} // namespace spio::cuda
