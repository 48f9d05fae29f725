// A fuzz target: the parser of `spio`'s command line, CLI11 included, and its answers.
// SPDX-License-Identifier: Apache-2.0
//
// A pack is a file of compiled kernels; a policy says whether kernels come from packs or from a
// compiler. libFuzzer calls LLVMFuzzerTestOneInput with bytes that it changes so that more code is
// reached; a call that aborts is a finding. tests/fuzz.cmake has it run 5000 times, in nightly
// tests a million. For longer:
//     build/ci/tests/command/fuzz_arguments -runs=10000000 -max_len=512 -print_final_stats=1
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

import spio.command_line;

using namespace spio::command;

namespace {

std::size_t parsed_count = 0, refused_count = 0;

// A few subcommands with each kind of option and operand. An option has its name, the name of its
// value, and its meaning, which is empty here.
std::vector<subcommand> const known = {
    {.name = "doctor", .options = {{"--json", "", ""}}},
    {.name = "run",
     .operands = "FAMILY KEY=VALUE...",
     .options = {{"--check", "", ""},
                 {"--seed", "NUMBER", ""},
                 {"--policy", "often|never", ""},
                 {"--pack", "FILE", "", /*repeats=*/true}},
     .least_operands = 1,
     .most_operands = 4},
    {.name = "pack list", .operands = "FILE...", .least_operands = 1, .most_operands = 3},
    {.name = "pack verify", .operands = "FILE...", .least_operands = 1, .most_operands = 3},
    {.name = "version"},
};

void expect(bool holds) {
    if (!holds) std::abort();
}

// Whether a terminal shows the text as it is, without control characters.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [&](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

// Expects arguments that the subcommand's own description admits.
void expect_sane(arguments const& args, std::size_t words) {
    expect(args.subcommand != nullptr || args.wants_help);
    if (args.subcommand == nullptr || args.wants_help) return;
    expect(args.operands.size() <= args.subcommand->most_operands);
    expect(args.operands.size() >= args.subcommand->least_operands);
    std::size_t count = args.operands.size();
    for (auto const& option : args.subcommand->options) {
        auto const values = args.values(option.name);
        expect(option.repeats || values.size() <= 1);
        expect(args.has(option.name) == !values.empty());
        if (option.name == "--policy" && !values.empty()) {
            expect(values[0] == "often" || values[0] == "never");
        }
        count += values.size();
    }
    expect(count <= words);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return std::atexit([] {
        std::printf("summary: command.fuzz_arguments: %zu lines parsed and %zu refused\n",
                    parsed_count, refused_count);
    });
}

// Words end with a zero, as the system has them.
extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view text(reinterpret_cast<char const*>(data), size);
    std::vector<std::string_view> words;
    while (!text.empty()) {
        auto const end = std::min(text.find('\0'), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    try {
        expect_sane(parse_arguments(words, known), words.size());
        ++parsed_count;
    } catch (failure const& e) {
        ++refused_count;
        expect(e.status() == exit_status::usage);
        // One line that steers no terminal, of a length that a person reads.
        expect(is_plain(e.what()) && std::string_view(e.what()).size() < 500);
    }
    for (auto const word : words) expect(is_plain(quote(word)));
    return 0;
}
