// Opens devices, each when it is first needed, and streams.
// SPDX-License-Identifier: Apache-2.0
//
// A machine is a device with its streams: a GPU, or the interpreter, which runs kernels of CUDA
// Python on the CPU. A place is the number of a GPU, or host_place for the interpreter. A pack is a
// file of compiled kernels, a runtime finds, compiles and loads kernels for its device. guarded()
// runs a function for Python and passes its errors on. A spec is what a kernel is compiled from.
#include "machine.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

import spio.aot;
import spio.image;
import spio.spec;

namespace spio::dialect {

namespace {

// The kernels that the interpreter can run. The runtime of the interpreter finds them by their
// symbol, as it would find compiled images.
struct interpreted_kernels {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<cuda_python::kernel const>> by_symbol;
};
interpreted_kernels& interpreted() {
    static auto& kernels = *new interpreted_kernels();
    return kernels;
}

// The image of a kernel that is interpreted on the CPU, if this spec has one.
std::optional<image> find_interpreted(spec const& spec) {
    auto& kernels = interpreted();
    std::lock_guard const lock(kernels.mutex);
    auto const found = kernels.by_symbol.find(spec.symbol);
    if (found == kernels.by_symbol.end()) return {};
    return image{.symbol = spec.symbol,
                 .line = spec.line(),
                 .arch = host_arch,
                 .made_by = "the interpreter",
                 .kind = image_kind::host,
                 .run =
                     [kernel = found->second](launch_shape const& shape, void const* params) {
                         cuda_python::interpret(*kernel, shape.grid, shape.shape.block, params);
                         return std::string();
                     },
                 .shape = spec.shape,
                 .params_bytes = spec.params_bytes};
}

void* allocate(std::size_t bytes, std::string name) {
    if (auto* const memory = std::calloc(bytes > 0 ? bytes : 1, 1)) return memory;
    throw error(error_kind::device, "allocate", std::move(name),
                "there is no memory for " + std::to_string(bytes) + " bytes");
}
void free_memory(void* memory) noexcept { std::free(memory); }

// The packs that devices are opened with.
std::vector<aot::pack>& packs() {
    static auto& list = *new std::vector<aot::pack>();
    return list;
}
bool has_opened = false;

// Opens a GPU, or the interpreter as a runtime of the host device whose kernels are interpreted.
std::unique_ptr<machine> open(int place) {
    has_opened = true;
    auto result = std::make_unique<machine>();
    result->place = place;
    runtime_options options = {.packs = packs()};
    if (place == host_place) {
        options.host =
            host_machine{.allocate = allocate, .release = free_memory, .find = find_interpreted};
        options.always_on_host = true;
    } else {
        result->driver.emplace();
        result->context.emplace(result->driver->device(place));
        options.gpu = place;
        options.driver = &*result->driver;
    }
    result->runtime = std::make_unique<spio::runtime>(std::move(options));
    return result;
}

int gpu_count() {
    try {
        return cuda::driver().device_count();
    } catch (error const& e) {
        if (e.kind() != error_kind::not_found) throw;
        return 0;
    }
}

std::optional<int> selected;

// select_device(number, or None for the interpreter) returns the name of the device.
PyObject* select_device(PyObject*, PyObject* number) {
    return guarded([&] {
        int place = host_place;
        if (number != Py_None) {
            auto const wanted = PyLong_AsLong(number);
            if (wanted == -1 && PyErr_Occurred() != nullptr) throw python_error();
            auto const count = gpu_count();
            if (wanted < 0 || wanted >= std::max(count, 1)) {
                throw error(error_kind::not_found, "select", "device " + std::to_string(wanted),
                            "the driver has " + std::to_string(count) + " GPUs");
            }
            if (count > 0) place = static_cast<int>(wanted);
        }
        auto const name = machine_at(place).device().name();
        selected = place;
        return checked(
            PyUnicode_FromString(place == host_place ? "the interpreter" : name.c_str()));
    });
}

// current_device() returns its number, or -1 for the interpreter.
PyObject* current_device(PyObject*, PyObject*) {
    return guarded([&] { return checked(PyLong_FromLong(current_machine().place)); });
}

// synchronize() waits for all work of the current device.
PyObject* synchronize(PyObject*, PyObject*) {
    return guarded([] {
        auto& machine = current_machine();
        released_lock const unlocked;
        if (machine.context) machine.context->synchronize();
    });
}

// use_pack(file): its kernels are taken before any is compiled.
PyObject* use_pack(PyObject*, PyObject* path) {
    return guarded([&] {
        auto const* const name = PyUnicode_AsUTF8AndSize(path, nullptr);
        if (name == nullptr) throw python_error();
        if (has_opened) {
            throw error(error_kind::invalid, "use", std::string("pack ") + name,
                        "packs are named before the first kernel is launched");
        }
        packs().push_back(aot::pack::read(name));
    });
}

// new_stream(handle, or None for a stream of its own)
PyObject* new_stream(PyObject*, PyObject* handle) {
    return guarded([&] {
        auto& machine = current_machine();
        if (handle != Py_None) {
            auto* const address = PyLong_AsVoidPtr(handle);
            if (PyErr_Occurred() != nullptr) throw python_error();
            return new_object(stream{&machine, address, nullptr});
        }
        if (machine.is_host()) return new_object(stream{&machine, nullptr, nullptr});
        auto owner = std::make_shared<cuda::stream const>(*machine.context);
        auto* const address = cuda::stream_ref(*owner).handle();
        return new_object(stream{&machine, address, std::move(owner)});
    });
}

PyObject* synchronize_stream(PyObject* self, PyObject*) {
    return guarded([&] {
        auto const& [machine, handle, owner] = value_of<stream>(self);
        auto& queue = machine->queue(handle);
        released_lock const unlocked;
        queue.synchronize();
    });
}

PyObject* handle_of_stream(PyObject* self, void*) {
    return guarded([&] { return checked(PyLong_FromVoidPtr(value_of<stream>(self).handle)); });
}

// The protocol by which libraries pass streams: the number of its version, and the handle.
PyObject* stream_protocol(PyObject* self, PyObject*) {
    return guarded([&] {
        auto const handle = checked(PyLong_FromVoidPtr(value_of<stream>(self).handle));
        return checked(Py_BuildValue("(iO)", 0, handle.get()));
    });
}

PyMethodDef functions[] = {
    {"select_device", select_device, METH_O, nullptr},
    {"current_device", current_device, METH_NOARGS, nullptr},
    {"synchronize", synchronize, METH_NOARGS, nullptr},
    {"use_pack", use_pack, METH_O, nullptr},
    {"new_stream", new_stream, METH_O, nullptr},
    {},
};
PyMethodDef stream_methods[] = {
    {"synchronize", synchronize_stream, METH_NOARGS, "Waits for all work of the stream."},
    {"__cuda_stream__", stream_protocol, METH_NOARGS, nullptr},
    {},
};
PyGetSetDef stream_members[] = {
    {"handle", handle_of_stream, nullptr, "The CUstream as a number.", nullptr},
    {},
};
PyType_Slot stream_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(release<stream>)},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_members},
    {},
};

} // namespace

work_queue& machine::queue(void* handle) {
    auto& slot = queues[handle];
    if (!slot) {
        auto const& backend = device().shared_backend();
        slot = is_host() ? backend->make_queue() : backend->borrow_queue(handle);
    }
    return *slot;
}

machine& machine_at(int place) {
    static auto& machines = *new std::map<int, std::unique_ptr<machine>>();
    auto& slot = machines[place];
    if (!slot) slot = open(place);
    return *slot;
}

machine& current_machine() {
    if (!selected) {
        auto const place = gpu_count() > 0 ? 0 : host_place;
        machine_at(place);
        selected = place;
    }
    static int place = host_place - 1;
    static machine* latest = nullptr;
    if (place != *selected) {
        latest = &machine_at(*selected);
        place = *selected;
    }
    return *latest;
}

int place_of(void const* address) {
    static auto const& driver = *new cuda::driver();
    auto const number = reinterpret_cast<cuda::abi::pointer>(address);
    if (auto const owner = driver.owner(number)) return owner->ordinal();
    throw error(error_kind::invalid, "take", "an array with __cuda_array_interface__",
                "its address " + std::to_string(number) + " is in the memory of no GPU");
}

void add_interpreted(std::shared_ptr<cuda_python::kernel const> const& kernel) {
    auto& kernels = interpreted();
    std::lock_guard const lock(kernels.mutex);
    kernels.by_symbol.insert_or_assign(kernel->symbol, kernel);
}

stream stream_of(PyObject* argument) {
    if (auto const* const own = value_in<stream>(argument)) return *own;
    auto const number_in = [](PyObject* number) {
        auto* const handle = PyLong_AsVoidPtr(number);
        if (PyErr_Occurred() != nullptr) throw python_error();
        return stream{&current_machine(), handle, nullptr};
    };
    if (PyLong_Check(argument)) return number_in(argument);
    // PyTorch's streams have the first, the protocol of CUDA's libraries is the second.
    if (object const number(PyObject_GetAttrString(argument, "cuda_stream")); number) {
        return number_in(number.get());
    }
    PyErr_Clear();
    auto const method = checked(PyObject_GetAttrString(argument, "__cuda_stream__"));
    auto const pair = checked(PyObject_CallNoArgs(method.get()));
    auto const number = checked(PySequence_GetItem(pair.get(), 1));
    return number_in(number.get());
}

void add_devices(PyObject* module) {
    if (PyModule_AddFunctions(module, functions) != 0) throw python_error();
    add_type<stream>(module, "spio.dialect.Stream", stream_slots, no_constructor);
}

} // namespace spio::dialect
