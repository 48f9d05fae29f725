// Whether what a file says may be compiled or run.
// SPDX-License-Identifier: Apache-2.0
module;

#include <filesystem>
#include <string>

export module spio.jit:trust;

export namespace spio::jit {

// Why not to open a file, empty if there is no reason: it, a folder that it is in, or one of those
// above belongs to someone else, or others can write there.
std::string distrust(std::filesystem::path const& without_links);

} // namespace spio::jit
