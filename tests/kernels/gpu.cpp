// Runs kernels on a GPU through spio.cuda.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled file of kernels: a cubin or PTX text. Poison is the bytes 0xff that new
// memory is full of; guards are other bytes (0xa5) around each array, which no kernel may change.
#include "gpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

import spio.cuda;
import spio.error;

namespace spio::test {

namespace {

constexpr std::byte poison{0xff};
constexpr std::byte guard{0xa5};

// The device's memory of so many bytes from an address on.
cuda::memory_ref memory_at(void const* pointer, std::size_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(pointer), bytes};
}

// Calls a function that uses the driver; its errors become failures of the device.
template <class F> auto on_device(F f) {
    try {
        return f();
    } catch (error const& e) {
        throw failure(e.what());
    }
}

std::string text_of_image(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string image{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throw failure("cannot read " + file.string());
    return image;
}

} // namespace

// The first GPU of the driver, with a context and a stream for all that tests do.
struct gpu::state {
    cuda::driver driver;
    cuda::device_ref device = driver.device(0);
    cuda::context context{device};
    cuda::stream stream{context};
};

gpu::gpu() : state_(on_device([] { return std::make_unique<state>(); })) {}
gpu::~gpu() = default;

std::string gpu::name() const {
    return on_device([&] { return state_->device.name(); });
}

int gpu::arch() const {
    return on_device([&] {
        auto const [major, minor] = state_->device.capability();
        return 10 * major + minor;
    });
}

int gpu::driver_version() const {
    return on_device([&] { return state_->driver.version(); });
}

// The loaded images of a folder, and the arrays by their address behind the first guard.
struct gpu_device::state {
    struct array {
        std::string name;
        cuda::memory memory;
        std::size_t bytes; // without its guards
    };
    std::vector<cuda::library> libraries;
    std::map<void*, array> arrays;

    void load(cuda::driver const& driver, std::filesystem::path const& file) {
        auto const text = std::make_shared<std::string const>(text_of_image(file));
        // PTX ends with the zero behind the string.
        std::span const bytes(text->c_str(), text->size() + 1);
        libraries.emplace_back(driver, std::as_bytes(bytes), file.string(), text);
    }

    cuda::kernel_ref find(char const* symbol, std::string const& folder) const {
        for (auto const& library : libraries) {
            try {
                return library.kernel(symbol);
            } catch (error const& e) {
                if (e.code() != static_cast<int>(cuda::abi::result::not_found)) throw;
            }
        }
        throw failure("no image in " + folder + " has a kernel " + symbol);
    }
};

gpu_device::gpu_device(gpu const& gpu, std::filesystem::path const& images, memory_kind kind)
    : gpu_(gpu), state_(std::make_unique<state>()), name_(images.filename().string()), kind_(kind) {
    std::smatch parts;
    if (!std::regex_match(name_, parts, std::regex("[a-z_]+-(sm|compute)_(\\d+)(a?)"))) {
        throw failure("a folder of images is called COMPILER-sm_80, say, or COMPILER-compute_80: " +
                      images.string());
    }
    is_ptx_ = parts[1] == "compute";
    arch_ = std::stoi(parts[2]);
    is_chip_specific_ = parts[3] == "a";
    if (!can_run()) return;
    for (auto const& entry : std::filesystem::directory_iterator(images)) {
        auto const extension = entry.path().extension();
        if (extension != ".cubin" && extension != ".ptx") continue;
        on_device([&] { state_->load(gpu_.driver_state().driver, entry.path()); });
    }
    if (state_->libraries.empty()) throw failure("no images in " + images.string());
}

gpu_device::~gpu_device() = default;

// Machine code runs on chips of the same generation that are as new or newer, and code for the
// instructions of one chip on this chip only; PTX runs on every newer chip.
bool gpu_device::can_run() const {
    if (is_chip_specific_) return gpu_.arch() == arch_;
    return gpu_.arch() >= arch_ && (is_ptx_ || gpu_.arch() / 10 == arch_ / 10);
}

void* gpu_device::allocate(std::string const& name, std::size_t bytes) {
    return on_device([&] {
        auto const& [driver, device, context, stream] = gpu_.driver_state();
        std::size_t const total = std::max<std::size_t>(bytes, 1) + 2 * guard_bytes();
        cuda::memory memory(context, total);
        if (kind_ == memory_kind::guarded) {
            fill(stream, memory, guard);
            if (bytes > 0) {
                fill(stream, cuda::memory_ref(memory).part(guard_bytes(), bytes), poison);
            }
            stream.synchronize();
        }
        void* const begin = reinterpret_cast<void*>(memory.address() + guard_bytes());
        state_->arrays.insert_or_assign(begin, state::array{name, std::move(memory), bytes});
        return begin;
    });
}

void gpu_device::release(void* begin) {
    // After a kernel's crash the driver refuses this too, without an exception.
    state_->arrays.erase(begin);
}

void gpu_device::write(void* destination, void const* source, std::size_t bytes) {
    if (bytes == 0) return;
    on_device([&] {
        auto const& stream = gpu_.driver_state().stream;
        copy(stream, memory_at(destination, bytes),
             std::span(static_cast<std::byte const*>(source), bytes));
        stream.synchronize();
    });
}

void gpu_device::read(void* destination, void const* source, std::size_t bytes) {
    if (bytes == 0) return;
    on_device([&] {
        auto const& stream = gpu_.driver_state().stream;
        copy(stream, std::span(static_cast<std::byte*>(destination), bytes),
             memory_at(source, bytes));
        stream.synchronize();
    });
}

tensor_map_words gpu_device::encode(tensor_map_plan const& plan, void* base) {
    // The plan's bounds are its own: the driver reads no memory.
    return on_device(
        [&] { return cuda::encode(gpu_.driver_state().context, plan, memory_at(base, 1)); });
}

void gpu_device::launch(launch_request const& request) {
    on_device([&] {
        auto const& [driver, device, context, stream] = gpu_.driver_state();
        auto const kernel = state_->find(request.symbol, name_);
        if (kernel.first_parameter(context).size != request.params_bytes) {
            throw failure(std::string(request.symbol) + " does not take a parameter of " +
                          std::to_string(request.params_bytes) + " bytes, as the host knows it");
        }
        if (request.shape.shape.shared_bytes > 0) {
            kernel.allow_dynamic_shared(request.shape.shape.shared_bytes, device);
        }
        if (request.shape.shape.cluster.count() > 8) kernel.allow_large_clusters(device);
        void* arguments[] = {const_cast<void*>(request.params)};
        cuda::launch(kernel.load(context), request.shape, stream, arguments);
        stream.synchronize();
    });
    check_guards(request.symbol);
}

void gpu_device::check_guards(char const* symbol) const {
    if (kind_ == memory_kind::bare) return;
    auto const& stream = gpu_.driver_state().stream;
    auto const check = [&](cuda::memory_ref memory, std::string const& side) {
        std::vector<std::byte> bytes(memory.size());
        on_device([&] {
            copy(stream, std::span(bytes), memory);
            stream.synchronize();
        });
        auto const touched = std::ranges::find_if(bytes, [](auto byte) { return byte != guard; });
        if (touched == bytes.end()) return;
        throw failure(std::string(symbol) + " wrote to the guard " + side + ", at byte " +
                      std::to_string(touched - bytes.begin()) + " of it");
    };
    for (auto const& [begin, array] : state_->arrays) {
        cuda::memory_ref const memory = array.memory;
        check(memory.part(0, guard_bytes()), "before " + array.name);
        check(memory.part(guard_bytes() + array.bytes, guard_bytes()), "after " + array.name);
    }
}

} // namespace spio::test
