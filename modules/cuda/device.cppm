// Devices, and the context that all of a program shares on each of them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

export module spio.cuda:device;

import :abi;
import :entries;
import :driver;

export namespace spio::cuda {

// sm_90 is {9, 0}.
struct capability {
    int major, minor;
    friend constexpr auto operator<=>(capability const&, capability const&) = default;
};

class device_ref {
  public:
    device_ref(driver const& of, abi::device is, int counted)
        : driver_pointer(&of), device_handle(is), count(counted) {}

    cuda::driver const& driver() const { return *driver_pointer; }
    abi::device handle() const { return device_handle; }
    int ordinal() const { return count; }

    std::string name() const;
    std::array<unsigned char, 16> uuid() const;
    int attribute(abi::device_attribute) const;
    cuda::capability capability() const;
    std::size_t memory_bytes() const;
    // "device 0"
    std::string spelled() const { return "device " + std::to_string(count); }

  private:
    cuda::driver const* driver_pointer;
    abi::device device_handle;
    int count;
};

class context_ref {
  public:
    // Not of a null context.
    context_ref(device_ref of, abi::context is);
    // The caller's, if there is one.
    static std::optional<context_ref> current(cuda::driver const&);

    cuda::driver const& driver() const { return home.driver(); }
    device_ref device() const { return home; }
    abi::context handle() const { return context_handle; }

    // Waits for all that was begun in it.
    void synchronize() const;
    struct bytes {
        std::size_t free, total;
    };
    bytes memory() const;

  private:
    device_ref home;
    abi::context context_handle;
};

// Makes a context current for as long as it lives. Each call that needs one makes it current by
// itself; this is for calls of others, and for who makes many.
class scope {
  public:
    explicit scope(context_ref);
    scope(scope const&) = delete;
    ~scope();

  private:
    context_ref entered;
};

// A call for which a context must be current.
template <abi::name Name, class ForWhat, class... Ts>
void call_in(context_ref const& context, ForWhat for_what, Ts... arguments) {
    scope const here(context);
    context.driver().call<Name>([&] { return for_what() + " on " + context.device().spelled(); },
                                arguments...);
}

// Ends what an owner has, by a function of the driver.
template <abi::name Name> struct release_in {
    context_ref home;
    char const* what;

    template <class Object> void operator()(Object* handle) const noexcept {
        // Entered by hand: where that fails, the driver may still know what to do.
        auto const& driver = home.driver();
        auto const for_what = [&] { return what + (" on " + home.device().spelled()); };
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
