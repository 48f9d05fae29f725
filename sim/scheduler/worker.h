// Workers: OS threads that share the clusters of a launch.
// SPDX-License-Identifier: Apache-2.0
//
// A launch is a grid of simulated threads, whose clusters are run one after the other by each
// worker.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Runs clusters of the launch, one after the other, until none is left or the launch has stopped.
void run_clusters(gpu_launch& launch);

} // namespace spio::sim
