// The few functions of the CUDA driver that a test needs, found when it runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace test {

class driver {
  public:
    // The first device and a cubin, or PTX text, on it.
    explicit driver(char const* path) : library(dlopen("libcuda.so.1", RTLD_NOW)) {
        if (library == nullptr) fail(dlerror());
        auto const init = find<int(unsigned)>("cuInit");
        auto const get_device = find<int(int*, int)>("cuDeviceGet");
        auto const get_name = find<int(char*, int, int)>("cuDeviceGetName");
        auto const retain = find<int(void**, int)>("cuDevicePrimaryCtxRetain");
        auto const set_context = find<int(void*)>("cuCtxSetCurrent");
        auto const load = find<int(void**, void const*)>("cuModuleLoadData");
        int device = 0;
        void* context = nullptr;
        char text[256] = {};
        check(init(0), "cuInit");
        check(get_device(&device, 0), "cuDeviceGet");
        check(get_name(text, sizeof text, device), "cuDeviceGetName");
        check(retain(&context, device), "cuDevicePrimaryCtxRetain");
        check(set_context(context), "cuCtxSetCurrent");
        device_name = text;

        std::ifstream file(path, std::ios::binary);
        std::string image((std::istreambuf_iterator<char>(file)), {});
        if (image.empty()) fail((std::string("cannot read ") + path).c_str());
        check(load(&module, image.c_str()), "cuModuleLoadData");
    }

    std::string const& name() const { return device_name; }

    // Memory of the device, for as long as the program runs.
    unsigned long long allocate(std::size_t bytes) {
        unsigned long long pointer = 0;
        check(find<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2")(&pointer, bytes),
              "cuMemAlloc");
        return pointer;
    }
    void copy_to(unsigned long long to, void const* from, std::size_t bytes) {
        check(find<int(unsigned long long, void const*, std::size_t)>("cuMemcpyHtoD_v2")(to, from,
                                                                                         bytes),
              "cuMemcpyHtoD");
    }
    // Waits for the kernels before it.
    void copy_from(void* to, unsigned long long from, std::size_t bytes) {
        check(find<int(void*, unsigned long long, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes),
              "cuMemcpyDtoH");
    }
    template <class... Ts>
    void launch(char const* kernel, unsigned blocks, unsigned threads, Ts... p) {
        void* function = nullptr;
        check(
            find<int(void**, void*, char const*)>("cuModuleGetFunction")(&function, module, kernel),
            kernel);
        void* parameters[] = {&p...};
        using launch_kernel = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, void*, void**, void**);
        check(find<launch_kernel>("cuLaunchKernel")(function, blocks, 1, 1, threads, 1, 1, 0,
                                                    nullptr, parameters, nullptr),
              kernel);
    }

  private:
    void* library;
    void* module = nullptr;
    std::string device_name;

    template <class Signature> Signature* find(char const* name) {
        void* const symbol = dlsym(library, name);
        if (symbol == nullptr) fail(dlerror());
        return reinterpret_cast<Signature*>(symbol);
    }
    void check(int result, char const* what) {
        if (result == 0) return;
        char const* words = "unknown error";
        find<int(int, char const**)>("cuGetErrorString")(result, &words);
        fail((std::string(what) + ": " + words).c_str());
    }
    [[noreturn]] static void fail(char const* sentence) {
        std::fprintf(stderr, "%s\n", sentence);
        std::exit(2);
    }
};

} // namespace test
