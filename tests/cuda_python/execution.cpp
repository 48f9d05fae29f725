// Runs kernels on a device and by the interpreter.
// SPDX-License-Identifier: Apache-2.0
//
// A test_kernel is a source text, the kernel's name, its signature and the shapes of a launch. The
// oracle is what the interpreter computes. The host device simulates a GPU on the CPU. A spec is
// what a kernel is compiled from.
//
// The interpreter runs a program of CUDA Python, a statically typed Python, without a compiler.
#include "tests/cuda_python/execution.h"

#include "spio/launch_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

import spio.aot;
import spio.cuda_python;
import spio.host;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;

namespace spio::cuda_python_test {

namespace py = cuda_python;

namespace {

// The kernel of a test, translated for the launch that the test describes.
py::kernel compiled(test_kernel const& test) {
    py::program const program({.name = test.kernel + ".py", .text = test.text});
    // Products are not fused with sums: the interpreter rounds each operation.
    return program.compile(
        test.kernel, test.signature,
        {.has_floor_division = test.has_floor_division, .has_fused_products = false});
}

// A runtime for the GPU or the host device, opened once each.
runtime const& runtime_of(target target) {
    auto const open = [](bool is_host) {
        runtime_options options;
        options.always_on_host = is_host;
        if (is_host) options.host = {host::allocate, host::release, host::encode, host::find};
        return runtime(std::move(options));
    };
    if (target == target::gpu) {
        static runtime const gpu = open(false);
        return gpu;
    }
    static runtime const host = open(true);
    return host;
}

using bytes = std::vector<unsigned char>;

// The arrays of a launch, and its parameters with pointers to them.
struct arguments {
    std::vector<bytes> arrays;
    bytes params;
    std::vector<std::size_t> offsets; // of the pointers
};

// Overwrites the bytes at an offset with a number.
template <class T> void put(bytes& destination, std::size_t offset, T value) {
    std::memcpy(destination.data() + offset, &value, sizeof value);
}

// Stores a number as an element of type T.
template <class T> void put_number(bytes& destination, std::size_t offset, double value) {
    put(destination, offset, static_cast<T>(value));
}

// Numbers between 1 and 2, for programs that compute something: no logarithm, root or quotient of
// them overflows. Integers, which the examples only store, are 0.
bytes plain_values(std::string const& type, std::size_t count, int number) {
    bytes result;
    std::mt19937 random(static_cast<unsigned>(number) + 1);
    for (std::size_t i = 0; i < count; ++i) {
        auto const value = 1 + static_cast<double>(random()) / 0x1p32;
        bytes raw(8);
        if (type == "float32") {
            raw.resize(4);
            put_number<float>(raw, 0, value);
        } else if (type == "float64") {
            put_number<double>(raw, 0, value);
        } else {
            raw.resize(2);
        }
        result.insert(result.end(), raw.begin(), raw.end());
    }
    return result;
}

// Writes the scalar parameter that is the `number`-th of its kind to the parameters of a launch: a
// number of the test, or else the fourth value of interest, which is 3 for an integer and -1 for a
// real.
void put_scalar(test_kernel const& test, py::parameter const& parameter, std::size_t number,
                bytes& params) {
    auto const& element = parameter.type.element;
    if (test.numbers.empty()) {
        auto const value = values_of_interest(py::name_of(element), /*count=*/4, /*number=*/1);
        std::copy_n(value.end() - static_cast<std::ptrdiff_t>(element.bytes()), element.bytes(),
                    params.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
    } else if (element == py::float32) {
        put_number<float>(params, parameter.offset, test.numbers[number]);
    } else if (element == py::float64) {
        put_number<double>(params, parameter.offset, test.numbers[number]);
    } else {
        put_number<std::int32_t>(params, parameter.offset, test.numbers[number]);
    }
}

// Arrays of the test's shapes, or of a value for each thread, and the parameters.
arguments arguments_for(test_kernel const& test, py::kernel const& kernel) {
    arguments result;
    result.params.resize(kernel.params_bytes);
    std::size_t scalars = 0;
    for (auto const& parameter : kernel.parameters) {
        if (parameter.type.is_number()) {
            put_scalar(test, parameter, scalars++, result.params);
            continue;
        }
        auto const& element = parameter.type.element;
        auto const number = result.arrays.size();
        auto const shape =
            test.shapes.empty() ? std::vector<int>{test.threads} : test.shapes[number];
        auto const rank = shape.size();
        // An array is a pointer, its sizes, and its strides in bytes, 8 bytes each.
        auto stride = static_cast<std::int64_t>(element.bytes());
        for (std::size_t i = rank; i-- > 0; stride *= shape[i]) {
            put(result.params, parameter.offset + 8 + 8 * i, std::int64_t(shape[i]));
            put(result.params, parameter.offset + 8 + 8 * (rank + i), stride);
        }
        auto const count = static_cast<std::size_t>(stride) / element.bytes();
        result.offsets.push_back(parameter.offset);
        result.arrays.push_back(
            test.shapes.empty()
                ? values_of_interest(py::name_of(element), test.threads, static_cast<int>(number))
                : plain_values(py::name_of(element), count, static_cast<int>(number)));
    }
    return result;
}

// `usual` is the size along x if the test names none.
extent extent_of(std::vector<int> const& sizes, int usual) {
    if (sizes.empty()) return {.x = usual};
    return {.x = sizes[0], .y = sizes[1]};
}

// Launches a kernel on a device, and reads the arrays back into the arguments.
void run_on(target target, test_kernel const& test, py::kernel const& kernel, arguments& args) {
    auto const& runtime = runtime_of(target);
    auto const backend = runtime.target_device().shared_backend();
    auto const spec = kernel.specialize(extent_of(test.block, test.threads), runtime.arch());
    auto const image = runtime.all_images().find(spec);
    auto const loaded = backend->load(image);
    auto const queue = backend->make_queue();
    std::vector<std::shared_ptr<void>> memory;
    for (std::size_t i = 0; i < args.arrays.size(); ++i) {
        auto& array = args.arrays[i];
        memory.push_back(backend->allocate(array.size(), kernel.parameters[i].name));
        queue->write(memory.back().get(), std::as_bytes(std::span(array)));
        put(args.params, args.offsets[i], memory.back().get());
    }
    queue->launch(*loaded, spec.over(extent_of(test.grid, /*usual=*/1)), args.params.data());
    for (std::size_t i = 0; i < args.arrays.size(); ++i) {
        queue->read(std::as_writable_bytes(std::span(args.arrays[i])), memory[i].get());
    }
    queue->synchronize();
}

// Runs a kernel by the interpreter, which stores to the arrays of the arguments.
void interpret(test_kernel const& test, py::kernel const& kernel, arguments& args) {
    for (std::size_t i = 0; i < args.arrays.size(); ++i) {
        put(args.params, args.offsets[i], args.arrays[i].data());
    }
    py::interpret(kernel, extent_of(test.grid, /*usual=*/1), extent_of(test.block, test.threads),
                  args.params.data());
}

// Compares the numbers that lie at a and b. Notes the worst relative difference that the tolerance
// admits; sets `differs` if it is greater.
template <class Real>
void compare_reals(unsigned char const* a, unsigned char const* b, double tolerance,
                   comparison& result, bool& differs) {
    Real x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if ((std::isnan(x) && std::isnan(y)) || std::memcmp(a, b, sizeof x) == 0) return;
    auto const difference = std::abs(static_cast<double>(x) - static_cast<double>(y));
    auto const relative = difference / std::max(std::abs(static_cast<double>(y)), 1e-30);
    // A double has 2^29 times the precision of a float, of which half is asked.
    differs = !(relative <= (sizeof(Real) == 4 ? tolerance : tolerance / 0x1p28));
    if (!differs) result.worst = std::max(result.worst, relative);
}

// Whether two elements differ: reals by more than the tolerance, all others at all.
bool differ(py::scalar element, unsigned char const* a, unsigned char const* b, double tolerance,
            comparison& result) {
    bool differs = false;
    auto const real_bytes = element.is_complex() ? element.bytes() / 2 : element.bytes();
    if (!element.is_real() && !element.is_complex()) return std::memcmp(a, b, element.bytes()) != 0;
    for (std::size_t part = 0; part < element.bytes() && !differs; part += real_bytes) {
        if (real_bytes == 4) {
            compare_reals<float>(a + part, b + part, tolerance, result, differs);
        } else {
            compare_reals<double>(a + part, b + part, tolerance, result, differs);
        }
    }
    return differs;
}

std::string hexadecimal(unsigned char const* data, std::size_t size) {
    std::string text = "0x";
    for (std::size_t i = size; i-- > 0;) {
        text += "0123456789abcdef"[data[i] >> 4];
        text += "0123456789abcdef"[data[i] & 15];
    }
    return text;
}

} // namespace

// Runs a kernel on the target and by the interpreter, each on arguments of its own, and compares
// what they wrote.
comparison compare(test_kernel const& test, target target, double tolerance) {
    comparison result;
    auto const kernel = compiled(test);
    auto device = arguments_for(test, kernel), oracle = device;
    run_on(target, test, kernel, device);
    interpret(test, kernel, oracle);
    std::size_t number = 0;
    for (auto const& parameter : kernel.parameters) {
        if (!parameter.type.is_array()) continue;
        auto const& a = device.arrays[number];
        auto const& b = oracle.arrays[number++];
        auto const size = parameter.type.element.bytes();
        for (std::size_t i = 0; i < a.size(); i += size) {
            ++result.elements;
            if (!differ(parameter.type.element, &a[i], &b[i], tolerance, result)) continue;
            if (!result.difference.empty()) continue;
            result.difference = test.kernel + ": " + parameter.name + "[" +
                                std::to_string(i / size) + "], " + py::name_of(parameter.type) +
                                ", is " + hexadecimal(&a[i], size) + " on the device and " +
                                hexadecimal(&b[i], size) + " by the interpreter";
        }
    }
    return result;
}

std::string host_text(std::vector<test_kernel> const& tests) {
    std::vector<spec> specs;
    for (auto const& test : tests) {
        specs.push_back(compiled(test).specialize(/*block=*/{}, host_arch));
    }
    return aot::host_text_of(specs);
}

} // namespace spio::cuda_python_test
