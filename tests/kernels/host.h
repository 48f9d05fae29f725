// The host device, which simulates a GPU on the processor, as a device of tests.
// SPDX-License-Identifier: Apache-2.0
//
// Its launches look for accesses and calls that break a rule of a GPU, and throw a failure for one.
// A tensor map is the descriptor by which copies find boxes of a tensor. The plan of a tensor map
// says all but its address.
#pragma once

#include "device.h"

namespace spio::test {

class host_device : public device {
  public:
    // With a seed, the threads go on in another order than their own.
    explicit host_device(unsigned long long seed = 0) : seed_(seed) {}

    std::string name() const override { return seed_ == 0 ? "host" : "host-shuffled"; }
    void* allocate(std::string const& name, std::size_t bytes) override;
    void release(void* begin) override;
    void write(void* destination, void const* source, std::size_t bytes) override;
    void read(void* destination, void const* source, std::size_t bytes) override;
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override;
    void launch(launch_request const& request) override;

  private:
    unsigned long long seed_;
};

} // namespace spio::test
