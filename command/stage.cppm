// Where a trial takes place: a device, the images for it, and what came from where.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

export module spio.command:stage;

import spio.image;
import spio.launch;
import spio.spec;

export namespace spio::command {

// A kernel that was found and loaded, and how long each took.
struct staged {
    image from;
    double found_milliseconds, loaded_milliseconds;
};

class stage {
  public:
    // The images must stay.
    stage(device on, images const& from, policy how)
        : home(std::move(on)), all(from), asked(how), ready(home), usual(home) {}

    device const& on() const { return home; }
    stream const& queue() const { return usual; }
    std::span<staged const> kernels() const { return loaded; }

    template <class Params> kernel<Params> load(typed_spec<Params> const& of) {
        auto const start = clock::now();
        auto const found = all.find(of, asked);
        auto const after = clock::now();
        auto made = ready.load(found);
        note(found, after - start, clock::now() - after);
        return made;
    }

    template <class T>
    array<T> put(std::vector<host_value<T>> const& values, std::string name) const {
        array<T> made(home, values.size(), std::move(name));
        fill(made, values);
        return made;
    }
    template <class T>
    void fill(array<T> const& to, std::vector<host_value<T>> const& values) const {
        usual.write(to, std::span<host_value<T> const>(values));
        usual.synchronize();
    }
    // Ones in all bits, which no kernel means.
    template <class T> void poison(array<T> const& to) const {
        std::vector<host_value<T>> ones(to.size());
        if (!ones.empty()) std::memset(ones.data(), 0xff, ones.size() * sizeof(host_value<T>));
        fill(to, ones);
    }
    template <class T> std::vector<host_value<T>> get(array<T> const& from) const {
        std::vector<host_value<T>> values(from.size());
        usual.read(std::span(values), from);
        usual.synchronize();
        return values;
    }

  private:
    using clock = std::chrono::steady_clock;

    device home;
    images const& all;
    policy asked;
    spio::kernels ready;
    stream usual;
    std::vector<staged> loaded;

    void note(image const& from, clock::duration found, clock::duration load);
};

} // namespace spio::command
