// The command line of a packer: build systems call it for each step of a pack.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>

export module spio.aot:packer;

import spio.spec;

export namespace spio::aot {

// What a packer's main() returns, for its words; the first is the program's name. It knows these
// families and no others.
int run_packer(std::span<char* const> words, std::span<family const>);

} // namespace spio::aot
