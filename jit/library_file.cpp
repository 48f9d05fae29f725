// Finds NVRTC's file, and looks at who could have written it before it is opened.
// SPDX-License-Identifier: Apache-2.0
module;

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.jit;

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

// A variable of the environment, where only an absolute path will do.
fs::path folder_in(char const* variable) {
    char const* const text = std::getenv(variable);
    fs::path const path = text ? text : "";
    return path.is_absolute() ? path : fs::path();
}

std::vector<fs::path> folders() {
    std::vector<fs::path> all;
    std::error_code ignored;
    auto const add = [&](fs::path const& folder) {
        if (folder.is_absolute() && fs::is_directory(folder, ignored)) all.push_back(folder);
    };
    for (fs::path const& toolkit :
         {folder_in("CUDA_HOME"), folder_in("CUDA_PATH"), fs::path("/usr/local/cuda")}) {
        if (toolkit.empty()) continue;
        for (auto part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
            add(toolkit / part);
        }
    }
    for (fs::path const& environment : {folder_in("VIRTUAL_ENV"), folder_in("CONDA_PREFIX")}) {
        if (environment.empty()) continue;
        for (fs::directory_iterator at(environment / "lib", ignored), end; at != end;
             at.increment(ignored)) {
            if (!at->path().filename().string().starts_with("python3")) continue;
            fs::path const wheels = at->path() / "site-packages" / "nvidia";
            add(wheels / "cu13" / "lib");
            add(wheels / "cuda_nvrtc" / "lib");
        }
        add(environment / "lib");
    }
    char const* const text = std::getenv("LD_LIBRARY_PATH");
    std::string_view listed = text ? text : "";
    while (!listed.empty()) {
        auto const end = std::min(listed.find(':'), listed.size());
        add(listed.substr(0, end));
        listed.remove_prefix(std::min(end + 1, listed.size()));
    }
    for (auto folder :
         {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
        add(folder);
    }
    return all;
}

fs::path without_links(fs::path const& path) {
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    if (failed) throw nvrtc_error("open", path.string(), failed.message());
    if (std::string const why = distrust(real); !why.empty()) {
        throw nvrtc_error("open", real.string(), why);
    }
    return real;
}

void* open_file(fs::path const& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    char const* const words = dlerror();
    throw nvrtc_error("dlopen", path.string(), words ? words : "no reason given");
}

std::string hexadecimal(unsigned char const* bytes, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

struct wanted {
    std::uintptr_t address;
    std::string build_id;
};

// Reads the notes of the library that has the address, as they lie in memory.
int look_at(dl_phdr_info* library, std::size_t, void* given) {
    auto& want = *static_cast<wanted*>(given);
    auto const begin = library->dlpi_phdr, end = begin + library->dlpi_phnum;
    bool const is_it = std::any_of(begin, end, [&](ElfW(Phdr) const& part) {
        auto const first = library->dlpi_addr + part.p_vaddr;
        return part.p_type == PT_LOAD && want.address - first < part.p_memsz;
    });
    if (!is_it) return 0;
    for (auto part = begin; part != end; ++part) {
        if (part->p_type != PT_NOTE) continue;
        auto at = reinterpret_cast<unsigned char const*>(library->dlpi_addr + part->p_vaddr);
        auto const past = at + part->p_memsz;
        auto const padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
        ElfW(Nhdr) note;
        while (past - at >= static_cast<std::ptrdiff_t>(sizeof note)) {
            std::memcpy(&note, at, sizeof note);
            auto const name = at + sizeof note, bytes = name + padded(note.n_namesz);
            at = bytes + padded(note.n_descsz);
            if (at > past) break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0) {
                want.build_id = hexadecimal(bytes, note.n_descsz);
            }
        }
    }
    return 1;
}

// FNV-1a over all that the file has.
std::string digest_of(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::uint64_t digest = 0xcbf29ce484222325;
    char block[1 << 16];
    do {
        file.read(block, sizeof block);
        for (std::streamsize i = 0; i < file.gcount(); ++i) {
            digest = (digest ^ static_cast<unsigned char>(block[i])) * 0x100000001b3;
        }
    } while (file);
    return hexadecimal(reinterpret_cast<unsigned char const*>(&digest), sizeof digest);
}

} // namespace

std::string distrust(fs::path const& path) {
    for (fs::path at = path;; at = at.parent_path()) {
        struct stat is = {};
        if (stat(at.c_str(), &is) != 0) return at.string() + ": " + std::strerror(errno);
        if (is.st_uid != 0 && is.st_uid != geteuid()) return at.string() + " is someone else's";
        // In a folder like /tmp nobody can replace what is another's.
        bool const above = at != path && at != path.parent_path();
        bool const sticky = above && (is.st_mode & S_ISVTX) != 0;
        if ((is.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky) {
            return "others can write to " + at.string();
        }
        if (at == at.parent_path()) return {};
    }
}

std::vector<fs::path> nvrtc_places() {
    std::vector<fs::path> all;
    for (auto const& folder : folders()) {
        auto const found = libraries(folder, "libnvrtc.so");
        if (!found.empty()) all.push_back(found.front());
    }
    return all;
}

library_file open_nvrtc(fs::path const& path) {
    fs::path const real = without_links(path);
    // NVRTC opens its builtins by name: those of pip's wheels it finds only if they are open.
    auto const builtins = libraries(real.parent_path(), "libnvrtc-builtins.so");
    if (!builtins.empty()) open_file(without_links(builtins.front()));
    return {open_file(real), real};
}

std::string build_id_of(fs::path const& path, void const* address) {
    wanted want{reinterpret_cast<std::uintptr_t>(address), {}};
    dl_iterate_phdr(look_at, &want);
    return want.build_id.empty() ? digest_of(path) : want.build_id;
}

} // namespace spio::jit
