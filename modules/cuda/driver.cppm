// The driver itself: its functions, found once, and called by name.
// SPDX-License-Identifier: Apache-2.0
module;

#include <atomic>
#include <functional>
#include <string>
#include <type_traits>

export module spio.cuda:driver;

import :abi;
import :entries;
import spio.error;

export namespace spio::cuda {

class device_ref;

// One for a program will do, and everything made from it must end before it does. The driver's
// library stays open after that.
class driver {
  public:
    // Told of what could not be given back, where no error can be thrown, on whatever thread that
    // is; must not throw itself.
    using listener = std::function<void(error const&)>;

    // The driver of this machine: libcuda.so.1.
    explicit driver(listener on_loss = {});
    // A driver whose functions this one finds.
    explicit driver(abi::get_proc_address* find, listener on_loss = {});
    driver(driver const&) = delete;

    // As CUDA counts: 13000 is 13.0.
    int version() const;
    int device_count() const;
    device_ref device(int ordinal) const;

    // How often something could not be given back.
    unsigned losses() const { return loss_count.load(std::memory_order_relaxed); }

    // Calls a function of the driver; for_what() says what it is called for, if it fails.
    //     call<"cuStreamSynchronize">([&] { return "stream of device 0"; }, stream);
    template <abi::name Name, class ForWhat, class... Ts>
    void call(ForWhat for_what, Ts... arguments) const {
        auto const result = ask<Name>(arguments...);
        if (result != abi::result::success) [[unlikely]]
            fail(Name.text, result, for_what());
    }
    // The same where failing is an answer.
    template <abi::name Name, class... Ts> abi::result ask(Ts... arguments) const {
        return entries.function<Name>()(arguments...);
    }
    // The same for giving back: what fails is counted and told.
    template <abi::name Name, class ForWhat, class... Ts>
    void release(ForWhat for_what, Ts... arguments) const noexcept {
        auto const result = ask<Name>(arguments...);
        // When the program ends the driver may have gone before us, and has taken all with it.
        if (result == abi::result::success || result == abi::result::deinitialized) return;
        try {
            lose(Name.text, result, for_what());
        } catch (...) { // no memory to say it
        }
    }
    [[noreturn]] void fail(char const* tried, abi::result, std::string subject) const;

  private:
    abi::table entries;
    listener listening;
    mutable std::atomic<unsigned> loss_count = 0;

    void find_entries(abi::get_proc_address* find);
    error error_of(char const* tried, abi::result, std::string subject) const;
    void lose(char const* tried, abi::result, std::string subject) const;
};

} // namespace spio::cuda
