// The state of the fake of CUDA's driver: the objects on its GPUs, and the call that fails.
// SPDX-License-Identifier: Apache-2.0
//
// A fault is the one call of the driver that is made to fail; an object has what is behind a
// handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fake {

// What a handle stands for.
enum class kind { context, stream, event, graph, executable, library, kernel, function, memory };

struct object {
    fake::kind kind;
    int device = -1;
    std::size_t bytes = 0;
    std::string name = {};
    // What a graph, or a stream that is captured, will do.
    std::vector<std::function<void()>> work = {};
    bool capturing = false;
    std::thread::id captured_by = {}; // none: by every thread
    bool invalidated = false;
    bool loaded = false;
    int dynamic_shared = 48 * 1024;
    bool allows_large_clusters = false; // of more than 8 blocks
    double recorded = 0;                // the clock of the machine when an event was recorded
    std::vector<std::uintptr_t> children = {};
    std::vector<unsigned char> storage = {};
};

// The call that fails, counted from 0; with has_effect it does its work and fails all the same.
struct fault {
    long call = -1;
    unsigned code = 0;
    bool has_effect = false;
};

struct machine {
    static constexpr int devices = 2;

    std::mutex mutex;
    std::map<std::uintptr_t, object> objects;
    int counted = devices;      // the answer of cuDeviceGetCount
    std::string name = "Fake "; // of each device, before its number
    int retained[devices] = {};
    int driver_version = 13000;
    int major = 9; // of the capability of its GPUs
    // A driver that is too old may have a function of the name, which takes other arguments.
    bool has_stubs = false;
    // Added to every result, so that a test sees a kernel that computes wrong sums.
    float deviation = 0;
    // In milliseconds. If milliseconds_of_kernel is set, each kernel that runs moves the clock on
    // by its time, also in a graph; otherwise any two events are half a millisecond apart.
    double clock = 0;
    std::function<double(std::string const&)> milliseconds_of_kernel;
    bool are_events_late = false; // no event is passed yet
    std::string request;          // the arguments of the last launch, or of what was made last
    std::size_t copied_bytes = 0; // by the last copy on the device
    // The size of the parameters of a kernel with this name; that of an addition if it is not set.
    std::function<std::size_t(std::string const&)> params_bytes;

    fake::fault fault;
    std::vector<char const*> calls;
    char const* failed = nullptr;

    // A new handle; that of memory is its address.
    std::uintptr_t add(object o) {
        o.storage.resize(o.bytes + (o.bytes == 0));
        auto const handle = reinterpret_cast<std::uintptr_t>(o.storage.data());
        objects.emplace(handle, std::move(o));
        return handle;
    }
    // The object of this kind with this handle, or null.
    object* find(kind kind, void const* handle) {
        auto const found = objects.find(reinterpret_cast<std::uintptr_t>(handle));
        return found == objects.end() || found->second.kind != kind ? nullptr : &found->second;
    }
    bool remove(kind kind, void const* handle) {
        object* const found = find(kind, handle);
        if (found == nullptr) return false;
        for (auto child : std::vector(found->children)) objects.erase(child);
        objects.erase(reinterpret_cast<std::uintptr_t>(handle));
        return true;
    }
    // The memory that an address lies in, or null.
    object const* memory_with(std::uintptr_t address) const {
        auto next = objects.upper_bound(address);
        if (next == objects.begin()) return nullptr;
        auto const& [first, o] = *--next;
        return o.kind == kind::memory && address < first + o.bytes ? &o : nullptr;
    }
    // Whether `bytes` bytes from an address on lie in one allocation.
    bool holds(std::uintptr_t address, std::size_t bytes) const {
        auto next = objects.upper_bound(address);
        if (next == objects.begin()) return false;
        auto const& [first, o] = *--next;
        return o.kind == kind::memory && address + bytes <= first + o.bytes;
    }
    // A call that is forbidden during a capture invalidates the captures that see this thread.
    bool ends_captures() {
        bool any = false;
        for (auto& [handle, o] : objects) {
            bool const is_hit =
                o.captured_by == std::thread::id() || o.captured_by == std::this_thread::get_id();
            if (!o.capturing || !is_hit) continue;
            o.invalidated = true;
            any = true;
        }
        return any;
    }

    // Counts a call of a function of the driver, and returns whether it is the one that fails.
    bool fails(char const* entry) {
        bool const is_fault = static_cast<long>(calls.size()) == fault.call;
        calls.push_back(entry);
        if (is_fault) failed = entry;
        return is_fault;
    }
    // Makes the next fault be this one, and forgets all calls.
    void expect(fake::fault next) {
        fault = next;
        calls.clear();
        failed = nullptr;
    }
};

inline machine& the_machine() {
    static machine instance;
    return instance;
}

// The contexts that a thread has entered.
inline thread_local std::vector<std::uintptr_t> entered;
// The mode in which captures of other threads bind a thread; 0 is the strictest.
inline thread_local unsigned capture_mode = 0;

} // namespace fake
