// A text that lists kernels, one a line: a family, and a problem of it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.aot:manifest;

import spio.spec;

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

// The specializations of each line. What is wrong with one is told as a compiler would, by the
// manifest's name and the line's number.
std::vector<std::vector<spec>> specs_of_lines(std::string_view manifest, std::string_view name,
                                              std::span<family const>, arch);
// Those of all lines, one after the other.
std::vector<spec> specs_of(std::string_view manifest, std::string_view name,
                           std::span<family const>, arch);

} // namespace spio::aot
