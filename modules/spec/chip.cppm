// Architectures as text, and the properties of the GPU that stands for each of them.
// SPDX-License-Identifier: Apache-2.0
//
// An architecture is what a kernel is compiled for: a chip such as sm_90a, PTX text such as
// compute_80, or the host. Estimates of times use the properties of one GPU for each.
module;

#include "spio/launch_values.h"
#include "spio/tile/arch.h"

#include <optional>
#include <string>
#include <string_view>

export module spio.spec:chip;

export namespace spio {

using spio::arch;
using spio::compute_80;
using spio::host_arch;
using spio::max_shared_bytes;
using spio::reserved_shared_bytes;
using spio::sm_80;
using spio::sm_86;
using spio::sm_89;
using spio::sm_90a;

// The name of an architecture: "sm_90a", "compute_80", "host"; empty for arch(), which stands for
// none. The host is the host device: a GPU that is simulated on the CPU.
std::string text_of(arch);
// The architecture with this name. For any other text find_arch() returns nothing, and parse_arch()
// throws an error that quotes the text.
std::optional<arch> find_arch(std::string_view text);
arch parse_arch(std::string_view text);

// The properties of a GPU that estimates use.
struct chip {
    std::string_view name;
    std::string_view source; // where the figures come from
    int sm_count;
    double clock_mhz;            // cycles in a microsecond
    double copy_bytes;           // bytes that a copy reads and writes in a microsecond
    double latency_microseconds; // time of a read from memory
    double launch_microseconds;  // time of a launch, with its first and last blocks
    int shared_bytes;            // shared memory of an SM
    bool has_tma = false;        // whether kernels for the chip may use TMA
    int sm_threads = 2048;       // most threads that an SM runs at once
    int sm_registers = 65536;
    int sm_blocks = 32;
};

// An SM has so many quarters, each with a scheduler and as much of the registers.
constexpr int sm_quarters = 4;
// The most blocks of a cluster: on every chip that has clusters, and where a kernel asks for more.
constexpr int most_portable_cluster = 8, most_cluster = 16;
// The number of clusters of 1 to 8 or of 16 blocks that the chip runs at once, with one block on
// each SM. It was measured on an H200; of other chips it is the share of their SMs.
int concurrent_clusters(chip const&, int blocks);

// The GPU that stands for an architecture: that of the architecture itself, for the host an A100.
// PTX and chips that are not in the table are taken to be as fast as the fastest known, but an SM
// has the least shared memory, threads and blocks of any in the table, and no TMA, since they get
// the code for sm_80.
chip const& chip_of(arch);

// What a block takes of an SM.
struct block_resources {
    int threads;
    int registers; // of a thread
    int shared_bytes;
};
// The number of such blocks that an SM of the chip runs at once.
int concurrent_blocks(chip const&, block_resources const&);

// The most shared memory that a block may take on an architecture.
int shared_bytes_of_block(arch);

} // namespace spio
