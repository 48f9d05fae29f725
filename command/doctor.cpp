// Looks at this machine: what Spio finds, what is missing, and what to do about it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

import spio.cuda;
import spio.launch;
import spio.spec;

namespace spio::command {

namespace {

constexpr std::pair<std::string_view, std::string_view> variables[] = {
    {"SPIO_POLICY", "who is asked for images: aot_only, aot_then_jit, jit_only"},
    {"SPIO_LOG", "1: a line on the standard error for each image found, compiled and loaded"},
    {"SPIO_CACHE", "off: what is compiled at run time is not kept"},
    {"SPIO_CACHE_DIR", "the folder where it is kept"},
    {"XDG_CACHE_HOME", "else, the folder above it"},
    {"HOME", "else, the home with .cache"},
    {"SPIO_NVRTC", "the file of NVRTC, and no other"},
    {"CUDA_HOME", "else, a toolkit to look for NVRTC in"},
    {"CUDA_PATH", "the same"},
    {"VIRTUAL_ENV", "wheels of pip, to look for NVRTC in"},
    {"CONDA_PREFIX", "the same"},
    {"LD_LIBRARY_PATH", "folders to look for NVRTC in"},
};

finding driver_finding(surroundings const& around) {
    finding found = {.name = "driver"};
    try {
        auto const driver = around.open_driver();
        auto const version = driver->version();
        auto const words =
            std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
        found.words = "for CUDA " + words;
        auto const count = driver->device_count();
        std::vector<json> gpus;
        for (int i = 0; i < count; ++i) {
            auto const gpu = driver->device(i);
            gpus.push_back(json::object({{"ordinal", i},
                                         {"name", gpu.name()},
                                         {"arch", text_of(arch_of(gpu))},
                                         {"memory_bytes", gpu.memory_bytes()}}));
            found.lines.push_back("GPU " + std::to_string(i) + ", " + gpu.name() + ", " +
                                  text_of(arch_of(gpu)) + ", " + spelled_bytes(gpu.memory_bytes()));
        }
        found.facts = json::object({{"version", words}, {"gpus", json::array(gpus)}});
        if (count == 0) {
            found.is = state::missing;
            found.words += ", without a GPU";
            found.advice = "kernels run on the host device";
        }
    } catch (spio::error const& e) {
        bool const is_there = e.kind() != error_kind::not_found;
        found.is = is_there ? state::wrong : state::missing;
        found.words = is_there ? e.what() : "there is none: " + std::string(e.what());
        found.advice = is_there
                           ? "see what nvidia-smi says of it"
                           : "to use a GPU, install NVIDIA's driver; without one kernels run on "
                             "the host device";
        found.facts = json::object({{"version", nullptr}, {"gpus", json::array({})}});
    }
    return found;
}

finding policy_finding() {
    finding found = {.name = "policy"};
    try {
        found.words = std::string(name_of(policy_of_environment()));
        found.facts = found.words;
    } catch (spio::error const& e) {
        found.is = state::wrong;
        found.words = e.what();
        found.advice = "set SPIO_POLICY to one of them, or unset it";
    }
    return found;
}

finding environment_finding() {
    finding found = {.name = "environment"};
    std::vector<json> all;
    unsigned set = 0;
    for (auto const& [name, meaning] : variables) {
        char const* const value = std::getenv(std::string(name).c_str());
        all.push_back(json::object({{"name", name},
                                    {"meaning", meaning},
                                    {"value", value == nullptr ? json(nullptr) : json(value)}}));
        if (value == nullptr) continue;
        ++set;
        found.lines.push_back(std::string(name) + "=" + value + "  (" + std::string(meaning) + ")");
    }
    found.words = std::to_string(set) + " of " + counted(std::size(variables), "variable") +
                  " that are read are set";
    found.facts = json::array(all);
    return found;
}

finding host_finding() {
    finding found = {.name = "host device"};
    found.words = counted(host_lines().size(), "kernel") + " built into this program; 'spio list' "
                                                           "names them";
    found.facts = json_of_each(host_lines(), [](std::string const& each) { return json(each); });
    return found;
}

std::string_view name_of_state(state is) {
    return is == state::good ? "good" : is == state::missing ? "missing" : "wrong";
}

json finding_json(finding const& each) {
    return json::object({{"name", each.name},
                         {"state", name_of_state(each.is)},
                         {"words", each.words},
                         {"advice", each.advice.empty() ? json(nullptr) : json(each.advice)},
                         {"facts", each.facts}});
}

std::string finding_text(finding const& each) {
    constexpr std::size_t column = 14;
    std::string const mark =
        each.is == state::good ? "" : std::string(name_of_state(each.is)) + ": ";
    auto text = padded(each.name, column) + mark + each.words + "\n";
    auto const add = [&](std::string const& line) {
        text += std::string(column, ' ') + line + "\n";
    };
    for (auto const& line : each.lines) add(line);
    if (!each.advice.empty()) add("-> " + each.advice);
    return text;
}

exit_code run_doctor(line const& asked, surroundings const& around) {
    finding const all[] = {driver_finding(around),       nvrtc_finding(), cache_finding(),
                           packs_finding(asked, around), host_finding(),  policy_finding(),
                           environment_finding()};
    bool is_good = true;
    std::string text;
    for (auto const& each : all) {
        is_good = is_good && each.is != state::wrong;
        text += printable(finding_text(each));
    }
    around.print(asked.has(json_option.name)
                     ? json::object({{"version", project_version()},
                                     {"is_good", is_good},
                                     {"findings", json_of_each(all, finding_json)}})
                               .text() +
                           "\n"
                     : text);
    return is_good ? exit_code::success : exit_code::check_failed;
}

} // namespace

subcommand doctor() {
    return {
        .name = "doctor",
        .operands = "",
        .summary = "what is here, what is missing, and what to do about it",
        .lesson =
            "Looks for the driver and its GPUs, NVRTC, the folder of the cache, packs beside\n"
            "the program, and the variables that are read; nothing is changed. What is missing\n"
            "is no failure: Spio does without. Ends with 1 if something that is there cannot\n"
            "be used.\n",
        .options = {pack_option, json_option},
        .run = run_doctor};
}

} // namespace spio::command
