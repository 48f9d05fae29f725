// Teaches the command.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

module spio.command;

namespace spio::command {

std::string help() {
    std::string text =
        "spio runs and looks after GPU kernels: from packs, from NVRTC, on the host.\n"
        "\n"
        "usage: spio SUBCOMMAND [WORD...] [OPTION...]\n"
        "\n";
    std::size_t width = 0;
    for (auto const& each : subcommands()) width = std::max(width, each.name.size());
    for (auto const& each : subcommands()) {
        text += "  " + padded(std::string(each.name), width + 2) + std::string(each.summary) + "\n";
    }
    text += R"(
Begin with these:
  spio doctor                                   what is here, and what is missing
  spio list                                     the kernels there are, and their problems
  spio run axpby n=1000000 --check              one of them, on a GPU or without
  spio show layernorm_2d channels=64            what it is specialized to

'spio SUBCOMMAND --help' tells all about one of them. Results go to the standard output, all else to
the standard error. The command ends with
  0  done, and what was checked is right
  1  what was checked is not right: results, a pack, the cache, this machine
  2  the words were not understood, or no kernel can have such a problem
  3  something was not found: a file, a device, a compiler, a kernel's image
  4  a tool failed: the driver, a compiler, the memory
  5  the output could not be written
)";
    return text;
}

std::string help(subcommand const& of) {
    std::string text = std::string("spio ") + std::string(of.name) + ": " +
                       std::string(of.summary) + "\n\nusage: " + of.usage() + "\n\n";
    if (!of.lesson.empty()) text += std::string(of.lesson) + "\n";
    auto const spelled_option = [](option const& each) {
        return std::string(each.name) + (each.value.empty() ? "" : " ") + std::string(each.value);
    };
    std::size_t width = 0;
    for (auto const& each : of.options) width = std::max(width, spelled_option(each).size());
    width = std::max(width, help_option.name.size());
    for (auto const& each : of.options) {
        text += "  " + padded(spelled_option(each), width + 2) + std::string(each.meaning) + "\n";
    }
    return text + "  " + padded(std::string(help_option.name), width + 2) +
           std::string(help_option.meaning) + "\n";
}

} // namespace spio::command
