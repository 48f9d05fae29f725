// Draws the arrays of a trial that is set up in a few lines, launches, and compares the results.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a kernel on random data. A setup has its arrays, its kernel, a function that makes
// the kernel's parameters of the arrays, and one that compares the results with exact ones. A
// workbench is the device of a trial.
module;

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

module spio.command;

import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

namespace spio::command {

namespace {

// The bits of the number as a half: what does not fit is truncated, and a number beyond the
// greatest half becomes that.
unsigned short half_bits(double number) {
    constexpr int least_exponent = -14, fraction_bits = 10;
    constexpr unsigned short largest = 0x7bff;
    auto const sign = static_cast<unsigned>(std::signbit(number)) << 15;
    double const size = std::abs(number);
    if (size >= 65504) return static_cast<unsigned short>(sign | largest); // the value of `largest`
    int const exponent = std::max(size > 0 ? std::ilogb(size) : least_exponent, least_exponent);
    // A half is a significand below 2^11 times 2^(exponent - 10). Its bits are this sum: a
    // significand from 2^10 on carries into the bits of the exponent, which count from -14.
    auto const significand = static_cast<unsigned>(std::ldexp(size, fraction_bits - exponent));
    auto const stored_exponent = static_cast<unsigned>(exponent - least_exponent);
    return static_cast<unsigned short>(sign | ((stored_exponent << fraction_bits) + significand));
}
// The number as a bfloat16, truncated likewise: the upper half of the bits of a float.
unsigned short bfloat16_bits(double number) {
    return static_cast<unsigned short>(std::bit_cast<std::uint32_t>(static_cast<float>(number)) >>
                                       16);
}

template <unsigned short (*bits)(double)> void encode_bits(double number, unsigned char* bytes) {
    auto const value = bits(number);
    std::memcpy(bytes, &value, sizeof value);
}
template <layernorm_2d::element_type type> double decode_bits(unsigned char const* bytes) {
    unsigned short bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return layernorm_2d::number_of(bits, type);
}

// The bytes of the arrays of a trial on the host, as a device gets them.
using host_arrays = std::vector<std::vector<unsigned char>>;

// Only the first numbers of an array are drawn, and then repeated, since drawing takes ten times as
// long as copying. Their count is a prime, so that the elements that a kernel might take for one
// another, such as those of two rows, do not hold the same number.
constexpr std::size_t drawn_count = 1'048'573;

std::vector<double> decode_all(number_format const& format,
                               std::vector<unsigned char> const& bytes) {
    std::vector<double> numbers(bytes.size() / format.bytes);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = format.decode(&bytes[i * format.bytes]);
    }
    return numbers;
}

// Draws the numbers of the arrays in their order. Arrays that are not drawn get 0xff bytes, which
// are NaNs.
host_arrays draw(std::vector<array_description> const& descriptions, unsigned seed) {
    host_arrays arrays;
    std::mt19937 random(seed);
    for (auto const& [name, format, count, values, is_written] : descriptions) {
        std::vector<unsigned char> bytes(static_cast<std::size_t>(count.value) * format.bytes,
                                         0xff);
        if (values) {
            std::uniform_real_distribution<float> distribution(values->least, values->most);
            auto const period = std::min(bytes.size(), drawn_count * format.bytes);
            for (std::size_t i = 0; i < period; i += format.bytes) {
                format.encode(distribution(random), &bytes[i]);
            }
            for (std::size_t i = period; i < bytes.size(); i += period) {
                std::memcpy(&bytes[i], bytes.data(), std::min(period, bytes.size() - i));
            }
        }
        arrays.push_back(std::move(bytes));
    }
    return arrays;
}

} // namespace

template <> number_format format_of<half>() {
    return {2, encode_bits<half_bits>, decode_bits<layernorm_2d::element_type::fp16>};
}
template <> number_format format_of<bfloat16>() {
    return {2, encode_bits<bfloat16_bits>, decode_bits<layernorm_2d::element_type::bf16>};
}

trial trial_of(std::string problem, std::shared_ptr<trial_setup const> setup, unsigned seed) {
    if (!setup->compare) {
        throw error(error_kind::internal, "set up", problem,
                    "trial_setup::launch() was not called");
    }
    checked_size bytes_moved = 0;
    for (auto const& array : setup->arrays) {
        int const accesses = array.values.has_value() + array.is_written;
        bytes_moved = bytes_moved + array.count * array.format.bytes * accesses;
    }
    auto const drawn = std::make_shared<host_arrays>();
    auto const prepare = [setup, drawn, seed](workbench& bench) -> prepared_trial {
        auto const& descriptions = setup->arrays;
        if (drawn->empty()) *drawn = draw(descriptions, seed);
        std::vector<array<unsigned char>> uploaded;
        for (std::size_t n = 0; n < descriptions.size(); ++n) {
            uploaded.push_back(bench.upload<unsigned char>((*drawn)[n], descriptions[n].name));
        }
        auto const arrays =
            std::make_shared<device_arrays>(bench.target_device(), std::move(uploaded));
        // The parameters of the launch point to the arrays.
        auto const launch = [arrays, launch = setup->prepare(bench, *arrays)](
                                stream const& stream) { launch(stream); };
        auto const check = [setup, drawn, arrays, launch, &bench](stream const& stream) {
            auto const& descriptions = setup->arrays;
            for (std::size_t n = 0; n < descriptions.size(); ++n) {
                if (descriptions[n].is_written) bench.fill(arrays->all()[n], (*drawn)[n]);
            }
            launch(stream);
            stream.synchronize();
            std::vector<std::vector<double>> inputs(descriptions.size());
            std::vector<std::vector<double>> results(descriptions.size());
            for (std::size_t n = 0; n < descriptions.size(); ++n) {
                inputs[n] = decode_all(descriptions[n].format, (*drawn)[n]);
                if (!descriptions[n].is_written) continue;
                results[n] = decode_all(descriptions[n].format, bench.download(arrays->all()[n]));
            }
            comparison comparison(descriptions, inputs, results);
            setup->compare(comparison);
            return comparison.result();
        };
        return {launch, check};
    };
    return {.problem = std::move(problem),
            .kernels = setup->kernels,
            .bytes_moved = bytes_moved,
            .prepare = prepare};
}

} // namespace spio::command
