// Architectures as text, and what the GPUs that stand for them have.
// SPDX-License-Identifier: Apache-2.0
module;

#include "spio/tile/arch.h"

#include <optional>
#include <string>
#include <string_view>

export module spio.spec:chip;

export namespace spio {

using spio::arch;
using spio::compute_80;
using spio::host_arch;
using spio::sm_80;
using spio::sm_86;
using spio::sm_89;
using spio::sm_90a;

// "sm_90a", "compute_80", "host"; of no architecture the text is empty.
std::string text_of(arch);
// Reads such a text. Another one has no value, or is an error that cites it.
std::optional<arch> find_arch(std::string_view text);
arch parse_arch(std::string_view text);

// CUDA takes some of an SM's shared memory for each block. No chip gives a block more than so much.
inline constexpr int reserved_shared_bytes = 1024;
inline constexpr int max_shared_bytes = 227 * 1024;

// A GPU, as far as estimates must know it.
struct chip {
    std::string_view name;
    std::string_view source; // of the figures
    int sm_count;
    double clock_mhz;            // cycles in a microsecond
    double copy_bytes;           // that a copy reads and writes in a microsecond
    double latency_microseconds; // of a read from memory
    double launch_microseconds;  // of a kernel, with its first and last blocks
    int shared_bytes;            // of an SM
    bool has_tma = false;        // and kernels that use it
    int sm_threads = 2048;       // at once
    int sm_registers = 65536;
    int sm_blocks = 32;
};

// The GPU that stands for an architecture: that of the architecture itself, for the host an A100.
// PTX and chips that are not in the table are taken to be as fast as the fastest known, with the
// least shared memory of any and without TMA, since they get the code for sm_80.
chip const& chip_of(arch);

// The most shared memory that a block may take on an architecture.
int shared_bytes_of_block(arch);

} // namespace spio
