// Gets a kernel of its own from its pack, from NVRTC and for the host, and runs what can be run.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

import scale_rows;
import spio.aot;
import spio.host;
import spio.image;
import spio.jit;
import spio.launch;
import spio.runtime;
import spio.spec;

using scale_rows::Column;
using scale_rows::Row;

// Written into the program by spio_add_pack().
extern "C" std::byte const shipped[], shipped_end[];

// It takes the place of a GPU that is not there.
constexpr spio::host_machine the_host = {
    .allocate = spio::host::allocate, .release = spio::host::release, .find = spio::host::find};

static void tell(spio::image const& found) {
    std::printf("%s for %s: %zu bytes from %s\n", found.line.c_str(), found.arch.c_str(),
                found.bytes.size(), found.made_by.c_str());
}

// Each row times its number, against the same in plain C++.
static int count_wrong(spio::device const& on, spio::kernel<scale_rows::params> const& kernel,
                       int rows, int columns) {
    auto const n = static_cast<std::size_t>(rows * columns);
    std::vector<float> x(n), y(n), factors(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 101) - 50;
    for (int r = 0; r < rows; ++r) factors[static_cast<std::size_t>(r)] = static_cast<float>(r);

    spio::stream const stream(on);
    spio::array<float> const on_x(on, n, "x"), on_y(on, n, "y"),
        on_f(on, factors.size(), "factors");
    stream.write(on_x, std::span<float const>(x));
    stream.write(on_f, std::span<float const>(factors));
    auto const as_matrix = [&](spio::array<float> const& in) {
        return in.as<scale_rows::matrix>(Row(rows), Column(columns));
    };
    stream.launch(kernel, {.x = as_matrix(on_x),
                           .factors = on_f.as<scale_rows::factors>(Row(rows)),
                           .y = as_matrix(on_y)});
    stream.read(std::span(y), on_y);
    stream.synchronize();
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        wrong += y[i] != x[i] * factors[i / static_cast<std::size_t>(columns)];
    }
    return wrong;
}

int main() try {
    constexpr int rows = 37, columns = 48;
    auto const of = [](std::string const& arch) { return scale_rows::specialize({columns}, arch); };
    spio::no_source const nothing;
    spio::aot::pack const pack({shipped, shipped_end}, "own_kernel", {});
    pack.verify();
    for (auto const* chip : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_120a"}) {
        tell(spio::images(pack, nothing, spio::policy::aot_only).find(of(chip)));
    }

    spio::jit::just_in_time const compiler;
    try {
        tell(spio::images(nothing, compiler, spio::policy::jit_only).find(of("sm_90a")));
    } catch (spio::jit::nvrtc_error const& e) {
        std::printf("nothing compiled at run time: %s\n", e.what());
    }

    spio::runtime const here({.packs = {pack}, .host = the_host});
    auto const it = of(here.arch());
    int const wrong = count_wrong(here.on(), here.load(it), rows, columns);
    std::printf("%s on %s: %d of %d wrong\n", it.line().c_str(), here.on().name().c_str(), wrong,
                rows * columns);
    return wrong == 0 ? 0 : 1;
} catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
