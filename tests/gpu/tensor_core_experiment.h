// Inputs and results of many sums by one instruction of the tensor core.
// SPDX-License-Identifier: Apache-2.0
//
// An experiment is one instruction and many tiles of inputs for it. A tile is the three matrices of
// one instruction, c[16][8] += a[16][K] b[K][8] (128 sums); its kind is how its numbers are drawn.
// A fragment is what the lanes of a warp hold of a matrix, in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../sim/tensor_core_cases.h"
#include "sim/tensor_core.h"

namespace test {

// One sum: c and the products, and the chip's result.
struct sum_record {
    int count;
    spio::sim::addend products[16];
    unsigned short a[16], b[16];
    float c, result;
    tile_kind kind;
};

// The registers of all lanes of all tiles, one tile after the other.
struct fragments {
    std::vector<unsigned> a, b;
    std::vector<float> c;
};

// An experiment whatever its instruction: `inputs` are for the chip, `take` gets what it computed,
// and `record` returns a sum by its number.
class experiment {
  public:
    explicit experiment(char const* name) : instruction(name) {}
    virtual ~experiment() = default;

    char const* name() const { return instruction; }
    virtual int tiles() const = 0;
    std::int64_t sums() const { return std::int64_t{128} * tiles(); }
    virtual fragments inputs() const = 0;
    // Keeps the results of all tiles; record() then describes sum n.
    virtual void take(std::vector<float> const& c) = 0;
    virtual sum_record record(std::int64_t n) const = 0;

  private:
    char const* instruction;
};

// The experiment of the instruction for factors in this format and K products a sum.
template <class Format, int K> class experiment_of : public experiment {
  public:
    experiment_of(char const* name, int tiles_of_kind, std::uint64_t seed) : experiment(name) {
        tile_source<Format> source{{seed}};
        cases.resize(static_cast<std::size_t>(tiles_of_kind) * tile_kinds);
        results.resize(cases.size());
        for (std::size_t n = 0; n < cases.size(); ++n) source.make(kind_of(n), cases[n]);
    }

    int tiles() const override { return static_cast<int>(cases.size()); }

    fragments inputs() const override {
        fragments registers;
        for (auto const& t : cases) {
            for (int lane = 0; lane < 32; ++lane) {
                for (int reg = 0; reg < K / 4; ++reg) {
                    auto const [i, k] = spio::sim::place_in_a(lane, reg, /*half=*/0);
                    registers.a.push_back(t.a[i][k] | static_cast<unsigned>(t.a[i][k + 1]) << 16);
                }
                for (int reg = 0; reg < K / 8; ++reg) {
                    auto const [j, k] = spio::sim::place_in_b(lane, reg, /*half=*/0);
                    registers.b.push_back(t.b[j][k] | static_cast<unsigned>(t.b[j][k + 1]) << 16);
                }
                for (int reg = 0; reg < 4; ++reg) {
                    auto const [i, j] = spio::sim::place_in_c(lane, reg);
                    registers.c.push_back(t.c[i][j]);
                }
            }
        }
        return registers;
    }

    void take(std::vector<float> const& c) override {
        for (std::size_t n = 0; n < cases.size(); ++n) {
            for (int lane = 0; lane < 32; ++lane) {
                for (int reg = 0; reg < 4; ++reg) {
                    auto const [i, j] = spio::sim::place_in_c(lane, reg);
                    auto const place = static_cast<std::size_t>(lane * 4 + reg);
                    results[n].sum[i][j] = c[128 * n + place];
                }
            }
        }
    }

    sum_record record(std::int64_t n) const override {
        auto const tile = static_cast<std::size_t>(n / 128);
        auto const i = static_cast<int>(n % 128 / 8);
        auto const j = static_cast<int>(n % 8);
        auto const& t = cases[tile];
        sum_record x{};
        x.count = K;
        x.kind = kind_of(tile);
        x.c = t.c[i][j];
        x.result = results[tile].sum[i][j];
        for (int k = 0; k < K; ++k) {
            x.a[k] = t.a[i][k];
            x.b[k] = t.b[j][k];
            x.products[k] = spio::sim::product<Format>(spio::sim::factor_of<Format>(x.a[k]),
                                                       spio::sim::factor_of<Format>(x.b[k]));
        }
        return x;
    }

  private:
    struct sums_of_tile {
        float sum[16][8];
    };
    std::vector<tile<K>> cases;
    std::vector<sums_of_tile> results;

    static tile_kind kind_of(std::size_t tile) { return static_cast<tile_kind>(tile % tile_kinds); }
};

// The four instructions: two formats, and 8 or 16 products; each with so many tiles of each kind.
inline std::vector<std::unique_ptr<experiment>> all_experiments(int tiles_of_kind) {
    using spio::sim::bfloat16_format;
    using spio::sim::half_format;
    std::vector<std::unique_ptr<experiment>> experiments;
    auto const seed = [&] { return 1000 + experiments.size(); };
    experiments.push_back(
        std::make_unique<experiment_of<half_format, 8>>("half_8", tiles_of_kind, seed()));
    experiments.push_back(
        std::make_unique<experiment_of<half_format, 16>>("half_16", tiles_of_kind, seed()));
    experiments.push_back(
        std::make_unique<experiment_of<bfloat16_format, 8>>("bfloat16_8", tiles_of_kind, seed()));
    experiments.push_back(
        std::make_unique<experiment_of<bfloat16_format, 16>>("bfloat16_16", tiles_of_kind, seed()));
    return experiments;
}

} // namespace test
