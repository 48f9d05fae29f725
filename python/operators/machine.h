// A device with its streams and kernels, and the memory of tensors as its kernels access it.
// SPDX-License-Identifier: Apache-2.0
//
// This is a header, because it is shared by sources of one library that has no module of its own. A
// place is a stream of a GPU, or the host device, which simulates a GPU on the CPU. A runtime
// finds, compiles and loads kernels; a spec is what a kernel is compiled from, a problem the sizes
// and options of a call. Tiers begin with one kernel while a better one is compiled. A
// config_source finds measured configurations.
#pragma once

#include "launches.h"

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

import spio.conv2d.launch;
import spio.launch;
import spio.layernorm_2d;
import spio.matmul.launch;
import spio.runtime;
import spio.spec;

namespace spio::pytorch {

// The fields of a problem that choose its kernels, as numbers.
using key = std::array<int, 15>;
struct hash_of_key {
    std::size_t operator()(key const& key) const {
        std::size_t hash = 0;
        for (auto const number : key) {
            hash = (hash ^ static_cast<std::size_t>(number)) * 0x9e3779b97f4a7c15;
        }
        return hash ^ hash >> 32;
    }
};

// Values that are made once for each key. Readers do not wait for one another. A table that has
// grown too large is emptied; values in use stay.
template <class Key, class Value, class Hash> class table {
  public:
    // The value of a key; make() makes it when it is first asked for.
    template <class Make> std::shared_ptr<Value const> find(Key const& key, Make make) {
        {
            std::shared_lock const lock(mutex);
            if (auto const found = values.find(key); found != values.end()) return found->second;
        }
        // The lock is not held here, because a kernel may be compiled.
        std::shared_ptr<Value const> const value = make();
        std::unique_lock const lock(mutex);
        if (values.size() >= most_values) values.clear();
        return values.emplace(key, value).first->second;
    }

  private:
    static constexpr std::size_t most_values = 4096;
    std::shared_mutex mutex;
    std::unordered_map<Key, std::shared_ptr<Value const>, Hash> values;
};
template <class Value> using by_key = table<key, Value, hash_of_key>;

// A device, its streams, and its kernels by their problems.
struct machine {
    spio::runtime runtime;
    table<void*, spio::stream, std::hash<void*>> streams = {};
    by_key<conv2d::convolution> convolutions = {};
    by_key<conv2d::weight_gradient> gradients = {};
    std::tuple<by_key<kernel<spio::layernorm_2d::params_of<half>>>,
               by_key<kernel<spio::layernorm_2d::params_of<bfloat16>>>>
        norms;
    by_key<matmul::product> products = {};

    explicit machine(runtime_options options) : runtime(std::move(options)) {}
    bool is_host() const { return runtime.arch().is_host; }
    // The stream of this CUDA handle, or of the host device.
    std::shared_ptr<spio::stream const> stream(void* handle) {
        return streams.find(handle, [&] {
            return is_host()
                       ? std::make_shared<spio::stream const>(runtime.target_device())
                       : std::make_shared<spio::stream const>(runtime.target_device(), handle);
        });
    }
};

// The machine of a place. Machines are never closed, because the driver may end before they would.
machine& machine_of(place const&);

// Loads kernels for a stream: one that is captured, by whomever, loads none.
struct loader {
    machine& home;
    spio::stream const& stream;

    device const& target_device() const { return home.runtime.target_device(); }
    config_source const& configs() const { return home.runtime.configs(); }
    template <class Params> kernel<Params> load(typed_spec<Params> const& spec) const {
        return home.runtime.load(spec, stream);
    }
    // The thread that looks for better kernels starts with the second call of a layer: a first
    // call, which loads a kernel, does not wait for its start.
    tier_source tiers() const {
        return {.tiers = home.runtime.tiers().tiers, .stream = &stream, .awaited_launches = 2};
    }
};

// A machine, and the stream of a launch.
struct target {
    machine& home;
    std::shared_ptr<spio::stream const> stream;

    explicit target(place const& place)
        : home(machine_of(place)), stream(home.stream(place.stream)) {}
    pytorch::loader loader() const { return {home, *stream}; }
};

// Memory where kernels can access it: the tensor's own on a GPU, a copy on the host device. Memory
// of const elements is read, other memory is written.
template <class T> class memory {
    using value = std::remove_const_t<T>;
    using bits = host_value<value>;

  public:
    memory(target const& target, void const* tensor, std::size_t count)
        : data_(static_cast<T*>(const_cast<void*>(tensor))) {
        if (!target.home.is_host() || tensor == nullptr) return;
        copy.emplace(target.home.runtime.target_device(), count);
        if constexpr (std::is_const_v<T>) {
            target.stream->write(*copy, std::span(static_cast<bits const*>(tensor), count));
        } else {
            destination = std::span(static_cast<bits*>(const_cast<void*>(tensor)), count);
        }
        data_ = copy->data();
    }
    T* data() const { return data_; }
    // Brings results back from the host device.
    void finish(target const& target) const {
        if (!destination.empty()) target.stream->read(destination, *copy);
    }

  private:
    T* data_;
    std::optional<array<value>> copy;
    std::span<bits> destination = {};
};

// A tensor of kernels at an address, given its dynamic sizes.
template <class Tensor, class... Sizes> Tensor tensor_at(auto* data, Sizes... sizes) {
    return Tensor(data, typename Tensor::layout_type(sizes...));
}

// The number of elements of a tensor.
inline std::size_t product(std::initializer_list<int> numbers) {
    std::size_t result = 1;
    for (int const number : numbers) result *= static_cast<std::size_t>(number);
    return result;
}

} // namespace spio::pytorch
