// One specialization, compiled: what is run for it, and what comes out.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

module spio.aot:compile;

import spio.image;
import spio.spec;
import :compiler;

namespace spio::aot {

// Where the compilers read and write.
struct places {
    std::filesystem::path text;  // of the folder of headers
    std::filesystem::path clang; // of those that clang asks for and CUDA may not have
    std::filesystem::path stem;  // of STEM.cu, STEM.ptx, STEM.cubin and STEM.fatbin
};

using command = std::vector<std::string>;
std::vector<command> commands_of(device_compiler const&, arch, places const&);

struct compiled {
    image_kind kind;
    std::vector<std::byte> bytes;
    std::size_t plain_bytes; // as the compiler made it
};
compiled compile(device_compiler const&, spec const&, places const&);

// clang's intermediate text, where the kernel's parameter stays where the launch put it.
std::string with_grid_constant(std::string text, std::string const& symbol);

// Runs one of them; throws what it says, uncut, if it fails.
void run_for(spec const&, command const&);

std::string read_file(std::filesystem::path const&);
// All of it or nothing, whoever else writes it.
void write_file(std::filesystem::path const&, std::string_view);

} // namespace spio::aot
