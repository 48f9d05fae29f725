// Runs the kernels that it ships, on a GPU or on the host, and compiles none.
// SPDX-License-Identifier: Apache-2.0
//
//     deploy           the pack is deploy.spiopack beside the program, or else the one in it
//     deploy PACK      this file
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <vector>

import spio.aot;
import spio.axpby;
import spio.host;
import spio.image;
import spio.launch;
import spio.layernorm_2d;
import spio.spec;

namespace axpby = spio::axpby;
namespace layernorm_2d = spio::layernorm_2d;

// Written into the program by spio_add_pack().
extern "C" std::byte const in_the_program[], in_the_program_end[];

static spio::aot::pack open_pack(int count, char** words) {
    auto const beside =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "deploy.spiopack";
    if (count > 1) return spio::aot::pack::read(words[1]);
    if (std::filesystem::exists(beside)) return spio::aot::pack::read(beside);
    return {{in_the_program, in_the_program_end}, "in the program", {}};
}

constexpr spio::host_machine the_host = {spio::host::allocate, spio::host::release};

// What this program has to launch kernels with, wherever they run.
struct rig {
    spio::device on;
    spio::images const& images;
    spio::kernels kernels{on};
    spio::stream stream{on};

    template <class T> spio::array<T> put(std::vector<spio::host_value<T>> const& values) const {
        spio::array<T> made(on, values.size());
        stream.write(made, std::span<spio::host_value<T> const>(values));
        return made;
    }
    template <class T> std::vector<spio::host_value<T>> get(spio::array<T> const& from) const {
        std::vector<spio::host_value<T>> values(from.size());
        stream.read(std::span(values), from);
        stream.synchronize();
        return values;
    }
    // True if the greatest error is small.
    bool tell(spio::image const& ran, double error, double most) const {
        std::printf("%s on %s: %s, error %.2g\n", ran.line.c_str(), on.name().c_str(),
                    ran.made_by.c_str(), error);
        return error <= most;
    }
};

static bool run_axpby(rig const& r, int n) {
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 17) - 8;
        y[i] = static_cast<float>(i % 13) / 13;
    }
    auto const image = r.images.find(axpby::specialize({.n = n}, r.on.arch()));
    auto const expected = axpby::reference(1.5f, x, -0.25f, y);
    auto const on_x = r.put<float>(x), on_y = r.put<float>(y);
    auto const view = [&](auto const& in) { return in.template as<axpby::scalars>(axpby::N(n)); };
    r.stream.launch(r.kernels.load(image),
                    {.a = 1.5f, .x = view(on_x), .b = -0.25f, .y = view(on_y)});
    double error = 0;
    auto const got = r.get(on_y);
    for (std::size_t i = 0; i < got.size(); ++i) {
        error = std::max(error, std::abs(got[i] - expected[i]));
    }
    return r.tell(image, error, 1e-5);
}

static bool run_layernorm(rig const& r, layernorm_2d::problem const& problem, int positions) {
    auto const channels = static_cast<std::size_t>(problem.channels);
    std::vector<unsigned short> x(static_cast<std::size_t>(positions) * channels); // from 1 to 2
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<unsigned short>(0x3c00 + i * 37 % 1024);
    }
    std::vector<float> const weight(problem.affine ? channels : 0, 0.5f), bias(weight.size(), 1);
    auto const image = r.images.find(layernorm_2d::specialize(problem, r.on.arch()));
    auto const expected = layernorm_2d::reference(problem, x, weight, bias, 1e-5f);
    auto const on_x = r.put<spio::half>(x), on_y = r.put<spio::half>(x);
    auto const on_weight = r.put<float>(weight), on_bias = r.put<float>(bias);
    auto const c = layernorm_2d::C(problem.channels);
    auto const view = [&](auto const& in) {
        return in.template as<layernorm_2d::images>(layernorm_2d::X(positions), c);
    };
    layernorm_2d::params params = {.x = view(on_x), .y = view(on_y), .epsilon = 1e-5f};
    if (problem.affine) {
        params.weight = on_weight.as<layernorm_2d::factors_to_read>(c);
        params.bias = on_bias.as<layernorm_2d::factors_to_read>(c);
    }
    r.stream.launch(r.kernels.load(image), params);
    double error = 0;
    auto const got = r.get(on_y);
    for (std::size_t i = 0; i < got.size(); ++i) {
        error = std::max(error, std::abs(layernorm_2d::number_of(got[i]) - expected[i]));
    }
    return r.tell(image, error, 2e-3);
}

int main(int count, char** words) try {
    auto const pack = open_pack(count, words);
    pack.verify();
    spio::host::compiled_in const for_host;
    spio::first_of const shipped(pack, for_host);
    spio::no_source const nothing;
    spio::images const images(shipped, nothing, spio::policy::aot_only);
    rig const r{spio::best_device(0, the_host), images};

    bool const is_right = run_axpby(r, 100'000) && run_layernorm(r, {.channels = 64}, 300) &&
                          run_layernorm(r, {.channels = 512, .affine = false}, 50);
    // What nobody thought of is not guessed at.
    try {
        images.find(layernorm_2d::specialize({.channels = 72}, r.on.arch()));
    } catch (spio::error const& e) {
        std::printf("%s\n", e.what());
        return is_right ? 0 : 1;
    }
    return 1;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
