// The `spio` command: its subcommands, and what they share.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.command;

export import spio.command_line;
export import :json;
export import :trial;
import spio.aot;
import spio.cuda;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;

export namespace spio::command {

std::span<subcommand const> subcommands();

// The help of the whole command, and of a subcommand.
std::string help();
std::string help(subcommand const&);

// Parses the words after the program's name, and does what they ask for.
exit_status run(std::span<std::string_view const> words, io const&);

} // namespace spio::command

// The rest is for the subcommands alone.
namespace spio::command {

inline constexpr option json_option = {"--json", "", "print one JSON object, for programs"};
inline constexpr option pack_option = {"--pack", "FILE", "ask this pack too, before all others",
                                       true};

// The result for programs if --json is there, or else for people.
void print_result(arguments const&, io const&, json const&, std::string const& text);

// A family of this program, or a failure of usage that names the nearest one.
family const& family_named(std::string_view name);
// The words of a problem, after the family's name, as one text.
std::string problem_words(arguments const&);

// An architecture that Spio has kernels for; another one is a failure of usage.
arch arch_named(std::string_view text);
// A checked pack; a file that is none is a failure that says so.
aot::pack read_pack(std::filesystem::path const&);
// The same whoever could have written it: it can be listed and verified, and has no images.
aot::pack inspect_pack(std::filesystem::path const&);
// Packs beside the program, and where an installed program has its data.
std::vector<std::filesystem::path> packs_nearby(io const&);
// The packs that the arguments name, and those nearby; an unreadable one nearby is told and left.
std::vector<aot::pack> read_packs(arguments const&, io const&);

// The kernels for the host device in this program, as lines of a manifest.
std::span<std::string const> host_lines();
// Compiles and loads kernels for the host device that this program was built without.
void add_host_kernels(std::span<spec const>, io const&);
// Finds a kernel for the host device, in the program or added to it.
std::optional<image> find_host_image(spec const&);

// A runtime on a device, and what timing needs of a GPU.
struct opened_runtime {
    std::unique_ptr<cuda::driver> driver = {}; // null for the host device
    std::optional<cuda::device_ref> gpu = {};
    std::string no_gpu_reason = {}; // if the host device stands in for a GPU
    std::unique_ptr<spio::runtime> runtime = {};
};
// On "gpu", "gpu:1" or "host"; if empty, on the first GPU, or the host device where there is none.
opened_runtime open_runtime(std::string_view device, policy, std::vector<aot::pack>, io const&);

// How long launches take on a GPU, beside a copy of the same bytes.
struct timing {
    double microseconds;        // of a launch, the median of replays
    double copy_microseconds;   // of a copy that reads and writes as many bytes
    unsigned replays, launches; // launches of each replay
    bool is_cold;               // whether what a launch reads has left the cache since its last use
};
// Launches follow each other in a graph, each on another set of arrays; the sets fill the
// second-level cache twice.
timing measure(opened_runtime const&, workbench&, trial const&);

enum class condition { good, missing, wrong };

// What `spio doctor` found about a part of this machine.
struct diagnosis {
    std::string name;
    condition state = condition::good;
    std::string text = {};
    std::string advice = {};
    std::vector<std::string> lines = {}; // more text
    json facts = nullptr;                // the same for programs
};
diagnosis diagnose_cache();

// As CMake has it: "0.1.0".
std::string_view project_version();

} // namespace spio::command
