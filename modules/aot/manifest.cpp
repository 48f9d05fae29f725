// Reads manifests.
// SPDX-License-Identifier: Apache-2.0
//
// A manifest is a text that lists kernels. Each line names a family (the kernels of one operation)
// and a problem, such as axpby n=1000. A spec is what a kernel is compiled from; a line may take
// several kernels. A config_source finds measured configurations; without one the family chooses.
module;

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

module spio.aot;

import spio.spec;

namespace spio::aot {

std::vector<manifest_line> lines_of(std::string_view manifest) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<manifest_line> lines;
    for (int number = 1; !manifest.empty(); ++number) {
        auto const end = std::min(manifest.find('\n'), manifest.size());
        auto line = manifest.substr(0, end);
        manifest.remove_prefix(std::min(end + 1, manifest.size()));
        line = line.substr(0, line.find('#'));
        auto const first = line.find_first_not_of(blanks);
        if (first == line.npos) continue;
        line = line.substr(first, line.find_last_not_of(blanks) + 1 - first);
        lines.push_back({number, std::string(line)});
    }
    return lines;
}

// The kernels of each line of a manifest's text; `name` is for messages.
std::vector<std::vector<spec>> specs_of_lines(std::string_view manifest, std::string_view name,
                                              std::span<family const> families, spio::arch arch,
                                              config_source const& configs) {
    std::vector<std::vector<spec>> kernels;
    for (auto const& line : lines_of(manifest)) {
        try {
            kernels.push_back(specs_of_line(line.text, families, arch, configs));
        } catch (error const& failure) {
            throw error(failure.kind(), "read",
                        std::string(name) + ":" + std::to_string(line.number), failure.what());
        }
    }
    return kernels;
}

std::vector<spec> specs_of(std::string_view manifest, std::string_view name,
                           std::span<family const> families, spio::arch arch,
                           config_source const& configs) {
    std::vector<spec> kernels;
    for (auto const& line : specs_of_lines(manifest, name, families, arch, configs)) {
        kernels.insert(kernels.end(), line.begin(), line.end());
    }
    return kernels;
}

} // namespace spio::aot
