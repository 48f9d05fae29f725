// A forked process chooses configurations, whatever threads of its parent were reading.
// SPDX-License-Identifier: Apache-2.0
//
// The first choice of a process reads the tables of learned models and of measured configurations.
// fprop and dgrad are the forward pass and the gradient of the input; wgrad has the other model.
#include <doctest/doctest.h>

#include "conv2d/problem.h"
#include "matmul/problem.h"

#include <chrono>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

import spio.conv2d;
import spio.matmul;
import spio.spec;

using namespace spio;

namespace {

// Reads all tables: a second tensor is what the models were not trained for.
bool has_chosen() {
    auto problem = parse<conv2d::problem>("conv2d", "n=32 c=64 h=56 w=56");
    bool const is_ours = conv2d::choose(problem, sm_90a).origin == config_origin::model;
    problem.residual = true;
    bool const is_familys = conv2d::choose(problem, sm_90a).origin == config_origin::family;
    auto const product = parse<matmul::problem>("matmul", "m=4096 n=4096 k=4096");
    return is_ours && is_familys && matmul::choose(product, sm_90a).origin == config_origin::model;
}

// The exit status of a process that is forked now and returns what the task returns. After a minute
// a signal ends the process.
template <class Task> bool holds_in_child(Task const& task) {
    pid_t const child = fork();
    if (child == 0) {
        alarm(60);
        _exit(task() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

// The test spec.forks runs this case alone: then no table was read before.
TEST_CASE(
    "whenever a process is forked while a thread chooses for the first time, it chooses too") {
    int right = 0;
    constexpr int rounds = 8;
    for (int round = 0; round < rounds; ++round) {
        right += holds_in_child([&] {
            std::jthread const first([] { has_chosen(); });
            std::this_thread::sleep_for(std::chrono::milliseconds(round));
            return holds_in_child(has_chosen);
        });
    }
    CHECK(right == rounds);
}
