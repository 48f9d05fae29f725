// A shared library's file: whether it may be trusted, opened, and told from others.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <string>

module spio.jit:library_file;

namespace spio::jit {

struct library_file {
    void* handle;
    // Without symbolic links.
    std::filesystem::path path;
};

// Opens NVRTC, its builtins first, and never closes it: what it started may outlive us.
library_file open_nvrtc(std::filesystem::path const&);

// The build id that the library in a file has, or a digest of the whole file if it has none.
std::string build_id_of(std::filesystem::path const&);

// The path without symbolic links; throws if it is not to be trusted.
std::filesystem::path trusted(std::filesystem::path const&);

} // namespace spio::jit
