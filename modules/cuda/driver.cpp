// Finds the driver and its functions, and words its errors.
// SPDX-License-Identifier: Apache-2.0
//
// `entries` is the table of the driver's functions, each with the CUDA version of its signature. An
// object that cannot be released is lost: it is counted, and the listener is called. call() throws
// an error if the driver refuses, about the subject that its first argument returns; ask() returns
// what the driver answered.
module;

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

module spio.cuda;

namespace spio::cuda {

namespace {

// The driver has each function in two kinds: one whose default stream is shared by all threads, and
// one with a default stream per thread. This asks for the first.
constexpr unsigned legacy_stream = 1;

// Of 12040: "12.4".
std::string spelled(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

abi::get_proc_address* open_library() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        char const* const told = dlerror();
        std::string const words = told ? told : "no reason given";
        // What the linker says of a missing file is what the error says anyway.
        bool const is_missing =
            words == "libcuda.so.1: cannot open shared object file: No such file or directory";
        throw error(error_kind::not_found, "dlopen", "libcuda.so.1",
                    is_missing ? "there is no CUDA driver" : "no CUDA driver: " + words);
    }
    void* const symbol = dlsym(library, "cuGetProcAddress_v2");
    if (symbol == nullptr) {
        dlclose(library);
        throw error(error_kind::device, "dlsym", "cuGetProcAddress_v2 of libcuda.so.1",
                    "not there: the driver is older than CUDA 12.0");
    }
    return reinterpret_cast<abi::get_proc_address*>(symbol);
}

} // namespace

driver::driver(listener on_loss) : driver(open_library(), std::move(on_loss)) {}

driver::driver(abi::get_proc_address* find, listener on_loss)
    : listening(std::move(on_loss)), opener(getpid()) {
    find_entries(find);
    call<"cuInit">([] { return "this process"; }, 0u);
}

void driver::find_entries(abi::get_proc_address* find) {
    auto const address = [&](char const* spelling, int version) {
        void* function = nullptr;
        auto found = abi::address_query::not_found;
        auto const result = find(spelling, &function, version, legacy_stream, &found);
        if (result == abi::result::success && function != nullptr &&
            found == abi::address_query::success) {
            return function;
        }
        // The driver's error texts come from functions that are found before this one.
        std::string const subject = std::string(spelling) + " of CUDA " + spelled(version);
        if (result != abi::result::success) fail("cuGetProcAddress", result, subject);
        throw error(error_kind::device, "cuGetProcAddress", subject,
                    "not there: the driver is older than that");
    };
    entries.for_each([&]<class Entry>(Entry& entry) {
        entry.function =
            reinterpret_cast<decltype(entry.function)>(address(Entry::spelling, Entry::version));
    });
}

error driver::error_of(char const* tried, abi::result result, std::string subject) const {
    char const* name = nullptr;
    char const* words = nullptr;
    auto const name_of = entries.function<"cuGetErrorName">();
    auto const words_of = entries.function<"cuGetErrorString">();
    if (name_of == nullptr || name_of(result, &name) != abi::result::success) name = nullptr;
    if (words_of == nullptr || words_of(result, &words) != abi::result::success) words = nullptr;
    std::string reason =
        name ? name : "CUDA error " + std::to_string(static_cast<unsigned>(result));
    if (words != nullptr && *words != '\0') reason += std::string(": ") + words;
    if (getpid() != opener) {
        reason += "; this process was forked after its parent had opened CUDA's driver, which "
                  "works in the parent alone";
    }
    auto const kind = result == abi::result::no_device ? error_kind::not_found : error_kind::device;
    return error(kind, tried, std::move(subject), std::move(reason), /*log=*/{},
                 static_cast<int>(result));
}

void driver::fail(char const* tried, abi::result result, std::string subject) const {
    throw error_of(tried, result, std::move(subject));
}

void driver::lose(char const* tried, abi::result result, std::string subject) const {
    loss_count.fetch_add(1, std::memory_order_relaxed);
    if (listening) listening(error_of(tried, result, std::move(subject)));
}

int driver::version() const {
    int version = 0;
    call<"cuDriverGetVersion">([] { return "the driver"; }, &version);
    return version;
}

int driver::device_count() const {
    int count = 0;
    call<"cuDeviceGetCount">([] { return "this machine"; }, &count);
    return count;
}

device_ref driver::device(int ordinal) const {
    abi::device handle = 0;
    call<"cuDeviceGet">([&] { return "device " + std::to_string(ordinal); }, &handle, ordinal);
    return {*this, handle, ordinal};
}

std::optional<device_ref> driver::owner(abi::pointer address) const {
    int ordinal = 0;
    auto const result = ask<"cuPointerGetAttribute">(
        static_cast<void*>(&ordinal), abi::pointer_attribute::device_ordinal, address);
    if (result == abi::result::invalid_value) return {};
    if (result != abi::result::success) {
        fail("cuPointerGetAttribute", result, "address " + std::to_string(address));
    }
    if (ordinal < 0) return {};
    return device(ordinal);
}

} // namespace spio::cuda
