// Kernels with a planted misuse, each launched once, and their reports as lines of a record.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. Threads run in one order, so that the report is the
// same each time.
#pragma once

#include "bulk_fixture.h"

#include "../spec/recorded.h"

#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

// The reports of planted kernels. Each line is the name of a kernel and its report.
struct report_record {
    std::vector<std::string> lines;

    // Records the report of a kernel that has a misuse. With unwritten_reads, a read of global
    // memory that nobody wrote is one too.
    void plant(std::string const& name, launch_shape const& shape,
               std::function<void()> const& kernel, bool unwritten_reads = false) {
        auto const report = spio::sim::launch(
            "planted", shape, kernel, {.os_threads = 1, .unwritten_reads = unwritten_reads});
        lines.push_back(name + ": " + report.text());
    }
    // Compares the lines with those of the file `name` beside a file of tests. If the variable of
    // the environment `recorder` is set, it names a file to write the lines to.
    void compare(char const* test, char const* name, char const* recorder) const {
        auto const file = std::filesystem::path(test).replace_filename(name);
        auto const count = spio::test::compare_with_record(lines, file.c_str(), recorder);
        std::cout << "summary: sim." << file.stem().string() << ": " << count
                  << " reports as recorded\n";
    }
};

inline std::string text_of(long long number) { return " " + std::to_string(number); }
// A launch of one block.
inline launch_shape block_of(int threads, int shared_bytes = 8192) {
    return {.shape = {.block = {threads}, .shared_bytes = shared_bytes}};
}
