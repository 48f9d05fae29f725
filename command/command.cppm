// The `spio` command: its subcommands, and what their implementations share.
// SPDX-License-Identifier: Apache-2.0
//
// A family is a set of kernels for one operation, such as conv2d; a problem, what is known when a
// kernel is compiled, such as the sizes of tensors; an image, a compiled kernel; a pack, a file of
// images. The host device simulates a GPU on the processor. A trial runs a problem on random data.
// A config_source finds measured configurations; without one the family chooses. A policy says
// whether images come from packs (files of them), from a compiler at run time, or both.
module;

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.command;

export import spio.command_line;
// What a trial is written with.
export import spio.dims;
export import spio.spec;
export import :json;
export import :setup;
export import :trial;
import spio.aot;
import spio.cuda;
import spio.cuda_python;
import spio.image;
import spio.launch;
import spio.runtime;

export namespace spio::command {

std::span<subcommand const> subcommands();

// The help text of the whole command, and that of one subcommand.
std::string help();
std::string help(subcommand const&);

// Runs the command: parses the words after the program's name, and does what they ask for.
exit_status run(std::span<std::string_view const> words, io const&);

// A family of a project, and how it is tried. Without trials it can be shown and packed, not run.
struct project_family {
    family kernels;
    std::optional<trial_family> trials = {};
};

// What a program has besides the subcommands.
struct program_parts {
    std::vector<project_family> families = {};  // beside those of Spio
    std::vector<std::string> host_kernels = {}; // see host_manifest_lines()
    // Where the headers of Spio are installed, if not beside the program.
    std::filesystem::path include_folder = {};
};

// The main function of the program: runs the command with these words, the first of which is the
// program's name, and with the streams of the process. Returns the exit status.
int run_program(std::span<char* const> words, program_parts);

} // namespace spio::command

// What follows is for the implementations of the subcommands.
namespace spio::command {

inline constexpr option json_option = {"--json", "", "print one JSON object, for programs"};
inline constexpr option pack_option = {"--pack", "FILE", "ask this pack too, before all others",
                                       /*repeats=*/true};

inline constexpr option tuned_option = {
    "--tuned", "FILE", "choose the configurations that 'spio tune' wrote to this file"};

// Adds the models that were trained on this machine to those of the process, as runtimes on the
// first GPU do. Returns why others were not added.
std::vector<std::string> add_models_of_gpu(io const&);
// Trains models on a sweep, for the GPU at hand, and puts them where runtimes read them.
exit_status train_models(arguments const&, io const&);

// The families that this program knows: those of Spio, then those of a project.
std::span<family const> families();
// What run_program() was given; before that call, all is empty.
program_parts const& parts_of_program();

// Prints the JSON object if --json was given, and the text otherwise.
void print_result(arguments const&, io const&, json const&, std::string const& text);

// Writes a file into a folder that exists. A failure has the status not_written.
void write_output(std::string const& path, std::string_view bytes);

// Returns the family of kernels with this name. An unknown name is a usage failure that suggests
// the nearest one.
family const& family_named(std::string_view name);
// The configurations of the file that --tuned names, of any GPU; none if it is not given.
config_source tuned_configs(arguments const&);
// Joins the operands after the family's name: the words that describe the problem.
std::string problem_words(arguments const&);

// Parses an architecture such as "sm_90a". One older than sm_80, for which there are no kernels, is
// a usage failure.
arch arch_named(std::string_view text);
// Reads a pack of compiled images and checks it. A file that is not a pack is a failure.
aot::pack read_pack(std::filesystem::path const&);
// Reads a pack even if other users could have written the file. It can be listed and verified, but
// gives no images.
aot::pack inspect_pack(std::filesystem::path const&);
// The paths of the packs beside the program, and in the share/spio/packs folder of its
// installation.
std::vector<std::filesystem::path> packs_nearby(io const&);
// Reads the packs that --pack names, and those nearby. A pack nearby that cannot be read is
// reported and skipped.
std::vector<aot::pack> read_packs(arguments const&, io const&);

// The kernels for the host device that are built into this program. Each is a line of a manifest: a
// family and a problem, such as "axpby n=1000".
std::span<std::string const> host_manifest_lines();
// Compiles and loads kernels for the host device that this program was built without.
void add_host_kernels(std::span<spec const>, io const&);
// The families of kernels that manifests may name: Spio's own, and cuda_python, which names a file.
std::span<family const> packed_families();
// Finds a kernel for the host device, whether built into the program or added by add_host_kernels.
std::optional<image> find_host_image(spec const&);

// A runtime on a device, and the driver and GPU that measure() needs if the device is a GPU.
struct opened_runtime {
    std::unique_ptr<cuda::driver> driver = {}; // null for the host device
    std::optional<cuda::device_ref> gpu = {};
    std::string no_gpu_reason = {}; // if the host device stands in for a GPU
    std::unique_ptr<spio::runtime> runtime = {};
};
// Opens a runtime on "gpu", "gpu:1" or "host". If `device` is empty, opens the first GPU, or the
// host device if that fails. Images come from the packs and from NVRTC, as the policy says.
opened_runtime open_runtime(std::string_view device, policy, std::vector<aot::pack>, io const&);
// The same without the host device: a failure if there is no GPU.
opened_runtime open_gpu_alone(std::string_view device, policy, std::vector<aot::pack>, io const&);

// The time of a launch on a GPU, and that of a copy of the same bytes.
struct timing {
    double microseconds;        // of a launch, the median of replays
    double copy_microseconds;   // of a copy that reads and writes as many bytes
    unsigned replays, launches; // launches of each replay
    bool is_cold;               // whether inputs leave the L2 cache between uses
};
// Measures launches that follow each other in a graph. Each launch uses another set of arrays; the
// sets are meant to fill the L2 cache twice.
timing measure(opened_runtime const&, workbench&, trial const&);
// The time of a launch as measure() finds it, without the time of a copy.
double launch_microseconds(opened_runtime const&, workbench&, trial const&);

// The lines of a manifest, which must be a file with at least one.
std::string read_manifest(std::string const& path);

enum class condition { good, missing, wrong };

// What `spio doctor` found about one thing that Spio uses, such as the driver.
struct diagnosis {
    std::string name;
    condition state = condition::good;
    std::string text = {};
    std::string advice = {};
    std::vector<std::string> lines = {}; // more text
    json facts = nullptr;                // what was found, as JSON for programs
};
diagnosis diagnose_cache();
// Whether kernels may come from packs, from NVRTC, or from both.
diagnosis diagnose_policy();
// Which source of configurations is asked before the families.
diagnosis diagnose_configurations(io const&);
// The environment variables that Spio reads, and those that look like them but are not read.
diagnosis diagnose_environment();
// Why the cache would not keep an image that is compiled now. Empty if it would, and if the user
// has turned the cache off.
std::string why_nothing_is_kept();
// Tells the user that images were compiled and not kept, if that is so.
void tell_what_is_not_kept(io const&);

// An array that a kernel of CUDA Python gets, with random numbers.
struct python_array {
    cuda_python::parameter parameter;
    std::vector<unsigned> shape;
    std::vector<std::byte> data;
};
// A launch of a kernel of CUDA Python: its grid and block, the struct of parameters that the kernel
// takes, in which an array is an address, and the arrays.
struct python_launch {
    std::vector<std::byte> params;
    std::vector<python_array> arrays;
    extent grid = {}, block = {};

    // Writes a parameter's value at an offset in bytes.
    template <class T> void put(std::size_t offset, T value) {
        std::memcpy(params.data() + offset, &value, sizeof value);
    }
};
// The launch that the words NAME=VALUE, --block and --grid describe.
python_launch launch_of(cuda_python::kernel const&, arguments const&);
// Shows the text of a kernel of CUDA Python, whose file and name are the operands.
exit_status show_python(arguments const&, io const&);

// The version in CMakeLists.txt: "0.1.0".
std::string_view project_version();

// A dimension of a layout and its size, as in "k=32".
struct named_size {
    std::string name;
    int size;
};

// An axis of a layout: a plain one is a digit of a dimension (a part of its positions), a swizzle
// or a checkerboard a function of two digits.
struct text_axis {
    enum class kind { plain, swizzle, checkerboard };
    // One digit of a dimension: floor(position / stride) mod size.
    struct part {
        std::size_t dimension;
        int stride, size;
    };

    kind function = kind::plain;
    std::vector<part> parts;

    int size() const {
        int const first = parts.front().size;
        return function == kind::checkerboard ? first * parts.back().size : first;
    }
    // Whether a part is placed here; the second of a swizzle is only read.
    bool is_placed(std::size_t part) const { return part == 0 || function == kind::checkerboard; }
};

// A layout that is written as text, as "tensor<half, k / 8, i, k % 8>".
class text_layout {
  public:
    // The sizes are those of the dimensions, in the order in which positions have them. What the
    // algebra refuses is a usage failure here.
    text_layout(std::string_view text, std::vector<named_size> sizes);

    std::string const& element() const { return element_name; }
    int element_bytes() const { return bytes; }
    std::vector<named_size> const& sizes() const { return dimensions; }
    long long element_count() const;
    // The distance of an element from the first one, in elements.
    long long offset(std::span<int const> position) const;

  private:
    std::string element_name = "float";
    int bytes = 4;
    std::vector<named_size> dimensions;
    std::vector<text_axis> axes;
    std::vector<int> coarsest; // the greatest stride that is placed, for each dimension

    void place(text_axis const&);
    void expect_tiling();
};

} // namespace spio::command
