// Runs compilers on a specialization: all options that they are given are here.
// SPDX-License-Identifier: Apache-2.0
module;

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.text;
import :compile;
import :process;

namespace spio::aot {

namespace {

namespace fs = std::filesystem;

// "90a" of sm_90a and of compute_90a.
std::string number_of(arch arch) {
    auto const text = text_of(arch);
    return text.substr(text.find('_') + 1);
}

std::string with(fs::path stem, char const* extension) { return stem.concat(extension).string(); }

// Equal to those of NVRTC where images are compiled at run time, as far as both have them.
command nvcc_command(device_compiler const& by, arch arch, places const& at) {
    bool const is_text = arch.is_ptx;
    return {by.program.string(),
            "-std=c++20",
            "--expt-relaxed-constexpr",
            "-arch=" + text_of(arch),
            is_text ? "-ptx" : "-cubin",
            "-I" + at.text.string(),
            "-o",
            with(at.stem, is_text ? ".ptx" : ".cubin")};
}

// Its own driver would pack the image, by an option that CUDA 13 no longer has.
command clang_command(device_compiler const& by, arch arch, places const& at) {
    return {by.program.string(), "-x", "cuda", "-std=c++20", "--cuda-device-only",
            "--cuda-path=" + by.cuda.string(), "-Wno-unknown-cuda-version",
            "-Wno-unknown-attributes",
            // It unrolls no loop of barriers by a part of its rounds.
            "-Wno-pass-failed", "--cuda-gpu-arch=sm_" + number_of(arch), "-O3",
            "-I" + at.clang.string(), "-I" + at.text.string(), "-S", "-emit-llvm", "-o",
            with(at.stem, ".ll")};
}

// clang 19 includes two headers by itself: CUDA 13 no longer has the first, the wheels not the
// second.
void write_missing_headers(device_compiler const& by, fs::path const& folder) {
    for (auto const* name : {"texture_fetch_functions.h", "curand_mtgp32_kernel.h"}) {
        if (!fs::exists(by.cuda / "include" / name)) write_file(folder / name, "");
    }
}

} // namespace

std::vector<command> commands_of(device_compiler const& by, arch arch, places const& at) {
    bool const is_nvcc = by.kind == compiler_kind::nvcc, is_text = arch.is_ptx;
    auto const tool = [&](char const* name) { return (by.cuda / "bin" / name).string(); };
    auto const number = number_of(arch);
    std::vector<command> all = {is_nvcc ? nvcc_command(by, arch, at) : clang_command(by, arch, at)};
    for (auto const& folder : by.include_folders) all[0].push_back("-I" + folder.string());
    all[0].insert(all[0].end(), by.options.begin(), by.options.end());
    all[0].push_back(with(at.stem, ".cu"));
    if (!is_nvcc) {
        all.push_back({by.program.string(), "-x", "ir", "--target=nvptx64-nvidia-cuda",
                       "-march=sm_" + number, "-O3", "-S", "-o", with(at.stem, ".ptx"),
                       with(at.stem, ".ll")});
    }
    if (!is_nvcc && !is_text) {
        all.push_back({tool("ptxas"), "-arch=" + text_of(arch), "-O3", "-o",
                       with(at.stem, ".cubin"), with(at.stem, ".ptx")});
    }
    if (by.is_compressed) {
        auto const image = std::string("kind=") + (is_text ? "ptx" : "elf") + ",sm=" + number +
                           ",file=" + with(at.stem, is_text ? ".ptx" : ".cubin");
        all.push_back({tool("fatbinary"), "--64", "--compress-all", "--compress-mode=size",
                       "--create=" + with(at.stem, ".fatbin"), "--image3=" + image});
    }
    return all;
}

void run_for(spec const& of, command const& words) {
    auto const done = run(words);
    if (done.status == 0) return;
    throw error(error_kind::tool_failed, "compile", of.spelled(),
                "status " + std::to_string(done.status) + "\n" + spelled(words), done.said);
}

compiled compile(device_compiler const& by, spec const& of, places const& at) {
    for (auto const& [name, text] : headers_of(of)) write_file(at.text / name, text);
    if (by.kind == compiler_kind::clang) write_missing_headers(by, at.clang);
    write_file(with(at.stem, ".cu"), "// " + of.spelled() + "\n" + of.source);
    bool is_first = true;
    for (auto const& each : commands_of(by, of.arch, at)) {
        run_for(of, each);
        if (by.kind == compiler_kind::clang && is_first) {
            auto const file = with(at.stem, ".ll");
            write_file(file, with_grid_constant(read_file(file), of.symbol));
        }
        is_first = false;
    }
    bool const is_text = of.arch.is_ptx;
    auto const plain = with(at.stem, is_text ? ".ptx" : ".cubin");
    auto bytes = read_file(by.is_compressed ? with(at.stem, ".fatbin") : plain);
    // The driver is not told where a text ends.
    if (is_text && !by.is_compressed) bytes += '\0';
    auto const view = std::as_bytes(std::span(bytes));
    auto const kind = by.is_compressed ? image_kind::fatbin
                      : is_text        ? image_kind::ptx
                                       : image_kind::cubin;
    return {kind, {view.begin(), view.end()}, static_cast<std::size_t>(fs::file_size(plain))};
}

std::string read_file(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) throw error(error_kind::io, "read", path.string(), "it cannot be read");
    return text;
}

void write_file(fs::path const& path, std::string_view text) {
    static std::atomic<unsigned> count = 0;
    std::error_code ignored;
    if (fs::file_size(path, ignored) == text.size() && read_file(path) == text) return;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
    auto const beside = fs::path(path).concat(".new-" + std::to_string(getpid()) + "-" +
                                              std::to_string(count.fetch_add(1)));
    std::ofstream file(beside, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    std::error_code failed;
    if (file) fs::rename(beside, path, failed);
    if (file && !failed) return;
    fs::remove(beside, ignored);
    throw error(error_kind::io, "write", path.string(),
                failed ? failed.message() : "it cannot be written");
}

} // namespace spio::aot
