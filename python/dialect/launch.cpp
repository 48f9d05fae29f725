// Launches a kernel: finds it for the types of the arguments, loads it, and passes them.
// SPDX-License-Identifier: Apache-2.0
//
// launch_kernel() has the steps. A specialization is a kernel compiled for arguments of certain
// types, which are compared as codes; a ready kernel is one that is loaded on a device. A machine
// is a device with its streams, either a GPU or the interpreter, which runs kernels on the CPU; a
// place is the number of a GPU, or that of the CPU. A cold kernel is one that is not loaded yet.
#include "kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

import spio.image;
import spio.spec;

namespace spio::dialect {

namespace {

std::size_t count_of(PyObject* tuple) { return static_cast<std::size_t>(PyTuple_Size(tuple)); }

// Has the Python class compile the kernel for arguments of these types. A typed kernel has its
// types from its decorator.
specialization& specialize(PyObject* self, kernel& state, std::vector<std::uint16_t> types) {
    object signature = new_none();
    if (!state.is_typed) {
        std::string names;
        for (auto const code : types)
            names += (names.empty() ? "" : ", ") + name_of(type_of_code(code));
        signature = checked(PyUnicode_FromString(("void(" + names + ")").c_str()));
    }
    auto const method = checked(PyObject_GetAttrString(self, "_specialize"));
    auto const found =
        checked(PyObject_CallFunctionObjArgs(method.get(), signature.get(), nullptr));
    auto const* const program = value_in<dialect::program>(found.get());
    if (program == nullptr) {
        PyErr_SetString(PyExc_TypeError, "_specialize() returns a Program");
        throw python_error();
    }
    if (state.is_typed) {
        types.clear();
        for (auto const& parameter : program->kernel->parameters) {
            types.push_back(code_of(parameter.type));
        }
    }
    return state.specializations.emplace_back(
        specialization{.types = std::move(types), .kernel = program->kernel});
}

// The specialization for the types of these arguments, made by the first call that has them.
specialization& specialization_for(PyObject* self, kernel& state,
                                   std::vector<argument> const& arguments) {
    for (auto& candidate : state.specializations) {
        if (state.is_typed ||
            std::ranges::equal(candidate.types, arguments, {}, {}, &argument::type)) {
            return candidate;
        }
    }
    std::vector<std::uint16_t> types;
    for (auto const& argument : arguments) types.push_back(argument.type);
    return specialize(self, state, std::move(types));
}

// Refuses arguments that are not of the types that the decorator says.
void check_types(specialization const& wanted, std::vector<argument> const& arguments) {
    auto const& parameters = wanted.kernel->parameters;
    auto const refuse = [&](std::string reason) {
        throw error(error_kind::invalid, "launch",
                    wanted.kernel->name + "(" + wanted.kernel->signature + ")", std::move(reason));
    };
    if (parameters.size() != arguments.size()) {
        refuse("it takes " + std::to_string(parameters.size()) + " arguments, and not " +
               std::to_string(arguments.size()));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        bool const is_number = parameters[i].type.is_number() && arguments[i].array == nullptr;
        if (is_number || arguments[i].type == wanted.types[i]) continue;
        refuse("argument '" + parameters[i].name + "' is " +
               name_of(type_of_code(arguments[i].type)) + ", but must be " +
               name_of(parameters[i].type));
    }
}

// Finds or compiles the kernel's image for the device, and loads it.
std::shared_ptr<ready_kernel const> load(machine& home, work_queue& queue,
                                         std::shared_ptr<cuda_python::kernel const> const& kernel) {
    auto const spec = kernel->specialize(home.device().arch());
    if (queue.is_captured()) throw cold_kernel_error(spec.spelled());
    if (home.is_host()) add_interpreted(kernel);
    return home.device().shared_backend()->load(home.runtime->all_images().find(spec));
}

// The kernel as it is loaded on the device, loaded now if this is its first launch there.
std::shared_ptr<ready_kernel const> ready(specialization& wanted, machine& home,
                                          work_queue& queue) {
    for (auto const& [machine, loaded] : wanted.loaded) {
        if (machine == &home) return loaded;
    }
    std::shared_ptr<ready_kernel const> loaded;
    {
        // Compiling takes long.
        auto const kernel = wanted.kernel;
        released_lock const unlocked;
        loaded = load(home, queue, kernel);
    }
    wanted.loaded.emplace_back(&home, loaded);
    return loaded;
}

// Refuses an array that is copied, if a part of it is another argument: a store to one of the two
// copies would be lost.
void check_overlap(specialization const& wanted, std::vector<argument> const& arguments,
                   std::size_t number) {
    auto const& view = *arguments[number].array;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const* const other = arguments[i].array;
        if (other == nullptr || other->is_same(view) || !other->overlaps(view)) continue;
        if (!other->is_writable && !view.is_writable) continue;
        auto const& parameters = wanted.kernel->parameters;
        throw error(error_kind::invalid, "launch", wanted.kernel->name,
                    "arguments '" + parameters[number].name + "' and '" + parameters[i].name +
                        "' are parts of one array in the CPU's memory, and each would be copied: "
                        "pass an array of the device");
    }
}

// Puts the arguments where the kernel takes them. Arrays in the CPU's memory are copied to the
// device; they are added to `copies`.
void write_params(machine& home, work_queue& queue, specialization const& wanted,
                  std::vector<argument> const& arguments, unsigned char* params,
                  std::vector<std::pair<array, array const*>>& copies) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const& [name, type, offset] = wanted.kernel->parameters[i];
        auto* const place = params + offset;
        if (arguments[i].array == nullptr) {
            try {
                put_number(place, type.element, arguments[i].number);
            } catch (error const& e) {
                throw error(e.kind(), "launch",
                            wanted.kernel->name + "(" + wanted.kernel->signature + ")",
                            "argument '" + name + "' " + e.reason());
            }
            continue;
        }
        auto const* view = arguments[i].array;
        bool const is_empty = view->count() == 0; // it is nowhere, and nothing of it is copied
        if (!is_empty && view->place != home.place && view->place != host_place) {
            throw error(error_kind::invalid, "launch", wanted.kernel->name,
                        "argument '" + name + "' is on GPU " + std::to_string(view->place) +
                            ", and the kernel runs on " + home.device().name() +
                            "; cuda.select_device() chooses another");
        }
        auto const is_same = [&](auto const& pair) { return pair.second->is_same(*view); };
        if (auto const found = std::ranges::find_if(copies, is_same); found != copies.end()) {
            view = &found->first; // an array that is passed twice has one copy
        } else if (!is_empty && view->place == host_place &&
                   (!home.is_host() || !view->is_writable)) {
            check_overlap(wanted, arguments, i);
            auto copied = new_array(home, *view);
            copy(queue, copied, *view);
            copies.emplace_back(std::move(copied), view);
            view = &copies.back().first;
        }
        std::memcpy(place, &view->address, sizeof view->address);
        auto const bytes = sizeof(std::int64_t) * static_cast<std::size_t>(view->rank);
        std::memcpy(place + 8, view->shape.data(), bytes);
        std::memcpy(place + 8 + bytes, view->strides.data(), bytes);
    }
}

} // namespace

// Reads the arguments, finds and loads the kernel for their types, writes its parameters and
// launches it. Arrays that were copied to the device are copied back, for which the call waits.
void launch_kernel(launch const& launch, PyObject* tuple) {
    auto* const self = launch.kernel.get();
    auto& state = value_of<kernel>(self);
    std::optional<void*> handle;
    if (launch.stream) handle = launch.stream->handle;
    auto& home = launch.stream ? *launch.stream->home : current_machine();

    // Other threads may call the kernel while this one waits: the memory is this call's for so
    // long.
    auto arguments = std::exchange(state.spare, {});
    arguments.clear();
    auto const count = count_of(tuple);
    arguments.resize(count);
    // Tensors whose library has a current stream come first, so that the others wait for it.
    for (bool const has_stream : {true, false}) {
        for (std::size_t i = 0; i < count; ++i) {
            auto* const item = PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(i));
            if (has_current_stream(item) == has_stream) {
                arguments[i] = argument_of(item, home, handle);
            }
        }
    }
    for (auto& argument : arguments) {
        if (argument.view) argument.array = &*argument.view;
    }
    auto& wanted = specialization_for(self, state, arguments);
    check_types(wanted, arguments);
    auto& queue = home.queue(handle.value_or(nullptr));
    auto const loaded = ready(wanted, home, queue);

    std::array<std::uint64_t, 512> few; // parameters alone are read
    std::vector<std::uint64_t> many(
        wanted.kernel->params_bytes > sizeof few ? wanted.kernel->params_bytes / 8 + 1 : 0);
    auto* const params = reinterpret_cast<unsigned char*>(many.empty() ? few.data() : many.data());
    std::vector<std::pair<array, array const*>> copies;
    copies.reserve(arguments.size()); // pointers into it stay
    write_params(home, queue, wanted, arguments, params, copies);
    launch_shape const shape = {
        launch.grid, {.block = launch.block, .shared_bytes = wanted.kernel->shared_bytes}};
    if (home.is_host() || !copies.empty()) {
        released_lock const unlocked;
        queue.launch(*loaded, shape, params);
        for (auto const& [copied, view] : copies) {
            if (view->is_writable) copy(queue, *view, copied);
        }
        queue.synchronize();
    } else {
        queue.launch(*loaded, shape, params);
    }
    arguments.clear();
    state.spare = std::move(arguments);
}

} // namespace spio::dialect
