// A fuzz target: the reader of the command's line, and all that answers with words of it.
// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz.cmake has it run 10^5 times. For longer:
//     build/ci/tests/command/fuzz_line -runs=10000000 -max_len=512 -print_final_stats=1
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

std::size_t read_count = 0, refused_count = 0;

std::vector<subcommand> const known = {
    {.name = "doctor", .options = {{"--json", "", ""}}},
    {.name = "run",
     .operands = "FAMILY KEY=VALUE...",
     .options = {{"--check", "", ""}, {"--seed", "NUMBER", ""}, {"--pack", "FILE", "", true}},
     .least_operands = 1,
     .most_operands = 4},
    {.name = "pack list", .operands = "FILE...", .least_operands = 1, .most_operands = 3},
    {.name = "pack verify", .operands = "FILE...", .least_operands = 1, .most_operands = 3},
    {.name = "version"},
};

void expect(bool holds) {
    if (!holds) std::abort();
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [&](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

void expect_sane(line const& read, std::size_t words) {
    expect(read.is != nullptr || read.asks_for_help);
    if (read.is == nullptr) return;
    expect(read.operands.size() <= read.is->most_operands);
    expect(read.asks_for_help || read.operands.size() >= read.is->least_operands);
    std::size_t given = read.operands.size();
    for (auto const& each : read.is->options) {
        auto const values = read.values(each.name);
        expect(each.repeats || values.size() <= 1);
        expect(read.has(each.name) == !values.empty());
        for (auto const value : values) expect(value.empty() == each.value.empty());
        given += values.size();
    }
    expect(given <= words);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return std::atexit([] {
        std::printf("figure: command.fuzz_line: %zu lines read and %zu refused\n", read_count,
                    refused_count);
    });
}

// Words end with a zero, as the system has them.
extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view all(reinterpret_cast<char const*>(data), size);
    std::vector<std::string_view> words;
    while (!all.empty()) {
        auto const end = std::min(all.find('\0'), all.size());
        words.push_back(all.substr(0, end));
        all.remove_prefix(std::min(end + 1, all.size()));
    }
    try {
        expect_sane(read_line(words, known), words.size());
        ++read_count;
    } catch (failure const& e) {
        ++refused_count;
        expect(e.code() == exit_code::usage);
        // One line that steers no terminal, of a length that can be read.
        expect(is_plain(e.what()) && std::string_view(e.what()).size() < 400);
    }
    for (auto const word : words) expect(is_plain(in_quotes(word)));
    return 0;
}
