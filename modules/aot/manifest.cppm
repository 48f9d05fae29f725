// A text that lists kernels, one a line: a family, and a problem of it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <string>
#include <string_view>
#include <vector>

export module spio.aot:manifest;

export namespace spio::aot {

// A line, and where it stands, counted from 1.
struct manifest_line {
    int number;
    std::string text;
};

// Without those that are empty and what comes after a #.
//     # what ships
//     axpby n=1000000
//     layernorm_2d channels=64 affine=false
std::vector<manifest_line> lines_of(std::string_view manifest);

} // namespace spio::aot
