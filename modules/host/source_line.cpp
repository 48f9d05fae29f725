// Asks addr2line for the line of a kernel in which a load or a store is wrong.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU: it runs kernels that were compiled for the CPU. The line becomes
// a part of the report of the wrong access. found_in_path() looks for a program as a shell does;
// distrust() says who else could have written it, and is empty if nobody could.
module;

#include "sim/fault_place.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

module spio.host;

import spio.system;

namespace spio::host {

namespace {

// Whether a file is of the headers that all kernels share, where most loads and stores are.
bool is_shared_header(std::string_view file) {
    auto folder = file.substr(0, file.rfind('/'));
    if (folder.ends_with("/tile")) folder.remove_suffix(std::string_view("/tile").size());
    return folder.ends_with("/spio") || folder.ends_with("/machine");
}

// The innermost line outside those headers. addr2line prints a line for each function that was
// inlined there, the innermost first: "/project/kernels/axpby/axpby.cuh:51 (discriminator 2)".
std::string line_in(std::string_view output) {
    while (!output.empty()) {
        auto const line = output.substr(0, output.find('\n'));
        output.remove_prefix(std::min(line.size() + 1, output.size()));
        auto const colon = line.rfind(':');
        if (colon == line.npos || line.starts_with('?')) continue;
        auto const number = line.substr(colon + 1, line.find(' ', colon) - colon - 1);
        bool const is_known = !number.empty() && number != "0" && number != "?";
        auto file = line.substr(0, colon);
        while (file.starts_with("./")) file.remove_prefix(2);
        if (is_known && !is_shared_header(file)) {
            return std::string(file) + ":" + std::string(number);
        }
    }
    return {};
}

} // namespace

// The line, as file:number, of the code at an address in the program's file; empty if unknown.
std::string source_line(std::string const& program, unsigned long long address) {
    if (program.empty() || address == 0) return {};
    try {
        for (auto const* name : {"addr2line", "llvm-addr2line", "llvm-addr2line-19"}) {
            auto const tool = found_in_path(name);
            if (tool.empty() || !distrust(tool).empty()) continue;
            char text[32];
            // The address is that of the instruction behind the call.
            std::snprintf(text, sizeof text, "0x%llx", address - 1);
            return line_in(run({tool.string(), "-i", "-e", program, text}).output);
        }
    } catch (std::exception const&) { // a report without a line is good enough
    }
    return {};
}

} // namespace spio::host
