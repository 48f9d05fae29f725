// NVRTC, found at run time: text in, cubin out, and no files in between.
// SPDX-License-Identifier: Apache-2.0
//
// A header is a name and a text, both in memory: kernels are compiled from headers that the library
// has in it.
module;

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.jit:nvrtc;

export import spio.text;
import spio.spec;
import spio.system;

export namespace spio::jit {

using spio::header;
using spio::kernel_text;
using spio::kernel_text_digest;

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
    result (*ptx_size)(program, std::size_t*);
    result (*ptx)(program, char*);
    result (*log_size)(program, std::size_t*);
    result (*log)(program, char*);
};

// A text to compile, and its headers; the name is for messages.
struct source {
    std::string name;
    std::string text;
    std::span<header const> headers = kernel_text();
};

struct compiled {
    std::vector<std::byte> cubin; // without_unused_data()
    // What NVRTC printed, warnings for example.
    std::string log;
};

// The options for an architecture such as sm_90a. Together with the text, its headers and the build
// of NVRTC they determine the cubin.
std::vector<std::string> nvrtc_options(std::string_view arch);

// The files that may be NVRTC, the preferred one first: only the file that SPIO_NVRTC names if it
// is set, or else the newest file in each of nvrtc_folders(). Throws if SPIO_NVRTC is not an
// absolute path.
std::vector<std::filesystem::path> nvrtc_places();

// A library of NVRTC that is not open yet.
struct nvrtc_file {
    std::filesystem::path path; // without symbolic links
    std::string build_id;
};
// The first of nvrtc_places() that is not excluded and may be opened; a file that other users could
// have written may not, see distrust(). If there is none, throws an error with the reason for each
// place.
nvrtc_file first_nvrtc_file(std::span<std::filesystem::path const> excluded = {});

class nvrtc {
  public:
    // Opens the first of nvrtc_places() that can be opened.
    nvrtc();
    // Opens this file and no other.
    explicit nvrtc(std::filesystem::path const&);
    // Uses functions of NVRTC that the caller has found.
    nvrtc(nvrtc_entries const&, std::string build_id);

    // The version of NVRTC, which is that of its CUDA.
    int major() const { return major_version; }
    int minor() const { return minor_version; }
    // The build id of the library's file, which differs between two builds of one version.
    std::string const& build_id() const { return build; }
    // The file that was opened; empty if there was none.
    std::filesystem::path const& path() const { return file; }

    // Thread-safe. Compiles on a thread of its own with a deep stack; eight compilations of the
    // program run at the same time, and the others wait. A process that was forked while its parent
    // compiled cannot compile: NVRTC would wait for the parent's threads. It is told by an error of
    // the kind no_compiler.
    compiled compile(source const&, std::vector<std::string> const& options) const;
    compiled compile(source const& source, std::string_view arch) const {
        return compile(source, nvrtc_options(arch));
    }

  private:
    nvrtc_entries entries = {};
    std::filesystem::path file;
    std::string build;
    int major_version = 0, minor_version = 0;

    void open(std::filesystem::path const&);
    void ask_version();
};

// The cubin without the variables of global memory, and what belongs to them, if the code does not
// use them; `ptx` is the text from which the cubin was made. A cubin that is not laid out as
// expected is returned as it is.
std::vector<std::byte> without_unused_data(std::vector<std::byte> cubin, std::string_view ptx);
// Whether code in PTX uses a variable in global memory that the text declares.
bool uses_variables(std::string_view ptx);

// The build id in an ELF file, in hexadecimal digits; empty if it has none, or is something else.
std::string build_id_in(std::span<unsigned char const> file);

} // namespace spio::jit

// For the sources of this module alone.
namespace spio::jit {

struct opened_library {
    void* handle;
    std::filesystem::path path; // without symbolic links
    std::string build_id;
};

// Calls the function on a new thread with a deep stack, on which all signals are blocked, and waits
// for it. `subject` is for messages.
void call_on_deep_stack(std::string const& subject, std::function<void()> const& function);

// The first of nvrtc_places() that is not excluded and may be opened, if there is one; and why
// those before it may not, a line for each.
struct nvrtc_search {
    std::optional<nvrtc_file> found;
    std::string refusals;
};
nvrtc_search find_nvrtc_file(std::span<std::filesystem::path const> excluded = {});
// Throws the error that there is no NVRTC. The texts have a line for each file that may not be
// opened, and for each that could not be.
[[noreturn]] void refuse_nvrtc(std::string const& refusals, std::string const& failures = {});

// Opens NVRTC, its builtins first, and never closes it: it may have started threads.
opened_library open_nvrtc(std::filesystem::path const&);

} // namespace spio::jit
