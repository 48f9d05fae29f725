// Configurations that were measured on GPUs: a file that `spio tune` writes and runtimes read.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation. A config_query is a problem of a family, for an
// architecture, that needs a configuration. A line of the file is a GPU's name, an architecture, a
// problem, a configuration, the microseconds of a launch, and a digest of the kernels' text that
// was measured:
//
//     NVIDIA H200 | sm_90a | axpby n=1000 | threads=256 vectors=1 | 2.31 | 0123456789abcdef
module;

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

export module spio.tuned;

import spio.spec;
import spio.system;

export namespace spio::tuned {

// The problem that was measured, and where.
struct key {
    std::string gpu; // the driver's name of the GPU
    std::string arch;
    std::string line; // a family and its problem: "axpby n=1000"

    friend auto operator<=>(key const&, key const&) = default;
};

// The fastest configuration that was found.
struct choice {
    std::string config;
    double microseconds;
    std::string kernel_text; // of digest_of_kernels() when it was measured
};

// A digest of the text of all kernels in this program. What was measured for other text may not
// even fit this one's.
std::string digest_of_kernels();

using table = std::map<key, choice>;

// Throws an error that names the file and the line if the text breaks the format: a damaged file
// must not choose, and must not be overwritten.
table parse(std::string_view text, std::string const& file);
std::string text_of(table const&);

// Where the table is by default, and why there may be none.
struct place {
    std::filesystem::path file = {}; // empty: none
    std::string refusal = {};        // a sentence if there is none
    bool is_named = false;           // whether the user named the file
};
// The file that the variable SPIO_TUNED names, an absolute path, or else, if it is not set or `on`,
// tuned.txt in the folder of the cache. There is none if SPIO_TUNED is `off`, or if the cache has
// no folder. With folder::use::owned, the cache's folder is made if it is missing.
place place_of_environment(system_calls& = operating_system(), folder::use = folder::use::existing);

// Reads a file by the rule of trust: throws if others could have written it, or if it is damaged.
// A missing file is an empty table.
table read(std::filesystem::path const& file);

// Adds choices to a file and replaces those of the same keys, whole or not at all. Processes that
// do so at the same time wait for each other.
void add(std::filesystem::path const& file, table const& choices);

// Where the models are that were trained on this machine: the folder models in that of the cache.
// Empty if there is none, or, with a sentence, if there must be none.
struct model_folder {
    std::filesystem::path path = {};
    std::string refusal = {};
};
model_folder model_folder_of_environment(system_calls& = operating_system(),
                                         folder::use = folder::use::existing);
// Whether a model was trained on a sweep of this GPU, by the words about its source.
bool is_trained_on(std::string_view source, std::string_view gpu, std::string_view arch);
// Adds the models of a folder that were trained on this GPU to those of the process, by the rule of
// trust for files. Returns why others were not added.
std::vector<std::string> add_models(std::filesystem::path const& folder, std::string_view gpu,
                                    std::string_view arch);

// The choices that launches in this process have made. It finds them at once, before they are read
// from a file again. Thread-safe.
class own_choices {
  public:
    // If no file is named, it is that of the environment when a choice is recorded.
    own_choices(std::filesystem::path file, std::string gpu);

    std::optional<std::string> find(config_query const&) const;
    // Throws if the file cannot be written; in this process the choice counts all the same.
    void record(config_query const&, std::string const& config, double microseconds);

  private:
    std::filesystem::path named_file;
    std::string gpu_name;
    mutable fork_safe_mutex mutex;              // guards the member below
    std::map<std::string, std::string> configs; // by architecture, family and problem
};

// Finds the configurations of one GPU, or of any GPU if `gpu` is empty: then the choice of the
// first name in the alphabet counts. Choices for other text of kernels are left out.
config_source::finder finder_of(table const&, std::string_view gpu);

} // namespace spio::tuned
