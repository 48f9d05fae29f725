// Convolutions on a device, between guards and over poison, against sums in double.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/problem.h"
#include "tests/conv2d/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

export module convolution_work;

import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;
import spio.runtime;
import spio.spec;

export namespace work {

using namespace spio;
using namespace spio::conv2d;

constexpr std::size_t guard = 512;

// An array between guards that nobody may write to.
template <class T> class guarded {
  public:
    using value = host_value<T>;

    guarded(stream const& in, std::vector<value> const& values)
        : in_(in), size_(values.size()), all_(device_, size_ + 2 * guard) {
        std::vector<value> padded(all_.size());
        std::memset(padded.data(), 0xff, padded.size() * sizeof(value));
        std::ranges::copy(values, padded.begin() + guard);
        in_.write(all_, std::span<value const>(padded));
        in_.synchronize();
    }
    // What is to be made: poison.
    guarded(stream const& in, std::size_t size) : guarded(in, poison(size)) {}
    static void use(device const& on) { device_ = on; }

    T* get() const { return reinterpret_cast<T*>(reinterpret_cast<value*>(all_.data()) + guard); }
    std::vector<value> read(bool& guards_are_whole) const {
        std::vector<value> padded(all_.size());
        in_.read(std::span(padded), all_);
        in_.synchronize();
        auto const is_poison = [](value const& v) {
            value ones;
            std::memset(&ones, 0xff, sizeof ones);
            return std::memcmp(&v, &ones, sizeof ones) == 0;
        };
        auto const begin = padded.begin() + guard, end = padded.end() - guard;
        guards_are_whole &= std::all_of(padded.begin(), begin, is_poison) &&
                            std::all_of(end, padded.end(), is_poison);
        return {begin, end};
    }

  private:
    static inline device device_{nullptr};
    stream const& in_;
    std::size_t size_;
    array<T> all_;

    static std::vector<value> poison(std::size_t size) {
        std::vector<value> ones(size);
        if (size > 0) std::memset(ones.data(), 0xff, size * sizeof(value));
        return ones;
    }
};

double number(float value) { return static_cast<double>(value); }
double number(unsigned short bits) { return number_of(bits); }

struct tally {
    std::size_t problems = 0, numbers = 0, wrong = 0, repeats = 0;
    double worst = 0; // of all errors, as a part of the bound

    template <class Number>
    void compare(problem const& of, std::vector<Number> const& got, double_sums const& exact,
                 precision made) {
        for (std::size_t i = 0; i < got.size(); ++i) {
            double const error = std::abs(number(got[i]) - exact.values[i]);
            double const most =
                conv2d::bound(products_of(of), exact.values[i], exact.magnitudes[i], made);
            ++numbers;
            if (!(error <= most)) ++wrong;
            if (most > 0 && error <= most) worst = std::max(worst, error / most);
        }
    }
};

using test::halves;
long long size_of_x(problem const& of) { return 1LL * of.n * of.h * of.w * of.c; }
long long size_of_y(problem const& of) { return 1LL * of.n * of.p() * of.q() * of.c; }
long long size_of_filter(problem const& of) { return 8LL * of.c * of.taps(); }

// Launches once, or many times, after which nothing may have changed.
template <class Read, class Launch>
auto made_by(int repeats, tally& all, Read read, Launch launch) {
    launch();
    auto const first = read();
    for (int again = 1; again < repeats; ++again) {
        launch();
        if (read() != first) ++all.wrong;
        ++all.repeats;
    }
    return first;
}

void walk_once(runtime const& gpu, stream const& in, std::mt19937& random, problem const& of,
               config const& by, int repeats, tally& all) {
    bool const is_forward = of.pass == direction::fprop;
    auto const from = halves(random, is_forward ? size_of_x(of) : size_of_y(of));
    auto const filter = halves(random, size_of_filter(of));
    std::vector<float> bias(static_cast<std::size_t>(of.bias ? of.c : 0));
    for (auto& each : bias) each = std::uniform_real_distribution<float>(-2, 2)(random);

    convolution const body(gpu, of, by);
    guarded<half> const given(in, from), weights(in, filter);
    guarded<float> const added(in, bias);
    guarded<half> const made(in,
                             static_cast<std::size_t>(is_forward ? size_of_y(of) : size_of_x(of)));
    correlation const correlation = correlation_of(of);
    bool is_whole = true;
    auto const got = made_by(
        repeats, all, [&] { return made.read(is_whole); },
        [&] {
            body.launch(in,
                        {.input = input_tensor(given.get(), N(of.n), H(correlation.h),
                                               W(correlation.w), C(of.c)),
                         .filter = filter_of<half const>(weights.get(), K(of.c), R(of.r), S(of.s)),
                         .bias = bias_of<float const>(added.get(), K(of.bias ? of.c : 0)),
                         .output = output_tensor(made.get(), N(of.n), P(correlation.p),
                                                 Q(correlation.q), K(of.c))});
        });
    all.compare(of, got, reference(of, from, filter, bias), precision::fp16);
    if (!is_whole) ++all.wrong;
}

template <class Gradient>
void gradient_once(runtime const& gpu, stream const& in, std::mt19937& random, problem const& of,
                   config const& by, int repeats, tally& all) {
    auto const x = halves(random, size_of_x(of)), dy = halves(random, size_of_y(of));
    weight_gradient const both(gpu, of, by);
    guarded<half> const x_there(in, x), dy_there(in, dy);
    guarded<Gradient> const dw(in, static_cast<std::size_t>(size_of_filter(of)));
    guarded<float> const dbias(in, static_cast<std::size_t>(of.bias ? of.c : 0));
    guarded<float> const workspace(in, both.workspace_floats());
    bool is_whole = true;
    auto const got = made_by(
        repeats, all, [&] { return std::pair(dw.read(is_whole), dbias.read(is_whole)); },
        [&] {
            using gradient_of_y = decltype(wgrad_args<Gradient>::dy);
            both.launch(
                in, wgrad_args<Gradient>{
                        .x = input_tensor(x_there.get(), N(of.n), H(of.h), W(of.w), C(of.c)),
                        .dy = gradient_of_y(dy_there.get(), N(of.n), P(of.p()), Q(of.q()), K(of.c)),
                        .dw = filter_of<Gradient>(dw.get(), K(of.c), R(of.r), S(of.s)),
                        .dbias = bias_of<float>(dbias.get(), K(of.bias ? of.c : 0)),
                        .workspace = floats(workspace.get(),
                                            FLOAT(static_cast<int>(both.workspace_floats())))});
        });
    auto const exact = reference_gradients(of, x, dy);
    all.compare(of, got.first, exact.filter, of.gradient);
    all.compare(of, got.second, exact.bias, precision::fp32);
    workspace.read(is_whole);
    if (!is_whole) ++all.wrong;
}

} // namespace work
