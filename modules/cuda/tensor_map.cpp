// Asks the driver to encode tensor maps.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor. Its plan says all but the
// address: sizes, strides, box and swizzle. call_in<NAME>(context, for_what, …) calls the driver's
// function of that name, and throws an error about the text of for_what() if it fails.
module;

#include "spio/launch_values.h"

#include <algorithm>
#include <cstdint>
#include <string>

module spio.cuda;

namespace spio::cuda {

namespace {

constexpr std::uint32_t steps[5] = {1, 1, 1, 1, 1};

// The first numbers of a list as text: 64 x 32.
template <class T> std::string list_text(T const (&numbers)[5], int rank) {
    std::string text;
    for (int d = 0; d < rank && d < 5; ++d) {
        text += (d == 0 ? "" : " x ") + std::to_string(numbers[d]);
    }
    return text;
}

// The driver's names of an element's size, a swizzle's span and a fetch's size, all in bytes.
abi::tensor_element element_of(int bytes) {
    using enum abi::tensor_element;
    return bytes == 8 ? uint64 : bytes == 4 ? uint32 : bytes == 2 ? uint16 : uint8;
}
// The swizzle of lines of so many bytes.
abi::tensor_swizzle swizzle_of(int bytes) {
    using enum abi::tensor_swizzle;
    return bytes == 128 ? bytes_128 : bytes == 64 ? bytes_64 : bytes == 32 ? bytes_32 : none;
}
// The promotion: how many bytes the L2 cache fetches at a time.
abi::tensor_promotion promotion_of(int bytes) {
    using enum abi::tensor_promotion;
    return bytes == 256 ? bytes_256 : bytes == 128 ? bytes_128 : bytes == 64 ? bytes_64 : none;
}

} // namespace

tensor_map_words encode(context_ref const& context, tensor_map_plan const& plan,
                        memory_ref memory) {
    auto const subject = [&] {
        return "a tensor of " + list_text(plan.sizes, plan.rank) + " elements of " +
               std::to_string(plan.element_bytes) + " bytes, " +
               list_text(plan.strides, plan.rank) + " bytes apart, in boxes of " +
               list_text(plan.box, plan.rank) + ", swizzle " + std::to_string(plan.swizzle);
    };
    if (plan.rank < 1 || plan.rank > 5) {
        throw error(error_kind::invalid, "cuTensorMapEncodeTiled", subject(),
                    "no rank from 1 to 5");
    }
    std::uint64_t sizes[5], strides[5];
    std::uint32_t box[5];
    std::ranges::copy(plan.sizes, sizes);
    std::ranges::copy(plan.strides, strides);
    std::ranges::copy(plan.box, box);
    tensor_map_words words = {};
    // The driver takes no stride for the innermost dimension, whose elements are contiguous.
    call_in<"cuTensorMapEncodeTiled">(
        context, subject, static_cast<void*>(&words), element_of(plan.element_bytes),
        static_cast<std::uint32_t>(plan.rank), reinterpret_cast<void*>(memory.address()), &sizes[0],
        &strides[1], &box[0], &steps[0], abi::tensor_interleave::none, swizzle_of(plan.swizzle),
        promotion_of(plan.fetched), abi::tensor_fill::zero);
    return words;
}

} // namespace spio::cuda
