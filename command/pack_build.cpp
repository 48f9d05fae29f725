// Builds packs of what manifests list.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.command;

import spio.aot;
import spio.families;
import spio.spec;

namespace spio::command {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_manifest_bytes = 1 << 20;

std::string read_manifest(std::string_view path) {
    std::error_code failed;
    auto const status = fs::status(path, failed);
    auto const name = in_quotes(path);
    if (status.type() == fs::file_type::not_found) {
        throw failure(exit_code::not_found, "there is no manifest " + name);
    }
    if (status.type() != fs::file_type::regular) {
        throw failure(exit_code::not_found, name + " is no file, so it is no manifest");
    }
    if (fs::file_size(path, failed) > most_manifest_bytes) {
        throw failure(exit_code::usage, name + " is too large for a manifest");
    }
    std::ifstream file{fs::path(path), std::ios::binary};
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) throw failure(exit_code::not_found, "manifest " + name + " cannot be read");
    if (aot::lines_of(text).empty()) {
        throw failure(exit_code::usage, "manifest " + name +
                                            " lists no kernel; a line is such as: layernorm_2d "
                                            "channels=64");
    }
    return text;
}

std::vector<std::string> archs_in(line const& asked) {
    std::vector<std::string> all;
    for (auto const given : asked.values("--arch")) {
        for (std::size_t at = 0; at <= given.size();) {
            auto const end = std::min(given.find(',', at), given.size());
            if (end > at) all.emplace_back(given.substr(at, end - at));
            at = end + 1;
        }
    }
    if (all.empty()) all = {"sm_80", "sm_86", "sm_89", "sm_90a", "compute_80"};
    return all;
}

aot::device_compiler compiler_in(line const& asked) {
    auto const named = asked.value("--compiler", "nvcc");
    auto const kind = aot::compiler_named(named);
    if (!kind) {
        throw failure(exit_code::usage,
                      "--compiler is " + in_quotes(named) + ", but must be nvcc or clang");
    }
    auto found = aot::find_compiler(*kind, fs::path(asked.value("--cuda")));
    found.is_compressed = !asked.has("--plain");
    return found;
}

json image_json(aot::built_image const& each) {
    return json::object({{"line", each.line},
                         {"arch", each.arch},
                         {"symbol", each.symbol},
                         {"bytes", each.bytes},
                         {"plain_bytes", each.plain_bytes},
                         {"seconds", each.seconds},
                         {"is_new", each.is_new}});
}

exit_code run_build(line const& asked, surroundings const& around) {
    auto const name = asked.operands.front();
    fs::path output(asked.value("--output"));
    if (output.empty()) output = fs::path(name).filename().replace_extension(".spiopack");
    aot::build_request request = {.manifest = read_manifest(name),
                                  .manifest_name = std::string(name),
                                  .families = families(),
                                  .archs = archs_in(asked),
                                  .output = output,
                                  .folder = fs::path(asked.value("--folder")),
                                  .jobs = number_of(asked.value("--jobs", "0"), "--jobs")};
    // What is wrong with a line is told before a compiler is looked for.
    for (auto const& arch : request.archs) {
        if (!arch.starts_with("sm_") && !arch.starts_with("compute_")) {
            throw failure(exit_code::usage, "--arch is " + in_quotes(arch) +
                                                ", but must be such as sm_90a or compute_80");
        }
        try {
            aot::specs_of(request.manifest, request.manifest_name, request.families,
                          parse_arch(arch));
        } catch (spio::error const& e) {
            throw failure(exit_code::usage, e.what());
        }
    }
    request.compiler = compiler_in(asked);
    if (around.is_watched) {
        request.progress = [&](aot::build_progress const& at) {
            around.tell("[" + std::to_string(at.done) + "/" + std::to_string(at.all) + "] " +
                        at.image.line + " for " + at.image.arch +
                        (at.image.is_new ? "" : ", there already") + "\n");
        };
    }
    auto const made = aot::build_pack(request);
    if (asked.has(json_option.name)) {
        around.print(json::object({{"path", output.string()},
                                   {"bytes", made.bytes},
                                   {"images", json_of_each(made.images, image_json)}})
                         .text() +
                     "\n");
        return exit_code::success;
    }
    around.print(printable(output.string()) + ": " + counted(made.images.size(), "image") + ", " +
                 spelled_bytes(made.bytes) + "\n");
    return exit_code::success;
}

} // namespace

subcommand pack_build() {
    return {
        .name = "pack build",
        .operands = "MANIFEST",
        .summary = "compile what a manifest lists into a pack",
        .lesson = "A manifest has a line for each kernel, a family and a problem, as 'spio show' "
                  "takes them;\n"
                  "what comes after a # is a comment. Without --arch it is for sm_80, sm_86, sm_89 "
                  "and sm_90a,\n"
                  "and compute_80 for what comes after them.\n\n"
                  "  spio pack build kernels.manifest\n"
                  "  spio pack build kernels.manifest --arch sm_90a --output hopper.spiopack\n",
        .options = {{"--output", "FILE", "the pack; else the manifest's name, here"},
                    {"--arch", "ARCH,...", "sm_80, sm_90a, compute_80, ...", true},
                    {"--compiler", "nvcc|clang", "nvcc if it is not given"},
                    {"--cuda", "FOLDER", "the toolkit; else it is looked for"},
                    {"--folder", "FOLDER", "keep images here, and compile again what changed only"},
                    {"--jobs", "NUMBER", "compilers at once; 0 for one a processor"},
                    {"--plain", "", "leave images uncompressed"},
                    json_option},
        .least_operands = 1,
        .most_operands = 1,
        .run = run_build};
}

} // namespace spio::command
