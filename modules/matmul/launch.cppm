// Matrix products that are ready on a device: one call, whichever kernel was chosen for it.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::runtime const gpu;
//     matmul::product const product(gpu, {.m = 512, .n = 1024, .k = 4096});
//     product.launch(stream, {.sizes = {.m = 512, .n = 1024, .k = 4096, .batch = 1},
//                             .a = {x, 4096}, .b = {w, 1024}, .d = {y, 1024}});
//
// x, w and y are addresses on the device; after each stands the distance of its rows, in elements.
// A problem is the sizes and options of a product, a config how blocks share it; the config belongs
// to one of two kernel templates, cp_async and wgmma.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <variant>

export module spio.matmul.launch;

import spio.launch;
import spio.matmul;
import spio.spec;

namespace spio::matmul {

// What chooses configurations: that of a loader, if it has one, or else the default.
template <class Loader> config_source const& configs_of(Loader const& loader) {
    if constexpr (requires { loader.configs(); }) {
        return loader.configs();
    } else {
        return default_config_source();
    }
}

} // namespace spio::matmul

export namespace spio::matmul {

// A matrix product that is ready to be launched. A loader is a runtime, or any object with
// target_device() and load().
class product {
  public:
    template <class Loader>
    product(Loader&& loader, problem const& problem, config const& config)
        : home(loader.target_device()), made_for(problem), body(load(loader, problem, config)) {}
    template <class Loader>
    product(Loader&& loader, problem const& problem)
        : product(loader, problem,
                  best_config(problem, loader.target_device().arch(), configs_of(loader))) {}

    // The matrices have the sizes of the problem. A size that the problem leaves open may be any.
    void launch(stream const&, args const&) const;

  private:
    struct wgmma_body {
        wgmma::config config;
        kernel<wgmma::params> kernel;
    };
    using cp_async_body = kernel<cp_async::params>;

    device home;
    problem made_for; // for which the kernel is loaded
    std::variant<cp_async_body, wgmma_body> body;

    template <class Loader>
    static std::variant<cp_async_body, wgmma_body> load(Loader& loader, problem const& problem,
                                                        config const& config) {
        auto const arch = loader.target_device().arch();
        if (auto const* const cp_async = std::get_if<cp_async::config>(&config)) {
            return loader.load(specialize(problem, *cp_async, arch));
        }
        auto const& wgmma = std::get<wgmma::config>(config);
        return wgmma_body{wgmma, loader.load(specialize(problem, wgmma, arch))};
    }
};

} // namespace spio::matmul
