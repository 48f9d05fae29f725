// Reads and writes architectures, and knows their GPUs.
// SPDX-License-Identifier: Apache-2.0
//
// Each architecture is stood for by one GPU, whose figures estimates use. The architecture `host`
// is that of the host device, which simulates a GPU on the CPU. An architecture of PTX is spelled
// compute_80, one of a chip sm_80; the suffix a is for this chip alone.
module;

#include "spio/checked_size.h"
#include "spio/tile/arch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

module spio.spec;

namespace spio {

namespace {

constexpr std::string_view fitted = "fitted to times on this GPU: bench/results";
constexpr std::string_view data_sheet = "data sheet, not fitted";

// What an SM holds is that of the table of compute capabilities in CUDA's programming guide.
constexpr chip h200 = {.name = "H200",
                       .source = fitted,
                       .sm_count = 132,
                       .clock_mhz = 1750,
                       .copy_bytes = 4.46e6,
                       .latency_microseconds = 1.38,
                       .launch_microseconds = 3.6,
                       .shared_bytes = 228 * 1024,
                       .has_tma = true};
constexpr chip a100 = {.name = "A100",
                       .source = data_sheet,
                       .sm_count = 108,
                       .clock_mhz = 1400,
                       .copy_bytes = 1.4e6,
                       .latency_microseconds = 1.3,
                       .launch_microseconds = 4,
                       .shared_bytes = 164 * 1024};
constexpr chip rtx_3090 = {.name = "RTX 3090",
                           .source = data_sheet,
                           .sm_count = 82,
                           .clock_mhz = 1700,
                           .copy_bytes = 0.85e6,
                           .latency_microseconds = 1.3,
                           .launch_microseconds = 4,
                           .shared_bytes = 100 * 1024,
                           .sm_threads = 1536,
                           .sm_blocks = 16};
constexpr chip rtx_4090 = {.name = "RTX 4090",
                           .source = data_sheet,
                           .sm_count = 128,
                           .clock_mhz = 2500,
                           .copy_bytes = 0.92e6,
                           .latency_microseconds = 1.3,
                           .launch_microseconds = 4,
                           .shared_bytes = 100 * 1024,
                           .sm_threads = 1536,
                           .sm_blocks = 24};
constexpr chip unknown = [] {
    chip chip = h200;
    chip.name = "unknown";
    chip.source = "as fast as the H200, with the least that one of these chips has";
    chip.shared_bytes = 100 * 1024;
    chip.has_tma = false;
    chip.sm_threads = 1536;
    chip.sm_blocks = 16;
    return chip;
}();

} // namespace

chip const& chip_of(arch arch) {
    if (arch.is_host) return a100;
    if (arch.number == 86) return rtx_3090;
    if (arch.number == 89) return rtx_4090;
    if (arch.number == 90 && (arch.suffix == 'a' || !arch.is_ptx)) return h200;
    if (arch.number == 80 && !arch.is_ptx) return a100;
    return unknown;
}

int concurrent_blocks(chip const& chip, block_resources const& block) {
    auto const shared_bytes = checked_size(block.shared_bytes) + reserved_shared_bytes;
    int const most = std::min((chip.shared_bytes / shared_bytes).as_int(),
                              (chip.sm_threads / checked_size(block.threads)).as_int());
    // Each quarter of an SM has a quarter of its registers, and runs whole warps.
    constexpr int warp_threads = 32;
    auto const warp_registers = checked_size(block.registers) * warp_threads;
    auto const warps = sm_quarters * (chip.sm_registers / sm_quarters / warp_registers);
    auto const block_warps = divup(checked_size(block.threads), warp_threads);
    return std::min(std::min(most, (warps / block_warps).as_int()), chip.sm_blocks);
}

int concurrent_clusters(chip const& chip, int blocks) {
    // As cudaOccupancyMaxActiveClusters tells for an H200. The blocks of a cluster run in one group
    // of neighbouring SMs, some of which are left over.
    constexpr int measured[most_portable_cluster] = {132, 66, 39, 30, 22, 17, 15, 15};
    constexpr int measured_of_most = 7;
    if (blocks != most_cluster && (blocks < 1 || blocks > most_portable_cluster)) {
        throw error(error_kind::invalid, "configure", "a cluster",
                    "it has " + std::to_string(blocks) + " blocks, and may have 1 to 8 or 16");
    }
    int const clusters = blocks == most_cluster ? measured_of_most : measured[blocks - 1];
    return std::max(1, clusters * chip.sm_count / h200.sm_count);
}

int shared_bytes_of_block(arch arch) {
    return arch.is_host ? max_shared_bytes : chip_of(arch).shared_bytes - reserved_shared_bytes;
}

std::string text_of(arch arch) {
    if (arch.is_host) return "host";
    if (arch.number == 0) return {};
    auto const suffix = arch.suffix == 0 ? std::string() : std::string(1, arch.suffix);
    return (arch.is_ptx ? "compute_" : "sm_") + std::to_string(arch.number) + suffix;
}

std::optional<arch> find_arch(std::string_view text) {
    if (text == "host") return host_arch;
    arch arch = {.is_ptx = text.starts_with("compute_")};
    if (!arch.is_ptx && !text.starts_with("sm_")) return {};
    text.remove_prefix(text.find('_') + 1);
    if (text.ends_with('a') || text.ends_with('f')) {
        arch.suffix = text.back();
        text.remove_suffix(1);
    }
    bool const has_digits = (text.size() == 2 || text.size() == 3) && text.front() != '0' &&
                            std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!has_digits) return {};
    std::from_chars(text.data(), text.data() + text.size(), arch.number);
    return arch;
}

arch parse_arch(std::string_view text) {
    if (auto const found = find_arch(text)) return *found;
    throw error(error_kind::invalid, "parse", "an architecture",
                "'" + std::string(text) +
                    "' is no architecture such as sm_80, sm_90a, compute_80 or host");
}

} // namespace spio
