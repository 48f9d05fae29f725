// Writes kernels for the host device, and compiles them as spio_add_host_kernels() does.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: it runs kernels that were compiled for the CPU, and checks each
// access. A spec is what a kernel is compiled from; its symbol is the name of the kernel.
module;

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.aot;

import spio.spec;
import spio.system;

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

} // namespace

std::string host_text_of(std::span<spec const> kernels) {
    std::string text = "// Kernels for the host device.\n#include \"sim/host_kernel.h\"\n\n";
    std::set<std::string> symbols;
    for (auto const& kernel : kernels) {
        auto const& symbol = kernel.symbol;
        if (!symbols.insert(symbol).second) continue;
        text += "// " + kernel.spelled() + "\n" + kernel.source +
                "namespace {\nspio::sim::host_kernel_of<" + symbol + "> const entry_of_" + symbol +
                "(\"" + symbol + "\");\n}\n\n";
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
