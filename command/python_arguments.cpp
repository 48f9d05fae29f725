// Reads the arguments of a kernel of CUDA Python from words, and makes random arrays.
// SPDX-License-Identifier: Apache-2.0
//
// The words are NAME=VALUE: a number, or the sizes of an array, such as 640 or 64x64. A kernel
// takes its parameters as one struct of bytes: a number lies at its offset; an array is an address,
// then its extents and then its strides in bytes, 8 bytes each.
module;

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

import spio.cuda_python;
import spio.spec;

namespace spio::command {

namespace {

namespace py = cuda_python;
using bytes = std::vector<std::byte>;

// What CUDA allows along x, y and z.
constexpr std::array<unsigned, 3> most_threads = {1024, 1024, 64};
constexpr std::array<unsigned, 3> most_blocks = {(1U << 31) - 1, 65535, 65535};
constexpr std::size_t most_bytes = std::size_t(1) << 31; // of all arrays

// "640", "64x64": positive numbers.
std::vector<unsigned> sizes_of(std::string_view text, std::string const& name) {
    std::vector<unsigned> sizes;
    while (true) {
        auto const end = std::min(text.find('x'), text.size());
        sizes.push_back(parse_number(text.substr(0, end), name));
        if (sizes.back() == 0 || sizes.back() > most_blocks[0]) {
            throw failure(exit_status::usage, name + " has a size that is 0 or too large");
        }
        if (end == text.size()) return sizes;
        text.remove_prefix(end + 1);
    }
}

// The sizes of a grid or a block, each of which must not be above its limit.
extent extent_of(std::vector<unsigned> const& sizes, std::array<unsigned, 3> const& most,
                 std::string const& name) {
    if (sizes.size() > 3) throw failure(exit_status::usage, name + " has more than 3 sizes");
    extent result;
    int* const parts[] = {&result.x, &result.y, &result.z};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] > most[i]) {
            throw failure(exit_status::usage, name + " is " + std::to_string(sizes[i]) + " along " +
                                                  "xyz"[i] + ", but must be at most " +
                                                  std::to_string(most[i]));
        }
        *parts[i] = static_cast<int>(sizes[i]);
    }
    return result;
}

// Whether a parameter of the type can have this value. Floats round it; integers and bool take it
// as it is.
bool has_value(py::scalar type, double number) {
    if (type.is_boolean()) return number == 0 || number == 1;
    if (type.is_integer()) {
        bool const is_signed = type.kind == py::kind::signed_integer;
        double const limit = std::ldexp(1.0, is_signed ? type.bits - 1 : type.bits);
        return number == std::trunc(number) && number >= (is_signed ? -limit : 0) && number < limit;
    }
    bool const is_single = type == py::float32 || type == py::complex64;
    double const limit =
        is_single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    return std::isnan(number) || std::abs(number) <= limit;
}

// Writes a value as a number of the type. A complex number gets it as its real part.
void put_number(std::byte* place, py::scalar type, double value) {
    auto const put = [&](auto number) { std::memcpy(place, &number, sizeof number); };
    if (type == py::float32) return put(static_cast<float>(value));
    if (type == py::float64) return put(value);
    if (type.is_complex()) {
        put_number(place, {py::kind::real, type.bits / 2}, value);
        return put_number(place + type.bytes() / 2, {py::kind::real, type.bits / 2}, 0);
    }
    auto const integer =
        value < 0 ? static_cast<std::uint64_t>(std::int64_t(value)) : std::uint64_t(value);
    std::memcpy(place, &integer, type.bytes());
}

// Random elements: whole numbers below 10, truth values, or numbers from 1 to 2.
bytes random_numbers(py::scalar type, std::size_t count, std::mt19937& random) {
    bytes data(count * type.bytes());
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_whole = type.is_integer() || type.is_boolean();
        auto const number = random();
        put_number(&data[i * type.bytes()], type,
                   is_whole ? number % (type.is_boolean() ? 2 : 10) : 1 + number / 0x1p32);
    }
    return data;
}

// The words behind the file and the kernel, by their names.
std::map<std::string, std::string> named_values(arguments const& args) {
    std::map<std::string, std::string> values;
    for (auto const& word : std::span(args.operands).subspan(2)) {
        auto const equals = std::min(word.find('='), word.size());
        if (equals == word.size() ||
            !values.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
            throw failure(exit_status::usage,
                          quote(word) + " is no NAME=VALUE, or its name is given twice");
        }
    }
    return values;
}

// The struct of parameters but for addresses, and the arrays to be passed.
python_launch arguments_for(arguments const& args, py::kernel const& kernel) {
    python_launch result;
    result.params.resize(kernel.params_bytes);
    std::mt19937 random(args.number("--seed", "1"));
    auto values = named_values(args);
    std::size_t total = 0;
    for (auto const& parameter : kernel.parameters) {
        auto const found = values.extract(parameter.name);
        if (!found) {
            throw failure(exit_status::usage,
                          quote(parameter.name) + " is missing: it is " + name_of(parameter.type));
        }
        auto const& text = found.mapped();
        auto const& type = parameter.type;
        if (type.is_number()) {
            char* end = nullptr;
            double const number = std::strtod(text.c_str(), &end);
            if (text.empty() || *end != '\0') {
                throw failure(exit_status::usage, quote(text) + " is no " + name_of(type));
            }
            if (!has_value(type.element, number)) {
                throw failure(exit_status::usage, parameter.name + " is " + quote(text) +
                                                      ", which is not a value of " + name_of(type));
            }
            put_number(&result.params[parameter.offset], type.element, number);
            continue;
        }
        auto shape = sizes_of(text, parameter.name);
        if (shape.size() != static_cast<std::size_t>(type.rank)) {
            throw failure(exit_status::usage, parameter.name + " is " + name_of(type) + ", and " +
                                                  quote(text) + " are " +
                                                  format_count(shape.size(), "size"));
        }
        auto stride = type.element.bytes();
        for (std::size_t i = shape.size(); i-- > 0;) {
            auto const place = parameter.offset + 8 + 8 * i;
            result.put(place, std::int64_t(shape[i]));
            result.put(place + 8 * shape.size(), static_cast<std::int64_t>(stride));
            stride *= shape[i];
            if (stride > most_bytes - total) {
                throw failure(exit_status::usage,
                              parameter.name + " is too large to try: the arrays have more than " +
                                  std::to_string(most_bytes) + " bytes");
            }
        }
        total += stride;
        result.arrays.push_back(
            {parameter, std::move(shape),
             random_numbers(type.element, stride / type.element.bytes(), random)});
    }
    if (!values.empty()) {
        throw failure(exit_status::usage, "there is no parameter " + quote(values.begin()->first));
    }
    return result;
}

// A thread for each element of the largest array, unless the call says otherwise.
void choose_shape(arguments const& args, python_launch& launch) {
    std::vector<unsigned> most = {1};
    for (auto const& array : launch.arrays) {
        auto const size = [](std::vector<unsigned> const& shape) {
            double product = 1;
            for (auto const extent : shape) product *= extent;
            return product;
        };
        if (size(array.shape) > size(most)) most = array.shape;
    }
    bool const is_flat = most.size() == 1;
    launch.block = extent_of(sizes_of(args.value("--block", is_flat ? "256" : "16x16"), "--block"),
                             most_threads, "--block");
    if (launch.block.count() > 1024) {
        throw failure(exit_status::usage, "--block has more than 1024 threads");
    }
    auto const blocks = [](unsigned size, int threads) {
        return (size + static_cast<unsigned>(threads) - 1) / static_cast<unsigned>(threads);
    };
    std::vector<unsigned> grid = {blocks(most.back(), launch.block.x)};
    if (!is_flat) grid.push_back(blocks(most[most.size() - 2], launch.block.y));
    if (args.has("--grid")) grid = sizes_of(args.value("--grid"), "--grid");
    launch.grid = extent_of(grid, most_blocks, "--grid");
}

} // namespace

python_launch launch_of(py::kernel const& kernel, arguments const& args) {
    auto launch = arguments_for(args, kernel);
    choose_shape(args, launch);
    return launch;
}

} // namespace spio::command
