// The host device as a device of tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace spio::test {

class host_device : public device {
  public:
    std::string name() const override { return "host"; }
    void* allocate(std::string const& name, std::size_t bytes) override;
    void release(void* begin) override;
    void write(void* to, void const* from, std::size_t bytes) override;
    void read(void* to, void const* from, std::size_t bytes) override;
    map_words encode(box_plan const& plan, void* base) override;
    void launch(launch_request const& request) override;
};

} // namespace spio::test
