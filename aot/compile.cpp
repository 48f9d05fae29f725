// Runs device compilers on a specialization, in a folder that nobody else can enter.
// SPDX-License-Identifier: Apache-2.0
//
// A specialization (spec) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. nvcc makes a cubin or PTX at once; clang makes its
// intermediate text, which is changed, then PTX, of which CUDA's assembler ptxas makes a cubin.
// fatbinary compresses the result. An architecture is a chip (sm_90a) or PTX text (compute_80).
module;

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.aot;

import spio.image;
import spio.spec;
import spio.system;
import spio.text;

namespace spio::aot {

namespace fs = std::filesystem;

namespace {

// The number in an architecture's name: "90a" for sm_90a.
std::string number_of(arch code) {
    auto const text = text_of(code);
    return text.substr(text.find('_') + 1);
}

// Headers that clang 19 includes by itself, and that may be missing: CUDA 13 no longer has the
// first, and pip's wheels of CUDA do not have the second.
constexpr char const* clang_headers[] = {"texture_fetch_functions.h", "curand_mtgp32_kernel.h"};

void add(command& words, std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
}

// The first command: nvcc makes a cubin or PTX, clang its intermediate text.
command device_command(device_compiler const& compiler, spio::arch arch) {
    command words = {compiler.program.string()};
    add(words, compiler_options(compiler.kind, text_of(arch)));
    if (compiler.kind == compiler_kind::nvcc) {
        // NVCC_CCBIN names the host compiler. nvcc runs without this variable, so an option passes
        // it on.
        auto const host = environment("NVCC_CCBIN");
        if (!host.empty()) words.push_back("-ccbin=" + host);
        words.emplace_back(arch.is_ptx ? "-ptx" : "-cubin");
        add(words, {"-o", arch.is_ptx ? "kernel.ptx" : "kernel.cubin"});
    } else {
        add(words, {"--cuda-path=" + compiler.cuda.string(), "-O3", "-Iclang", "-S", "-emit-llvm",
                    "-o", "kernel.ll"});
    }
    words.emplace_back("-Itext");
    for (std::size_t i = 0; i < compiler.include_folders.size(); ++i) {
        words.push_back("-Iinclude" + std::to_string(i));
    }
    add(words, compiler.options);
    words.emplace_back("kernel.cu");
    return words;
}

// Refuses a CUDA folder whose name a shell would change: nvcc runs its own programs in a shell, by
// names that begin with this folder.
void check_folder_name(device_compiler const& compiler) {
    auto const name = compiler.program.string();
    if (compiler.kind != compiler_kind::nvcc ||
        name.find_first_of("$`\\\"';&|<>()*?[]!#\n") == name.npos) {
        return;
    }
    throw error(error_kind::invalid, "compile", name,
                "nvcc gives the name of its folder to a shell, which would not take it as it is");
}

// Writes the kernel and its headers, and the links that commands_of() names.
void write_sources(device_compiler const& compiler, spec const& kernel, fs::path const& folder) {
    for (auto const& header : headers_of(kernel)) {
        write_file(folder / "text" / header.name, header.text);
    }
    fs::create_directories(folder / "clang");
    for (auto const* name : clang_headers) {
        if (!fs::exists(compiler.cuda / "include" / name)) write_file(folder / "clang" / name, "");
    }
    for (std::size_t i = 0; i < compiler.include_folders.size(); ++i) {
        fs::create_directory_symlink(fs::absolute(compiler.include_folders[i]),
                                     folder / ("include" + std::to_string(i)));
    }
    write_file(folder / "kernel.cu", "// " + kernel.spelled() + "\n" + kernel.source);
}

} // namespace

// The commands that compile a kernel, in order: device_command(); clang and ptxas, which go on from
// clang's intermediate text; and fatbinary, if the image is compressed.
std::vector<command> commands_of(device_compiler const& compiler, spio::arch arch) {
    bool const is_nvcc = compiler.kind == compiler_kind::nvcc, is_text = arch.is_ptx;
    auto const tool = [&](char const* name) { return (compiler.cuda / "bin" / name).string(); };
    auto const number = number_of(arch);
    std::vector<command> commands = {device_command(compiler, arch)};
    if (!is_nvcc) {
        commands.push_back({compiler.program.string(), "-x", "ir", "--target=nvptx64-nvidia-cuda",
                            "-march=sm_" + number, "-O3", "-S", "-o", "kernel.ptx", "kernel.ll"});
    }
    if (!is_nvcc && !is_text) {
        commands.push_back(
            {tool("ptxas"), "-arch=" + text_of(arch), "-O3", "-o", "kernel.cubin", "kernel.ptx"});
    }
    if (compiler.is_compressed) {
        commands.push_back({tool("fatbinary"), "--64", "--compress-all", "--compress-mode=size",
                            "--create=kernel.fatbin",
                            std::string("--image3=kind=") + (is_text ? "ptx" : "elf") + ",sm=" +
                                number + ",file=" + (is_text ? "kernel.ptx" : "kernel.cubin")});
    }
    return commands;
}

// Runs a compiler; its failure names the kernel and shows what the compiler printed.
void run_for(spec const& kernel, command const& words, temporary_folder const& folder) {
    auto const result = run(words, &folder);
    if (result.status == 0) return;
    throw error(error_kind::tool_failed, "compile", kernel.spelled(),
                "status " + std::to_string(result.status) + "\n" + joined(words), result.output);
}

compiled_image compile(device_compiler const& compiler, spec const& kernel,
                       fs::path const& parent) {
    check_folder_name(compiler);
    temporary_folder const own("compile", parent);
    auto const& folder = own.path();
    write_sources(compiler, kernel, folder);
    bool is_first = true;
    for (auto const& words : commands_of(compiler, kernel.arch)) {
        run_for(kernel, words, own);
        if (compiler.kind == compiler_kind::clang && is_first) {
            auto const file = folder / "kernel.ll";
            write_file(file, with_grid_constant(read_file(file), kernel.symbol));
        }
        is_first = false;
    }
    bool const is_text = kernel.arch.is_ptx;
    auto const plain = folder / (is_text ? "kernel.ptx" : "kernel.cubin");
    auto bytes = read_file(compiler.is_compressed ? folder / "kernel.fatbin" : plain);
    // The driver is not told the length of a PTX text: the text must end with a zero.
    if (is_text && !compiler.is_compressed) bytes += '\0';
    auto const view = std::as_bytes(std::span(bytes));
    auto const kind = compiler.is_compressed ? image_kind::fatbin
                      : is_text              ? image_kind::ptx
                                             : image_kind::cubin;
    return {kind, {view.begin(), view.end()}, static_cast<std::size_t>(fs::file_size(plain))};
}

} // namespace spio::aot
