// Compiles the kernels that manifests list, and packs them into one file.
// SPDX-License-Identifier: Apache-2.0
//
// A manifest is a list of kernels: on each line a family (the kernels of one operation) and a
// problem. An image is a compiled kernel, a pack the file of all images. plain_bytes is the size of
// an image before compression.
module;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module spio.command;

import spio.aot;
import spio.spec;

namespace spio::command {

namespace fs = std::filesystem;

// Reads a manifest: a text whose lines are a family and a problem each, such as "axpby n=1000".
std::string read_manifest(std::string const& path) {
    constexpr std::uintmax_t most_bytes = 1 << 20;
    std::error_code failed;
    auto const status = fs::status(path, failed);
    auto const name = quote(path);
    if (status.type() == fs::file_type::not_found) {
        throw failure(exit_status::not_found, "there is no manifest " + name);
    }
    if (status.type() != fs::file_type::regular) {
        throw failure(exit_status::not_found, name + " is no file, so it is no manifest");
    }
    if (fs::file_size(path, failed) > most_bytes) {
        throw failure(exit_status::usage, name + " is too large for a manifest");
    }
    std::ifstream file{path, std::ios::binary};
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) throw failure(exit_status::not_found, "manifest " + name + " cannot be read");
    if (aot::lines_of(text).empty()) {
        throw failure(exit_status::usage, "manifest " + name +
                                              " lists no kernel; a line is such as: layernorm_2d "
                                              "channels=64");
    }
    return text;
}

namespace {

// The architectures that --arch lists, separated by commas, or else those that packs usually have.
std::vector<std::string> archs_in(arguments const& args) {
    std::vector<std::string> archs;
    for (auto const& list : args.values("--arch")) {
        for (std::size_t begin = 0; begin < list.size();) {
            auto const end = std::min(list.find(',', begin), list.size());
            if (end > begin) archs.push_back(list.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    if (archs.empty()) archs = {"sm_80", "sm_86", "sm_89", "sm_90a", "compute_80"};
    return archs;
}

// The compiler that --compiler names, found in the toolkit --cuda or where toolkits usually are.
aot::device_compiler compiler_in(arguments const& args) {
    auto const kind = *aot::compiler_named(args.value("--compiler", "nvcc"));
    auto compiler = aot::find_compiler(kind, fs::path(args.value("--cuda")));
    compiler.is_compressed = !args.has("--plain");
    return compiler;
}

// A hint for the first wrong line of the manifest: the line without its fields of a launch, which
// 'spio show' takes and a manifest does not, or what hint_for() says of its words.
std::string hint_for_manifest(std::string const& manifest, arch arch) {
    for (auto const& [number, text] : aot::lines_of(manifest)) {
        try {
            specs_of_line(text, packed_families(), arch);
        } catch (spio::error const&) {
            auto const blank = std::min(text.find(' '), text.size());
            auto const name = std::string_view(text).substr(0, blank);
            auto const words = std::string_view(text).substr(blank);
            auto const family = std::ranges::find(trial_families(), name, &trial_family::name);
            if (family == trial_families().end()) return {};
            try {
                constexpr unsigned seed = 0; // any will do: no data is drawn
                auto const trial = create_trial(*family, words, arch, seed);
                return "; the line of its kernel is: " + trial.kernels.front().line();
            } catch (std::runtime_error const&) {
                return hint_for(*family, words);
            }
        }
    }
    return {};
}

// Checks all lines of the manifest for all architectures, so that a wrong line is reported before a
// compiler is looked for.
void expect_problems(aot::build_request const& request) {
    for (auto const& arch : request.archs) {
        auto const known = arch_named(arch);
        if (known.is_host) {
            throw failure(exit_status::usage, "--arch is " + quote(arch) +
                                                  ", but must be such as sm_90a or compute_80");
        }
        try {
            aot::specs_of(request.manifest, request.manifest_name, request.families, known,
                          request.configs);
        } catch (spio::error const& e) {
            throw failure(exit_status::usage,
                          e.what() + hint_for_manifest(request.manifest, known));
        }
    }
}

// An image of the new pack, for programs (--json).
json json_of(aot::built_image const& image) {
    return json::object({{"line", image.line},
                         {"arch", image.arch},
                         {"symbol", image.symbol},
                         {"bytes", image.bytes},
                         {"plain_bytes", image.plain_bytes},
                         {"seconds", image.seconds},
                         {"is_new", image.is_new}});
}

exit_status run_build(arguments const& args, io const& io) {
    auto const& name = args.operands.front();
    fs::path output(args.value("--output"));
    if (output.empty()) output = fs::path(name).filename().replace_extension(".spiopack");
    if (output.has_parent_path() && !fs::exists(output.parent_path())) {
        throw failure(exit_status::not_found, "there is no folder " +
                                                  quote(output.parent_path().string()) +
                                                  " for the pack");
    }
    aot::build_request request = {.manifest = read_manifest(name),
                                  .manifest_name = name,
                                  .families = packed_families(),
                                  .archs = archs_in(args),
                                  .configs = tuned_configs(args),
                                  .output = output,
                                  .folder = fs::path(args.value("--folder")),
                                  .jobs = args.number("--jobs", "0")};
    expect_problems(request);
    request.compiler = compiler_in(args);
    if (io.is_interactive) {
        request.progress = [&](aot::build_progress const& progress) {
            io.tell("[" + std::to_string(progress.done) + "/" + std::to_string(progress.count) +
                    "] " + progress.image.line + " for " + progress.image.arch +
                    (progress.image.is_new ? "" : ", there already") + "\n");
        };
    }
    auto const built = aot::build_pack(request);
    print_result(args, io,
                 json::object({{"path", output.string()},
                               {"bytes", built.bytes},
                               {"images", json::array(built.images,
                                                      [](auto const& i) { return json_of(i); })}}),
                 output.string() + ": " + format_count(built.images.size(), "image") + ", " +
                     format_bytes(built.bytes) + " with the index\n");
    return exit_status::success;
}

} // namespace

subcommand pack_build() {
    return {
        .name = "pack build",
        .operands = "MANIFEST",
        .summary = "compile what a manifest lists into a pack",
        .details =
            R"(A manifest has a line for each kernel: a family and a problem, as 'spio show' takes them.
A # begins a comment. A kernel of CUDA Python has a line such as
cuda_python axpy.py axpy(float32, float32[:], float32[:])
where the types may be left out if its decorator has them. Without --arch, the pack is for
sm_80, sm_86, sm_89 and sm_90a, and for later chips as PTX (compute_80).

  spio pack build kernels.manifest
  spio pack build kernels.manifest --arch sm_90a --output hopper.spiopack
)",
        .options = {{"--output", "FILE", "the pack; else the manifest's name, here"},
                    {"--arch", "ARCH,...", "sm_80, sm_90a, compute_80, ...", /*repeats=*/true},
                    {"--compiler", "nvcc|clang", "nvcc if it is not given"},
                    {"--cuda", "FOLDER", "the CUDA toolkit; searched for if it is not given"},
                    {"--folder", "FOLDER", "keep images here, and compile only what has changed"},
                    {"--jobs", "NUMBER", "compilers at the same time; 0: one per processor"},
                    {"--plain", "", "leave images uncompressed"},
                    tuned_option,
                    json_option},
        .least_operands = 1,
        .most_operands = 1,
        .run = run_build};
}

} // namespace spio::command
