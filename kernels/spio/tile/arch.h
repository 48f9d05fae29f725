// Architectures: what a kernel is compiled for, as a value and as a template argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio {

// What code is for: a chip, PTX text for later chips, or the host device, which simulates a GPU on
// the CPU. It decides which features there are: to use one that is missing does not compile. No
// architecture at all is arch{}.
struct arch {
    int number = 0;       // the compute capability times ten: 90 of sm_90a
    char suffix = 0;      // 'a': for this chip alone; 'f': for its family; 0: for later ones too
    bool is_ptx = false;  // text, as compute_80
    bool is_host = false; // this machine, where every feature is simulated

    // TMA and what came with it: mbarriers that count bytes, clusters, stmatrix, setmaxnreg.
    constexpr bool has_tma() const { return is_host || number >= 90; }
    // wgmma: matrix products of warpgroups, with factors in shared memory.
    constexpr bool has_wgmma() const { return is_host || (number == 90 && suffix == 'a'); }
    // Whether it is a chip of a later generation than any that Spio has kernels for.
    constexpr bool is_newer_than_known() const { return number > 90; }

    // Whether a device of that architecture runs this code.
    constexpr bool runs_on(arch device) const {
        if (is_host || device.is_host) return is_host && device.is_host;
        if (number == 0 || device.number < number) return false;
        if (suffix == 'a') return number == device.number;
        bool const is_same_generation = number / 10 == device.number / 10;
        return is_same_generation || (is_ptx && suffix == 0);
    }

    friend constexpr bool operator==(arch, arch) = default;
};
inline constexpr arch sm_80 = {.number = 80};
inline constexpr arch sm_86 = {.number = 86};
inline constexpr arch sm_89 = {.number = 89};
inline constexpr arch sm_90a = {.number = 90, .suffix = 'a'};
inline constexpr arch compute_80 = {.number = 80, .is_ptx = true};
inline constexpr arch host_arch = {.is_host = true};

template <arch Arch>
concept has_bulk_copies = Arch.has_tma();
template <arch Arch>
concept has_warpgroup_products = Arch.has_wgmma();

} // namespace spio
