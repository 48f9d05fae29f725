// Checks and names problems of grouped convolution.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d.h"

#include <climits>
#include <string>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

// The rows or columns of an image, those of the filter, and the padding on either side.
void check_side(problem const& of, char const* image, int size, char const* filter, int taps,
                char const* pad, int padding) {
    long long const padded = size + 2LL * padding;
    auto const fail = [&](std::string bound) {
        throw error("check", "conv2d " + text_of(of),
                    std::string(image) + " + 2 " + pad + " is " + std::to_string(padded) +
                        ", but must be " + bound);
    };
    if (padded < taps) fail("at least " + std::string(filter) + ", " + std::to_string(taps));
    if (padded > INT_MAX) fail("at most " + std::to_string(INT_MAX));
}

} // namespace

void check(problem const& of) {
    spio::check("conv2d", of);
    check_side(of, "h", of.h, "r", of.r, "pad_h", of.pad_h);
    check_side(of, "w", of.w, "s", of.s, "pad_w", of.pad_w);
    if (of.bias && of.pass == direction::dgrad) {
        throw error("check", "conv2d " + text_of(of), "bias is true, but dgrad has none");
    }
    if (of.gradient == precision::fp16 && of.pass != direction::wgrad) {
        throw error("check", "conv2d " + text_of(of),
                    "gradient is fp16, but " + word_of(of.pass) + " makes no weight gradient");
    }
}

std::string name_of(problem const& of) {
    auto const part = [](int value, char const* of_what, bool is_known = true) {
        return (is_known ? std::to_string(value) : "any") + of_what;
    };
    return part(of.n, "n_", of.knows_n()) + part(of.c, "c_") + part(of.h, "h_", of.knows_image()) +
           part(of.w, "w_", of.knows_image()) + part(of.pad_h, "py_") + part(of.pad_w, "px_") +
           part(of.r, "r_") + part(of.s, "s_") + (of.bias ? "b" : "nb");
}

} // namespace spio::conv2d
