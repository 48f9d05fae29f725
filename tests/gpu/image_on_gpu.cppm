// The kernels of one image (a cubin or PTX text) on the first GPU, with memory that lasts as long.
// SPDX-License-Identifier: Apache-2.0
//
// Programs that measure one instruction or function use it: they load a cubin by its path and
// launch kernels by their symbols.
module;

#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

export module image_on_gpu;

import spio.cuda;

export namespace test {

class image_on_gpu {
  public:
    // A cubin, or PTX text.
    explicit image_on_gpu(std::string const& path) : library(load(driver, path)) {}

    std::string name() const { return device.name(); }

    spio::cuda::memory_ref allocate(std::size_t bytes) {
        arrays.emplace_back(context, bytes);
        return arrays.back();
    }
    // Copies the values to the beginning of the memory.
    template <class T> void write(spio::cuda::memory_ref memory, std::vector<T> const& values) {
        copy(stream, memory.part(0, sizeof(T) * values.size()), std::as_bytes(std::span(values)));
        stream.synchronize();
    }
    // The first values in the memory, once the kernels launched so far have ended.
    template <class T>
    void read(std::vector<T>& values, std::size_t count, spio::cuda::memory_ref memory) {
        copy(stream, std::as_writable_bytes(std::span(values).first(count)),
             memory.part(0, sizeof(T) * count));
        stream.synchronize();
    }
    template <class... Ts>
    void launch(char const* symbol, int blocks, int threads, Ts... arguments) {
        void* parameters[] = {&arguments...};
        auto const function = library.kernel(symbol).load(context);
        spio::cuda::launch(function, {.grid = {blocks}, .shape = {.block = {threads}}}, stream,
                           parameters);
    }

  private:
    spio::cuda::driver driver;
    spio::cuda::device_ref device = driver.device(0);
    spio::cuda::context context{device};
    spio::cuda::stream stream{context};
    spio::cuda::library library;
    std::vector<spio::cuda::memory> arrays;

    static spio::cuda::library load(spio::cuda::driver const& driver, std::string const& path) {
        std::ifstream file(path, std::ios::binary);
        auto const image = std::make_shared<std::string const>(std::istreambuf_iterator<char>(file),
                                                               std::istreambuf_iterator<char>());
        if (image->empty()) throw std::runtime_error("cannot read " + path);
        // PTX ends with the zero behind the string.
        std::span const text(image->c_str(), image->size() + 1);
        return {driver, std::as_bytes(text), path, image};
    }
};

} // namespace test
