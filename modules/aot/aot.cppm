// Kernels built before the program: manifests that list them, and packs that hold their images.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation, such as conv2d; a problem is the sizes and options of a
// call, a configuration how blocks and threads share it. A spec (specialization) is what a kernel
// is compiled from: its text for a problem, a configuration and an architecture. An image is the
// compiled code. The host device simulates a GPU: it runs kernels that were compiled for the CPU. A
// config_source finds measured configurations; without one the family chooses.
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

// The specializations of each line of a manifest. An error begins with the name of the manifest and
// the number of the line, like a compiler's.
std::vector<std::vector<spec>> specs_of_lines(std::string_view manifest, std::string_view name,
                                              std::span<family const>, arch,
                                              config_source const& = default_config_source());
// The specializations of all lines.
std::vector<spec> specs_of(std::string_view manifest, std::string_view name,
                           std::span<family const>, arch,
                           config_source const& = default_config_source());

// The compilers that make images ahead of time: nvcc, and clang with CUDA's assembler.
using spio::compiler_kind;
using spio::name_of;
std::optional<compiler_kind> compiler_named(std::string_view);

// A compiler, and how it is used. `options` come after those that compiler_options() returns.
struct device_compiler {
    compiler_kind kind = compiler_kind::nvcc;
    std::filesystem::path program; // nvcc, or clang++
    std::filesystem::path cuda;    // the folder that has bin/ptxas and bin/fatbinary
    // Further include folders. The headers of Spio's kernels are found without them.
    std::vector<std::filesystem::path> include_folders = {};
    std::vector<std::string> options = {};
    // Compressed images are a third to a quarter of the size; the driver unpacks them.
    bool is_compressed = true;
};

// Finds a compiler in the CUDA folder `cuda`, or else in the first of cuda_folders() that has it;
// clang is the clang++-19 or clang++ of PATH. Refuses a program that other users could have
// written. Throws an error that lists the places searched.
device_compiler find_compiler(compiler_kind, std::filesystem::path const& cuda = {});

// The version of a compiler, for which its programs are run: "nvcc 13.0.88", "clang 19.1.7 with
// ptxas 13.0.88".
std::string version_of(device_compiler const&);

// An image, compiled now or found in the folder of an earlier build. `line` is the line of the
// manifest that asks for it, `symbol` the name of its kernel.
struct built_image {
    std::string line, arch, symbol;
    std::size_t bytes = 0, plain_bytes = 0; // size in the pack, and size before compression
    double seconds = 0;                     // spent compiling
    bool is_new = false;
};

// How many images are ready, of how many, and the newest of them.
struct build_progress {
    std::size_t done, count;
    built_image const& image;
};

// What is built, by which compiler, and where.
struct build_request {
    std::string manifest;                            // the text of the manifest
    std::string manifest_name;                       // the name of the manifest, for messages
    std::span<family const> families;                // the families that the manifest may name
    std::vector<std::string> archs;                  // "sm_80", "sm_90a", "compute_80"
    config_source configs = default_config_source(); // asked before a family chooses
    device_compiler compiler = {};                   // see find_compiler()
    std::filesystem::path output = {};               // the file of the pack
    // The build folder: images stay in it between builds, and only those that are out of date are
    // compiled again. If the path is empty, a temporary folder is used.
    std::filesystem::path folder = {};
    unsigned jobs = 0; // compilers that run at the same time; 0: one for each processor
    // Called for each image that is ready, from several threads, one at a time.
    std::function<void(build_progress const&)> progress = {};
};

struct built_pack {
    std::vector<built_image> images; // in the order of the pack
    std::uint64_t bytes = 0;         // size of the pack
};

// Builds the pack that a manifest lists. The pack is written to `output` only if it can be read
// back. Throws spio::error: about a line of the manifest, about a failed compiler with its output,
// or about a folder.
built_pack build_pack(build_request const&);

// The two steps of build_pack(), for build systems: build_images() compiles the images of a line,
// counted from 0, into the request's folder; assemble_pack() makes the pack from that folder.
std::vector<built_image> build_images(build_request const&, std::size_t line,
                                      std::string const& arch);
built_pack assemble_pack(build_request const&);

// C++ source of kernels for the host device, for spio_add_host_kernels() or compile_for_host(). The
// host device finds the kernels by their symbols and the digests of their texts. Refuses two texts
// of one symbol.
std::string host_text_of(std::span<spec const>);

struct host_compiler {
    std::filesystem::path program;                      // clang++ 19
    std::vector<std::filesystem::path> include_folders; // host device first, then kernels
};
// Compiles a kernel to a shared object in the folder. Headers of the kernel's family that the
// include folders lack, or have with another text, are written to the folder first. The program
// that loads the object must contain the host device and export its symbols. Refuses a compiler or
// a header that other users could have written. If the compiler fails, the error has its output.
std::filesystem::path compile_for_host(host_compiler const&, spec const&, temporary_folder const&);

struct stale_image {
    packed_image entry;
    std::string reason; // "its text has changed since nvcc 13.0.88 compiled it"
};

// The images of a pack that are out of date: these families and the kernel text in this program
// would make other images now. The pack returns none of them.
std::vector<stale_image> stale_images(pack const&, std::span<family const>,
                                      config_source const& = default_config_source());

// The main function of a packer, a program that build systems call for each step of a pack. The
// first argument is the program's name. The packer knows the given families and no others.
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

// Whether an option makes a compiler read further files, or options from a file. An option may have
// others in it, as -Xcompiler=-O2,-include,FILE has.
bool brings_files(std::string_view option);

// What a compiler makes of a kernel. plain_bytes is the size before compression.
struct compiled_image {
    image_kind kind;
    std::vector<std::byte> bytes;
    std::size_t plain_bytes;
};
// Compiles in a temporary folder below `parent`.
compiled_image compile(device_compiler const&, spec const&, std::filesystem::path const& parent);

// Runs a command for a kernel. If the command fails, throws an error with its whole output.
void run_for(spec const&, command const&, temporary_folder const&);

// Changes clang's intermediate text so that the kernel named `symbol` reads its parameter where the
// launch put it, without a copy in local memory.
std::string with_grid_constant(std::string text, std::string const& symbol);

// Calls f(0) … f(count - 1) from several threads. After the first failure no further call begins.
void in_parallel(std::size_t count, unsigned jobs, std::function<void(std::size_t)> const& f);

} // namespace spio::aot
