// Examines this machine: what Spio finds, what is missing, and what to do about it.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel, a pack a file of images. The host device simulates a GPU on the
// processor.
module;

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

module spio.command;

import spio.aot;
import spio.cuda;
import spio.jit;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

// CUDA's driver and its GPUs.
diagnosis diagnose_driver(io const& io) {
    diagnosis result = {.name = "driver"};
    try {
        auto const driver = io.open_driver();
        auto const number = driver->version();
        auto const version =
            std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
        result.text = "for CUDA " + version;
        auto const count = driver->device_count();
        std::vector<json> gpus;
        for (int i = 0; i < count; ++i) {
            auto const gpu = driver->device(i);
            gpus.push_back(json::object({{"ordinal", i},
                                         {"name", gpu.name()},
                                         {"arch", text_of(arch_of(gpu))},
                                         {"memory_bytes", gpu.memory_bytes()}}));
            result.lines.push_back("GPU " + std::to_string(i) + ", " + gpu.name() + ", " +
                                   text_of(arch_of(gpu)) + ", " + format_bytes(gpu.memory_bytes()));
        }
        result.facts = json::object({{"version", version}, {"gpus", json::array(gpus)}});
        if (count == 0) {
            result.state = condition::missing;
            result.text += ", without a GPU";
            result.advice = "kernels run on the host device";
        }
    } catch (spio::error const& e) {
        result.facts = json::object({{"version", nullptr}, {"gpus", json::array({})}});
        result.text = e.what();
        if (e.kind() == error_kind::not_found) {
            result.state = condition::missing;
            result.advice = "to use a GPU, install NVIDIA's driver; without one kernels run on "
                            "the host device";
        } else {
            result.state = condition::wrong;
            result.advice = "see what nvidia-smi says of it";
        }
    }
    return result;
}

// The library that compiles kernels at run time.
diagnosis diagnose_nvrtc() {
    diagnosis result = {.name = "NVRTC"};
    auto places = json::array({});
    // Whether a file may be NVRTC, or SPIO_NVRTC is set wrongly, for which nvrtc_places() throws.
    // If neither, NVRTC is merely missing.
    bool is_somewhere = true;
    try {
        auto const paths = jit::nvrtc_places();
        is_somewhere = !paths.empty();
        places = json::array(paths, [](auto const& path) { return json(path.string()); });
        jit::nvrtc const compiler;
        auto const version =
            std::to_string(compiler.major()) + "." + std::to_string(compiler.minor());
        result.text = version + " in " + compiler.path().string();
        result.facts = json::object({{"version", version},
                                     {"path", compiler.path().string()},
                                     {"build", compiler.build_id()},
                                     {"places", places}});
    } catch (spio::error const& e) {
        result.state = is_somewhere ? condition::wrong : condition::missing;
        result.text = e.what();
        result.advice = std::getenv("SPIO_NVRTC") != nullptr
                            ? "set SPIO_NVRTC to the whole path of NVRTC's file, or unset it"
                        : is_somewhere
                            ? "let nobody else be able to write there, or install another"
                            : "to compile kernels at run time, set CUDA_HOME to a toolkit, or "
                              "pip install nvidia-cuda-nvrtc and activate that environment";
        result.facts = json::object(
            {{"version", nullptr}, {"path", nullptr}, {"build", nullptr}, {"places", places}});
    }
    return result;
}

// The packs (files of compiled kernels) that --pack names, and those beside the program.
diagnosis diagnose_packs(arguments const& args, io const& io) {
    diagnosis result = {.name = "packs"};
    auto paths = args.values(pack_option.name);
    for (auto const& path : packs_nearby(io)) paths.push_back(path.string());
    std::vector<json> packs;
    for (auto const& path : paths) {
        json images = nullptr, complaint = nullptr;
        try {
            auto const pack = read_pack(path);
            pack.verify();
            result.lines.push_back(path + ", " + format_count(pack.list().size(), "image"));
            images = pack.list().size();
        } catch (std::runtime_error const& e) {
            result.state = condition::wrong;
            result.lines.emplace_back(e.what());
            result.advice = "build it again, or take it away";
            complaint = e.what();
        }
        packs.push_back(
            json::object({{"path", path}, {"images", images}, {"complaint", complaint}}));
    }
    result.facts = json::array(packs);
    result.text = paths.empty() ? "none beside the program; --pack FILE names others"
                                : format_count(paths.size(), "pack");
    return result;
}

// The kernels for the host device, which simulates a GPU on the processor.
diagnosis diagnose_host() {
    return {.name = "host device",
            .text = format_count(host_manifest_lines().size(), "kernel") +
                    " built into this program; 'spio list' names them",
            .facts =
                json::array(host_manifest_lines(), [](auto const& line) { return json(line); })};
}

std::string_view name_of(condition state) {
    return state == condition::good ? "good" : state == condition::missing ? "missing" : "wrong";
}

// A diagnosis for programs (--json), and below for people: its lines and, after ->, the advice.
json json_of(diagnosis const& result) {
    return json::object({{"name", result.name},
                         {"state", name_of(result.state)},
                         {"words", result.text},
                         {"advice", json_or_null(result.advice)},
                         {"facts", result.facts}});
}

std::string text_of(diagnosis const& result) {
    constexpr std::size_t column = 16;
    auto const mark =
        result.state == condition::good ? "" : std::string(name_of(result.state)) + ": ";
    auto text = padded(result.name, column) + mark + result.text + "\n";
    auto const add = [&](std::string const& line) {
        text += std::string(column, ' ') + line + "\n";
    };
    for (auto const& line : result.lines) add(line);
    if (!result.advice.empty()) add("-> " + result.advice);
    return text;
}

exit_status run_doctor(arguments const& args, io const& io) {
    std::vector<diagnosis> const results = {
        diagnose_driver(io),         diagnose_nvrtc(),      diagnose_cache(),
        diagnose_packs(args, io),    diagnose_host(),       diagnose_policy(),
        diagnose_configurations(io), diagnose_environment()};
    bool const is_good = std::ranges::none_of(
        results, [](diagnosis const& result) { return result.state == condition::wrong; });
    std::string text;
    for (auto const& result : results) text += text_of(result);
    print_result(
        args, io,
        json::object({{"version", project_version()},
                      {"is_good", is_good},
                      {"findings",
                       json::array(results, [](auto const& result) { return json_of(result); })}}),
        text);
    return is_good ? exit_status::success : exit_status::check_failed;
}

} // namespace

subcommand doctor() {
    return {.name = "doctor",
            .summary = "examine this machine: what is missing, and what to do about it",
            .details =
                "Looks for the driver and its GPUs, NVRTC, the cache folder, packs beside the\n"
                "program, and environment variables; changes nothing. Something missing is not a\n"
                "failure: Spio does without it. Ends with 1 if something that is there cannot be\n"
                "used.\n",
            .options = {pack_option, json_option},
            .run = run_doctor};
}

} // namespace spio::command
