// The CUDA driver, opened when the program runs: the handful of its functions that tests need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace spio::test {

// Declared here after CUDA 13's own header, so that tests build where there is no CUDA.
class driver {
  public:
    using context = struct context_of_driver*;
    using module = struct module_of_driver*;
    using function = struct function_of_driver*;
    using address = unsigned long long;
    struct alignas(8) attribute {
        int id;
        char unused[4];
        union {
            char bytes[64];
            struct {
                unsigned x, y, z;
            } cluster;
        } value;
    };
    struct launch_config {
        unsigned grid_x, grid_y, grid_z;
        unsigned block_x, block_y, block_z;
        unsigned shared_bytes;
        void* stream;
        attribute* attributes;
        unsigned attribute_count;
    };
    static constexpr int cluster_dimension = 4;
    static constexpr int compute_capability_major = 75;
    static constexpr int compute_capability_minor = 76;
    static constexpr int max_dynamic_shared_bytes = 8;
    static constexpr int error_log = 5;
    static constexpr int error_log_bytes = 6;
    static constexpr int not_found = 500;

    // Opens libcuda.so.1.
    driver();

    int (*init)(unsigned);
    int (*driver_version)(int*);
    int (*device_get)(int*, int);
    int (*device_name)(char*, int, int);
    int (*device_attribute)(int*, int, int);
    int (*context_retain)(context*, int);
    int (*context_set_current)(context);
    int (*context_synchronize)();
    int (*allocate)(address*, std::size_t);
    int (*release)(address);
    int (*fill)(address, unsigned char, std::size_t);
    int (*write)(address, void const*, std::size_t);
    int (*read)(void*, address, std::size_t);
    int (*load)(module*, void const*, unsigned, int*, void**);
    int (*find_function)(function*, module, char const*);
    int (*parameter)(function, std::size_t, std::size_t*, std::size_t*);
    int (*set_attribute)(function, int, int);
    int (*launch)(launch_config const*, function, void**, void**);
    int (*encode_tiled)(void*, int, unsigned, void*, unsigned long long const*,
                        unsigned long long const*, unsigned const*, unsigned const*, int, int, int,
                        int);

    // Throws a failure that says what was tried, and the driver's own words.
    void check(int result, std::string const& tried) const;

  private:
    template <class Function> void find(Function& function, char const* name);

    void* library_;
    int (*error_name_)(int, char const**);
    int (*error_text_)(int, char const**);
};

} // namespace spio::test
