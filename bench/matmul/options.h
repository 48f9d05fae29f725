// What is measured: the words of a command line, and the configurations that they ask for.
// SPDX-License-Identifier: Apache-2.0
//
// A body is one of matmul's two kernel templates, a configuration how it shares a product among
// blocks. Include it after `import spio.matmul; import spio.spec;`.
#pragma once

#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace spio::bench {

using matmul::body;

// What is measured, and how: bench_matmul's words on the command line, which measure.cpp explains.
struct options {
    std::vector<std::string> sets;
    unsigned seed = 2026;
    int count = 200;      // random shapes
    int rounds = 4;       // in each of which every kernel runs,
    double seconds = 0.1; // for so long
    // Whether all configurations of a body are measured, not only the one that is chosen.
    bool takes_all = false, takes_all_cp_async = false;
    int repeats = 0;         // runs whose results are compared bit by bit
    int part = 0, parts = 0; // only compiles: this one of so many equal parts of the kernels
    std::size_t rotation = 240 * mebibyte; // bytes that sets of buffers touch in turn
    std::vector<std::string> configs;      // to be measured too
    bool prints_table = false, prints_times = false;
    std::size_t most_sets = 1000;        // of buffers
    double slowest = 1e9;                // the largest estimate to be measured, over the least
    int first_shape = 0, shape_step = 1; // of a set
};

// The configurations of each body that the options ask for, and whether they are chosen.
struct marked_config {
    matmul::config config;
    bool is_chosen;
};
inline std::vector<marked_config> configs_of(matmul::problem const& p, arch arch,
                                             options const& options) {
    std::vector<marked_config> marked;
    for (auto const body : {body::wgmma, body::cp_async}) {
        if (options.prints_times && body == body::cp_async) break;
        auto configs = matmul::space(p, arch, body);
        if (configs.empty()) continue;
        auto const estimate = [&](auto const& config) {
            return matmul::explain(p, config, arch).microseconds;
        };
        double const fastest = estimate(configs.front());
        auto const chosen = matmul::config_text(body == body::wgmma ? matmul::best_config(p, arch)
                                                                    : configs.front());
        bool const takes_all = body == body::wgmma ? options.takes_all : options.takes_all_cp_async;
        auto const is_chosen = [&](auto const& config) {
            return matmul::config_text(config) == chosen;
        };
        std::ranges::stable_partition(configs, is_chosen);
        for (auto const& config : configs) {
            // The model that --times is for knows nothing of ping-pong.
            auto const* const wgmma = std::get_if<matmul::wgmma::config>(&config);
            if (options.prints_times && wgmma != nullptr && wgmma->ping_pong) continue;
            if (is_chosen(config) || (takes_all && estimate(config) <= options.slowest * fastest))
                marked.push_back({config, is_chosen(config)});
        }
    }
    return marked;
}

} // namespace spio::bench
