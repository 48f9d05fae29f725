// The compiler at run time: NVRTC, and the folder that keeps what it has compiled.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel, a spec what it is compiled from. An image store looks for images
// in several places, and asks a compiler such as this one last.
module;

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

export module spio.jit;

export import spio.error;
export import :nvrtc;
import spio.cache;
import spio.image;
import spio.spec;
import spio.system;

export namespace spio::jit {

// The compiler of an image store. Thread-safe. It makes images for chips only, not PTX.
class just_in_time {
  public:
    // Keeps images in the folder that the environment names. NVRTC is looked for when an image is
    // first asked for, and opened when one is first compiled; if there is no NVRTC, that call
    // throws.
    just_in_time();
    // Keeps images in these folders, and compiles with this compiler if it is not null. Both must
    // outlive the object.
    explicit just_in_time(cache::folders& folders, nvrtc const* compiler = nullptr)
        : folders(&folders), opened(compiler) {}
    just_in_time(nvrtc const& compiler, cache::folders& folders)
        : just_in_time(folders, &compiler) {}

    // The image that is kept on disk, if there is one.
    std::optional<image> kept(spec const&) const;
    // Compiles, or waits for another process that compiles the same and returns what it has kept.
    // Returns nothing for an architecture that NVRTC does not compile for.
    std::optional<image> compile(spec const&) const;
    // What happened to files of the folder so far.
    folder_counters count() const;

  private:
    std::unique_ptr<cache::folders> own_folders;
    cache::folders* folders;
    mutable fork_safe_mutex mutex;          // guards the members below
    mutable std::optional<nvrtc_file> file; // the NVRTC file that compiles
    mutable std::vector<std::filesystem::path> unusable;
    mutable std::unique_ptr<nvrtc const> own_compiler;
    mutable nvrtc const* opened = nullptr;
    mutable std::optional<std::uint64_t> opening_forks; // fork_count() while NVRTC is opened
    mutable single_flight openings;

    // Thrown if the NVRTC that would compile is not the one whose build id is part of the key. A
    // build id is that of the library's ELF file; it differs between two builds of one version.
    struct another_file {};

    // The image from the folders, or compiled there by the NVRTC with this build id.
    image compile_with(std::string const& expected_build_id, spec const&) const;
    // The build id of the NVRTC that is open, or else of the file that would be opened.
    std::string build_id() const;
    // Opens the NVRTC with this build id, unless one is open. If it cannot be opened, the next file
    // takes its place, and another_file is thrown.
    void open(std::string const& expected_build_id) const;
    // The open NVRTC, which is opened first if need be. Throws another_file if its build id is
    // another.
    nvrtc const& compiler(std::string const& expected_build_id) const;
};

} // namespace spio::jit
