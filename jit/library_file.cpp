// Finds NVRTC's file, and looks at who could have written it before it is opened.
// SPDX-License-Identifier: Apache-2.0
module;

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.jit;

import spio.cache;

import :library_file;

namespace spio::jit {

namespace {

namespace fs = std::filesystem;

// The files of a folder that are libraries of this name, the newest version first.
std::vector<fs::path> libraries(fs::path const& folder, std::string_view name) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
        std::string const file = at->path().filename().string();
        if (file == name || file.starts_with(std::string(name) + ".")) found.push_back(at->path());
    }
    auto const version = [&](fs::path const& path) {
        std::string const file = path.filename().string();
        return file.size() > name.size() ? std::atof(file.c_str() + name.size() + 1) : 0.;
    };
    std::ranges::sort(found, [&](auto const& a, auto const& b) {
        return version(a) != version(b) ? version(a) > version(b) : a < b;
    });
    return found;
}

// The file that is used and no other, or empty. A name that is not absolute would be another file
// in each folder that the program runs in.
fs::path named_file() {
    char const* const text = std::getenv("SPIO_NVRTC");
    fs::path const path = text ? text : "";
    if (path.empty() || path.is_absolute()) return path;
    throw error(error_kind::no_compiler, "open", path.string(),
                "SPIO_NVRTC is not an absolute path");
}

// A variable of the environment, where only an absolute path will do.
fs::path path_in(char const* variable) {
    char const* const text = std::getenv(variable);
    fs::path const path = text ? text : "";
    return path.is_absolute() ? path : fs::path();
}

// f(folder) for those where it may be, in their order, until it returns true.
template <class F> bool visit_folders(F f) {
    std::error_code ignored;
    auto const visit = [&](fs::path const& folder) {
        return folder.is_absolute() && fs::is_directory(folder, ignored) && f(folder);
    };
    for (fs::path const& toolkit :
         {path_in("CUDA_HOME"), path_in("CUDA_PATH"), fs::path("/usr/local/cuda")}) {
        if (toolkit.empty()) continue;
        for (auto part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
            if (visit(toolkit / part)) return true;
        }
    }
    for (fs::path const& environment : {path_in("VIRTUAL_ENV"), path_in("CONDA_PREFIX")}) {
        if (environment.empty()) continue;
        for (fs::directory_iterator at(environment / "lib", ignored), end; at != end;
             at.increment(ignored)) {
            if (!at->path().filename().string().starts_with("python3")) continue;
            fs::path const wheels = at->path() / "site-packages" / "nvidia";
            if (visit(wheels / "cu13" / "lib") || visit(wheels / "cuda_nvrtc" / "lib")) return true;
        }
        if (visit(environment / "lib")) return true;
    }
    char const* const text = std::getenv("LD_LIBRARY_PATH");
    std::string_view listed = text ? text : "";
    while (!listed.empty()) {
        auto const end = std::min(listed.find(':'), listed.size());
        if (visit(listed.substr(0, end))) return true;
        listed.remove_prefix(std::min(end + 1, listed.size()));
    }
    for (auto folder :
         {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
        if (visit(folder)) return true;
    }
    return false;
}

// The same with the newest in each.
template <class F> bool visit_places(F f) {
    if (auto const only = named_file(); !only.empty()) return f(only);
    return visit_folders([&](fs::path const& folder) {
        auto const found = libraries(folder, "libnvrtc.so");
        return !found.empty() && f(found.front());
    });
}

void* open_file(fs::path const& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    char const* const words = dlerror();
    throw error(error_kind::no_compiler, "dlopen", path.string(),
                words ? words : "no reason given");
}

// A file as it lies in memory; empty if it cannot be had.
class mapped_file {
  public:
    explicit mapped_file(fs::path const& path) {
        int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat is = {};
        if (fstat(file, &is) == 0 && is.st_size > 0) {
            auto const size = static_cast<std::size_t>(is.st_size);
            void* const begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (begin != MAP_FAILED) all = {static_cast<unsigned char const*>(begin), size};
        }
        close(file);
    }
    mapped_file(mapped_file const&) = delete;
    ~mapped_file() {
        if (!all.empty()) munmap(const_cast<unsigned char*>(all.data()), all.size());
    }
    std::span<unsigned char const> bytes() const { return all; }

  private:
    std::span<unsigned char const> all;
};

} // namespace

std::string distrust(fs::path const& path) {
    for (fs::path at = path;; at = at.parent_path()) {
        struct stat is = {};
        if (stat(at.c_str(), &is) != 0) return at.string() + ": " + std::strerror(errno);
        if (is.st_uid != 0 && is.st_uid != geteuid()) return at.string() + " is someone else's";
        // In a folder like /tmp nobody can replace what is another's.
        bool const above = at != path && at != path.parent_path();
        bool const sticky = above && (is.st_mode & S_ISVTX) != 0;
        bool const by_group = (is.st_mode & S_IWGRP) != 0 &&
                              !cache::operating_system().is_private(is.st_gid, is.st_uid);
        if ((by_group || (is.st_mode & S_IWOTH) != 0) && !sticky) {
            return "others can write to " + at.string();
        }
        if (at == at.parent_path()) return {};
    }
}

std::vector<fs::path> nvrtc_places() {
    std::vector<fs::path> all;
    visit_places([&](fs::path const& place) { return all.push_back(place), false; });
    return all;
}

nvrtc_file first_nvrtc_file(std::span<fs::path const> others) {
    nvrtc_file first;
    std::string tried;
    bool const is_there = visit_places([&](fs::path const& place) {
        try {
            auto const real = trusted(place);
            if (std::ranges::find(others, real) != others.end()) return false;
            first = {real, build_id_of(real)};
            return true;
        } catch (error const& e) {
            tried += std::string("\n") + e.what();
            return false;
        }
    });
    if (is_there) return first;
    throw error(error_kind::no_compiler, "dlopen", "libnvrtc.so",
                tried.empty() ? "there is none: looked in CUDA_HOME, CUDA_PATH, "
                                "/usr/local/cuda, pip's wheels of VIRTUAL_ENV and "
                                "CONDA_PREFIX, LD_LIBRARY_PATH and the system's folders"
                              : "none that may be opened:" + tried);
}

library_file open_nvrtc(fs::path const& path) {
    fs::path const real = trusted(path);
    // NVRTC opens its builtins by name: those of pip's wheels it finds only if they are open.
    auto const builtins = libraries(real.parent_path(), "libnvrtc-builtins.so");
    if (!builtins.empty()) open_file(trusted(builtins.front()));
    return {open_file(real), real};
}

std::string build_id_of(fs::path const& path) {
    mapped_file const file(path);
    auto id = build_id_in(file.bytes());
    return id.empty() ? cache::hexadecimal(cache::sha256_of(file.bytes())) : id;
}

fs::path trusted(fs::path const& path) {
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    if (failed) throw error(error_kind::no_compiler, "open", path.string(), failed.message());
    if (std::string const why = distrust(real); !why.empty()) {
        throw error(error_kind::no_compiler, "open", real.string(), why);
    }
    return real;
}

} // namespace spio::jit
