// Compiles kernels of CUDA Python, shows their text, runs them, and compares with the interpreter.
// SPDX-License-Identifier: Apache-2.0
//
// CUDA Python is a statically typed Python, whose interpreter needs no compiler. A spec is what a
// kernel is compiled from; an image is a compiled kernel. A policy says whether images may be
// compiled at run time. The oracle is the interpreter's result.
module;

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

module spio.command;

import spio.cuda_python;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.system;

namespace spio::command {

namespace {

namespace py = cuda_python;
using bytes = std::vector<std::byte>;

// The kernel that the operands name: a file and a function in it.
py::kernel compile(arguments const& args) {
    std::filesystem::path const path = args.operands[0];
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
        throw failure(exit_status::not_found, "there is no file " + quote(path.string()));
    }
    py::program const program({.name = path.string(), .text = read_file(path)});
    if (args.operands.size() < 2) {
        std::string names;
        for (auto const& name : program.kernels()) names += (names.empty() ? "" : ", ") + name;
        throw failure(exit_status::usage,
                      "name a kernel: the file has " + (names.empty() ? "none" : names));
    }
    return program.compile(args.operands[1], args.value("--signature"),
                           {.has_floor_division = args.has("--floor")});
}

// Calls a function that compiles, and reports errors in the program with their lines.
template <class F> exit_status with_program_errors(io const& io, F f) {
    try {
        return f();
    } catch (py::program_error const& e) {
        io.tell(e.log());
        return exit_status::usage;
    }
}

// Launches a kernel on copies of the arrays, which get its results.
void run_on(runtime const& runtime, spec const& spec, image const& image, python_launch& launch) {
    auto const backend = runtime.target_device().shared_backend();
    auto const loaded = backend->load(image);
    auto const queue = backend->make_queue();
    std::vector<std::shared_ptr<void>> memory;
    for (auto& array : launch.arrays) {
        memory.push_back(backend->allocate(array.data.size(), array.parameter.name));
        queue->write(memory.back().get(), array.data);
        launch.put(array.parameter.offset, memory.back().get());
    }
    launch_shape const shape = {launch.grid,
                                {.block = launch.block, .shared_bytes = spec.shape.shared_bytes}};
    queue->launch(*loaded, shape, launch.params.data());
    for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
        queue->read(launch.arrays[i].data, memory[i].get());
    }
    queue->synchronize();
}

// The elements that differ by more than a device's elementary functions may: a relative error of
// 1e-5 for float, 1e-13 for double.
std::size_t count_differences(python_launch const& a, python_launch const& b) {
    std::size_t differences = 0;
    for (std::size_t k = 0; k < a.arrays.size(); ++k) {
        auto const type = a.arrays[k].parameter.type.element;
        auto const part = type.is_complex() ? type.bytes() / 2 : type.bytes();
        // The float or double at an offset; of a complex number, one of its two.
        auto const number = [&](bytes const& data, std::size_t i) {
            if (part == 4) {
                float x = 0;
                std::memcpy(&x, &data[i], sizeof x);
                return static_cast<double>(x);
            }
            double x = 0;
            std::memcpy(&x, &data[i], sizeof x);
            return x;
        };
        for (std::size_t i = 0; i < a.arrays[k].data.size(); i += part) {
            auto const& x = a.arrays[k].data;
            auto const& y = b.arrays[k].data;
            if (std::equal(&x[i], &x[i] + part, &y[i])) continue;
            // Elementary functions of a GPU and of the host differ in their last digits.
            bool is_near = false;
            if (type.is_real() || type.is_complex()) {
                auto const u = number(x, i), v = number(y, i);
                is_near = (std::isnan(u) && std::isnan(v)) ||
                          (std::isfinite(u) && std::isfinite(v) &&
                           std::abs(u - v) <= (part == 4 ? 1e-5 : 1e-13) * (1 + std::abs(v)));
            }
            differences += is_near ? 0 : 1;
        }
    }
    return differences;
}

exit_status run_kernel(arguments const& args, io const& io) {
    auto const kernel = compile(args);
    auto launch = launch_of(kernel, args);
    auto const policy =
        args.has("--policy") ? policy_named(args.value("--policy")) : policy_of_environment();
    auto const opened = open_runtime(args.value("--device"), policy, read_packs(args, io), io);
    auto const& device = opened.runtime->target_device();
    auto const spec = kernel.specialize(device.arch());
    if (device.arch().is_host && !find_host_image(spec)) add_host_kernels(std::span(&spec, 1), io);
    auto const image = opened.runtime->all_images().find(spec, policy);
    auto oracle = launch;
    run_on(*opened.runtime, spec, image, launch);
    std::size_t differences = 0, elements = 0;
    if (args.has("--check")) {
        for (auto& array : oracle.arrays) oracle.put(array.parameter.offset, array.data.data());
        py::interpret(kernel, launch.grid, launch.block, oracle.params.data());
        differences = count_differences(launch, oracle);
    }
    for (auto const& array : launch.arrays) {
        elements += array.data.size() / array.parameter.type.element.bytes();
    }
    auto const verdict = differences == 0
                             ? format_count(elements, "element") + ", as the interpreter has them"
                             : std::to_string(differences) + " of " +
                                   format_count(elements, "element") +
                                   " are not as the interpreter has them";
    print_result(args, io,
                 json::object({{"kernel", kernel.name},
                               {"signature", kernel.signature},
                               {"device", device.name()},
                               {"symbol", kernel.symbol},
                               {"from", image.made_by},
                               {"checked", args.has("--check") ? json(elements) : json(nullptr)},
                               {"wrong", differences}}),
                 spec.problem + " on " + device.name() + " (" + text_of(device.arch()) +
                     ")\n  image   " + image.symbol + " from " + image.made_by + "\n" +
                     (args.has("--check") ? "  check   " + verdict + "\n" : ""));
    return differences == 0 ? exit_status::success : exit_status::check_failed;
}

} // namespace

exit_status show_python(arguments const& args, io const& io) {
    return with_program_errors(io, [&] {
        auto const kernel = compile(args);
        print_result(args, io,
                     json::object({{"kernel", kernel.name},
                                   {"signature", kernel.signature},
                                   {"symbol", kernel.symbol},
                                   {"params_bytes", kernel.params_bytes},
                                   {"shared_bytes", kernel.shared_bytes},
                                   {"source", kernel.text}}),
                     kernel.text);
        return exit_status::success;
    });
}

subcommand run_python() {
    return {
        .name = "run-python",
        .operands = "FILE KERNEL NAME=VALUE...",
        .summary = "run a kernel of CUDA Python on random data, and check it",
        .details =
            R"(The value of a parameter is a number, or the shape of an array, which gets random numbers.
Without --block and --grid there is a thread for each element of the largest array. --check
compares all arrays with what the interpreter computes. 'spio show FILE KERNEL' prints the
CUDA C++ that is compiled.

  spio run-python axpy.py axpy a=2.5 x=1000 y=1000 --check
  spio run-python matmul.py matmul a=64x64 b=64x64 c=64x64 --block 8x8 --check --device host
)",
        .options = {{"--signature", "TYPES", "if the decorator has none: 'float32, int32[:, :]'"},
                    {"--block", "SIZES", "threads of a block: 256, 16x16"},
                    {"--grid", "SIZES", "blocks"},
                    {"--check", "", "compare the arrays with the interpreter's"},
                    {"--floor", "", "round // and % as Python does"},
                    {"--device", "gpu|gpu:NUMBER|host", "where it runs"},
                    pack_option,
                    {"--policy", "aot_only|generic_then_jit|aot_then_jit|jit_only",
                     "who is asked for images"},
                    {"--seed", "NUMBER", "of the random data; 1 if it is not given"},
                    json_option},
        .least_operands = 2,
        .most_operands = 66,
        .run = [](arguments const& args, io const& io) {
            return with_program_errors(io, [&] { return run_kernel(args, io); });
        }};
}

} // namespace spio::command
