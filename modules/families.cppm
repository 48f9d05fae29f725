// The families of kernels that come with Spio.
// SPDX-License-Identifier: Apache-2.0
module;

#include <span>

export module spio.families;

import spio.spec;

export namespace spio {

// Those that CMakeLists.txt lists, which is also where another one is added.
std::span<family const> families();

} // namespace spio
