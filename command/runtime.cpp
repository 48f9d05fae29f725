// Opens a runtime: its device, packs (files of compiled kernels) and kernels for the host device.
// SPDX-License-Identifier: Apache-2.0
//
// A runtime is a device with its kernels. A spec is what a kernel is compiled from, an image a
// compiled kernel. The host device simulates a GPU; a policy says whether images may come from
// packs, from a compiler, or both.
module;

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

module spio.command;

import spio.aot;
import spio.cuda;
import spio.host;
import spio.image;
import spio.launch;
import spio.runtime;
import spio.spec;
import spio.system;

namespace spio::command {

// Paths that CMake fills in when it configures the build.
std::string_view host_compiler_program();
std::string_view source_folder();
std::string_view mp11_folder();

namespace fs = std::filesystem;

arch arch_named(std::string_view text) {
    // Numbers of future chips are accepted; a number far beyond those of today is a mistake.
    constexpr int least_unlikely = 200;
    static constexpr std::string_view chips[] = {"sm_80",   "sm_86",   "sm_87",  "sm_88",
                                                 "sm_89",   "sm_90a",  "sm_90",  "sm_100a",
                                                 "sm_103a", "sm_110a", "sm_120a"};
    auto const arch = parse_arch(text);
    if (arch.number >= least_unlikely) {
        throw failure(exit_status::usage, quote(text) + " is far beyond the GPUs that there are" +
                                              suggestion(text, chips));
    }
    if (arch.is_host || arch.number >= sm_80.number) return arch;
    throw failure(exit_status::usage,
                  quote(text) + " is older than sm_80, the first that Spio has kernels for");
}

std::vector<fs::path> packs_nearby(io const& io) {
    std::vector<fs::path> found;
    if (io.program.empty()) return found;
    auto const folder = io.program.parent_path();
    for (auto const& place : {folder, folder.parent_path() / "share/spio/packs"}) {
        std::error_code ignored;
        for (auto const& file : fs::directory_iterator(place, ignored)) {
            if (file.path().extension() == ".spiopack") found.push_back(file.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

namespace {

// Reads a pack by one of its two readers. A file that cannot be read ends the command with a
// reason.
template <class Read> aot::pack read_with(Read read_file, fs::path const& path) {
    std::error_code failed;
    auto const status = fs::status(path, failed);
    auto const name = quote(path.string());
    auto const refuse = [](std::string const& reason) {
        throw failure(exit_status::not_found, reason);
    };
    if (status.type() == fs::file_type::not_found) {
        refuse("there is no pack " + name + "; 'spio pack build' makes one of a manifest");
    }
    if (failed) refuse("pack " + name + ": " + failed.message());
    // Only regular files are read: a pipe might never end.
    if (status.type() != fs::file_type::regular) refuse(name + " is no file, so it is no pack");
    try {
        return read_file(path);
    } catch (spio::error const& e) {
        if (e.kind() != error_kind::invalid) refuse(e.what());
        throw failure(exit_status::check_failed, e.what());
    }
}

} // namespace

aot::pack read_pack(fs::path const& path) {
    return read_with([](fs::path const& file) { return aot::pack::read(file); }, path);
}
// To list or verify only: other users may have written the pack, and its kernels are not run.
aot::pack inspect_pack(fs::path const& path) { return read_with(aot::pack::inspect, path); }

std::vector<aot::pack> read_packs(arguments const& args, io const& io) {
    std::vector<aot::pack> packs;
    for (auto const& file : args.values(pack_option.name)) packs.push_back(read_pack(file));
    for (auto const& file : packs_nearby(io)) {
        try {
            packs.push_back(read_pack(file));
        } catch (failure const& e) {
            io.tell("spio: " + printable(e.what()) + "; it is not asked\n");
        }
    }
    return packs;
}

namespace {

// The compiler that built the program, with the installed headers if there are any beside it, or
// else the headers of the source folder.
aot::host_compiler host_compiler_for(io const& io) {
    aot::host_compiler compiler = {.program = host_compiler_program(), .include_folders = {}};
    auto& folders = compiler.include_folders;
    // An installed program uses the headers beside it and no others: if others could have written
    // them, that is told when they are read.
    std::error_code ignored;
    auto const& include_folder = parts_of_program().include_folder;
    auto const installed = include_folder.empty()
                               ? io.program.parent_path().parent_path() / "include/spio"
                               : include_folder / "spio";
    bool const is_known = !include_folder.empty() || !io.program.empty();
    if (is_known && fs::exists(installed / "host", ignored)) {
        folders = {installed / "host", installed / "host/sim", installed / "kernels",
                   installed.parent_path()};
    } else {
        fs::path const source = source_folder();
        folders = {source, source / "sim", source / "kernels"};
    }
    folders.emplace_back(mp11_folder());
    return compiler;
}

// The symbols of kernels that were added while the program runs.
std::set<std::string>& added_symbols() {
    static std::set<std::string> symbols;
    return symbols;
}

} // namespace

void add_host_kernels(std::span<spec const> kernels, io const& io) {
    auto const compiler = host_compiler_for(io);
    std::error_code ignored;
    if (!kernels.empty() && !fs::exists(compiler.program, ignored)) {
        throw failure(exit_status::not_found,
                      "this program has no kernel of '" + kernels.front().line() +
                          "' for the host device, and its compiler is not here: " +
                          compiler.program.string() +
                          "; install clang 19 and Boost.Mp11 (Debian: clang-19 libboost-dev), or "
                          "try a kernel that 'spio list' names");
    }
    // The folders stay as long as the program runs: the report of a misuse reads debug information
    // there.
    static std::vector<std::unique_ptr<temporary_folder>> folders;
    for (auto const& spec : kernels) {
        folders.push_back(std::make_unique<temporary_folder>("spio-host"));
        auto const& folder = *folders.back();
        progress const progress(io, "compiling " + spec.symbol + " for the host device");
        auto const object = aot::compile_for_host(compiler, spec, folder);
        // The library is never closed: its kernels stay for as long as the program runs.
        if (dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
            throw failure(exit_status::tool_failed, "load " + spec.spelled() + ": " + dlerror());
        }
        added_symbols().insert(spec.symbol);
    }
}

std::optional<image> find_host_image(spec const& spec) {
    auto found = host::find(spec);
    if (found && added_symbols().contains(spec.symbol)) {
        found->made_by = "clang++, which compiled it now";
    }
    return found;
}

namespace {

// The number of the GPU that --device names; the first one if it names none.
unsigned ordinal_of(std::string_view device) {
    if (device.empty() || device == "gpu") return 0;
    if (device.starts_with("gpu:")) return parse_number(device.substr(4), "the GPU's number");
    throw failure(exit_status::usage,
                  "--device is " + quote(device) + ", but must be gpu, gpu:NUMBER or host");
}

opened_runtime open_gpu(unsigned ordinal, runtime_options const& options, io const& io) {
    opened_runtime opened = {.driver = io.open_driver()};
    auto const count = static_cast<unsigned>(opened.driver->device_count());
    if (ordinal >= count) {
        throw failure(exit_status::not_found, "there is no GPU " + std::to_string(ordinal) +
                                                  "; the driver has " + format_count(count, "GPU") +
                                                  ", and --device host needs none");
    }
    auto on_gpu = options;
    on_gpu.gpu = static_cast<int>(ordinal);
    on_gpu.driver = opened.driver.get();
    opened.gpu = opened.driver->device(on_gpu.gpu);
    opened.runtime = std::make_unique<spio::runtime>(std::move(on_gpu));
    return opened;
}

// The host device, and why no GPU was taken (empty if it was asked for).
opened_runtime open_host(runtime_options options, std::string reason) {
    options.host = {host::allocate, host::release, host::encode, find_host_image};
    host::report_unwritten_reads(true);
    options.always_on_host = true;
    return {.no_gpu_reason = std::move(reason),
            .runtime = std::make_unique<spio::runtime>(std::move(options))};
}

} // namespace

opened_runtime open_runtime(std::string_view device, policy policy, std::vector<aot::pack> packs,
                            io const& io) {
    runtime_options const options = {.packs = std::move(packs), .policy = policy};
    if (device == "host") return open_host(options, /*reason=*/"");
    auto const ordinal = ordinal_of(device);
    if (!device.empty()) return open_gpu(ordinal, options, io);
    try {
        return open_gpu(ordinal, options, io);
    } catch (std::runtime_error const& e) {
        return open_host(options, e.what());
    }
}

} // namespace spio::command
