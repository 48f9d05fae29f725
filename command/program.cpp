// The main function of the command: streams and signals, and the families that it knows.
// SPDX-License-Identifier: Apache-2.0
//
// A family is a set of kernels for one operation, such as conv2d; its trials run problems of it on
// random data. The host device simulates a GPU on the CPU.
module;

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

module spio.command;

import spio.cuda;
import spio.families;
import spio.spec;

namespace spio::command {

// The trials in the folders of this command. CMake writes this function.
std::vector<trial_family> trials_of_spio();

namespace {

// What this program adds to Spio's command: families of its own, kernels for the host device, and
// the folder of its headers.
program_parts& own_parts() {
    static program_parts parts;
    return parts;
}

} // namespace

program_parts const& parts_of_program() { return own_parts(); }

std::span<family const> families() {
    static std::vector<family> const known = [] {
        auto const shipped = spio::families();
        std::vector<family> found(shipped.begin(), shipped.end());
        for (auto const& own : parts_of_program().families) found.push_back(own.kernels);
        return found;
    }();
    return known;
}

std::span<trial_family const> trial_families() {
    static std::vector<trial_family> const known = [] {
        auto found = trials_of_spio();
        for (auto const& own : parts_of_program().families) {
            if (own.trials) found.push_back(*own.trials);
        }
        return found;
    }();
    return known;
}

std::span<std::string const> host_manifest_lines() { return parts_of_program().host_kernels; }

int run_program(std::span<char* const> words, program_parts parts) {
    own_parts() = std::move(parts);
    // If the reader of a pipe ends early, a write must fail, so that the failure can be reported,
    // and not kill the program.
    std::signal(SIGPIPE, SIG_IGN);
    bool is_printed = true;
    auto const write = [](std::FILE* file, std::string_view text) {
        return std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
               std::fflush(file) == 0;
    };
    std::error_code unknown;
    io const io = {.print = [&](auto text) { is_printed = write(stdout, text) && is_printed; },
                   .tell = [&](auto text) { write(stderr, text); },
                   .is_interactive = ::isatty(STDERR_FILENO) == 1,
                   .open_driver = [] { return std::make_unique<cuda::driver>(); },
                   .program = std::filesystem::read_symlink("/proc/self/exe", unknown)};
    for (auto const& [kernels, trials] : parts_of_program().families) {
        if (!trials || trials->name == kernels.name) continue;
        io.tell("spio: the trials of the family '" + std::string(kernels.name) +
                "' say that they are those of '" + std::string(trials->name) +
                "': the first argument of trials_of<> is the family's name\n");
        return static_cast<int>(exit_status::usage);
    }
    if (!words.empty()) words = words.subspan(1);
    std::vector<std::string_view> const line(words.begin(), words.end());
    auto const status = run(line, io);
    if (is_printed) return static_cast<int>(status);
    io.tell("spio: the output could not be written\n");
    return static_cast<int>(exit_status::not_written);
}

} // namespace spio::command
