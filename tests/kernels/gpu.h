// A GPU as a device of tests, with the kernels of one folder of images.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled file of kernels: a cubin or PTX text. Poison is the bytes 0xff that new
// memory is full of; guards are other bytes (0xa5) around each array, which no kernel may change. A
// tensor map is the descriptor by which TMA copies boxes of a tensor. The plan of a tensor map says
// all but its address.
#pragma once

#include "device.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace spio::test {

// Guarded arrays have guards around them and poison (bytes 0xff) in them. compute-sanitizer needs
// bare ones: guards hide accesses close to an array, and poison counts as initialized.
enum class memory_kind { guarded, bare };

// The first GPU, opened once.
class gpu {
  public:
    struct state;

    gpu();
    ~gpu();

    state& driver_state() const { return *state_; }
    std::string name() const;
    int arch() const; // 90 for compute capability 9.0
    int driver_version() const;

  private:
    std::unique_ptr<state> state_;
};

// A GPU that runs the kernels of one folder. The folder is named COMPILER-ARCH, and holds a cubin
// or a PTX text for each file of kernels.
class gpu_device : public device {
  public:
    gpu_device(gpu const& gpu, std::filesystem::path const& images, memory_kind kind);
    ~gpu_device() override;

    std::string name() const override { return name_; }
    // What the images are for: 80 for sm_80 and compute_80.
    int arch() const { return arch_; }
    bool can_run() const;

    void* allocate(std::string const& name, std::size_t bytes) override;
    void release(void* begin) override;
    void write(void* destination, void const* source, std::size_t bytes) override;
    void read(void* destination, void const* source, std::size_t bytes) override;
    tensor_map_words encode(tensor_map_plan const& plan, void* base) override;
    void launch(launch_request const& request) override;

  private:
    struct state;

    void check_guards(char const* symbol) const;
    std::size_t guard_bytes() const { return kind_ == memory_kind::guarded ? 4096 : 0; }

    gpu const& gpu_;
    std::unique_ptr<state> state_;
    std::string name_;
    memory_kind kind_;
    int arch_ = 0;
    bool is_ptx_ = false;
    bool is_chip_specific_ = false;
};

} // namespace spio::test
