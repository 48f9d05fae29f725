// A trial: one test case on one device, what it found, and what must be the same on all devices.
// SPDX-License-Identifier: Apache-2.0
//
// A trial runs a test case on a device: a GPU, or the host device, which simulates one on the CPU.
// Memory has guards around each array, bytes that no kernel may change, and is full of bytes 0xff
// at first.
#pragma once

#include "device.h"

#include <cstring>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace spio::test {

// An array in the device's memory, as long as this lives.
template <class T> class buffer {
  public:
    buffer(device& memory, std::string const& name, std::size_t size)
        : device_(&memory),
          data_(static_cast<T*>(memory.allocate(name, size * sizeof(T)))),
          size_(size) {}
    buffer(buffer&& other) noexcept
        : device_(other.device_), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
    buffer& operator=(buffer&&) = delete;
    ~buffer() {
        if (data_) device_->release(data_);
    }

    // An address on the device, for a kernel's parameters; the host must not use it.
    T* data() const { return data_; }
    std::size_t size() const { return size_; }

    void write(std::span<T const> values) const {
        if (values.size() != size_) throw failure("a buffer is written whole");
        if (size_ > 0) device_->write(data_, values.data(), size_ * sizeof(T));
    }
    std::vector<T> read() const {
        std::vector<T> values(size_);
        if (size_ > 0) device_->read(values.data(), data_, size_ * sizeof(T));
        return values;
    }

  private:
    device* device_;
    T* data_;
    std::size_t size_;
};

// How much of a case runs: small sizes, for tools under which a kernel is a hundred times slower;
// all sizes, but a tenth of the random problems; or all of it.
enum class effort { small, daily, all };

class trial {
  public:
    trial(device& test_device, effort spent) : device_(test_device), effort_(spent) {}

    bool is_small() const { return effort_ == effort::small; }
    // How many random problems are run of those that are run with all effort.
    int share(int problems) const {
        return effort_ == effort::daily ? (problems + 9) / 10 : problems;
    }
    // Gives the same numbers on every device.
    std::mt19937& random() { return random_; }

    // An array full of bytes 0xff, and one of the given values.
    template <class T> buffer<T> make(std::string const& name, std::size_t size) {
        return buffer<T>(device_, name, size);
    }
    template <class T> buffer<T> make(std::string const& name, std::vector<T> const& values) {
        buffer<T> array(device_, name, values.size());
        array.write(values);
        return array;
    }

    // The map of a tensor that begins at a place in the device's memory, for params.
    //     auto const map = t.make_map<x_map>(x_map::plan(), x.data());
    template <class Map> Map make_map(tensor_map_plan const& plan, void* base) {
        return bits_as<Map>(device_.encode(plan, base));
    }

    template <class Params>
    void launch(kernel<Params> const& kernel, extent grid, block_shape const& shape,
                std::type_identity_t<Params> const& params) {
        device_.launch({kernel.symbol, {grid, shape}, &params, sizeof params, [&] {
                            kernel.function(params);
                        }});
    }
    // A launch of one block.
    template <class Params>
    void launch(kernel<Params> const& kernel, block_shape const& shape,
                std::type_identity_t<Params> const& params) {
        launch(kernel, extent{.x = 1}, shape, params);
    }

    // Keeps an output that must have the same bits on every device: one for which the order of
    // operations is fixed.
    template <class T> void same_bits(std::string const& name, std::vector<T> const& values) {
        auto const* const bytes = reinterpret_cast<unsigned char const*>(values.data());
        outputs_.push_back({name, sizeof(T), {bytes, bytes + values.size() * sizeof(T)}});
    }

    // Complains if the condition does not hold. `words` makes the sentence, and only then.
    template <class Words> void expect(bool holds, Words const& words) {
        ++expectations_;
        if (!holds) complain(words());
    }
    void expect(bool holds, char const* words) {
        ++expectations_;
        if (!holds) complain(words);
    }
    template <class T>
    void expect_equal(std::string const& name, std::vector<T> const& got,
                      std::vector<T> const& expected) {
        expect(got.size() == expected.size(), [&] { return name + " has another size"; });
        for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i) {
            expect(std::memcmp(&got[i], &expected[i], sizeof(T)) == 0,
                   [&] { return different(name, i, &got[i], &expected[i], sizeof(T)); });
        }
    }
    // |got - exact| <= bound, where the bound comes from an analysis: see sum_of_products.
    void expect_within(std::string const& name, std::size_t i, double got, double exact,
                       double bound);

    struct output {
        std::string name;
        std::size_t element_bytes;
        std::vector<unsigned char> bytes;
    };
    std::vector<output> const& outputs() const { return outputs_; }
    // The first few complaints, and how many there were of how many expectations.
    std::vector<std::string> const& complaints() const { return complaints_; }
    long long failed() const { return failed_; }
    long long expectations() const { return expectations_; }

    // The complaint about an element of an array that is not as expected.
    static std::string different(std::string const& name, std::size_t i, void const* got,
                                 void const* expected, std::size_t bytes);

  private:
    void complain(std::string const& words);

    device& device_;
    effort effort_;
    std::mt19937 random_{2026};
    std::vector<output> outputs_;
    std::vector<std::string> complaints_;
    long long failed_ = 0;
    long long expectations_ = 0;
};

// What runs a trial, by name. `arch` is the least architecture that it needs, 80 or 90: images
// (files of compiled kernels) for older ones lack its kernel.
//     test_case const axpby("axpby", run_axpby);
struct test_case {
    std::string name;
    void (*run)(trial&);
    int arch;

    test_case(std::string name, void (*run)(trial&), int arch = 80);
    static std::vector<test_case const*> const& all(); // by name
};

} // namespace spio::test
