// Estimates the times of many configurations of one problem.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/wgrad_tma.h"

#include <memory>

module spio.conv2d:estimator;

import :choice;
import spio.spec;

namespace spio::conv2d {

// What configurations have in common is computed once. The problem and the configurations must have
// been checked, and the problem must outlive the estimator.
class estimator {
  public:
    estimator(problem const&, arch);
    ~estimator();

    estimate operator()(config const&) const;
    // How many blocks a multiprocessor runs at a time.
    int blocks_of_sm(cp_async::config const&) const;

  private:
    struct setting;
    std::unique_ptr<setting> common;
};

// A configuration of wgrad whose clusters add their sums, and the time that it is expected to take.
// The time is 0 where there is none: the layer is large, or no cluster may be used.
struct cluster_choice {
    wgrad_tma::config config = {};
    double microseconds = 0;
};
cluster_choice best_wgrad_cluster(problem const&, arch);

} // namespace spio::conv2d
