// Kernels built before the program: manifests that list them, and packs that hold their images.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.aot;

export import :pack;
import spio.image;
import spio.spec;
import spio.system;

export namespace spio::aot {

// A line of a manifest that lists kernels: a family, and a problem of it.
struct manifest_line {
    int number; // counted from 1
    std::string text;
};

// The lines of a manifest, without empty ones and without comments, which begin with a #.
//     # what ships
//     axpby n=1000000
//     layernorm_2d channels=64 affine=false
std::vector<manifest_line> lines_of(std::string_view manifest);

// The specializations of each line. An error names the manifest and the line's number, as
// compilers do.
std::vector<std::vector<spec>> specs_of_lines(std::string_view manifest, std::string_view name,
                                              std::span<family const>, arch);
// The specializations of all lines.
std::vector<spec> specs_of(std::string_view manifest, std::string_view name,
                           std::span<family const>, arch);

// The compilers that make images ahead of time: nvcc, and clang with CUDA's assembler.
using spio::compiler_kind;
using spio::name_of;
std::optional<compiler_kind> compiler_named(std::string_view);

// A compiler, and how it is used. Spio's options, compiler_options(), come before these.
struct device_compiler {
    compiler_kind kind = compiler_kind::nvcc;
    std::filesystem::path program; // nvcc, or clang++
    std::filesystem::path cuda;    // the folder that has bin/ptxas and bin/fatbinary
    // Further folders of headers: the text of the kernels is provided without them.
    std::vector<std::filesystem::path> include_folders = {};
    std::vector<std::string> options = {};
    // Compressed images have a third to a quarter of the bytes, and the driver unpacks them.
    bool is_compressed = true;
};

// Takes the folder of CUDA that is named, or else the first of cuda_folders() that has the
// compiler; clang is clang++-19 or clang++ of PATH. A program that others could have written is
// refused by name. Throws the places where it looked.
device_compiler find_compiler(compiler_kind, std::filesystem::path const& cuda = {});

// "nvcc 13.0.88", "clang 19.1.7 with ptxas 13.0.88": asks the programs.
std::string version_of(device_compiler const&);

// An image, compiled now or found in the folder of an earlier build.
struct built_image {
    std::string line, arch, symbol;
    std::size_t bytes = 0, plain_bytes = 0; // in the pack, and before compression
    double seconds = 0;                     // of compiling
    bool is_new = false;
};

struct build_progress {
    std::size_t done, count;
    built_image const& image;
};

struct build_request {
    std::string manifest;              // its text
    std::string manifest_name;         // for messages
    std::span<family const> families;  // that the manifest may name
    std::vector<std::string> archs;    // "sm_80", "sm_90a", "compute_80"
    device_compiler compiler = {};     // see find_compiler()
    std::filesystem::path output = {}; // the pack
    // Images stay here between builds, and those that are still right are not compiled again. If it
    // is empty, they are in a temporary folder.
    std::filesystem::path folder = {};
    unsigned jobs = 0; // compilers that run at the same time; 0: one for each processor
    // Called for each image that is ready, from several threads, one at a time.
    std::function<void(build_progress const&)> progress = {};
};

struct built_pack {
    std::vector<built_image> images; // in their order in the pack
    std::uint64_t bytes = 0;         // of the pack
};

// Builds the pack that a manifest lists. The output is written only if all of it can be read again.
// Throws spio::error: of the manifest's line, of the compiler with its output, or of a folder.
built_pack build_pack(build_request const&);

// The steps of build_pack(), for build systems: build_images() leaves the images of a line, counted
// from 0, in the request's folder, and assemble_pack() finds them there.
std::vector<built_image> build_images(build_request const&, std::size_t line,
                                      std::string const& arch);
built_pack assemble_pack(build_request const&);

// The text of kernels for the host device, for spio_add_host_kernels() or compile_for_host(). A
// host device finds them by their symbols.
std::string host_text_of(std::span<spec const>);

struct host_compiler {
    std::filesystem::path program;                      // clang++ 19
    std::vector<std::filesystem::path> include_folders; // of the host device, then of the kernels
};
// Compiles a kernel to a shared object in the folder. The program that loads it has a host device,
// and exports its symbols. A compiler, or a header that it reads, is refused by name if others
// could have written it. Throws the compiler's output.
std::filesystem::path compile_for_host(host_compiler const&, spec const&, temporary_folder const&);

struct stale_image {
    packed_image entry;
    std::string reason; // "its text has changed since nvcc 13.0.88 compiled it"
};

// The images of a pack that these families, and the kernel text in this program, would not make any
// more. The pack serves none of them.
std::vector<stale_image> stale_images(pack const&, std::span<family const>);

// The main function of a packer, a program that build systems call for each step of a pack; the
// first argument is the program's name. It knows these families and no others.
int run_packer(std::span<char* const> arguments, std::span<family const>);

} // namespace spio::aot

// For the sources of this module alone.
namespace spio::aot {

using command = std::vector<std::string>;

// The commands that compile kernel.cu of a working folder to kernel.cubin or kernel.ptx, and then
// pack it to kernel.fatbin if images are compressed. They name files by these names alone, because
// nvcc passes names through a shell: text/ has the headers, include0/ and so on are links to the
// compiler's include folders.
std::vector<command> commands_of(device_compiler const&, arch);

struct compiled_image {
    image_kind kind;
    std::vector<std::byte> bytes;
    std::size_t plain_bytes;
};
// Compiles in a folder below this one, which is removed.
compiled_image compile(device_compiler const&, spec const&, std::filesystem::path const& parent);

// Runs a command for a kernel; throws its output, uncut, if it fails.
void run_for(spec const&, command const&, temporary_folder const&);

// clang's intermediate text, changed so that the kernel's parameter stays where the launch put it.
std::string with_grid_constant(std::string text, std::string const& symbol);

// Calls f for each number below count, from several threads. The first failure ends it.
void in_parallel(std::size_t count, unsigned jobs, std::function<void(std::size_t)> const& f);

} // namespace spio::aot
