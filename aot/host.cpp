// Writes kernels for the host device, and compiles them as spio_add_host_kernels() does.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

module spio.aot;

import spio.spec;
import :compile;

namespace spio::aot {

namespace fs = std::filesystem;

std::string host_text_of(std::span<spec const> kernels) {
    std::string text = "// Kernels for the host device.\n#include \"sim/host_kernel.h\"\n\n";
    std::set<std::string> known;
    for (auto const& of : kernels) {
        if (!known.insert(of.symbol).second) continue;
        text += "// " + of.spelled() + "\n" + of.source +
                "namespace {\nspio::sim::host_kernel_of<" + of.symbol + "> const entry_of_" +
                of.symbol + "(\"" + of.symbol + "\");\n}\n\n";
    }
    return text;
}

fs::path compile_for_host(host_compiler const& by, spec const& of, fs::path const& folder) {
    auto const text = folder / (of.symbol + ".cpp"), object = folder / (of.symbol + ".o"),
               shared = folder / (of.symbol + ".so");
    write_file(text, host_text_of(std::span(&of, 1)));
    command compile = {by.program.string(), "-std=c++20", "-O1", "-fPIC", "-c"};
    for (auto const& each : by.include_folders) compile.push_back("-I" + each.string());
    // Every load and store is a call of the host device, and what it is told of null and alignment.
    for (auto const* word :
         {"-include", "sim/device_text.h", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
          "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-instrument-atomics=0",
          "-fsanitize=thread,alignment,null", "-fsanitize-recover=all", "-o"}) {
        compile.emplace_back(word);
    }
    compile.push_back(object.string());
    compile.push_back(text.string());
    run_for(of, compile);
    // What it shares with the program it takes from itself: only here is it watched.
    run_for(of,
            {by.program.string(), "-shared", "-Wl,-Bsymbolic-functions",
             "-Wl,--wrap=__ubsan_handle_type_mismatch_v1", "-o", shared.string(), object.string()});
    return shared;
}

} // namespace spio::aot
