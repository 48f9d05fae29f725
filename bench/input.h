// Opens a file that is to be read, or throws with its name: one that is missing is no empty one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <stdexcept>

namespace spio::bench {

inline std::ifstream open_input(std::filesystem::path const& file, std::ios::openmode mode = {}) {
    std::ifstream input(file, mode);
    if (!input) throw std::runtime_error(file.string() + " cannot be read");
    return input;
}

} // namespace spio::bench
