// Finds NVRTC's file, and looks at who could have written it before it is opened.
// SPDX-License-Identifier: Apache-2.0
//
// A trusted_file is open for reading, or has the reason why it must not be used: other users could
// have written it. The build id of an NVRTC tells its file from any other build.
module;

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.jit;

import spio.cache;
import spio.system;

namespace spio::jit {

namespace {

namespace fs = std::filesystem;

// The numbers of a version such as 13.0.88; empty if it does not begin with a number.
std::vector<unsigned> numbers_of(std::string_view version) {
    std::vector<unsigned> numbers;
    for (unsigned number = 0;;) {
        auto const [end, status] =
            std::from_chars(version.data(), version.data() + version.size(), number);
        if (status != std::errc()) return numbers;
        numbers.push_back(number);
        version.remove_prefix(static_cast<std::size_t>(end - version.data()));
        if (!version.starts_with('.')) return numbers;
        version.remove_prefix(1);
    }
}

// The files in a folder that are versions of the library `name`, the newest version first.
std::vector<fs::path> libraries(fs::path const& folder, std::string const& name) {
    std::vector<std::pair<std::vector<unsigned>, fs::path>> files;
    std::error_code ignored;
    for (fs::directory_iterator item(folder, ignored), end; item != end; item.increment(ignored)) {
        auto const file = item->path().filename().string();
        if (file != name && !file.starts_with(name + ".")) continue;
        auto const version = std::string_view(file).substr(std::min(name.size() + 1, file.size()));
        files.emplace_back(numbers_of(version), item->path());
    }
    std::ranges::sort(files, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<fs::path> paths;
    for (auto& [version, path] : files) paths.push_back(std::move(path));
    return paths;
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

nvrtc_search find_nvrtc_file(std::span<fs::path const> excluded) {
    nvrtc_search search;
    for (auto const& place : nvrtc_places()) {
        try {
            auto file = examine(place);
            if (std::ranges::find(excluded, file.path) != excluded.end()) continue;
            search.found = std::move(file);
            break;
        } catch (error const& refusal) {
            search.refusals += std::string("\n") + refusal.what();
        }
    }
    return search;
}

void refuse_nvrtc(std::string const& refusals, std::string const& failures) {
    std::string reason;
    if (!refusals.empty()) {
        reason = "none that may be opened:";
    } else if (!named_file().empty()) {
        reason = "SPIO_NVRTC names one file, and it cannot be used";
        if (!failures.empty()) reason += ":";
    } else if (!failures.empty()) {
        reason = "none that can be used:";
    } else {
        std::string variables;
        for (auto const& [name, meaning] : toolchain_variables()) {
            variables += std::string(name) + ", ";
        }
        reason = "there is none: looked in the folders that " + variables +
                 "name, in /usr/local/cuda and in the system's folders";
    }
    throw error(error_kind::no_compiler, "dlopen", "libnvrtc.so", reason + refusals + failures);
}

nvrtc_file first_nvrtc_file(std::span<fs::path const> excluded) {
    auto search = find_nvrtc_file(excluded);
    if (!search.found) refuse_nvrtc(search.refusals);
    return *std::move(search.found);
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
