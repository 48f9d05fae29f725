// Writes kernels for the host device, and compiles them as spio_add_host_kernels() does.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: it runs kernels that were compiled for the CPU, and checks each
// access. A spec is what a kernel is compiled from; its symbol is the name of the kernel. Each
// kernel is registered by an object host_kernel_of<symbol>, by which the host device finds it. A
// family is the kernels of one operation.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.aot;

import spio.spec;
import spio.system;
import spio.text;

namespace spio::aot {

namespace fs = std::filesystem;

namespace {

// The files in a list of dependencies that clang writes for make.
std::vector<fs::path> files_of(std::string_view rule) {
    std::vector<fs::path> files;
    std::string name;
    auto const add = [&] {
        if (!name.empty() && !name.ends_with(':')) files.emplace_back(name);
        name.clear();
    };
    for (std::size_t i = 0; i < rule.size(); ++i) {
        char const next = i + 1 < rule.size() ? rule[i + 1] : '\n';
        bool const is_escape = (rule[i] == '\\' && (next == ' ' || next == '#' || next == '\\')) ||
                               (rule[i] == '$' && next == '$');
        if (is_escape) {
            name += next, ++i;
        } else if (rule[i] == '\\' && next == '\n') {
            add(), ++i;
        } else if (rule[i] == ' ' || rule[i] == '\n') {
            add();
        } else {
            name += rule[i];
        }
    }
    add();
    return files;
}

// Whether one of the folders has this header with this text.
bool has_header(std::span<fs::path const> folders, header const& header) {
    for (auto const& folder : folders) {
        std::error_code unknown;
        if (!fs::is_regular_file(folder / header.name, unknown)) continue;
        return read_file(folder / header.name) == header.text;
    }
    return false;
}

// Writes the headers of a kernel's family to a folder, unless the include folders have all of them.
// Returns whether it did.
bool write_missing_headers(spec const& kernel, std::span<fs::path const> include_folders,
                           fs::path const& folder) {
    auto const is_there = [&](header const& header) { return has_header(include_folders, header); };
    if (std::ranges::all_of(kernel.headers, is_there)) return false;
    for (auto const& header : kernel.headers) {
        auto const file = folder / header.name;
        fs::create_directories(file.parent_path());
        write_file(file, header.text);
    }
    return true;
}

} // namespace

std::string host_text_of(std::span<spec const> kernels) {
    std::string text = "// Kernels for the host device.\n#include \"sim/host_kernel.h\"\n\n";
    std::map<std::string, std::uint64_t> digests;
    for (auto const& kernel : kernels) {
        auto const& symbol = kernel.symbol;
        auto const digest = text_digest_of(kernel);
        auto const [known, is_new] = digests.emplace(symbol, digest);
        if (!is_new && known->second != digest) {
            throw error(error_kind::invalid, "spell", "kernel " + kernel.spelled(),
                        "another kernel of this program has the same symbol and another text");
        }
        if (!is_new) continue;
        text += "// " + kernel.spelled() + "\n" + kernel.source +
                "namespace {\nspio::sim::host_kernel_of<" + symbol + "> const entry_of_" + symbol +
                "(\"" + symbol + "\", " + std::to_string(digest) + "ULL);\n}\n\n";
    }
    return text;
}

fs::path compile_for_host(host_compiler const& compiler, spec const& kernel,
                          temporary_folder const& folder) {
    auto const refuse = [&](std::string const& reason) {
        if (!reason.empty()) {
            throw error(error_kind::io, "compile", kernel.spelled(),
                        reason + "; what it has would run in this program");
        }
    };
    refuse(distrust(compiler.program));

    auto const stem = kernel.symbol;
    write_file(folder.path() / (stem + ".cpp"), host_text_of(std::span(&kernel, 1)));
    command words = {compiler.program.string(), "-std=c++20", "-O1",
                     "-gline-tables-only",      "-fPIC",      "-c"};
    // Messages and line tables name headers by how they are included, softmax/softmax.cuh, and not
    // by the folder, which is gone when somebody reads them.
    if (write_missing_headers(kernel, compiler.include_folders, folder.path())) {
        for (auto const* word : {"-I.", "-fdebug-compilation-dir=."}) words.emplace_back(word);
    }
    for (auto const& include : compiler.include_folders) words.push_back("-I" + include.string());
    // Every load and store becomes a call into the host device. So does every null pointer and
    // every misaligned access that UBSan finds.
    for (auto const* word :
         {"-include", "sim/device_text.h", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
          "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-instrument-atomics=0",
          "-fsanitize=thread,alignment,null", "-fsanitize-recover=all", "-MD", "-MF",
          "dependencies", "-o"}) {
        words.emplace_back(word);
    }
    words.push_back(stem + ".o");
    words.push_back(stem + ".cpp");
    run_for(kernel, words, folder);
    // Every file that clang has read must be trusted, whatever folder it is in.
    for (auto const& file : files_of(read_file(folder.path() / "dependencies"))) {
        if (file.is_absolute()) refuse(distrust(file));
    }
    // The object uses its own copy of each symbol that the program defines too, because only the
    // copies in the object are instrumented.
    run_for(kernel,
            {compiler.program.string(), "-shared", "-Wl,-Bsymbolic-functions",
             "-Wl,--wrap=__ubsan_handle_type_mismatch_v1", "-o", stem + ".so", stem + ".o"},
            folder);
    return folder.path() / (stem + ".so");
}

} // namespace spio::aot
