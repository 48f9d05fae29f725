// fprop and dgrad under test, by any kernel: their tensors, and the sums that are expected.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// layer is a problem (sizes and options; images of any size are known only at the launch) with a
// configuration, which says how blocks share it. A trial runs a test case on a device: a GPU, or
// the host device, which simulates one on the CPU. With small effort it runs fewer sizes. fprop and
// dgrad are both correlations.
#pragma once

#include "conv2d/problem.h"
#include "trial.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace spio::test::conv2d_correlation {

using conv2d::problem;

// The tensors that a kernel reads, drawn at random: the bits of 16-bit elements, and floats.
struct tensors {
    std::vector<unsigned short> input, filter;
    std::vector<float> bias, scale;
    // The preactivation is that of the input, which dgrad with an activation reads.
    std::vector<unsigned short> residual, preactivation;

    tensors(std::mt19937& random, problem const& problem);
};

// What a kernel writes.
struct outputs {
    std::vector<unsigned short> output, preactivation;
};

// The same tensors on a device, and the outputs.
class tensors_on_device {
  public:
    tensors_on_device(trial& trial, problem const& problem, tensors const& inputs);

    conv2d::correlation_args<conv2d::element_bits> arguments() const;
    conv2d::epilogue_pointers epilogue() const;
    void* input() const { return input_.data(); }
    void* output() const { return output_.data(); }
    // The input's preactivation in dgrad, the output's in fprop.
    void* preactivation() const;
    outputs read() const { return {output_.read(), preactivation_.read()}; }

  private:
    problem problem_;
    buffer<unsigned short> input_, filter_;
    buffer<float> bias_, scale_;
    buffer<unsigned short> residual_, input_preactivation_, output_, preactivation_;
};

// A layer, and a function that launches its kernel for a problem and returns the outputs.
struct variant {
    char const* symbol;
    problem layer;
    std::function<outputs(trial&, problem const&, tensors const&)> run;
    bool adds_number = false; // whether its epilogue adds a number that depends on the position
};

// Compares all outputs with sums in double, within the bound of rounding.
void expect_sums(trial& trial, variant const& variant, problem const& problem,
                 tensors const& inputs, outputs const& got);
// Runs `problems` problems of random sizes for each variant in turn, and compares.
void run_random(trial& trial, std::vector<variant> const& variants, int problems);
// Puts NaN and infinities into the input: they must reach the outputs that read them, and no
// others.
void run_infinite(trial& trial, std::vector<variant> const& variants);

} // namespace spio::test::conv2d_correlation
