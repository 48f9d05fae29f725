// Asks the driver to encode tensor maps.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdint>
#include <string>

module spio.cuda;

namespace spio::cuda {

namespace {

template <class T> std::string listed(T const (&numbers)[5], int rank) {
    std::string text;
    for (int d = 0; d < rank && d < 5; ++d) {
        text += (d == 0 ? "" : " x ") + std::to_string(numbers[d]);
    }
    return text;
}

} // namespace

tensor_map encode(context_ref const& context, tensor_map_plan const& plan, memory_ref memory) {
    auto const for_what = [&] {
        return "a tensor of " + listed(plan.sizes, plan.rank) + " elements of type " +
               std::to_string(static_cast<unsigned>(plan.element)) + ", " +
               listed(plan.strides, plan.rank) + " bytes apart, in boxes of " +
               listed(plan.box, plan.rank) + ", swizzle " +
               std::to_string(static_cast<unsigned>(plan.swizzle));
    };
    if (plan.rank < 1 || plan.rank > 5) {
        throw error("cuTensorMapEncodeTiled", for_what(), "no rank from 1 to 5", "");
    }
    tensor_map map = {};
    call_in<"cuTensorMapEncodeTiled">(context, for_what, static_cast<void*>(&map), plan.element,
                                      static_cast<std::uint32_t>(plan.rank),
                                      reinterpret_cast<void*>(memory.address()), &plan.sizes[0],
                                      &plan.strides[1], &plan.box[0], &plan.steps[0],
                                      plan.interleave, plan.swizzle, plan.promotion, plan.fill);
    return map;
}

} // namespace spio::cuda
