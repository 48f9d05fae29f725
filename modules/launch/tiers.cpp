// Generic kernels and those that take their place: what a runtime has for both.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every problem of its kind; the better kernel serves one problem alone.
// `begun`, `unchanged` and the others count problems and what became of them.
module;

#include <atomic>
#include <string>

module spio.launch;

import spio.spec;
import spio.system;

namespace spio {

tiers::tiers(images const& images, kernels const& kernels, config_source const& configs,
             options options)
    : found_images(&images),
      loaded_kernels(&kernels),
      chosen_configs(&configs),
      own_options(options) {}

tiers::~tiers() { queue->end(); }

void tiers::begin(std::string const& subject) const {
    counters->begun.fetch_add(1);
    log("generic " + subject);
}

tier_counters tiers::count() const {
    return {.begun = counters->begun.load(),
            .unchanged = counters->unchanged.load(),
            .compiled = counters->compiled.load(),
            .taken = counters->taken.load(),
            .failed = counters->failed.load()};
}

} // namespace spio
