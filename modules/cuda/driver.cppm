// The driver, found at run time, its devices, and the context that a program shares on each.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

export module spio.cuda:driver;

import spio.error;
import :abi;

export namespace spio::cuda {

class device_ref;

// The driver, of which a program needs only one. It must outlive everything that is made from it.
// The driver's library stays open after that.
class driver {
  public:
    // Called with an error for each object that could not be released, on any thread. It must not
    // throw.
    using listener = std::function<void(error const&)>;

    // The driver of this machine: libcuda.so.1.
    explicit driver(listener on_loss = {});
    // A driver whose functions are found by `find`.
    explicit driver(abi::get_proc_address* find, listener on_loss = {});
    driver(driver const&) = delete;

    // The version as CUDA counts: 13000 is 13.0.
    int version() const;
    int device_count() const;
    device_ref device(int ordinal) const;
    // The device whose memory has the address, or none if the driver knows of no such memory.
    std::optional<device_ref> owner(abi::pointer address) const;

    // How many objects could not be released.
    unsigned losses() const { return loss_count.load(std::memory_order_relaxed); }

    // Calls a function of the driver; for_what() says what it is called for, if it fails.
    //     call<"cuStreamSynchronize">([&] { return "stream of device 0"; }, stream);
    template <abi::name Name, class ForWhat, class... Ts>
    void call(ForWhat for_what, Ts... arguments) const {
        auto const result = ask<Name>(arguments...);
        if (result != abi::result::success) [[unlikely]]
            fail(Name.text, result, for_what());
    }
    // Calls a function and returns its result, where a failure is an answer and no error.
    template <abi::name Name, class... Ts> abi::result ask(Ts... arguments) const {
        return entries.function<Name>()(arguments...);
    }
    // Calls a function that releases an object. A failure is counted and passed to the listener.
    template <abi::name Name, class ForWhat, class... Ts>
    void release(ForWhat for_what, Ts... arguments) const noexcept {
        auto const result = ask<Name>(arguments...);
        // When the program ends, the driver may have been unloaded already, with all its objects.
        if (result == abi::result::success || result == abi::result::deinitialized) return;
        try {
            lose(Name.text, result, for_what());
        } catch (...) { // there is no memory for the error
        }
    }
    // Throws the error for a result of the call `tried`, which was made for `subject`.
    [[noreturn]] void fail(char const* tried, abi::result, std::string subject) const;

  private:
    abi::table entries;
    listener listening;
    int opener; // the process that opened the driver
    mutable std::atomic<unsigned> loss_count = 0;

    // Finds the driver's functions by this one.
    void find_entries(abi::get_proc_address* find);
    // What was tried, on what, and the driver's words for its result.
    error error_of(char const* tried, abi::result, std::string subject) const;
    // Reports to the listener that a destructor could not free something, and counts that.
    void lose(char const* tried, abi::result, std::string subject) const;
};

// A compute capability: that of sm_90 is {9, 0}.
struct capability {
    int major, minor;
    friend constexpr auto operator<=>(capability const&, capability const&) = default;
};

// A device of the machine; its handle is its ordinal.
class device_ref {
  public:
    device_ref(driver const& driver, abi::device handle, int ordinal)
        : driver_pointer(&driver), device_handle(handle), ordinal_number(ordinal) {}

    cuda::driver const& driver() const { return *driver_pointer; }
    abi::device handle() const { return device_handle; }
    int ordinal() const { return ordinal_number; }

    std::string name() const;
    std::array<unsigned char, 16> uuid() const;
    int attribute(abi::device_attribute) const;
    cuda::capability capability() const;
    std::size_t memory_bytes() const;
    // "device 0"
    std::string spelled() const { return "device " + std::to_string(ordinal_number); }

  private:
    cuda::driver const* driver_pointer;
    abi::device device_handle;
    int ordinal_number;
};

// A context that something else owns.
class context_ref {
  public:
    // The context must not be null.
    context_ref(device_ref device, abi::context handle);
    // The calling thread's current context, if it has one.
    static std::optional<context_ref> current(cuda::driver const&);

    cuda::driver const& driver() const { return home.driver(); }
    device_ref device() const { return home; }
    abi::context handle() const { return context_handle; }

    // Waits for all work that was begun in the context.
    void synchronize() const;
    struct bytes {
        std::size_t free, total;
    };
    bytes memory() const;

  private:
    device_ref home;
    abi::context context_handle;
};

// Makes a context current for as long as the scope lives. Spio's own calls do this by themselves; a
// scope is for calls by other libraries, and saves time for many calls in a row.
class scope {
  public:
    explicit scope(context_ref);
    scope(scope const&) = delete;
    ~scope();

  private:
    context_ref entered;
};

// Calls a function of the driver with the context current.
template <abi::name Name, class ForWhat, class... Ts>
void call_in(context_ref const& context, ForWhat for_what, Ts... arguments) {
    scope const entered(context);
    context.driver().call<Name>([&] { return for_what() + " on " + context.device().spelled(); },
                                arguments...);
}

// Releases the object of an owner by a function of the driver.
template <abi::name Name> struct release_in {
    context_ref home;
    char const* object_name;

    template <class Object> void operator()(Object* handle) const noexcept {
        // The context is made current without a scope: even if that fails, the driver may be able
        // to release the object.
        auto const& driver = home.driver();
        auto const for_what = [&] { return object_name + (" on " + home.device().spelled()); };
        bool const entered = driver.ask<"cuCtxPushCurrent">(home.handle()) == abi::result::success;
        driver.release<Name>(for_what, handle);
        abi::context left = nullptr;
        if (entered) driver.release<"cuCtxPopCurrent">(for_what, &left);
    }
};

// A device's primary context, the one that other libraries in the program use too.
class context {
  public:
    explicit context(device_ref);

    operator context_ref() const { return {owned.get_deleter().home, owned.get()}; }
    device_ref device() const { return owned.get_deleter().home; }
    void synchronize() const { context_ref(*this).synchronize(); }

  private:
    struct release {
        device_ref home;
        void operator()(abi::context) const noexcept;
    };
    std::unique_ptr<abi::context_object, release> owned;
};

} // namespace spio::cuda
