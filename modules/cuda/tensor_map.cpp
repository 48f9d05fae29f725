// Asks the driver to encode tensor maps.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor. Its plan says all but the
// address: sizes, strides, box and swizzle. The promotion is how many bytes the L2 cache fetches at
// a time. call_in<NAME>(context, for_what, …) calls the driver's
// function of that name, and throws an error about the text of for_what() if it fails.
module;

#include "spio/launch_values.h"

#include <algorithm>
#include <cstddef>
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

// A number of bytes and the driver's name for it.
template <class Name> struct named_bytes {
    int bytes;
    Name name;
};

constexpr named_bytes<abi::tensor_element> elements[] = {{1, abi::tensor_element::uint8},
                                                         {2, abi::tensor_element::uint16},
                                                         {4, abi::tensor_element::uint32},
                                                         {8, abi::tensor_element::uint64}};
constexpr named_bytes<abi::tensor_swizzle> swizzles[] = {{0, abi::tensor_swizzle::none},
                                                         {32, abi::tensor_swizzle::bytes_32},
                                                         {64, abi::tensor_swizzle::bytes_64},
                                                         {128, abi::tensor_swizzle::bytes_128}};
constexpr named_bytes<abi::tensor_promotion> promotions[] = {
    {0, abi::tensor_promotion::none},
    {64, abi::tensor_promotion::bytes_64},
    {128, abi::tensor_promotion::bytes_128},
    {256, abi::tensor_promotion::bytes_256}};

// The driver's name for a number of bytes. A number without a name is an error of a plan's subject:
// a map of another number would have a kernel read other cells.
template <class Name, std::size_t Count, class Subject>
Name name_of(int bytes, named_bytes<Name> const (&names)[Count], char const* quantity,
             Subject const& subject) {
    std::string allowed;
    for (std::size_t i = 0; i < Count; ++i) {
        if (names[i].bytes == bytes) return names[i].name;
        allowed += (i == 0 ? "" : i + 1 < Count ? ", " : " or ") + std::to_string(names[i].bytes);
    }
    throw error(error_kind::invalid, "cuTensorMapEncodeTiled", subject(),
                std::string(quantity) + " is " + std::to_string(bytes) + " bytes, and may be " +
                    allowed);
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
    auto const element = name_of(plan.element_bytes, elements, "an element", subject);
    auto const swizzle = name_of(plan.swizzle, swizzles, "the swizzle", subject);
    auto const fetched = name_of(plan.fetched, promotions, "what the L2 cache fetches", subject);
    std::uint64_t sizes[5], strides[5];
    std::uint32_t box[5];
    std::ranges::copy(plan.sizes, sizes);
    std::ranges::copy(plan.strides, strides);
    std::ranges::copy(plan.box, box);
    tensor_map_words words = {};
    // The driver takes no stride for the innermost dimension, whose elements are contiguous.
    call_in<"cuTensorMapEncodeTiled">(context, subject, static_cast<void*>(&words), element,
                                      static_cast<std::uint32_t>(plan.rank),
                                      reinterpret_cast<void*>(memory.address()), &sizes[0],
                                      &strides[1], &box[0], &steps[0], abi::tensor_interleave::none,
                                      swizzle, fetched, abi::tensor_fill::zero);
    return words;
}

} // namespace spio::cuda
