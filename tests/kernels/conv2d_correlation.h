// Walks under test, whatever body makes them: their tensors, and the sums that must come out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "trial.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace spio::test::conv2d_correlation {

using conv2d::problem;

// What is read, drawn at random.
struct tensors {
    std::vector<unsigned short> from, filter;
    std::vector<float> bias;

    tensors(std::mt19937& random, problem const& of);
};

// The same on a device, and what is made there.
class tensors_on_device {
  public:
    tensors_on_device(trial& t, problem const& of, tensors const& in);

    conv2d::correlation_args arguments() const;
    void* read_from() const { return from_.data(); }
    void* made_at() const { return to_.data(); }
    std::vector<unsigned short> made() const { return to_.read(); }

  private:
    problem of_;
    buffer<unsigned short> from_, filter_;
    buffer<float> bias_;
    buffer<unsigned short> to_;
};

// A layer, and how its kernel makes a problem of it.
struct walker {
    char const* symbol;
    problem layer;
    std::function<std::vector<unsigned short>(trial&, problem const&, tensors const&)> make;
};

void expect_sums(trial& t, std::string const& name, problem const& of, tensors const& in,
                 std::vector<unsigned short> const& got);
// Problems of one layer after the other, of random sizes.
void run_random(trial& t, std::vector<walker> const& walkers, int problems);
// What is no number, and what is beyond all numbers, comes through where it is read, and nowhere
// else.
void run_infinite(trial& t, std::vector<walker> const& walkers);

} // namespace spio::test::conv2d_correlation
