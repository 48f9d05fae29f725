// A GPU as a device of tests, with the kernels of one folder of images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"
#include "driver.h"

#include <filesystem>
#include <map>
#include <vector>

namespace spio::test {

// What compute-sanitizer must see for itself: then there are no guards, which hide what comes close
// to an array, and no poison, which counts as initialised.
enum class memory_kind { guarded, bare };

// The first GPU, opened once.
class gpu {
  public:
    gpu();

    driver const& api() const { return driver_; }
    std::string name() const;
    int arch() const { return arch_; } // 90 for compute capability 9.0
    int driver_version() const;

  private:
    driver driver_;
    int ordinal_ = 0;
    int arch_ = 0;
};

// A folder of images, COMPILER-ARCH, with a cubin or a PTX text for each file of kernels.
class gpu_device : public device {
  public:
    gpu_device(gpu const& on, std::filesystem::path const& images, memory_kind kind);

    std::string name() const override { return name_; }
    // What the images are for: 80 for sm_80 and compute_80.
    int arch() const { return arch_; }
    bool can_run() const;

    void* allocate(std::string const& name, std::size_t bytes) override;
    void release(void* begin) override;
    void write(void* to, void const* from, std::size_t bytes) override;
    void read(void* to, void const* from, std::size_t bytes) override;
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override;
    void launch(launch_request const& request) override;

  private:
    struct allocation {
        std::string name;
        driver::address start;
        std::size_t bytes;
    };

    void load(std::filesystem::path const& file);
    driver::function find(launch_request const& request) const;
    void look_at_guards(char const* symbol) const;
    void look_at_guard(driver::address start, std::size_t bytes, std::string const& sentence) const;
    std::size_t guard_bytes() const { return kind_ == memory_kind::guarded ? 4096 : 0; }

    gpu const& on_;
    driver const& api_;
    std::string name_;
    memory_kind kind_;
    std::vector<driver::module> modules_;
    std::map<void*, allocation> allocations_;
    int arch_ = 0;
    bool is_ptx_ = false;
    bool is_for_this_chip_only_ = false;
};

} // namespace spio::test
