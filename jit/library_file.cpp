// Finds NVRTC's file, and looks at who could have written it before it is opened.
// SPDX-License-Identifier: Apache-2.0
//
// A trusted_file is open for reading, or has the reason why it must not be used: other users could
// have written it. The build id of an NVRTC tells its file from any other build.
module;

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.jit;

import spio.cache;
import spio.system;

namespace spio::jit {

namespace {

namespace fs = std::filesystem;

// The files in a folder that are versions of the library `name`, the newest version first.
std::vector<fs::path> libraries(fs::path const& folder, std::string const& name) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (fs::directory_iterator item(folder, ignored), end; item != end; item.increment(ignored)) {
        auto const file = item->path().filename().string();
        if (file == name || file.starts_with(name + ".")) files.push_back(item->path());
    }
    auto const version = [&](fs::path const& path) {
        auto const file = path.filename().string();
        return file.size() > name.size() ? std::atof(file.c_str() + name.size() + 1) : 0.;
    };
    std::ranges::sort(files, [&](auto const& a, auto const& b) {
        return version(a) != version(b) ? version(a) > version(b) : a < b;
    });
    return files;
}

// The file that SPIO_NVRTC names; empty if the variable is not set. A relative path is refused,
// because it would name another file in each working directory.
fs::path named_file() {
    fs::path const path = environment("SPIO_NVRTC");
    if (path.empty() || path.is_absolute()) return path;
    throw error(error_kind::no_compiler, "open", path.string(),
                "SPIO_NVRTC is not an absolute path");
}

[[noreturn]] void refuse(fs::path const& path, std::string reason) {
    throw error(error_kind::no_compiler, "open", path.string(), std::move(reason));
}

void* open_library(fs::path const& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    char const* const message = dlerror();
    throw error(error_kind::no_compiler, "dlopen", path.string(),
                message != nullptr ? message : "no reason given");
}

// The bytes of an open file, mapped into memory; empty if mapping fails.
class mapped_file {
  public:
    explicit mapped_file(trusted_file const& file) {
        auto const size = static_cast<std::size_t>(file.size());
        if (size == 0) return;
        void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
        if (start != MAP_FAILED) bytes_ = {static_cast<unsigned char const*>(start), size};
    }
    mapped_file(mapped_file const&) = delete;
    ~mapped_file() {
        if (!bytes_.empty()) munmap(const_cast<unsigned char*>(bytes_.data()), bytes_.size());
    }
    std::span<unsigned char const> bytes() const { return bytes_; }

  private:
    std::span<unsigned char const> bytes_;
};

// Reads the build id of a library, or computes a digest of the file if it has none.
nvrtc_file examine(fs::path const& path) {
    trusted_file const file(path, trusted_file::use::code);
    if (!file) refuse(path, file.refusal());
    mapped_file const content(file);
    auto id = build_id_in(content.bytes());
    if (id.empty()) id = cache::hexadecimal(cache::sha256_of(content.bytes()));
    return {file.path(), std::move(id)};
}

} // namespace

std::vector<std::string> nvrtc_options(std::string_view arch) {
    return compiler_options(compiler_kind::nvrtc, arch);
}

std::vector<fs::path> nvrtc_places() {
    if (auto const file = named_file(); !file.empty()) return {file};
    std::vector<fs::path> places;
    for (auto const& folder : nvrtc_folders()) {
        auto const files = libraries(folder, "libnvrtc.so");
        if (!files.empty()) places.push_back(files.front());
    }
    return places;
}

nvrtc_file first_nvrtc_file(std::span<fs::path const> excluded) {
    std::string refusals;
    for (auto const& place : nvrtc_places()) {
        try {
            auto file = examine(place);
            if (std::ranges::find(excluded, file.path) == excluded.end()) return file;
        } catch (error const& refusal) {
            refusals += std::string("\n") + refusal.what();
        }
    }
    if (!refusals.empty()) {
        throw error(error_kind::no_compiler, "dlopen", "libnvrtc.so",
                    "none that may be opened:" + refusals);
    }
    if (!named_file().empty()) {
        throw error(error_kind::no_compiler, "dlopen", "libnvrtc.so",
                    "SPIO_NVRTC names one file, and it cannot be used:");
    }
    std::string variables;
    for (auto const& [name, meaning] : toolchain_variables()) variables += std::string(name) + ", ";
    throw error(error_kind::no_compiler, "dlopen", "libnvrtc.so",
                "there is none: looked in the folders that " + variables +
                    "name, in /usr/local/cuda and in the system's folders");
}

opened_library open_nvrtc(fs::path const& path) {
    auto const file = examine(path);
    // NVRTC opens its library of builtins by name alone. If NVRTC comes from one of pip's wheels,
    // it finds the builtins only if they are open already.
    auto const builtins = libraries(file.path.parent_path(), "libnvrtc-builtins.so");
    if (!builtins.empty()) open_library(examine(builtins.front()).path);
    return {open_library(file.path), file.path, file.build_id};
}

} // namespace spio::jit
