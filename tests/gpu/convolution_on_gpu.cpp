// Convolutions compiled on the spot and run on a GPU: random problems, and all that a layer may be.
// SPDX-License-Identifier: Apache-2.0
//
//     convolution_on_gpu random COUNT [SHARE OF]    so many problems a pass and body
//     convolution_on_gpu sweep "n=2 c=64 …" [SHARE OF]    every configuration worth a trial
// SHARE of OF shares is run: compilers wait for each other in one process.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import convolution_work;
import spio.conv2d;
import spio.cuda;
import spio.launch;
import spio.runtime;
import spio.spec;

using namespace spio;
using namespace spio::conv2d;
using namespace work;

namespace {

constexpr int without_gpu = 77; // a test that ends so was skipped

// True if it came out right.
bool try_once(runtime const& gpu, stream const& in, unsigned seed, problem const& of,
              config const& by, int repeats, tally& all) {
    std::mt19937 random(seed);
    auto const before = all.wrong;
    try {
        if (of.pass != direction::wgrad) {
            walk_once(gpu, in, random, of, by, repeats, all);
        } else if (of.gradient == precision::fp16) {
            gradient_once<half>(gpu, in, random, of, by, repeats, all);
        } else {
            gradient_once<float>(gpu, in, random, of, by, repeats, all);
        }
    } catch (std::exception const& e) {
        ++all.wrong;
        std::printf("%s\n", e.what());
    }
    ++all.problems;
    if (all.wrong == before) return true;
    std::printf("FAIL conv2d %s by %s, seed %u\n", text_of(of).c_str(), config_text(by).c_str(),
                seed);
    std::fflush(stdout);
    return false;
}

problem drawn(std::mt19937& random, direction pass) {
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, std::max(least, most))(random);
    };
    problem of = {.n = random() % 8 == 0 ? between(7, 64) : between(1, 6),
                  .c = 8 * (random() % 8 == 0 ? between(21, 256) : between(1, 20)),
                  .h = 1,
                  .w = 1,
                  .pass = pass};
    of.r = between(1, 7);
    of.s = between(1, 7);
    of.pad_h = between(0, of.r + 1);
    of.pad_w = between(0, of.s + 1);
    of.h = std::max(1, of.r - 2 * of.pad_h) + between(0, 20);
    of.w = std::max(1, of.s - 2 * of.pad_w) + between(0, random() % 4 == 0 ? 90 : 24);
    of.bias = pass != direction::dgrad && between(0, 1) == 1;
    of.made_for = static_cast<known_sizes>(between(0, 2));
    if (pass == direction::wgrad) of.gradient = static_cast<precision>(between(0, 1));
    return of;
}

struct portion {
    unsigned number = 0, of = 1;
    bool has(std::size_t n) const { return n % of == number; }
};

int end(char const* what, tally const& all) {
    std::printf(
        "figure: gpu.convolution: %s: %zu kernels, %zu numbers, %zu wrong, the worst at %.3f of "
        "its bound, %zu repeats\n",
        what, all.problems, all.numbers, all.wrong, all.worst, all.repeats);
    return all.wrong == 0 ? 0 : 1;
}

int run_random(runtime const& gpu, stream const& in, std::size_t count, portion mine) {
    int failed = 0;
    for (auto const pass : {direction::fprop, direction::dgrad, direction::wgrad}) {
        for (bool const with_maps : {false, true}) {
            tally all;
            for (std::size_t n = 0; n < count; ++n) {
                if (!mine.has(n)) continue;
                auto const seed =
                    static_cast<unsigned>(1000 * n + 10 * enumerator_name(pass)[0] + with_maps);
                std::mt19937 random(seed);
                auto const of = drawn(random, pass);
                // As if there were no other body.
                auto by = space(of, with_maps ? gpu.arch() : sm_80);
                std::erase_if(by, [&](auto const& c) { return needs_maps(c) != with_maps; });
                if (by.empty() && with_maps)
                    by = {pass == direction::wgrad ? config(best_wgrad_tma(of, gpu.arch()))
                                                   : config(best_tma(of))};
                auto const& chosen = by[random() % by.size()];
                try_once(gpu, in, seed, of, chosen, n % 8 == 0 ? 100 : 1, all);
            }
            auto const what =
                "random " + enumerator_name(pass) + (with_maps ? " by boxes" : " by rows");
            failed |= end(what.c_str(), all);
        }
    }
    return failed;
}

int run_sweep(runtime const& gpu, stream const& in, std::string_view words, portion mine) {
    auto const of = parse<problem>("conv2d", words);
    tally all;
    std::size_t n = 0;
    for (auto const& by : space(of, gpu.arch())) {
        if (mine.has(n++)) try_once(gpu, in, 1, of, by, 3, all);
    }
    return end(std::string(words).c_str(), all);
}

} // namespace

int main(int count, char** words) {
    std::vector<std::string> const asked(words + 1, words + count);
    if (asked.size() != 2 && asked.size() != 4) {
        std::printf("convolution_on_gpu random COUNT | sweep \"PROBLEM\"   [SHARE OF]\n");
        return asked.empty() ? without_gpu : 2;
    }
    std::optional<runtime> gpu;
    try {
        gpu.emplace();
    } catch (spio::error const& e) {
        std::printf("no GPU: %s\n", e.what());
        return without_gpu;
    }
    guarded<half>::use(gpu->on());
    guarded<float>::use(gpu->on());
    stream const in(gpu->on());
    portion mine;
    if (asked.size() == 4) {
        mine = {static_cast<unsigned>(std::stoul(asked[2])),
                static_cast<unsigned>(std::stoul(asked[3]))};
    }
    return asked[0] == "sweep" ? run_sweep(*gpu, in, asked[1], mine)
                               : run_random(*gpu, in, std::stoul(asked[1]), mine);
}
