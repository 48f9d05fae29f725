// Runs kernels on the host device, which simulates a GPU on the processor.
// SPDX-License-Identifier: Apache-2.0
//
// Its launches look for accesses and calls that break a rule of a GPU, such as races. A tensor map
// is the descriptor by which copies find boxes of a tensor. The plan of a tensor map says all but
// its address.
#include "host.h"

#include "sim/arena.h"
#include "sim/launch.h"
#include "sim/tensor_map.h"

#include <cstdint>
#include <cstring>

namespace spio::test {

void* host_device::allocate(std::string const& name, std::size_t bytes) {
    return sim::allocate(bytes, name);
}
void host_device::release(void* begin) { sim::release(begin); }
void host_device::write(void* destination, void const* source, std::size_t bytes) {
    std::memcpy(destination, source, bytes);
}
void host_device::read(void* destination, void const* source, std::size_t bytes) {
    std::memcpy(destination, source, bytes);
}

tensor_map_words host_device::encode(tensor_map_plan const& plan, void* base) {
    auto const rank = static_cast<std::size_t>(plan.rank);
    std::uint64_t sizes[5], strides[5];
    std::uint32_t box[5];
    for (std::size_t i = 0; i < rank; ++i) {
        sizes[i] = static_cast<std::uint64_t>(plan.sizes[i]);
        strides[i] = static_cast<std::uint64_t>(plan.strides[i]);
        box[i] = static_cast<std::uint32_t>(plan.box[i]);
    }
    sim::tensor_map map = {};
    // The encoder takes no stride of the innermost dimension.
    std::string const wrong = map.encode(base, plan.element_bytes, std::span(sizes, rank),
                                         std::span(strides + 1, rank - 1), std::span(box, rank),
                                         static_cast<sim::swizzle_span>(plan.swizzle));
    if (!wrong.empty()) throw failure("the host device makes no tensor map: " + wrong);
    tensor_map_words words = {};
    static_assert(sizeof map <= sizeof words);
    std::memcpy(&words, &map, sizeof map);
    return words;
}

void host_device::launch(launch_request const& request) {
    auto const found =
        sim::launch(request.symbol, request.shape, request.each_thread,
                    {.os_threads = 0, .races = true, .seed = seed_}); // 0: one for each processor
    if (found) throw failure(found.text());
}

} // namespace spio::test
