// Finds how the tensor core of a GPU sums: tensor_core_probe CUBIN [tiles of a kind].
// SPDX-License-Identifier: Apache-2.0
//
// An experiment is one instruction and many tiles of inputs for it, each of 128 sums; a candidate
// is a way of summing that may be the chip's. The cubin is of tensor_core_probe.cu. A fragment is
// what the lanes of a warp hold of a matrix, in registers.
#include "sim/convert.h"
#include "tensor_core_fit.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

import image_on_gpu;

using namespace test;

namespace {

// Runs each experiment by the kernel that it names, and gives it the results.
void run_on_chip(image_on_gpu& gpu, experiments& experiments) {
    for (auto& e : experiments) {
        auto fragments = e->inputs();
        auto const a = gpu.allocate(4 * fragments.a.size());
        auto const b = gpu.allocate(4 * fragments.b.size());
        auto const c = gpu.allocate(4 * fragments.c.size());
        gpu.write(a, fragments.a);
        gpu.write(b, fragments.b);
        gpu.write(c, fragments.c);
        // A warp computes a tile, and a block has four of them.
        gpu.launch(e->name(), (e->tiles() + 3) / 4, /*threads=*/128, c.address(), a.address(),
                   b.address(), e->tiles());
        gpu.read(fragments.c, fragments.c.size(), c);
        e->take(fragments.c);
    }
}

// Computes the results by a simulated core instead of a chip; the fit has to find that core.
void simulate(tensor_core const& core, experiments& experiments) {
    std::printf("The chip is a simulated one:\n  %s\n", description(core).c_str());
    for (auto& e : experiments) {
        auto c = e->inputs().c;
        for (std::int64_t n = 0; n < e->sums(); ++n) {
            auto const x = e->record(n);
            auto const i = static_cast<int>(n % 128 / 8);
            auto const j = static_cast<int>(n % 8);
            int const lane = i % 8 * 4 + j / 2;
            int const reg = i / 8 * 2 + j % 2;
            c[static_cast<std::size_t>(n / 128 * 128 + lane * 4 + reg)] =
                core.accumulate(x.c, x.products, x.count);
        }
        e->take(c);
    }
}

// A random model of a tensor core, which the fit must find again from its sums.
tensor_core some_core(unsigned seed) {
    test::random random{seed};
    auto const mode = [&] { return static_cast<rounding>(random.between(0, 2)); };
    auto const yes = [&] { return random.one_in(2); };
    return {.terms = 1 << random.between(2, 4),
            .fraction_bits = random.between(23, 28),
            .exponent_of_zero =
                random.one_in(4) ? tensor_core::own_exponent : -random.between(112, 150),
            .of_addends = mode(),
            .of_sum = mode(),
            .accumulator_inside = yes(),
            .normalizes_addends = yes(),
            .overflows_to_infinity = yes(),
            .small_sum_keeps_sign = yes(),
            .zero_sum_keeps_sign = yes()};
}

// Counts conversions, and those that the chip and the model do differently.
struct conversions {
    long long count = 0, wrong = 0;

    // All but the title are bits: what was converted, and what the chip and the model made of it.
    void check(char const* title, unsigned input, unsigned chip, unsigned model) {
        ++count;
        if (chip == model || wrong++ >= 10) return;
        std::printf("    %s of %08x: chip %08x, model %08x\n", title, input, chip, model);
    }
};

// Every half, and every 37th float, to the other format.
bool conversions_agree(image_on_gpu& gpu) {
    conversions halves, floats;
    std::vector<unsigned> out(65536);
    auto const extended = gpu.allocate(4 * out.size());
    gpu.launch("extend_halves", /*blocks=*/256, /*threads=*/256, extended.address());
    gpu.read(out, out.size(), extended);
    for (unsigned i = 0; i < 65536; ++i) {
        float const model = spio::sim::half_to_float(static_cast<unsigned short>(i));
        halves.check("float of half", i, out[i], std::bit_cast<unsigned>(model));
    }

    constexpr unsigned step = 37;        // odd, so that the low bits take all values
    constexpr unsigned batch = 1U << 22; // floats of a launch
    constexpr unsigned total = 0xffffffffU / step + 1;
    out.resize(2 * batch);
    auto const rounded = gpu.allocate(4 * out.size());
    for (unsigned first = 0; first < total; first += batch) {
        unsigned const count = std::min(batch, total - first);
        gpu.launch("round_floats", static_cast<int>(batch / 256), /*threads=*/256,
                   rounded.address(), first * step, step, static_cast<int>(count));
        gpu.read(out, std::size_t{2} * count, rounded);
        for (unsigned i = 0; i < count; ++i) {
            unsigned const bits = (first + i) * step;
            auto const x = std::bit_cast<float>(bits);
            for (unsigned const chip : {out[2 * i], out[2 * i + 1]}) {
                floats.check("half", bits, chip & 0xffffU, spio::sim::float_to_half(x));
                floats.check("bfloat16", bits, chip >> 16, spio::sim::float_to_bfloat16(x));
            }
        }
    }
    std::printf("Conversions: %lld of %lld from half and %lld of %lld to 16 bits differ.\n",
                halves.wrong, halves.count, floats.wrong, floats.count);
    return halves.wrong == 0 && floats.wrong == 0;
}

// Prints the share of sums that a way gets right: of all sums, then for each instruction.
void print(candidate const& way, experiments const& experiments) {
    std::printf("  %9.5f %%: %s\n   ", 100 * way.share(), description(way.core).c_str());
    for (std::size_t e = 0; e < experiments.size(); ++e) {
        std::printf(" %s %.5f %%", experiments[e]->name(),
                    100.0 * static_cast<double>(way.right[e]) /
                        static_cast<double>(experiments[e]->sums()));
    }
    std::printf("\n");
}

// Prints the last line; whether some model fits everything.
bool conclude(std::vector<candidate> const& best) {
    std::vector<tensor_core> fitting;
    for (auto const& way : best) {
        if (way.fits()) fitting.push_back(way.core);
    }
    if (fitting.empty()) {
        std::printf("RESULT: no model fits everything; the best, %.5f %%, is: %s\n",
                    100 * best[0].share(), description(best[0].core).c_str());
        return false;
    }
    auto model = fitting[0];
    std::string origin = "not one of sim/tensor_sum.h";
    auto const prefer = [&](tensor_core const& core, char const* name) {
        if (std::ranges::find(fitting, core) == fitting.end()) return;
        model = core;
        origin = std::string("which is ") + name;
    };
    prefer(spio::sim::volta_tensor_core, "volta_tensor_core");
    prefer(spio::sim::ampere_tensor_core, "ampere_tensor_core");
    prefer(spio::sim::hopper_tensor_core, "hopper_tensor_core");
    std::printf(
        "RESULT: fits everything, %s, with %zu others that these sums do not tell apart: %s\n",
        origin.c_str(), fitting.size() - 1, description(model).c_str());
    return true;
}

// Finds the parameters of a simulated tensor core that explain all results; whether there are some.
// Each kind of tile has `tiles_of_kind` tiles.
bool fit(experiments const& experiments, int tiles_of_kind) {
    // A quarter of a sample of tiles selects the four best ways to add; the sample selects the
    // thirty best of these combined with the ways to treat zeros.
    int const sample = std::min(tiles_of_kind, 40) * tile_kinds;
    auto ways = ways_to_add();
    judge(ways, experiments, sample / 4);
    print_table(ways);

    keep_best(ways, /*count=*/4);
    ways = ways_with_zeros(ways);
    judge(ways, experiments, sample);
    // The models of sim/tensor_core.h are judged on all sums, however they fit the sample.
    keep_best(ways, /*count=*/30);
    for (auto const& own : {spio::sim::ampere_tensor_core, spio::sim::hopper_tensor_core}) {
        auto const is_own = [&](candidate const& way) { return way.core == own; };
        if (std::ranges::none_of(ways, is_own)) ways.push_back({.core = own});
    }
    judge(ways, experiments, tile_kinds * tiles_of_kind);
    keep_best(ways, ways.size());
    std::printf("The best on all sums:\n");
    for (auto const& way : ways) print(way, experiments);
    for (auto const& way : ways) {
        bool const is_first = &way == ways.data();
        bool const is_own = way.core == spio::sim::hopper_tensor_core;
        if (way.fits() || (!is_first && !is_own)) continue;
        std::printf("Where this fails: %s\n", description(way.core).c_str());
        print_counterexamples(way.core, experiments, /*most=*/4);
    }
    std::printf("The best for each instruction:\n");
    for (std::size_t e = 0; e < experiments.size(); ++e) {
        print(*std::ranges::max_element(ways, {}, [&](auto const& way) { return way.right[e]; }),
              experiments);
    }
    return conclude(ways);
}

} // namespace

int main(int arguments, char** argument) {
    if (arguments < 2) {
        std::fprintf(stderr,
                     "usage: %s CUBIN [tiles of a kind]\n"
                     "       %s simulated [tiles of a kind [seed]]\n",
                     argument[0], argument[0]);
        return 2;
    }
    bool const simulated = std::strcmp(argument[1], "simulated") == 0;
    int const tiles_of_kind = arguments > 2 ? std::atoi(argument[2]) : 2000;
    auto experiments = all_experiments(tiles_of_kind);
    std::int64_t sums = 0;
    for (auto const& e : experiments) sums += e->sums();
    std::printf("%lld sums, by 4 instructions, of %d kinds\n", static_cast<long long>(sums),
                tile_kinds);
    if (simulated) {
        auto const core = arguments > 3 ? some_core(static_cast<unsigned>(std::atoi(argument[3])))
                                        : spio::sim::hopper_tensor_core;
        simulate(core, experiments);
        return fit(experiments, tiles_of_kind) ? 0 : 1;
    }
    try {
        image_on_gpu gpu(argument[1]);
        std::printf("on %s\n", gpu.name().c_str());
        run_on_chip(gpu, experiments);
        bool const converts = conversions_agree(gpu);
        bool const fits = fit(experiments, tiles_of_kind);
        return converts && fits ? 0 : 1;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
