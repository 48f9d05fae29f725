// Tensor maps: what the copy engine of a device must know of a tensor.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>

export module spio.cuda:tensor_map;

import :abi;
import :device;
import :memory;

export namespace spio::cuda {

// The engine's view of a tensor and of a box in it, innermost dimension first. Sizes, boxes and
// steps are in elements; strides in bytes, and the first is that of an element, which the engine
// takes for granted.
struct tensor_map_plan {
    abi::tensor_element element = {};
    int rank = 0;
    std::uint64_t sizes[5] = {};
    std::uint64_t strides[5] = {};
    std::uint32_t box[5] = {};
    std::uint32_t steps[5] = {1, 1, 1, 1, 1};
    abi::tensor_interleave interleave = abi::tensor_interleave::none;
    abi::tensor_swizzle swizzle = abi::tensor_swizzle::none;
    abi::tensor_promotion promotion = abi::tensor_promotion::none;
    abi::tensor_fill fill = abi::tensor_fill::zero;
};

// A parameter of a kernel, to be passed by value.
struct alignas(64) tensor_map {
    std::uint64_t words[16];
};

tensor_map encode(context_ref const&, tensor_map_plan const&, memory_ref);

} // namespace spio::cuda
