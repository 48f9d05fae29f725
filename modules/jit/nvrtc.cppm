// NVRTC, found at run time: text in, cubin out, nothing of the file system in between.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.jit:nvrtc;

import :kernel_text;

export namespace spio::jit {

// NVRTC's functions, declared by hand: Spio is built where there is no CUDA. That they agree with
// nvrtc.h is asserted by tests/jit/abi.cpp.
struct nvrtc_entries {
    enum class result : unsigned { success = 0, compilation_failed = 6 };
    struct program_object;
    using program = program_object*;

    result (*version)(int* major, int* minor);
    char const* (*error_string)(result);
    result (*create_program)(program*, char const* source, char const* name, int header_count,
                             char const* const* header_texts, char const* const* header_names);
    result (*destroy_program)(program*);
    result (*compile_program)(program, int option_count, char const* const* options);
    result (*cubin_size)(program, std::size_t*);
    result (*cubin)(program, char*);
    result (*log_size)(program, std::size_t*);
    result (*log)(program, char*);
};

// What is compiled, and with what; the name is for messages.
struct source {
    std::string name;
    std::string text;
    std::span<header const> headers = kernel_text();
};

struct compiled {
    std::vector<std::byte> cubin;
    // What NVRTC had to say, warnings for example.
    std::string log;
};

// The options of each compilation, in their order, for an architecture such as sm_90a. With the
// text, the headers and which NVRTC it was, they settle the cubin.
std::vector<std::string> nvrtc_options(std::string_view arch);

// Where NVRTC is looked for: the file that SPIO_NVRTC names, if it is set. If not, in this order:
// files of toolkits, of pip's wheels, of the system. Throws if SPIO_NVRTC is no absolute path.
std::vector<std::filesystem::path> nvrtc_places();

// One of them, known before it is opened.
struct nvrtc_file {
    std::filesystem::path path; // without symbolic links
    std::string build_id;
};
// The first of nvrtc_places() that may be opened, other than these: files that others could have
// written may not, nor those in folders where others can write. If there is none, throws where it
// was looked.
nvrtc_file first_nvrtc_file(std::span<std::filesystem::path const> others = {});

class nvrtc {
  public:
    // The first that may be opened and can be.
    nvrtc();
    // This file and no other.
    explicit nvrtc(std::filesystem::path const&);
    // An NVRTC that is already there.
    nvrtc(nvrtc_entries const&, std::string build);

    // As in CUDA's version.
    int major() const { return major_version; }
    int minor() const { return minor_version; }
    // Tells two builds of one version apart: the build id in the library's file.
    std::string const& build_id() const { return build; }
    // Empty if it was already there.
    std::filesystem::path const& path() const { return file; }

    // From any thread. Compiles on a thread of its own with a deep stack; of all that are asked for
    // at once in the program, eight run and the rest wait.
    compiled compile(source const&, std::vector<std::string> const& options) const;
    compiled compile(source const& s, std::string_view arch) const {
        return compile(s, nvrtc_options(arch));
    }

  private:
    nvrtc_entries entries = {};
    std::filesystem::path file;
    std::string build;
    int major_version = 0, minor_version = 0;

    void open(std::filesystem::path const&);
    void ask_version();
};

} // namespace spio::jit
