// Architectures: what a kernel is compiled for, as a template argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio {

// A chip's compute capability times ten. It says which pieces there are: to use one that is missing
// does not compile.
struct arch {
    int number;

    friend constexpr bool operator==(arch, arch) = default;
};
inline constexpr arch sm_80 = {80};
inline constexpr arch sm_86 = {86};
inline constexpr arch sm_89 = {89};
inline constexpr arch sm_90a = {90};

// The pieces that came with Hopper: copies in bulk and by tensor map, barriers that count their
// bytes, clusters, stores of matrices, registers that move between warps.
template <arch Arch>
concept has_bulk_copies = Arch.number >= 90;

} // namespace spio
