// Compiles kernels for the host device, with the headers that were installed or built from.
// SPDX-License-Identifier: Apache-2.0
module;

#include <dlfcn.h>
#include <stdlib.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

module spio.command;

import spio.aot;
import spio.jit;
import spio.spec;

namespace spio::command {

std::string_view host_compiler_program();
std::string_view source_folder();
std::string_view mp11_folder();

namespace {

namespace fs = std::filesystem;

// Nobody else can write into it, and it goes.
struct own_folder {
    fs::path path;

    own_folder() {
        std::error_code failed;
        auto name = (fs::temp_directory_path(failed) / "spio-host-XXXXXX").string();
        if (failed || mkdtemp(name.data()) == nullptr) {
            throw failure(exit_code::tool_failed, "no temporary folder can be made as " +
                                                      in_quotes(name) +
                                                      "; TMPDIR says where they go");
        }
        path = name;
    }
    own_folder(own_folder const&) = delete;
    ~own_folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

aot::host_compiler compiler_near(surroundings const& around) {
    aot::host_compiler found = {.program = host_compiler_program(), .include_folders = {}};
    // Without symbolic links; empty if there is none.
    std::error_code ignored;
    auto const installed =
        fs::canonical(around.program.parent_path().parent_path() / "include/spio", ignored);
    auto const text = installed / "host/sim/device_text.h";
    if (!installed.empty() && fs::exists(text) && jit::distrust(text).empty()) {
        found.include_folders = {installed / "host", installed / "host/sim", installed / "kernels",
                                 installed.parent_path()};
    } else {
        fs::path const source = source_folder();
        found.include_folders = {source, source / "sim", source / "kernels"};
    }
    found.include_folders.emplace_back(mp11_folder());
    return found;
}

std::set<std::string>& added() {
    static std::set<std::string> symbols;
    return symbols;
}

} // namespace

bool is_added(spec const& of) { return added().contains(of.symbol); }

void add_host_kernels(std::span<spec const> kernels, surroundings const& around) {
    auto const by = compiler_near(around);
    for (auto const& of : kernels) {
        own_folder const folder;
        progress const telling(around, "compiling " + of.symbol + " for the host device");
        auto const object = aot::compile_for_host(by, of, folder.path);
        // Its kernels stay for as long as the program does.
        if (dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
            throw failure(exit_code::tool_failed, "load " + of.spelled() + ": " + dlerror());
        }
        added().insert(of.symbol);
    }
}

} // namespace spio::command
